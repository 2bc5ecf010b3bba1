//! What one agent may see and use.

use std::sync::Arc;

use mcp_types::ToolAnnotations;

use super::access::AccessList;
use super::refusal::Refusal;
use crate::name::ServerName;

/// What one agent may see and use.
///
/// The default permits everything.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ViewPolicy {
    name: Option<Arc<str>>,
    servers: AccessList,
    tools: AccessList,
    resources: AccessList,
    prompts: AccessList,
    writes: bool,
}

impl Default for ViewPolicy {
    fn default() -> Self {
        Self {
            name: None,
            servers: AccessList::everything(),
            tools: AccessList::everything(),
            resources: AccessList::everything(),
            prompts: AccessList::everything(),
            writes: true,
        }
    }
}

impl ViewPolicy {
    /// A policy that permits everything.
    #[must_use]
    pub fn everything() -> Self {
        Self::default()
    }

    /// The same policy with a name, by which records of calls tell whose call it was; it decides
    /// nothing. It is written as it is, so it should hold no secret.
    #[must_use]
    pub fn named(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Its name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&Arc<str>> {
        self.name.as_ref()
    }

    /// The same policy for these servers only, by their names; the selector of a name that has a
    /// slash is [`super::Selector::any`].
    #[must_use]
    pub fn with_servers(mut self, servers: AccessList) -> Self {
        self.servers = servers;
        self
    }

    /// The same policy for these tools only, by the names that their servers use.
    #[must_use]
    pub fn with_tools(mut self, tools: AccessList) -> Self {
        self.tools = tools;
        self
    }

    /// The same policy for these resources only, by their addresses.
    ///
    /// An address has slashes, so its selector is [`super::Selector::any`] or
    /// [`super::Selector::of`].
    #[must_use]
    pub fn with_resources(mut self, resources: AccessList) -> Self {
        self.resources = resources;
        self
    }

    /// The same policy for these prompts only, by the names that their servers use.
    #[must_use]
    pub fn with_prompts(mut self, prompts: AccessList) -> Self {
        self.prompts = prompts;
        self
    }

    /// The same policy for tools only that say that they change nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.writes = false;
        self
    }

    /// Whether tools may be used that change something.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// Whether a tool may be seen and called.
    ///
    /// `tool` is the name that the server uses.
    /// A tool that does not say that it only reads counts as one that writes; for a server that is
    /// not believed, `annotations` is `None`.
    ///
    /// # Errors
    ///
    /// Which part of the policy keeps the tool out, the server before the tool before its writing.
    pub fn permits(
        &self,
        server: &ServerName,
        tool: &str,
        annotations: Option<&ToolAnnotations>,
    ) -> Result<(), Refusal> {
        self.permits_server(server)?;
        if !self.tools.lets_in(server.as_str(), tool) {
            return Err(Refusal::Tool {
                server: server.clone(),
                tool: tool.to_owned(),
            });
        }
        let only_reads = annotations.is_some_and(ToolAnnotations::read_only);
        if !self.writes && !only_reads {
            return Err(Refusal::Write {
                server: server.clone(),
                tool: tool.to_owned(),
            });
        }
        Ok(())
    }

    /// Whether a server may be seen at all.
    ///
    /// # Errors
    ///
    /// [`Refusal::Server`] if it may not.
    pub fn permits_server(&self, server: &ServerName) -> Result<(), Refusal> {
        if self.servers.lets_in(server.as_str(), server.as_str()) {
            return Ok(());
        }
        Err(Refusal::Server {
            server: server.clone(),
        })
    }

    /// Whether a resource may be seen and read.
    ///
    /// # Errors
    ///
    /// Which part of the policy keeps it out.
    pub fn permits_resource(&self, server: &ServerName, uri: &str) -> Result<(), Refusal> {
        self.permits_server(server)?;
        if self.resources.lets_in(server.as_str(), uri) {
            return Ok(());
        }
        Err(Refusal::Resource {
            server: server.clone(),
            uri: uri.to_owned(),
        })
    }

    /// Whether a prompt may be seen and filled in.
    ///
    /// # Errors
    ///
    /// Which part of the policy keeps it out.
    pub fn permits_prompt(&self, server: &ServerName, prompt: &str) -> Result<(), Refusal> {
        self.permits_server(server)?;
        if self.prompts.lets_in(server.as_str(), prompt) {
            return Ok(());
        }
        Err(Refusal::Prompt {
            server: server.clone(),
            prompt: prompt.to_owned(),
        })
    }
}
