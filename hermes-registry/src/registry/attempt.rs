//! One attempt at a call, and whether there may be another one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_client::{Client, Error, Reply, Sent};
use mcp_types::{CallToolResult, ProgressParams, ToolAnnotations};
use tokio::time;
use tracing::Span;

use super::Registry;
use super::measure::Measure;
use super::pass::Admission;
use super::prepare::AtServer;
use super::span::{answer, record_client};
use super::utility::Fetched;
use crate::RegistryError;
use crate::config::Trust;
use crate::life::CallEnd;

/// How long a call may take as a whole, whatever progress it makes, unless its server's `timeout`
/// is longer.
const CALL_MAX: Duration = Duration::from_secs(30 * 60);

/// The longest time that a caller can give a call: a day, as a configuration can.
const TIMEOUT_MAX: Duration = Duration::from_secs(86_400);

/// Who hears of progress, whichever attempt makes it.
pub(super) type Sink = Arc<Mutex<Box<dyn FnMut(ProgressParams) + Send>>>;

/// What a server answered.
pub(super) enum Answer {
    Fetched(Fetched),
    Replied(Reply<CallToolResult>),
}

/// Why an attempt has come to nothing.
pub(super) enum Missed {
    /// It was made, and there is no answer.
    Answer(Error),
    /// It was not let through.
    Turn(RegistryError),
}

/// What a call may take.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    /// Without an answer or a sign of progress.
    idle: Duration,
    /// As a whole.
    hard: Duration,
    /// What `idle` would be if the caller had not given a time.
    configured: Duration,
    /// Whether the caller has given a time, which covers the wait as well.
    is_own: bool,
}

impl Budget {
    pub(super) fn new(prepared: &AtServer, timeout: Option<Duration>) -> Self {
        let configured = prepared.server.config.timeout_of(&prepared.route.tool);
        let idle = timeout.unwrap_or(configured).min(TIMEOUT_MAX);
        Self {
            idle,
            hard: timeout.map_or_else(|| idle.max(CALL_MAX), |_own| idle),
            configured,
            is_own: timeout.is_some(),
        }
    }

    /// What is left after some time.
    pub(super) fn after(self, time: Duration) -> Self {
        let idle = match self.is_own {
            true => self.idle.saturating_sub(time),
            false => self.idle,
        };
        Self {
            idle,
            hard: self.hard.saturating_sub(time),
            ..self
        }
    }
}

impl Registry {
    /// Makes a call once: waits until it may be made, and for its answer. Returns the answer, and
    /// how long the call waited before.
    pub(super) async fn attempt(
        &self,
        prepared: &AtServer,
        budget: Budget,
        progress: Option<Sink>,
        measure: &mut Measure,
    ) -> Result<(Answer, Duration), Missed> {
        let admitted = self.admit(prepared.id, &prepared.route.server, budget.idle);
        let Admission {
            pass,
            client,
            queued,
        } = admitted.await.map_err(Missed::Turn)?;
        let left = budget.after(queued);
        record_client(measure.span(), &client);
        let is_own = prepared.errand.is_none();
        measure.send(queued, is_own.then(|| prepared.arguments.as_str().len()));
        let answer = match &prepared.errand {
            Some(errand) => match time::timeout(left.idle, errand.run(&client)).await {
                Ok(answer) => answer.map(Answer::Fetched),
                Err(_elapsed) => {
                    let tool = &*prepared.route.tool;
                    Err(Error::not_answered_in_time(tool, left.idle))
                }
            },
            None => call(&client, measure.span(), prepared, left, progress)
                .await
                .map(Answer::Replied),
        };
        measure.stop();
        pass.end(match &answer {
            Ok(_answer) => CallEnd::Answered,
            Err(error) => match CallEnd::of(error) {
                // A caller's own impatience says nothing of the server.
                CallEnd::TimedOut if left.idle < budget.configured => CallEnd::Abandoned,
                end => end,
            },
        });
        match answer {
            Ok(answer) => Ok((answer, queued)),
            Err(error) => Err(Missed::Answer(error)),
        }
    }
}

async fn call(
    client: &Client,
    span: &Span,
    prepared: &AtServer,
    budget: Budget,
    progress: Option<Sink>,
) -> Result<Reply<CallToolResult>, Error> {
    let mut call = client
        .call_tool(&prepared.route.tool, &prepared.arguments)
        .timeout(budget.idle)
        .timeout_max(budget.hard);
    if let Some(sink) = progress {
        call = call.on_progress(move |progress| {
            let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
            sink(progress);
        });
    }
    if let Some(level) = prepared.server.config.log_level() {
        call = call.log_level(level.clone());
    }
    answer(span, call).await
}

/// Whether a call that was lost with its connection may be made once more: it was never sent, or
/// what it does can be done twice. What a tool says of itself counts only if its server is trusted.
pub(super) fn may_run_again(error: &Error, prepared: &AtServer) -> bool {
    let is_lost = matches!(error, Error::Closed(_));
    let hints = prepared
        .tool
        .as_ref()
        .and_then(|tool| tool.annotations.as_ref());
    let is_harmless = |hints: &ToolAnnotations| hints.read_only() || hints.idempotent();
    let is_trusted = prepared.server.config.trust() == Trust::Full;
    let may_run_twice = prepared.errand.is_some() || (is_trusted && hints.is_some_and(is_harmless));
    is_lost && (error.sent() == Sent::No || may_run_twice)
}
