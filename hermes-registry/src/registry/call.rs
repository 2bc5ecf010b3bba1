//! Calls by name: what is looked at before one is sent, and what a model sees of it.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::error::{Budget, ExchangeFailureKind};
use mcp_client::{Error, RawReply, Reply};
use mcp_transport::redact::Redactor;
use mcp_types::{CallToolResult, Diagnostic, ProgressParams, RawJson, Tool, ToolAnnotations};
use tokio::time;

use super::Registry;
use super::inner::clock;
use super::pass::{Admission, Pass};
use super::slot::Server;
use super::slots::SlotId;
use super::utility::{Errand, Fetched};
use super::view::permits;
use crate::arguments::Check;
use crate::catalog::Origin;
use crate::config::Trust;
use crate::life::{CallEnd, Refusal};
use crate::name::{Route, ServerName};
use crate::pins::Verdict;
use crate::policy::{Decision, Proposal};
use crate::utility::{Request, Utility};
use crate::view::{self, ViewPolicy};
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
        self.ask_whether_it_may_run(&prepared).await?;
        let admitted = self.admit(prepared.id, &prepared.route.server, idle);
        let Admission {
            pass,
            client,
            queued,
        } = admitted.await?;
        let left = timeout.map_or(idle, |_own| idle.saturating_sub(queued));
        let answer = match &prepared.errand {
            Some(errand) => match time::timeout(left, errand.run(&client)).await {
                Ok(answer) => answer.map(Answer::Fetched),
                // Nothing that a utility asks for changes anything.
                Err(_elapsed) => Err(Error::not_answered_in_time(&*prepared.route.tool, left)),
            },
            None => {
                let call = client
                    .call_tool(&prepared.route.tool, &prepared.arguments)
                    .timeout(left)
                    .timeout_max(hard.saturating_sub(queued));
                let call = match progress {
                    Some(progress) => call.on_progress(progress),
                    None => call,
                };
                let call = match config.log_level() {
                    Some(level) => call.log_level(level.clone()),
                    None => call,
                };
                call.await.map(Answer::Replied)
            }
        };
        match answer {
            Ok(answer) => {
                pass.end(CallEnd::Answered);
                Ok(self.answered(prepared, answer, queued))
            }
            Err(error) => {
                pass.end(match CallEnd::of(&error) {
                    // A caller's own impatience says nothing of the server.
                    CallEnd::TimedOut if left < configured => CallEnd::Abandoned,
                    end => end,
                });
                let failure = failed(prepared.route, error, timeout.is_some());
                Err(match prepared.errand {
                    Some(_reads) => failure.of_reading(),
                    None => failure,
                })
            }
        }
    }

    /// Asks whoever decides on calls of servers that are not trusted.
    async fn ask_whether_it_may_run(&self, prepared: &Prepared) -> Result<(), RegistryError> {
        let Prepared { route, tool, .. } = prepared;
        let hints = tool.as_ref().and_then(|tool| tool.annotations.as_ref());
        let only_reads = hints.is_some_and(ToolAnnotations::read_only);
        let is_trusted = prepared.server.config.trust() == Trust::Full;
        if is_trusted || only_reads || prepared.errand.is_some() {
            return Ok(());
        }
        let proposal = Proposal {
            route: route.clone(),
            tool: tool.clone(),
            arguments: prepared.arguments.clone(),
        };
        match self.inner.setup().policy.decide(&proposal).await {
            Decision::Allow => Ok(()),
            decision => Err(RegistryError::NotAllowed {
                server: route.server.clone(),
                tool: route.tool.to_string(),
                decision,
            }),
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
            permitted.map_err(not_permitted)?;
        }
        let arguments = read_arguments(arguments, &route)?;
        let Some((id, server)) = self.inner.named(route.server.as_str()) else {
            // It was configured a moment ago.
            return Err(RegistryError::UnknownServer {
                name: route.server.to_string(),
                nearest: Vec::new(),
            });
        };
        let trust = server.config.trust();
        let verdict = self.inner.with(id, |slot| {
            let told = slot.known().told()?;
            Some(told.verdict(trust, &route.tool))
        });
        if let Some(Some(Verdict::Blocked { why })) = verdict {
            return Err(RegistryError::NotApproved {
                server: route.server,
                tool: route.tool.to_string(),
                why,
            });
        }
        let utility = at.and_then(|at| match at.origin {
            Origin::Utility(utility) => Some(utility),
            Origin::Server => None,
        });
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
        let errand = match utility {
            Some(utility) => Some(self.errand(utility, &server, &route, &arguments, policy)?),
            None => None,
        };
        Ok(Prepared {
            route,
            id,
            server,
            tool,
            arguments,
            errand,
        })
    }

    /// What a utility is to fetch, if the agent may have it.
    fn errand(
        &self,
        utility: Utility,
        server: &Server,
        route: &Route,
        arguments: &RawJson,
        policy: Option<&ViewPolicy>,
    ) -> Result<Errand, RegistryError> {
        let request = Request::read(utility, arguments).map_err(|why| invalid(route, why))?;
        if let Some(policy) = policy {
            request
                .is_permitted(policy, &route.server)
                .map_err(not_permitted)?;
        }
        let limits = server.config.output();
        let limits = limits.limits(self.inner.setup().outcome_limits);
        Ok(Errand {
            request,
            server: route.server.clone(),
            policy: policy.cloned(),
            len_max: limits.structured_len_max,
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

    fn answered(&self, prepared: Prepared, answer: Answer, queued: Duration) -> Called {
        let Prepared {
            route,
            server,
            tool,
            ..
        } = prepared;
        let checkers = &self.inner.setup().checkers;
        let (result, raw, diagnostics, mut warnings) = match answer {
            Answer::Fetched(fetched) => (fetched.result, None, Vec::new(), fetched.warnings),
            Answer::Replied(reply) => {
                let odd = tool.and_then(|tool| checkers.check_output(&tool, &reply.value));
                let warnings = odd.map(|odd| odd.to_string()).into_iter().collect();
                (reply.value, Some(reply.raw), reply.diagnostics, warnings)
            }
        };
        for warning in &mut warnings {
            *warning = server.redactor.redact(warning).into_owned();
        }
        Called {
            route,
            result,
            raw,
            diagnostics,
            queued,
            warnings,
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
        let outcome = Outcome::new(&called.result, &limits, redactor);
        outcome.with_warnings(&called.warnings)
    }
}

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
    /// As it was configured when the call was made, whatever holds now.
    server: Arc<Server>,
}

impl Called {
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

/// A call that only has to be let through.
pub(super) struct Prepared {
    route: Route,
    id: SlotId,
    server: Arc<Server>,
    /// What its server says about it, if it has told.
    tool: Option<Arc<Tool>>,
    arguments: RawJson,
    /// What is to be fetched, if it is a utility.
    errand: Option<Errand>,
}

/// What a server answered.
enum Answer {
    Fetched(Fetched),
    Replied(Reply<CallToolResult>),
}

fn not_permitted(refusal: view::Refusal) -> RegistryError {
    RegistryError::NotPermitted {
        refusal: Box::new(refusal),
    }
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
