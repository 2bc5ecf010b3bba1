//! From how a request was settled to a result or an error that tells whose fault it was.

use std::borrow::Cow;

use mcp_jsonrpc::{Answer, Outcome};
use mcp_types::InputRequiredResult;

use super::{Call, Unreadable};
use crate::driver::{Death, Settled, Trace};
use crate::error::{
    Budget, ExchangeError, ExchangeFailureKind, PeerFault, PeerMisbehaved, TimedOut,
};
use crate::{Error, Sent};

/// Bytes of an answer that an error shows.
const EXCERPT_MAX: usize = 256;
/// Bytes of the reason that a transport gives, which may repeat what a header says.
const REASON_MAX: usize = 1024;
/// Bytes of an unknown kind of result that an error shows.
const KIND_MAX: usize = 64;

/// How a request ended.
pub(super) enum Ended<T> {
    Done(T),
    Failed(Error),
    NeedsInput(Box<InputRequiredResult>),
}

impl<T> Call<T> {
    /// What an outcome means. An answer is the way of most calls, so it comes first.
    #[inline]
    pub(super) fn finish(&self, method: &str, settled: Settled) -> Ended<T> {
        let Settled {
            outcome,
            sent,
            death,
            trace,
        } = settled;
        let answer = match outcome {
            Outcome::Answered(answer) => answer,
            outcome => {
                let trace = trace.as_deref();
                return Ended::Failed(self.failed_by(
                    method,
                    outcome,
                    sent,
                    death.as_deref(),
                    trace,
                ));
            }
        };
        match (self.read)(&answer) {
            Ok(value) => Ended::Done(value),
            Err(Unreadable::NeedsInput(asked)) => Ended::NeedsInput(asked),
            Err(Unreadable::Fault(fault)) => Ended::Failed(self.unreadable(method, fault, &answer)),
        }
    }

    /// An answer that is not what the method gives.
    fn unreadable(&self, method: &str, fault: PeerFault, answer: &Answer) -> Error {
        match fault {
            // A fault of the frame tells its place in the frame.
            PeerFault::Frame(_) => self.misbehaved(method, fault, answer.frame()),
            fault => {
                let result = answer.result();
                self.misbehaved(method, self.shown(fault, &result), &result)
            }
        }
    }

    /// An outcome that is no answer.
    fn failed_by(
        &self,
        method: &str,
        outcome: Outcome,
        sent: Sent,
        death: Option<&Death>,
        trace: Option<&Trace>,
    ) -> Error {
        match outcome {
            Outcome::Refused(mut error) => {
                if let Cow::Owned(text) = self.shared.host.redactor.redact(&error.message) {
                    error.message = text;
                }
                let is_unaddressed = trace.is_some_and(|trace| trace.is_unaddressed);
                if is_unaddressed && has_forgotten(trace, &error.message) {
                    return session_lost(method, &error.message);
                }
                Error::Answered(Box::new(error))
            }
            Outcome::Malformed { reason, excerpt } => match refusal(trace) {
                Some(status) => self.refused_with(method, status, &excerpt),
                None => self.misbehaved(method, PeerFault::Frame(reason), &excerpt),
            },
            Outcome::TimedOut(budget) => {
                let (budget, after) = match budget {
                    mcp_jsonrpc::Budget::Hard => (Budget::Hard, self.timeouts.hard),
                    _ => (Budget::Idle, self.timeouts.idle),
                };
                Error::TimedOut(Box::new(TimedOut {
                    waiting_for: method.to_owned(),
                    budget,
                    after,
                    sent,
                    evidence: self.evidence(trace),
                }))
            }
            _ => match trace.and_then(|trace| trace.failure.as_ref()) {
                Some(failure) => {
                    let redactor = &self.shared.host.redactor;
                    let reason = redactor.redact_bytes_lossy(failure.reason.as_bytes(), REASON_MAX);
                    if failure.kind == ExchangeFailureKind::Status(400)
                        && has_forgotten(trace, &reason)
                    {
                        return session_lost(method, &reason);
                    }
                    Error::Exchange(Box::new(ExchangeError {
                        method: method.to_owned(),
                        kind: failure.kind,
                        reason,
                        sent,
                        evidence: self.evidence(trace),
                    }))
                }
                None => closed(death, sent),
            },
        }
    }

    fn misbehaved(&self, method: &str, fault: PeerFault, excerpt: &[u8]) -> Error {
        let redactor = &self.shared.host.redactor;
        Error::PeerMisbehaved(Box::new(PeerMisbehaved {
            method: method.to_owned(),
            fault,
            excerpt: redactor.redact_bytes_lossy(excerpt, EXCERPT_MAX),
        }))
    }

    /// A refusal by status whose body looked like a message and is none.
    fn refused_with(&self, method: &str, status: u16, excerpt: &[u8]) -> Error {
        let said = self
            .shared
            .host
            .redactor
            .redact_bytes_lossy(excerpt, EXCERPT_MAX);
        Error::Exchange(Box::new(ExchangeError {
            method: method.to_owned(),
            kind: ExchangeFailureKind::Status(status),
            reason: format!("the server answered {status}: {said}"),
            sent: Sent::Maybe,
            evidence: String::new(),
        }))
    }

    /// What came on the stream of the call and was no message; empty if there was nothing.
    fn evidence(&self, trace: Option<&Trace>) -> String {
        let stray = trace.and_then(|trace| trace.stray.as_ref());
        stray.map_or_else(String::new, |stray| {
            self.shared
                .host
                .redactor
                .redact_bytes_lossy(stray, EXCERPT_MAX)
        })
    }

    /// A fault without what must not be shown.
    fn shown(&self, fault: PeerFault, result: &[u8]) -> PeerFault {
        let redactor = &self.shared.host.redactor;
        match fault {
            PeerFault::Result(mut error) => {
                // The excerpt was cut before anybody could look for credentials, so half of one
                // may stand at its edges if there is any in the result.
                let text = String::from_utf8_lossy(result);
                if let Cow::Owned(text) = redactor.redact(&text) {
                    error.excerpt = redactor.redact_bytes_lossy(text.as_bytes(), EXCERPT_MAX);
                }
                PeerFault::Result(error)
            }
            PeerFault::ResultType(kind) => {
                PeerFault::ResultType(redactor.redact_bytes_lossy(kind.as_bytes(), KIND_MAX))
            }
            fault => fault,
        }
    }
}

/// Whether a refusal tells that the server does not know the session that the request named.
///
/// Interop: the SDK for TypeScript shows in its examples how to answer that with 400, and many
/// servers do after a restart, for ever (transcript `lost-session-told-otherwise`). A request that
/// is refused for its session was not read any further.
fn has_forgotten(trace: Option<&Trace>, said: &str) -> bool {
    let head = trace.and_then(|trace| trace.head.as_ref());
    head.is_some_and(|head| head.status == 400 && head.is_in_session)
        && said.to_ascii_lowercase().contains("session")
}

fn session_lost(method: &str, said: &str) -> Error {
    Error::Exchange(Box::new(ExchangeError {
        method: method.to_owned(),
        kind: ExchangeFailureKind::SessionLost,
        reason: format!("the server does not know the session any more: {said}"),
        sent: Sent::No,
        evidence: String::new(),
    }))
}

/// The status of a reply that refused the request.
fn refusal(trace: Option<&Trace>) -> Option<u16> {
    let head = trace?.head.as_ref()?;
    (head.status >= 400).then_some(head.status)
}

pub(super) fn closed(death: Option<&Death>, sent: Sent) -> Error {
    match death {
        Some(death) => death.error(sent),
        None => {
            let reason = "the connection is gone".to_owned();
            Error::Closed(Box::new(crate::Closure {
                reason,
                obituary: None,
                sent,
            }))
        }
    }
}
