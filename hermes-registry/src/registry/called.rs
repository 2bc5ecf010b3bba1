//! What has come of a call, and what a model sees of that.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Error, RawReply};
use mcp_transport::redact::Redactor;
use mcp_types::{CallToolResult, Diagnostic, RawJson};

use super::Registry;
use super::slot::Server;
use crate::name::{Route, ServerName};
use crate::{Outcome, RegistryError};

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
    /// What a model gets to see of a result. With [`super::Builder::results_folder`] it may write
    /// files, which blocks for a moment.
    #[must_use]
    pub fn outcome(&self, called: &Called) -> Outcome {
        let setup = self.inner.setup();
        let of_host = (setup.outcome_limits, Redactor::default(), true);
        let (limits, redactor, keeps) = match called.server.as_deref() {
            Some(Server {
                config, redactor, ..
            }) => {
                let output = config.output();
                let limits = output.limits(setup.outcome_limits);
                (limits, redactor.clone(), output.spill)
            }
            None => of_host,
        };
        let folder = setup.results_folder.as_ref().filter(|_| keeps);
        let outcome = match folder {
            Some(folder) => {
                let keep = folder.of(&called.route);
                Outcome::keeping(&called.result, &limits, &redactor, &keep)
            }
            None => Outcome::new(&called.result, &limits, &redactor),
        };
        outcome.with_warnings(&called.warnings)
    }

    /// The same for whoever must not be held up by writing files.
    async fn outcome_elsewhere(&self, called: Called) -> Outcome {
        if self.inner.setup().results_folder.is_none() {
            return self.outcome(&called);
        }
        let registry = self.clone();
        let made = tokio::task::spawn_blocking(move || registry.outcome(&called));
        // It fails only if the runtime is ending.
        made.await.unwrap_or_else(|_aborted| Outcome::lost())
    }

    /// What a model gets to see of a call, however it ended.
    pub(super) async fn shown(&self, called: Result<Called, RegistryError>) -> String {
        match called {
            Ok(called) => self.outcome_elsewhere(called).await.json,
            Err(error) => {
                let server = error.server().map(ServerName::as_str);
                match server.and_then(|name| self.inner.named(name)) {
                    Some((_, server)) => error.to_model_json(&server.redactor),
                    None => error.to_model_json(&Redactor::default()),
                }
            }
        }
    }
}
