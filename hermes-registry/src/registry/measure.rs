//! Measures one call, counts it for its server and its tool, and tells whoever wants to know.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tracing::Span;

use super::called::Called;
use super::events::Event;
use super::inner::{Setup, clock};
use super::slot::Server;
use super::span::{record_end, span_of};
use crate::RegistryError;
use crate::name::PublicName;
use crate::usage::{Sample, UsageOutcome, UsageRecord, shown};

/// A call that is being measured.
///
/// Invariant: each call is told once. One that is dropped before its end is told as abandoned.
pub(super) struct Measure {
    setup: Arc<Setup>,
    server: Arc<Server>,
    tool: Arc<str>,
    name: Option<PublicName>,
    view: Option<Arc<str>>,
    waits_since: Instant,
    sent: Option<Sent>,
    is_told: bool,
    span: Span,
}

/// What is known of a call since it was sent.
struct Sent {
    at: Instant,
    queued: Duration,
    /// Bytes of the arguments.
    len: Option<u64>,
    /// How long the answer took, once it is there.
    took: Option<Duration>,
}

impl Measure {
    /// Begins to measure a call of a tool, by the name that its server uses.
    pub(super) fn new(setup: &Arc<Setup>, server: &Arc<Server>, tool: &Arc<str>) -> Self {
        Self {
            setup: Arc::clone(setup),
            server: Arc::clone(server),
            tool: Arc::clone(tool),
            name: None,
            view: None,
            waits_since: clock(),
            sent: None,
            is_told: false,
            span: Span::none(),
        }
    }

    /// The same, with the public name of the tool and the name of the view it was called through.
    pub(super) fn of(mut self, name: Option<&PublicName>, view: Option<&Arc<str>>) -> Self {
        self.name = name.cloned();
        self.view = view.cloned();
        self
    }

    /// The span in which the call is made, from now on.
    pub(super) fn enter(&mut self) -> Span {
        self.span = span_of(&self.server, &self.tool);
        self.span.clone()
    }

    /// The span in which the call is made.
    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    /// From now on the call waits for its server; what took time before was not the server's.
    pub(super) fn wait(&mut self) {
        self.waits_since = clock();
    }

    /// The call is being sent, with arguments of this length if they are sent as they are. If it is
    /// sent once more, the last time is what is measured.
    pub(super) fn send(&mut self, queued: Duration, arguments: Option<usize>) {
        let before = self.sent.as_ref().map(|sent| sent.queued);
        self.sent = Some(Sent {
            at: clock(),
            queued: before.unwrap_or_default() + queued,
            len: arguments.map(count),
            took: None,
        });
    }

    /// The answer is there, or why there is none; what takes time from now on is not the server's.
    pub(super) fn stop(&mut self) {
        if let Some(sent) = &mut self.sent {
            sent.took = Some(clock().saturating_duration_since(sent.at));
        }
    }

    /// The call has ended.
    pub(super) fn end(mut self, ended: &Result<Called, RegistryError>) {
        record_end(&self.span, ended);
        match ended {
            Ok(called) => {
                let outcome = match called.result.failed() {
                    true => UsageOutcome::ToolError,
                    false => UsageOutcome::Answered,
                };
                let received = called.raw.as_ref().map(|raw| count(raw.as_bytes().len()));
                self.tell(outcome, received, false);
            }
            Err(error) => self.fail(error),
        }
    }

    /// The call has failed, or was not sent at all.
    pub(super) fn fail(&mut self, error: &RegistryError) {
        let outcome = match self.sent {
            Some(_) => UsageOutcome::Failed(error.code()),
            None => UsageOutcome::Refused(error.code()),
        };
        self.tell(outcome, None, error.is_outcome_uncertain());
    }

    fn tell(&mut self, outcome: UsageOutcome, received: Option<u64>, outcome_uncertain: bool) {
        self.is_told = true;
        let now = clock();
        let since = |at: Instant| now.saturating_duration_since(at);
        let sample = Sample {
            outcome,
            took: (self.sent.as_ref()).map(|sent| sent.took.unwrap_or_else(|| since(sent.at))),
            outcome_uncertain,
            sent: self.sent.as_ref().and_then(|sent| sent.len),
            received,
        };
        self.server.meter().note(&self.tool, &sample);
        let queued = self.sent.as_ref().map(|sent| sent.queued);
        let queued = queued.unwrap_or_else(|| since(self.waits_since));
        // It is put together only if somebody wants it.
        let record = OnceCell::new();
        let record = || Arc::clone(record.get_or_init(|| Arc::new(self.record(&sample, queued))));
        if let Some(log) = &self.setup.usage_log {
            log.append(&record());
        }
        self.setup.teller.tell(|| Some(Event::Called(record())));
    }

    fn record(&self, sample: &Sample, queued: Duration) -> UsageRecord {
        let redactor = &self.server.redactor;
        let name = self
            .name
            .as_ref()
            .map(|name| shown(name.as_str(), redactor));
        UsageRecord {
            server: self.server.config.name().clone(),
            tool: shown(&self.tool, redactor),
            name,
            view: self.view.clone(),
            at: SystemTime::now(),
            queued,
            took: sample.took,
            outcome: sample.outcome,
            outcome_uncertain: sample.outcome_uncertain,
            sent: sample.sent,
            received: sample.received,
        }
    }
}

impl Drop for Measure {
    fn drop(&mut self) {
        if !self.is_told {
            let is_uncertain = self.sent.is_some();
            self.tell(UsageOutcome::Abandoned, None, is_uncertain);
        }
    }
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
