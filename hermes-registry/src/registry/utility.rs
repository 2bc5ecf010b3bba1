//! Asks a server for what a utility gives.

use mcp_client::{Client, Error, Listing};
use mcp_types::CallToolResult;

use crate::name::ServerName;
use crate::utility::{self, Listed, Request};
use crate::view::ViewPolicy;

/// A utility that may be used, and for whom.
pub(super) struct Errand {
    pub(super) request: Request,
    pub(super) server: ServerName,
    /// What of it the agent may see.
    pub(super) policy: Option<ViewPolicy>,
    /// The most characters of a list.
    pub(super) len_max: usize,
}

/// What has come of it.
pub(super) struct Fetched {
    pub(super) result: CallToolResult,
    pub(super) warnings: Vec<String>,
}

impl Errand {
    pub(super) async fn run(&self, client: &Client) -> Result<Fetched, Error> {
        let whole = |result| Fetched {
            result,
            warnings: Vec::new(),
        };
        match &self.request {
            Request::ListPrompts => Ok(self
                .listed(&client.list_prompts().await?, |policy, one| {
                    policy.permits_prompt(&self.server, &one.name).is_ok()
                })),
            Request::ListResources => Ok(self
                .listed(&client.list_resources().await?, |policy, one| {
                    policy.permits_resource(&self.server, &one.uri).is_ok()
                })),
            Request::ListResourceTemplates => {
                let listing = client.list_resource_templates().await?;
                Ok(self.listed(&listing, |policy, one| {
                    let uri = &one.uri_template;
                    policy.permits_resource(&self.server, uri).is_ok()
                }))
            }
            Request::ReadResource { uri } => {
                let read = client.read_resource(uri).await?;
                Ok(whole(utility::resource(read.value)))
            }
            Request::GetPrompt(params) => {
                let prompt = client.get_prompt(params).await?;
                Ok(whole(utility::prompt(&prompt.value)))
            }
            Request::Complete(params) => {
                let completed = client.complete(params).await?;
                Ok(whole(utility::completion(&completed.value)))
            }
        }
    }

    fn listed<T: Listed>(
        &self,
        listing: &Listing<T>,
        permits: impl Fn(&ViewPolicy, &T) -> bool,
    ) -> Fetched {
        let is_permitted = |one: &T| {
            let policy = self.policy.as_ref();
            policy.is_none_or(|policy| permits(policy, one))
        };
        Fetched {
            result: utility::list(listing, is_permitted, self.len_max),
            warnings: utility::warnings(&listing.diagnostics, listing.cut.is_some()),
        }
    }
}
