//! A call: a future that is sent when it is first polled and cancelled when it is dropped.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use mcp_jsonrpc::{Answer, CallId, Outcome, Timeouts};
use mcp_transport::Labels;
use mcp_types::{Decode, Diagnostic, ProgressParams, RawJson, ResultObject, ResultType};
use tokio::sync::oneshot;

use crate::driver::{Settled, Shared, Waiter};
use crate::error::{Budget, Misuse, PeerFault, PeerMisbehaved, TimedOut};
use crate::notice::ProgressSink;
use crate::{Error, Sent};

/// Bytes of an answer that an error shows.
const EXCERPT_MAX: usize = 256;
/// Bytes of an unknown kind of result that an error shows.
const KIND_MAX: usize = 64;

/// What is to be sent, encoded before the id is known.
pub(crate) struct Request {
    pub(crate) method: Cow<'static, str>,
    /// The parameters as JSON members without the braces, such as `"name":"x","arguments":{}`.
    pub(crate) members: Vec<u8>,
    /// What `_meta` holds besides the progress token, as members.
    pub(crate) meta: Arc<str>,
    /// Whether the call carries a progress token, so that progress can keep it alive.
    pub(crate) wants_progress: bool,
    pub(crate) is_cancellable: bool,
    /// The tool, prompt or resource, for transports that repeat it outside of the frame.
    pub(crate) name: Option<String>,
}

/// A call in the making or in flight; await it for its answer.
///
/// It is sent when it is first polled, or by [`Call::detach`].
///
/// # Cancel safety
///
/// Dropping it before its answer cancels it: the server is told as the revision and the transport
/// demand, and whatever still comes for it is ignored. [`Call::detach`] lets it run instead.
#[must_use = "a call is sent when it is first polled; await it, or detach it"]
pub struct Call<T> {
    shared: Arc<Shared>,
    timeouts: Timeouts,
    progress: Option<Arc<ProgressSink>>,
    state: State,
    read: fn(&Answer) -> Result<T, Unreadable>,
}

enum State {
    Failed(Option<Error>),
    Ready(Request),
    Waiting {
        call: CallId,
        method: Cow<'static, str>,
        reply: oneshot::Receiver<Settled>,
    },
    Done,
}

/// Why an answer could not be used.
pub(crate) enum Unreadable {
    Fault(PeerFault),
}

/// A typed answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reply<T> {
    /// The result.
    pub value: T,
    /// What was wrong with parts of it that were left out or kept raw.
    pub diagnostics: Vec<Diagnostic>,
    /// The result as it came: key order, big integers and unknown members included.
    pub raw: RawReply,
}

/// An answer as it came.
///
/// Its bytes are a part of the buffer they were read into, and are looked at only when asked for.
#[derive(Clone, Debug)]
pub struct RawReply(Answer);

impl RawReply {
    /// The bytes of the result, as they came; nothing has checked yet that they are JSON.
    pub fn as_bytes(&self) -> Bytes {
        self.0.result()
    }

    /// The result as JSON.
    ///
    /// # Errors
    ///
    /// [`Error::PeerMisbehaved`] if it is not JSON.
    pub fn to_json(&self) -> Result<RawJson, Error> {
        let json = |answer: &Answer| {
            RawJson::parse(String::from_utf8_lossy(&answer.result()).into_owned())
        };
        json(&self.0).or_else(|error| {
            let fault = match self.0.recheck() {
                Ok(answer) => match json(&answer) {
                    Ok(result) => return Ok(result),
                    Err(_again) => PeerFault::Result(error),
                },
                Err(malformed) => PeerFault::Frame(malformed),
            };
            // The caller's own redactor does the showing of raw results.
            let (method, excerpt) = (String::from("a request"), String::new());
            Err(Error::PeerMisbehaved(Box::new(PeerMisbehaved {
                method,
                fault,
                excerpt,
            })))
        })
    }
}

impl<T> Call<T> {
    pub(crate) fn new(
        shared: Arc<Shared>,
        timeouts: Timeouts,
        request: Request,
        read: fn(&Answer) -> Result<T, Unreadable>,
    ) -> Self {
        let state = State::Ready(request);
        Self {
            shared,
            timeouts,
            progress: None,
            state,
            read,
        }
    }

    /// A call that has failed before it was sent.
    pub(crate) fn failed(
        shared: Arc<Shared>,
        timeouts: Timeouts,
        error: Error,
        read: fn(&Answer) -> Result<T, Unreadable>,
    ) -> Self {
        Self {
            shared,
            timeouts,
            progress: None,
            state: State::Failed(Some(error)),
            read,
        }
    }

    /// Ends the call if nothing is heard of it for this long; progress counts as being heard.
    pub fn timeout(mut self, idle: Duration) -> Self {
        self.timeouts.idle = idle;
        self
    }

    /// Ends the call after this long, whatever is heard of it.
    pub fn timeout_max(mut self, hard: Duration) -> Self {
        self.timeouts.hard = hard;
        self
    }

    /// Hands every progress notice of this call to `sink`, in order and before the answer.
    ///
    /// The function runs in the connection's reader: it must be quick and must not block.
    pub fn on_progress(mut self, sink: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        self.progress = Some(Arc::new(ProgressSink::new(sink)));
        self
    }

    /// Sends the call, if it has not been sent, and lets it run without waiting for its answer.
    ///
    /// # Errors
    ///
    /// Why it could not be sent.
    pub fn detach(mut self) -> Result<(), Error> {
        if matches!(self.state, State::Ready(_) | State::Failed(_)) {
            self.start()?;
        }
        self.state = State::Done;
        Ok(())
    }

    fn start(&mut self) -> Result<(), Error> {
        let request = match std::mem::replace(&mut self.state, State::Done) {
            State::Ready(request) => request,
            State::Failed(Some(error)) => return Err(error),
            state => {
                self.state = state;
                return Ok(());
            }
        };
        let Request {
            method,
            members,
            meta,
            wants_progress,
            is_cancellable,
            name,
        } = request;
        let (sender, reply) = oneshot::channel();
        let waiter = Waiter {
            reply: sender,
            progress: self.progress.clone(),
            method: method.clone(),
            never_left: AtomicBool::new(false),
            is_cancellable,
        };
        let write = |call: CallId, out: &mut Vec<u8>| {
            let token = wants_progress.then_some(call);
            write_params(out, &members, &meta, token);
        };
        let labels = || {
            let labels = Labels::of_method(method.clone());
            match name {
                Some(name) => labels.with_name(name),
                None => labels,
            }
        };
        let call = self
            .shared
            .call(self.timeouts, waiter, &method, write, labels)?;
        self.state = State::Waiting {
            call,
            method,
            reply,
        };
        Ok(())
    }

    /// A fault without what must not be shown.
    fn shown(&self, fault: PeerFault) -> PeerFault {
        let redactor = &self.shared.redactor;
        match fault {
            PeerFault::Result(mut error) => {
                error.excerpt = redactor.redact(&error.excerpt).into_owned();
                PeerFault::Result(error)
            }
            PeerFault::ResultType(kind) => {
                PeerFault::ResultType(redactor.redact_bytes_lossy(kind.as_bytes(), KIND_MAX))
            }
            fault => fault,
        }
    }

    fn finish(&self, method: &str, settled: Settled) -> Result<T, Error> {
        let Settled {
            outcome,
            sent,
            death,
        } = settled;
        let misbehaved = |fault, excerpt: &[u8]| {
            let excerpt = self
                .shared
                .redactor
                .redact_bytes_lossy(excerpt, EXCERPT_MAX);
            let method = method.to_owned();
            Error::PeerMisbehaved(Box::new(PeerMisbehaved {
                method,
                fault,
                excerpt,
            }))
        };
        match outcome {
            Outcome::Answered(answer) => {
                (self.read)(&answer).map_err(|Unreadable::Fault(fault)| {
                    // A fault of the frame tells its place in the frame.
                    match self.shown(fault) {
                        fault @ PeerFault::Frame(_) => misbehaved(fault, answer.frame()),
                        fault => misbehaved(fault, &answer.result()),
                    }
                })
            }
            Outcome::Refused(mut error) => {
                if let Cow::Owned(text) = self.shared.redactor.redact(&error.message) {
                    error.message = text;
                }
                Err(Error::Answered(Box::new(error)))
            }
            Outcome::Malformed { reason, excerpt } => {
                Err(misbehaved(PeerFault::Frame(reason), &excerpt))
            }
            Outcome::TimedOut(budget) => {
                let (budget, after) = match budget {
                    mcp_jsonrpc::Budget::Hard => (Budget::Hard, self.timeouts.hard),
                    _ => (Budget::Idle, self.timeouts.idle),
                };
                let waiting_for = method.to_owned();
                Err(Error::TimedOut(Box::new(TimedOut {
                    waiting_for,
                    budget,
                    after,
                    sent,
                })))
            }
            _ => Err(closed(death.as_deref(), sent)),
        }
    }
}

fn closed(death: Option<&crate::driver::Death>, sent: Sent) -> Error {
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

/// Writes the parameters with their `_meta`, or nothing if there is nothing to say.
fn write_params(out: &mut Vec<u8>, members: &[u8], meta: &str, token: Option<CallId>) {
    if members.is_empty() && meta.is_empty() && token.is_none() {
        return;
    }
    out.push(b'{');
    out.extend_from_slice(members);
    if !meta.is_empty() || token.is_some() {
        if !members.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(b"\"_meta\":{");
        if let Some(token) = token {
            out.extend_from_slice(b"\"progressToken\":");
            token.write(out);
            if !meta.is_empty() {
                out.push(b',');
            }
        }
        out.extend_from_slice(meta.as_bytes());
        out.push(b'}');
    }
    out.push(b'}');
}

impl<T> Future for Call<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Err(error) = self.start() {
            return Poll::Ready(Err(error));
        }
        let State::Waiting { reply, .. } = &mut self.state else {
            // Polled again after it was done, which is a misuse of futures.
            return Poll::Pending;
        };
        let settled = ready!(Pin::new(reply).poll(context));
        let State::Waiting { method, .. } = std::mem::replace(&mut self.state, State::Done) else {
            return Poll::Pending;
        };
        Poll::Ready(match settled {
            Ok(settled) => self.finish(&method, settled),
            // Only a driver that vanished drops a waiter unanswered.
            Err(_dropped) => Err(closed(self.shared.death().as_deref(), Sent::Maybe)),
        })
    }
}

impl<T> Unpin for Call<T> {}

impl<T> Drop for Call<T> {
    fn drop(&mut self) {
        if let State::Waiting { call, .. } = &self.state {
            self.shared.cancel(*call);
        }
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.state {
            State::Failed(_) => "failed",
            State::Ready(_) => "not sent",
            State::Waiting { .. } => "in flight",
            State::Done => "done",
        };
        f.debug_struct("Call")
            .field("state", &state)
            .finish_non_exhaustive()
    }
}

/// Hands an answer on as it came.
#[expect(
    clippy::unnecessary_wraps,
    reason = "readers of answers have one signature"
)]
pub(crate) fn read_raw(answer: &Answer) -> Result<RawReply, Unreadable> {
    Ok(RawReply(answer.clone()))
}

/// Reads a typed answer; the method that was called decides the type.
pub(crate) fn read_typed<T: Decode + ResultObject>(
    answer: &Answer,
) -> Result<Reply<T>, Unreadable> {
    let decoded = match decode(answer) {
        Ok(decoded) => decoded,
        Err(error) if answer.is_checked() => return Err(Unreadable::Fault(error)),
        // An answer known by its edges may hold more than its result; look again, with care.
        Err(_quick) => {
            let checked = answer
                .recheck()
                .map_err(|malformed| Unreadable::Fault(PeerFault::Frame(malformed)))?;
            decode(&checked).map_err(Unreadable::Fault)?
        }
    };
    match T::result_type(&decoded.value) {
        None | Some(ResultType::Complete) => Ok(Reply {
            value: decoded.value,
            diagnostics: decoded.diagnostics,
            raw: RawReply(answer.clone()),
        }),
        Some(other) => Err(Unreadable::Fault(PeerFault::ResultType(
            other.as_str().to_owned(),
        ))),
    }
}

fn decode<T: Decode>(answer: &Answer) -> Result<mcp_types::Decoded<T>, PeerFault> {
    let result = answer.result();
    let decoded = match std::str::from_utf8(&result) {
        Ok(text) => T::decode(text),
        // Links repair frames; one of another kind may not, so each bad sequence is U+FFFD here.
        Err(_broken) => T::decode(&String::from_utf8_lossy(&result)),
    };
    decoded.map_err(PeerFault::Result)
}

/// A request that is refused before it is made.
pub(crate) fn misused(misuse: Misuse) -> Error {
    Error::Misused(misuse)
}
