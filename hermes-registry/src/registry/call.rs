//! Calls by name: what is looked at before one is sent, and what a model sees of it.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::error::{Budget, ExchangeFailureKind};
use mcp_client::{Error, Reply};
use mcp_transport::redact::Redactor;
use mcp_types::{CallToolResult, ProgressParams, RawJson, Tool};

use super::Registry;
use super::inner::clock;
use super::pass::{Admission, Pass};
use super::slot::Server;
use super::slots::SlotId;
use super::view::permits;
use crate::arguments::Check;
use crate::life::{CallEnd, Refusal};
use crate::name::{Route, ServerName};
use crate::view::ViewPolicy;
use crate::{Outcome, RegistryError};

/// How long a call may take as a whole, whatever progress it makes, unless its server's `timeout`
/// is longer.
const CALL_MAX: Duration = Duration::from_secs(30 * 60);

/// The longest time that a caller can give a call: a day, as a configuration can.
const TIMEOUT_MAX: Duration = Duration::from_secs(86_400);

impl Registry {
    /// Calls a tool by its public name, or as `server/tool`, with a JSON object as arguments.
    ///
    /// A server that is asleep is woken for it, and one that is being connected again is waited
    /// for, as long as the call may take; so is the end of other calls of a server that does one
    /// at a time. `timeout`, if given, replaces the server's own for this call and covers the wait;
    /// more than a day is a day, and a call that runs out of less than the server's own says nothing
    /// against the server.
    /// Progress goes to `progress`, which must be quick and must not block.
    ///
    /// # Errors
    ///
    /// Why the call could not be made or finished. A tool that reports an error of its own is no
    /// error here.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the call, and tells the server so.
    pub async fn call(
        &self,
        name: &str,
        arguments: &str,
        timeout: Option<Duration>,
        progress: Option<Box<dyn FnMut(ProgressParams) + Send>>,
    ) -> Result<Called, RegistryError> {
        let prepared = self.prepare(name, arguments, None)?;
        self.make(prepared, timeout, progress).await
    }

    /// Makes a call that was prepared.
    pub(super) async fn make(
        &self,
        prepared: Prepared,
        timeout: Option<Duration>,
        progress: Option<Box<dyn FnMut(ProgressParams) + Send>>,
    ) -> Result<Called, RegistryError> {
        let config = &prepared.server.config;
        let configured = config.timeout_of(&prepared.route.tool);
        let idle = timeout.unwrap_or(configured).min(TIMEOUT_MAX);
        let hard = timeout.map_or_else(|| idle.max(CALL_MAX), |_own| idle);
        let admitted = self
            .admit(prepared.id, &prepared.route.server, idle)
            .await?;
        let Admission {
            pass,
            client,
            queued,
        } = admitted;
        let left = timeout.map_or(idle, |_own| idle.saturating_sub(queued));
        let mut call = client
            .call_tool(&prepared.route.tool, &prepared.arguments)
            .timeout(left)
            .timeout_max(hard.saturating_sub(queued));
        if let Some(progress) = progress {
            call = call.on_progress(progress);
        }
        if let Some(level) = config.log_level() {
            call = call.log_level(level.clone());
        }
        match call.await {
            Ok(reply) => {
                pass.end(CallEnd::Answered);
                Ok(self.answered(prepared, reply, queued))
            }
            Err(error) => {
                pass.end(match CallEnd::of(&error) {
                    // A caller's own impatience says nothing of the server.
                    CallEnd::TimedOut if left < configured => CallEnd::Abandoned,
                    end => end,
                });
                Err(failed(prepared.route, error, timeout.is_some()))
            }
        }
    }

    /// Finds out what is to be called, whether it may be, and whether the arguments fit.
    pub(super) fn prepare(
        &self,
        name: &str,
        arguments: &str,
        policy: Option<&ViewPolicy>,
    ) -> Result<Prepared, RegistryError> {
        let (catalog, config) = (self.catalog(), self.config());
        let route = catalog.resolve(name, &config)?;
        let at = catalog.tool_at(&route);
        if let Some(policy) = policy {
            let permitted = match at {
                Some(at) => permits(policy, &config, at),
                // Of what is not on offer nothing is known that could speak for it.
                None => policy.permits(&route.server, &route.tool, None),
            };
            permitted.map_err(|refusal| RegistryError::NotPermitted {
                refusal: Box::new(refusal),
            })?;
        }
        let arguments = read_arguments(arguments, &route)?;
        let Some((id, server)) = self.inner.named(route.server.as_str()) else {
            // It was configured a moment ago.
            return Err(RegistryError::UnknownServer {
                name: route.server.to_string(),
                nearest: Vec::new(),
            });
        };
        let tool = at.map(|at| Arc::clone(&at.tool));
        if let Some(tool) = tool
            .as_deref()
            .filter(|_| server.config.validates_arguments())
            && let Check::Differs(mismatches) = self
                .inner
                .setup()
                .checkers
                .check_arguments(tool, &arguments)
        {
            let text = mismatches.to_string();
            let text = server.redactor.redact(&text).into_owned();
            return Err(invalid(&route, text));
        }
        Ok(Prepared {
            route,
            id,
            server,
            tool,
            arguments,
        })
    }

    /// Waits until a request may be made, with a server that has come into the place of its own if
    /// that is just being ended.
    pub(super) async fn admit(
        &self,
        id: SlotId,
        name: &ServerName,
        within: Duration,
    ) -> Result<Admission, RegistryError> {
        let deadline = clock() + within;
        let refused = match Pass::admit(&self.inner, id, name, deadline).await {
            Err(RegistryError::Refused { refusal, server })
                if matches!(*refusal, Refusal::Closing) =>
            {
                RegistryError::Refused { refusal, server }
            }
            admitted => return admitted,
        };
        match self.inner.named(name.as_str()) {
            Some((successor, _)) if successor != id => {
                Pass::admit(&self.inner, successor, name, deadline).await
            }
            _ => Err(refused),
        }
    }

    fn answered(
        &self,
        prepared: Prepared,
        reply: Reply<CallToolResult>,
        queued: Duration,
    ) -> Called {
        let Prepared {
            route,
            server,
            tool,
            ..
        } = prepared;
        let checkers = &self.inner.setup().checkers;
        let odd = tool.and_then(|tool| checkers.check_output(&tool, &reply.value));
        let warning = odd.map(|odd| server.redactor.redact(&odd.to_string()).into_owned());
        Called {
            route,
            reply,
            queued,
            warnings: warning.into_iter().collect(),
            server,
        }
    }

    /// Calls a tool for a model: whatever happens, the answer is one JSON object with the member
    /// `result` or `error`.
    ///
    /// # Cancel safety
    ///
    /// As [`Registry::call`].
    pub async fn dispatch(&self, name: &str, arguments: &str) -> String {
        let called = self.call(name, arguments, None, None).await;
        self.shown(called)
    }

    /// What a model gets to see of a call, however it ended.
    pub(super) fn shown(&self, called: Result<Called, RegistryError>) -> String {
        match called {
            Ok(called) => self.outcome(&called).json,
            Err(error) => {
                let server = error.server().map(ServerName::as_str);
                match server.and_then(|name| self.inner.named(name)) {
                    Some((_, server)) => error.to_model_json(&server.redactor),
                    None => error.to_model_json(&Redactor::default()),
                }
            }
        }
    }

    /// What a model gets to see of a result.
    #[must_use]
    pub fn outcome(&self, called: &Called) -> Outcome {
        let Server { config, redactor } = &*called.server;
        let limits = config.output().limits(self.inner.setup().outcome_limits);
        let outcome = Outcome::new(&called.reply.value, &limits, redactor);
        outcome.with_warnings(&called.warnings)
    }
}

/// An answer, and who gave it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Called {
    /// The server and the tool.
    pub route: Route,
    /// The answer.
    pub reply: Reply<CallToolResult>,
    /// How long the call waited before it was sent: for the server, or for other calls.
    pub queued: Duration,
    /// What is odd about the result, which is handed on all the same: above all, structured content
    /// that is not what the tool's output schema says.
    pub warnings: Vec<String>,
    /// As it was configured when the call was made, whatever holds now.
    server: Arc<Server>,
}

/// A call that only has to be let through.
pub(super) struct Prepared {
    route: Route,
    id: SlotId,
    server: Arc<Server>,
    /// What its server says about it, if it has told.
    tool: Option<Arc<Tool>>,
    arguments: RawJson,
}

fn invalid(route: &Route, why: String) -> RegistryError {
    RegistryError::InvalidArguments {
        server: route.server.clone(),
        tool: route.tool.to_string(),
        cause: why.into(),
    }
}

fn read_arguments(arguments: &str, route: &Route) -> Result<RawJson, RegistryError> {
    if arguments.trim().is_empty() {
        return Ok(RawJson::empty_object());
    }
    let json = RawJson::parse(arguments).map_err(|error| invalid(route, error.to_string()))?;
    if json.is_object() {
        Ok(json)
    } else {
        Err(invalid(route, "they must be a JSON object".to_owned()))
    }
}

/// Whether there was no connection, or a gateway spoke where the server should have.
fn is_unreachable(kind: ExchangeFailureKind) -> bool {
    matches!(
        kind,
        ExchangeFailureKind::Connect(_) | ExchangeFailureKind::Status(502..=504)
    )
}

pub(super) fn failed(route: Route, error: Error, is_own_timeout: bool) -> RegistryError {
    let Route { server, tool } = route;
    let outcome_uncertain = error.sent() == mcp_client::Sent::Maybe;
    match error {
        Error::TimedOut(timed_out) => RegistryError::Deadline {
            server,
            tool: tool.to_string(),
            budget: match timed_out.budget {
                _ if is_own_timeout => "the call's timeout",
                Budget::Hard => "the most that a call may take",
                _ => "timeout",
            },
            after: timed_out.after,
            outcome_uncertain,
        },
        Error::Exchange(ref exchange) if is_unreachable(exchange.kind) => {
            RegistryError::ServerUnavailable {
                server,
                cause: Box::new(error),
                outcome_uncertain,
            }
        }
        Error::Closed(_) | Error::Spawn(_) => RegistryError::ServerUnavailable {
            server,
            cause: Box::new(error),
            outcome_uncertain,
        },
        // An answer came but could not be read: the tool ran, and what it did is not known.
        Error::PeerMisbehaved(_) => RegistryError::CallFailed {
            server,
            tool: tool.to_string(),
            cause: Box::new(error),
            outcome_uncertain: true,
        },
        _ => RegistryError::CallFailed {
            server,
            tool: tool.to_string(),
            cause: Box::new(error),
            outcome_uncertain,
        },
    }
}
