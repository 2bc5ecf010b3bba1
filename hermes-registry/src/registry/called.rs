//! What has come of a call, and what a model sees of that.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Error, RawReply};
use mcp_transport::redact::Redactor;
use mcp_types::{CallToolResult, Diagnostic, RawJson};

use super::Registry;
use super::slot::Server;
use crate::Outcome;
use crate::name::Route;

/// An answer, and who gave it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Called {
    /// The server and the tool.
    pub route: Route,
    /// The result.
    pub result: CallToolResult,
    /// The result as it came; `None` for a tool that is made here of something else that the server
    /// has.
    pub raw: Option<RawReply>,
    /// What was wrong with parts of it that were left out or kept raw.
    pub diagnostics: Vec<Diagnostic>,
    /// How long the call waited before it was sent: for the server, or for other calls.
    pub queued: Duration,
    /// What is odd about the result, which is handed on all the same: above all, structured content
    /// that is not what the tool's output schema says.
    pub warnings: Vec<String>,
    /// As it was configured when the call was made, whatever holds now; `None` for a tool of the
    /// host.
    pub(super) server: Option<Arc<Server>>,
}

impl Called {
    pub(super) fn by_host(route: Route, result: CallToolResult) -> Self {
        Self {
            route,
            result,
            raw: None,
            diagnostics: Vec::new(),
            queued: Duration::ZERO,
            warnings: Vec::new(),
            server: None,
        }
    }

    /// The result as it came, or as it was made here.
    ///
    /// # Errors
    ///
    /// If it is not JSON.
    pub fn to_json(&self) -> Result<RawJson, Error> {
        match &self.raw {
            Some(raw) => raw.to_json(),
            None => RawJson::from_value(&self.result).map_err(|error| {
                let reason = format!("its result cannot be written: {error}");
                Error::not_started(reason)
            }),
        }
    }
}

impl Registry {
    /// What a model gets to see of a result.
    #[must_use]
    pub fn outcome(&self, called: &Called) -> Outcome {
        let limits = self.inner.setup().outcome_limits;
        let outcome = match called.server.as_deref() {
            Some(Server { config, redactor }) => {
                let limits = config.output().limits(limits);
                Outcome::new(&called.result, &limits, redactor)
            }
            None => Outcome::new(&called.result, &limits, &Redactor::default()),
        };
        outcome.with_warnings(&called.warnings)
    }
}
