//! What callers and the driver share: the peer and the sending half, behind one short mutex.
//!
//! Invariant: the mutex is never held across an await, and no code of the application runs under
//! it. A caller locks, encodes, tries to write, and wakes the driver only if the driver has to do
//! something about it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_jsonrpc::{
    CallId, CallRefused, ErrorCode, ErrorObject, Outcome, Peer, RequestId, Timeouts, TransmitKind,
};
use mcp_transport::LinkSender;
use mcp_transport::link::{ExchangeId, Outbound, Retracted, SendError, Sending, Writable};
use mcp_transport::{Labels, redact::Redactor};
use mcp_types::{Version, method};
use tokio::sync::{Notify, oneshot};

use crate::error::Misuse;
use crate::notice::ProgressSink;
use crate::session::Era;
use crate::{Closure, Error, Sent, clock};

/// What a call leaves with the peer while it is in flight.
#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) reply: oneshot::Sender<Settled>,
    pub(crate) progress: Option<Arc<ProgressSink>>,
    pub(crate) method: Cow<'static, str>,
    /// Set if the request could not even be queued, because nothing can be written any more.
    pub(crate) never_left: AtomicBool,
    /// Whether giving the call up is told to the server. Never for the opening of a session
    /// (LIFE-07, N-11).
    pub(crate) is_cancellable: bool,
}

/// How a call ended, as its waiter hears it.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) outcome: Outcome,
    pub(crate) sent: Sent,
    /// Why the connection is gone, if that is how it ended.
    pub(crate) death: Option<Arc<Death>>,
}

/// The end of a connection.
#[derive(Debug)]
pub(crate) struct Death {
    pub(crate) reason: String,
    pub(crate) obituary: Option<Arc<mcp_transport::process::Obituary>>,
}

impl Death {
    pub(crate) fn error(&self, sent: Sent) -> Error {
        let obituary = self.obituary.clone();
        Error::Closed(Box::new(Closure {
            reason: self.reason.clone(),
            obituary,
            sent,
        }))
    }
}

#[derive(Debug)]
pub(super) enum Life {
    Open,
    /// The driver is to end the connection, for this reason.
    Closing(Arc<Death>),
    Closed(Arc<Death>),
}

#[derive(Debug)]
pub(crate) struct Shared {
    core: Mutex<Core>,
    pub(super) wake: Notify,
    pub(crate) redactor: Redactor,
}

#[derive(Debug)]
pub(super) struct Core {
    pub(super) peer: Peer<Waiter>,
    pub(super) sender: LinkSender,
    pub(super) life: Life,
    /// When the driver's timer will fire; a call due earlier has to wake it.
    pub(super) timer: Option<Instant>,
    /// The era and the revision, once they are known.
    pub(super) session: Option<(Era, Version)>,
    /// How many questions our own user is being asked.
    pub(super) users_asked: usize,
    /// Since when nothing can be written any more.
    write_failed_at: Option<Instant>,
    /// The first line that was no message, which tells what is wrong with a server that never
    /// sends one.
    pub(super) first_stray: Option<Bytes>,
}

/// How long the reading half may take to tell why nothing can be written any more, before the
/// connection is ended without knowing.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What the driver has to wait for besides what comes in.
pub(super) struct Plan {
    pub(super) blocked: Option<Writable>,
    pub(super) timer: Option<Instant>,
    pub(super) end: Option<Arc<Death>>,
}

impl Shared {
    pub(crate) fn new(peer: Peer<Waiter>, sender: LinkSender, redactor: Redactor) -> Self {
        let core = Core {
            peer,
            sender,
            life: Life::Open,
            timer: None,
            session: None,
            users_asked: 0,
            write_failed_at: None,
            first_stray: None,
        };
        Self {
            core: Mutex::new(core),
            wake: Notify::new(),
            redactor,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call, and writes it at once if the connection is idle.
    pub(crate) fn call(
        &self,
        timeouts: Timeouts,
        waiter: Waiter,
        method: &str,
        params: impl FnOnce(CallId, &mut Vec<u8>),
        labels: impl FnOnce() -> Labels,
    ) -> Result<CallId, Error> {
        let now = clock::now();
        let mut core = self.lock();
        // With nothing else under way the caller writes itself: waking the driver would cost a
        // task switch. Otherwise the driver writes everything that has gathered in one go.
        let is_quiet = core.peer.in_flight() == 0 && !core.sender.has_unsent();
        let call = match core.peer.call(now, timeouts, waiter, method, params) {
            Ok(call) => call,
            Err((_waiter, refused)) => return Err(core.refusal(refused)),
        };
        core.transmit_call(call, labels)?;
        let is_written = is_quiet && matches!(core.sender.try_flush(), Ok(Sending::Done));
        let wakes = !is_written || core.is_due_before_timer();
        drop(core);
        if wakes {
            self.wake.notify_one();
        }
        Ok(call)
    }

    /// Sends a notification; the driver writes it with whatever follows.
    pub(crate) fn notify(
        &self,
        method: &'static str,
        params: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        let mut core = self.lock();
        if let Life::Closed(death) | Life::Closing(death) = &core.life {
            return Err(death.error(Sent::No));
        }
        core.peer.notify(method, params);
        core.transmit_notice(method);
        drop(core);
        self.wake.notify_one();
        Ok(())
    }

    /// Gives a call up, and tells the server if it may have begun to work on it.
    pub(crate) fn cancel(&self, call: CallId) {
        let mut core = self.lock();
        if let Some(waiter) = core.peer.abandon(call) {
            core.tell_given_up(call, &waiter, "the caller no longer waits");
            drop(core);
            self.wake.notify_one();
        }
    }

    /// Answers a request of the server.
    pub(super) fn respond(&self, id: &RequestId, answer: Result<Vec<u8>, ErrorObject>) {
        let mut core = self.lock();
        core.answer(id, answer);
        drop(core);
        self.wake.notify_one();
    }

    /// Has the driver end the connection.
    pub(crate) fn request_close(&self, reason: &str) {
        let mut core = self.lock();
        if matches!(core.life, Life::Open) {
            let death = Death {
                reason: reason.to_owned(),
                obituary: None,
            };
            core.life = Life::Closing(Arc::new(death));
        }
        drop(core);
        self.wake.notify_one();
    }

    /// Whether the connection is, or is about to be, gone; and why.
    pub(crate) fn death(&self) -> Option<Arc<Death>> {
        match &self.lock().life {
            Life::Open => None,
            Life::Closing(death) | Life::Closed(death) => Some(Arc::clone(death)),
        }
    }

    /// The beginning of the first line that was no message, redacted.
    pub(crate) fn first_stray(&self) -> Option<String> {
        const SHOWN_MAX: usize = 200;
        let stray = self.lock().first_stray.clone()?;
        Some(self.redactor.redact_bytes_lossy(&stray, SHOWN_MAX))
    }

    /// Remembers what was negotiated.
    pub(crate) fn set_session(&self, era: Era, version: &Version) {
        let mut core = self.lock();
        // Spec: RPC-08, RPC-09. One revision alone has batches.
        core.peer.set_batches(*version == Version::V2025_03_26);
        core.session = Some((era, version.clone()));
        let version = version.as_str().to_owned();
        // A link that is gone tells so by itself.
        let _: Result<(), SendError> = core.sender.push(Outbound::Session { version });
    }

    /// Stops the clocks of the calls in flight while our user answers a question.
    pub(super) fn user_asked(self: &Arc<Self>) -> UserAsked {
        let mut core = self.lock();
        core.users_asked += 1;
        core.peer.pause(clock::now());
        UserAsked(Arc::clone(self))
    }
}

/// While it lives, our user is being asked something.
#[derive(Debug)]
pub(super) struct UserAsked(Arc<Shared>);

impl Drop for UserAsked {
    fn drop(&mut self) {
        let mut core = self.0.lock();
        core.users_asked = core.users_asked.saturating_sub(1);
        if core.users_asked == 0 {
            core.peer.resume(clock::now());
        }
        drop(core);
        self.0.wake.notify_one();
    }
}

impl Core {
    fn refusal(&self, refused: CallRefused) -> Error {
        match (refused, &self.life) {
            (
                CallRefused::TooManyInFlight {
                    calls_in_flight_max,
                },
                _,
            ) => Error::Misused(Misuse::TooManyInFlight {
                calls_in_flight_max,
            }),
            (_, Life::Closing(death) | Life::Closed(death)) => death.error(Sent::No),
            (_, Life::Open) => {
                let death = Death {
                    reason: "the connection is closed".to_owned(),
                    obituary: None,
                };
                death.error(Sent::No)
            }
        }
    }

    /// Hands the request just encoded, and what was encoded before it, to the link.
    fn transmit_call(
        &mut self,
        call: CallId,
        labels: impl FnOnce() -> Labels,
    ) -> Result<(), Error> {
        if let Life::Closed(death) | Life::Closing(death) = &self.life {
            let error = death.error(Sent::No);
            self.peer.abandon(call);
            while self.peer.poll_transmit().is_some() {}
            return Err(error);
        }
        let labels = if self.sender.wants_labels() {
            labels()
        } else {
            Labels::default()
        };
        match self.transmit_with(labels) {
            Ok(()) => Ok(()),
            Err(SendError::Full) => {
                self.peer.abandon(call);
                Err(Error::Misused(Misuse::QueueFull))
            }
            // The receiving half is about to tell why; the call ends with that reason.
            Err(_gone) => {
                if let Some(waiter) = self.peer.waiter(call) {
                    waiter.never_left.store(true, Ordering::Relaxed);
                }
                Ok(())
            }
        }
    }

    /// Hands the notification just encoded to the link.
    fn transmit_notice(&mut self, method: &'static str) {
        let labels = if self.sender.wants_labels() {
            Labels::of_method(method)
        } else {
            Labels::default()
        };
        self.transmit_labelled(labels);
    }

    /// Hands what was encoded to the link; nothing in it may be a request or a notification.
    pub(super) fn transmit(&mut self) {
        self.transmit_labelled(Labels::default());
    }

    fn transmit_labelled(&mut self, labels: Labels) {
        if self.transmit_with(labels) == Err(SendError::Full) {
            // Bound: answers cannot be dropped one by one, or the server would wait for them.
            let reason = "the server sends requests but does not read the answers".to_owned();
            self.life = Life::Closing(Arc::new(Death {
                reason,
                obituary: None,
            }));
        }
    }

    fn transmit_with(&mut self, labels: Labels) -> Result<(), SendError> {
        let mut labels = Some(labels);
        let mut result = Ok(());
        while let Some(transmit) = self.peer.poll_transmit() {
            let body = transmit.body;
            let outbound = match transmit.kind {
                TransmitKind::Call(call) => Outbound::Send {
                    exchange: ExchangeId(call.number()),
                    labels: labels.take().unwrap_or_default(),
                    body,
                },
                _ => Outbound::Notify {
                    labels: labels.take().unwrap_or_default(),
                    body,
                },
            };
            if let Err(error) = self.sender.push(outbound) {
                result = Err(error);
            }
        }
        result
    }

    /// Tells the server that nobody waits for a call any more, and tells whether it may have run.
    pub(super) fn tell_given_up(&mut self, call: CallId, waiter: &Waiter, why: &str) -> Sent {
        let exchange = ExchangeId(call.number());
        let never_left = waiter.never_left.load(Ordering::Relaxed);
        if never_left || self.sender.retract(exchange) == Retracted::Unsent {
            return Sent::No;
        }
        let is_modern = matches!(self.session, Some((Era::Modern, _)));
        // Closing the reply stream is how a modern server over HTTP is told (HTTP-23); on a pipe
        // the link does nothing with it and the notification says it (STDIO-06).
        let _: Result<(), SendError> = self.sender.push(Outbound::Abort { exchange });
        let has_streams = self.sender.wants_labels();
        if waiter.is_cancellable && !(is_modern && has_streams) {
            self.peer.notify(method::NOTIFICATIONS_CANCELLED, |out| {
                out.extend_from_slice(b"{\"requestId\":");
                out.extend_from_slice(call.number().to_string().as_bytes());
                out.extend_from_slice(b",\"reason\":\"");
                out.extend_from_slice(why.as_bytes());
                out.extend_from_slice(b"\"}");
            });
            self.transmit_notice(method::NOTIFICATIONS_CANCELLED);
        }
        Sent::Maybe
    }

    /// Answers a request of the server, unless the era has no answers.
    pub(super) fn answer(&mut self, id: &RequestId, answer: Result<Vec<u8>, ErrorObject>) {
        if matches!(self.session, Some((Era::Modern, _))) {
            // Spec: STDIO-03, HTTP-21. A modern client never sends a response.
            self.peer.withdraw(id);
            return;
        }
        match answer {
            Ok(result) => self.peer.respond(id, |out| out.extend_from_slice(&result)),
            Err(error) => self.peer.refuse(id, &error),
        };
        self.transmit();
    }

    pub(super) fn refuse_unknown(&mut self, id: &RequestId, method: &str) {
        let text = format!("this client does not offer {method}");
        self.answer(id, Err(ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, text)));
    }

    fn is_due_before_timer(&self) -> bool {
        match (self.peer.poll_timeout(), self.timer) {
            (Some(due), Some(timer)) => due < timer,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    /// Ends a connection that can no longer be written to and does not tell why.
    pub(super) fn check_writing(&mut self, now: Instant) {
        let is_over = self
            .write_failed_at
            .is_some_and(|at| now >= at + LAST_WORDS);
        if is_over && matches!(self.life, Life::Open) {
            let reason = "the server closed its input".to_owned();
            self.life = Life::Closing(Arc::new(Death {
                reason,
                obituary: None,
            }));
        }
    }

    /// Writes what can be written and tells the driver what to wait for.
    pub(super) fn plan(&mut self) -> Plan {
        let blocked = match self.sender.try_flush() {
            Ok(Sending::Blocked) => Some(self.sender.writable()),
            Ok(_) => None,
            Err(_gone) => {
                self.write_failed_at.get_or_insert_with(clock::now);
                None
            }
        };
        let last_words = self.write_failed_at.map(|at| at + LAST_WORDS);
        self.timer = self.peer.poll_timeout().into_iter().chain(last_words).min();
        let end = match &self.life {
            Life::Closing(death) => Some(Arc::clone(death)),
            _ => None,
        };
        Plan {
            blocked,
            timer: self.timer,
            end,
        }
    }
}
