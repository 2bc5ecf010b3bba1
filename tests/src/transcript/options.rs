//! The options of a transcript's client.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::{Asker, Builder, Refusal, SamplingHandler};
use mcp_transport::Limits;
use mcp_transport::http::Target;
use mcp_transport::process::Grace;
use mcp_types::content::TextContent;
use mcp_types::sampling::SamplingContent;
use mcp_types::{ContentBlock, CreateMessageParams, CreateMessageResult};
use serde::Deserialize;

use crate::http::ScriptedHttp;
use crate::stage::builder;

/// Options of the client; times are in milliseconds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Options {
    call_timeout: Option<u64>,
    connect_timeout: Option<u64>,
    frame_len_max: Option<usize>,
    grace: Option<u64>,
    /// What every request carries, over HTTP.
    headers: BTreeMap<String, String>,
    /// The path of the URL, over HTTP.
    path: Option<String>,
    /// What a model says that is lent to the server.
    sampling: Option<String>,
}

impl Options {
    pub(super) fn limits(&self) -> Limits {
        let limits = Limits::default();
        self.frame_len_max
            .map_or(limits, |len| limits.with_frame_len_max(len))
    }

    pub(super) fn builder(&self) -> Builder {
        let mut builder = builder();
        if let Some(timeout) = self.connect_timeout {
            builder = builder.connect_timeout(Duration::from_millis(timeout));
        }
        if let Some(timeout) = self.call_timeout {
            builder = builder.call_timeout(Duration::from_millis(timeout));
        }
        if let Some(text) = &self.sampling {
            builder = builder.sampling(Arc::new(Model(text.clone())));
        }
        builder
    }

    pub(super) fn grace(&self) -> Grace {
        let Some(step) = self.grace else {
            return Grace::default();
        };
        let step = Duration::from_millis(step);
        Grace {
            stdin_closed: step,
            term: step,
            kill: step,
        }
    }

    pub(super) fn target(&self, server: &ScriptedHttp) -> Target {
        let mut target = server.target(self.path.as_deref().unwrap_or("/mcp"));
        for (name, value) in &self.headers {
            target = target
                .with_header(name, value)
                .expect("a transcript's headers can be sent");
        }
        target
    }
}

/// A model that always says the same.
struct Model(String);

#[async_trait]
impl SamplingHandler for Model {
    async fn create_message(
        &self,
        _asker: Asker,
        _params: CreateMessageParams,
    ) -> Result<CreateMessageResult, Refusal> {
        let content = ContentBlock::Text(TextContent::new(self.0.clone()));
        Ok(CreateMessageResult::new(
            "scripted",
            SamplingContent::from(content),
        ))
    }
}
