//! Calls by name: let through, made, and told of.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_types::ProgressParams;
use tracing::Instrument as _;

use super::attempt::{Answer, Budget, Missed, may_run_again};
use super::failure::failed;
use super::inner::clock;
use super::measure::Measure;
use super::pass::{Admission, Pass};
use super::prepare::{AtServer, Prepared};
use super::slots::SlotId;
use super::{Called, Registry};
use crate::RegistryError;
use crate::life::Refusal;
use crate::name::ServerName;

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
            Prepared::Server { call, mut measure } => {
                let span = measure.enter();
                let answer = self.ask(&call, &mut measure, timeout, progress);
                let answer = answer.instrument(span).await;
                let called = answer.map(|(answer, queued)| self.answered(*call, answer, queued));
                measure.end(&called);
                called
            }
        }
    }

    /// Sends a call once it may be made, and waits for its answer.
    async fn ask(
        &self,
        prepared: &AtServer,
        measure: &mut Measure,
        timeout: Option<Duration>,
        progress: Option<Box<dyn FnMut(ProgressParams) + Send>>,
    ) -> Result<(Answer, Duration), RegistryError> {
        self.ask_whether_it_may_run(prepared).await?;
        measure.wait();
        let budget = Budget::new(prepared, timeout);
        let progress = progress.map(|sink| Arc::new(Mutex::new(sink)));
        let start = clock();
        let first = self
            .attempt(prepared, budget, progress.clone(), measure)
            .await;
        match first {
            Err(Missed::Answer(error)) if may_run_again(&error, prepared) => {
                let left = budget.after(clock().saturating_duration_since(start));
                let again = self.attempt(prepared, left, progress, measure).await;
                // How the first one ended says more than why there was no second one.
                again.map_err(|missed| match missed {
                    Missed::Answer(error) => error,
                    Missed::Turn(_refused) => error,
                })
            }
            Ok(answered) => Ok(answered),
            Err(Missed::Answer(error)) => Err(error),
            Err(Missed::Turn(refused)) => return Err(refused),
        }
        .map_err(|error| {
            let failure = failed(prepared.route.clone(), error, timeout.is_some());
            match prepared.errand {
                Some(_) => failure.of_reading(),
                None => failure,
            }
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
