//! Calls by name: what is looked at before one is sent, and what a model sees of it.

use std::time::Duration;

use mcp_client::error::Budget;
use mcp_client::{Error, Reply};
use mcp_transport::redact::Redactor;
use mcp_types::{CallToolResult, ProgressParams, RawJson};

use super::Registry;
use super::inner::clock;
use super::pass::{Admission, Pass};
use super::slot::Server;
use crate::arguments::Check;
use crate::life::CallEnd;
use crate::name::{Route, ServerName};
use crate::{Outcome, RegistryError};

/// How long a call may take as a whole, whatever progress it makes, unless its server's `timeout`
/// is longer.
const CALL_MAX: Duration = Duration::from_secs(30 * 60);

impl Registry {
    /// Calls a tool by its public name, or as `server/tool`, with a JSON object as arguments.
    ///
    /// A server that is asleep is woken for it, and one that is being connected again is waited
    /// for, as long as the call may take; so is the end of other calls of a server that does one
    /// at a time. `timeout`, if given, replaces the server's own for this call and covers the wait.
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
        let catalog = self.catalog();
        let route = catalog.resolve(name, &self.config())?;
        let arguments = read_arguments(arguments, &route)?;
        let Some((id, server)) = self.inner.named(route.server.as_str()) else {
            // It was configured a moment ago.
            return Err(RegistryError::UnknownServer {
                name: route.server.to_string(),
                nearest: Vec::new(),
            });
        };
        let tool = catalog.tool_at(&route).map(|offered| &*offered.tool);
        let checkers = &self.inner.setup().checkers;
        if let Some(tool) = tool.filter(|_| server.config.validates_arguments())
            && let Check::Differs(mismatches) = checkers.check_arguments(tool, &arguments)
        {
            let text = mismatches.to_string();
            let text = server.redactor.redact(&text).into_owned();
            return Err(invalid(&route, text));
        }
        let Server {
            config: server,
            redactor,
        } = &*server;
        let idle = timeout.unwrap_or_else(|| server.timeout_of(&route.tool));
        let hard = timeout.unwrap_or_else(|| idle.max(CALL_MAX));
        let admitted = Pass::admit(&self.inner, id, server.name(), clock() + idle).await?;
        let Admission {
            pass,
            client,
            queued,
        } = admitted;
        let mut call = client
            .call_tool(&route.tool, &arguments)
            .timeout(if timeout.is_some() {
                idle.saturating_sub(queued)
            } else {
                idle
            })
            .timeout_max(hard.saturating_sub(queued));
        if let Some(progress) = progress {
            call = call.on_progress(progress);
        }
        if let Some(level) = server.log_level() {
            call = call.log_level(level.clone());
        }
        match call.await {
            Ok(reply) => {
                pass.end(CallEnd::Answered);
                let odd = tool.and_then(|tool| checkers.check_output(tool, &reply.value));
                let warnings = odd.map(|odd| redactor.redact(&odd.to_string()).into_owned());
                Ok(Called {
                    route,
                    reply,
                    queued,
                    warnings: warnings.into_iter().collect(),
                })
            }
            Err(error) => {
                pass.end(CallEnd::of(&error));
                Err(failed(route, error, timeout.is_some()))
            }
        }
    }

    /// Calls a tool for a model: whatever happens, the answer is one JSON object with the member
    /// `result` or `error`.
    ///
    /// # Cancel safety
    ///
    /// As [`Registry::call`].
    pub async fn dispatch(&self, name: &str, arguments: &str) -> String {
        match self.call(name, arguments, None, None).await {
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
        let of_registry = self.inner.setup().outcome_limits;
        let result = &called.reply.value;
        let outcome = match self.inner.named(called.route.server.as_str()) {
            Some((_, server)) => {
                let limits = server.config.output().limits(of_registry);
                Outcome::new(result, &limits, &server.redactor)
            }
            None => Outcome::new(result, &of_registry, &Redactor::default()),
        };
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

fn failed(route: Route, error: Error, is_own_timeout: bool) -> RegistryError {
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
