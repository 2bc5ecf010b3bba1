//! The host's own tools beside those of servers: taken on, removed, and called.

use std::time::Duration;

use mcp_types::{CallToolResult, ContentBlock, RawJson};
use tokio::task::JoinSet;
use tokio::time;

use super::Registry;
use crate::RegistryError;
use crate::arguments::Check;
use crate::host::{AdmissionError, HostFailure, HostTool};
use crate::name::ServerName;
use crate::toolsets::TOOLSET_PREFIX;

impl Registry {
    /// Takes on a tool of the host, in the place of one of the same toolset that has the name.
    ///
    /// A tool of a server that comes later never takes the name; it gets another one.
    ///
    /// # Errors
    ///
    /// [`AdmissionError::Taken`] if another toolset has the name, or a server's tool.
    pub fn register(&self, tool: HostTool) -> Result<(), AdmissionError> {
        self.inner.change_host(|tools, catalog| {
            let server = catalog.owner(tool.name()).map(toolset_of);
            tools.register(tool, server)
        })
    }

    /// Takes on a tool of the host, in the place of whichever has the name. A server's tool that
    /// had it is offered under another name.
    ///
    /// # Errors
    ///
    /// [`AdmissionError::NotAllowed`] unless [`super::Builder::admission`] lets its toolset do that.
    pub fn override_with(&self, tool: HostTool) -> Result<(), AdmissionError> {
        self.inner.change_host(|tools, catalog| {
            let server = catalog.owner(tool.name()).map(toolset_of);
            tools.override_with(tool, server)
        })
    }

    /// Removes a tool of the host on behalf of a toolset; `false` if there is none of this name.
    ///
    /// # Errors
    ///
    /// [`AdmissionError::NotAllowed`] if it belongs to another toolset that this one has no right
    /// over.
    pub fn deregister(&self, toolset: &ServerName, name: &str) -> Result<bool, AdmissionError> {
        self.inner
            .change_host(|tools, _catalog| tools.deregister(toolset, name))
    }

    /// Looks whether a tool of the host can be called with these arguments.
    pub(super) fn check_host_call(
        &self,
        name: &str,
        arguments: &str,
    ) -> Result<(HostTool, RawJson), RegistryError> {
        let failed = |failure| RegistryError::HostTool {
            tool: name.to_owned(),
            failure,
        };
        let found = self.inner.host_tool(name);
        let (tool, is_available) = found.ok_or_else(|| failed(HostFailure::Unavailable))?;
        if !is_available {
            return Err(failed(HostFailure::Unavailable));
        }
        let invalid = |why: String| failed(HostFailure::InvalidArguments { why });
        let arguments = match arguments.trim() {
            "" => RawJson::empty_object(),
            text => RawJson::parse(text).map_err(|error| invalid(error.to_string()))?,
        };
        if !arguments.is_object() {
            return Err(invalid("they must be a JSON object".to_owned()));
        }
        let checkers = &self.inner.setup().checkers;
        match checkers.check_arguments(tool.definition(), &arguments) {
            Check::Differs(mismatches) => Err(invalid(mismatches.to_string())),
            _ => Ok((tool, arguments)),
        }
    }

    /// Calls a tool of the host.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops that of the tool.
    pub(super) async fn call_host(
        tool: &HostTool,
        arguments: RawJson,
        timeout: Option<Duration>,
    ) -> Result<CallToolResult, RegistryError> {
        let failed = |failure| RegistryError::HostTool {
            tool: tool.name().to_owned(),
            failure,
        };
        let handler = tool.handler().clone();
        // A task of its own, so that a panic of the tool is an error of this call and no more.
        let mut task = JoinSet::new();
        task.spawn(async move { handler.call(arguments).await });
        let after = timeout.unwrap_or_else(|| tool.timeout());
        match time::timeout(after, task.join_next()).await {
            Ok(Some(Ok(Ok(result)))) => Ok(result),
            Ok(Some(Ok(Err(said)))) => {
                let mut result = CallToolResult::new(vec![ContentBlock::text(said)]);
                result.is_error = Some(true);
                Ok(result)
            }
            Ok(_panicked) => Err(failed(HostFailure::Panicked)),
            Err(_elapsed) => Err(failed(HostFailure::Deadline { after })),
        }
    }
}

fn toolset_of(server: &ServerName) -> String {
    format!("{TOOLSET_PREFIX}{server}")
}
