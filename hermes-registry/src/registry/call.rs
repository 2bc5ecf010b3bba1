//! Calls by name: let through, made, and told of.

use std::time::Duration;

use mcp_client::{Error, Reply};
use mcp_types::{CallToolResult, ProgressParams};
use tokio::time;

use super::failure::failed;
use super::inner::clock;
use super::pass::{Admission, Pass};
use super::prepare::{AtServer, Prepared};
use super::slots::SlotId;
use super::utility::Fetched;
use super::{Called, Registry};
use crate::RegistryError;
use crate::life::{CallEnd, Refusal};
use crate::name::ServerName;

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
        match prepared {
            Prepared::Host { tool, arguments } => {
                let result = Self::call_host(&tool, arguments, timeout).await?;
                Ok(Called::by_host(tool.route(), result))
            }
            Prepared::Server(prepared) => self.make_at_server(*prepared, timeout, progress).await,
        }
    }

    async fn make_at_server(
        &self,
        prepared: AtServer,
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

    fn answered(&self, prepared: AtServer, answer: Answer, queued: Duration) -> Called {
        let AtServer {
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
            server: Some(server),
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
        self.shown(called).await
    }
}

/// What a server answered.
enum Answer {
    Fetched(Fetched),
    Replied(Reply<CallToolResult>),
}
