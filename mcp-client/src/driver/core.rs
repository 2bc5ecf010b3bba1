//! The peer and the sending half, and what they do for each other; everything behind the mutex.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_jsonrpc::{CallId, CallRefused, ErrorCode, ErrorObject, Peer, RequestId, TransmitKind};
use mcp_transport::link::{ExchangeId, Outbound, Retracted, SendError, Sending, Writable};
use mcp_transport::redact::Redactor;
use mcp_transport::{Labels, LinkSender, Step};
use mcp_types::{Version, method};

use super::asks::AskNumber;
use super::shared::{Death, Life};
use super::waiter::{Head, Waiter};
use crate::error::Misuse;
use crate::session::Era;
use crate::tap::Tap;
use crate::{Error, Sent, clock};

#[derive(Debug)]
pub(super) struct Core {
    /// The questions that handlers work on.
    // Bound: the peer's limit of open requests.
    asks: HashMap<RequestId, AskNumber>,
    /// How many questions there were.
    last_ask: AskNumber,
    /// The last question of a session that was replaced, if the driver has not ended them yet.
    replaced: Option<AskNumber>,
    /// Whether a legacy server is to be asked for something that was not wanted before.
    pub(super) has_chores: bool,
    /// Calls that were given up while there was no room to tell the server.
    // Bound: `OWED_MAX`.
    owed: VecDeque<GivenUp>,
    /// Hides secrets in why the connection ended.
    pub(super) redactor: Redactor,
    /// Where frames are copied to, if somebody wants to see them.
    pub(super) tap: Option<Tap>,
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
    pub(super) write_failed_at: Option<Instant>,
    /// The first line that was no message, which tells what is wrong with a server that never
    /// sends one.
    pub(super) first_stray: Option<Bytes>,
    /// The head of the latest reply to a call that told one.
    pub(super) last_head: Option<Head>,
    /// Whether the server has taken the confirmation of the session.
    pub(super) is_confirmed: bool,
    /// Whether the stream of an HTTP+SSE server is open and has told where to post.
    pub(super) is_ready: bool,
}

/// How long the reading half may take to tell why nothing can be written any more, before the
/// connection is ended without knowing.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Calls given up of which a server that does not read has not been told, before the connection is
/// not worth keeping. As many as may be in flight.
const OWED_MAX: usize = 1_024;

/// A call that was given up, and what of that the link has not taken yet.
#[derive(Clone, Copy, Debug)]
struct GivenUp {
    call: CallId,
    is_aborted: bool,
    /// The reason for the server, if it is told by a notification.
    why: Option<&'static str>,
}

/// What the driver has to wait for besides what comes in.
pub(super) struct Plan {
    /// The session was replaced: end the handlers of its questions, of which this is the last.
    pub(super) replaced: Option<AskNumber>,
    /// What is wanted of a legacy server has changed.
    pub(super) has_chores: bool,
    pub(super) blocked: Option<Writable>,
    pub(super) timer: Option<Instant>,
    pub(super) end: Option<Arc<Death>>,
}

impl Core {
    pub(super) fn new(
        peer: Peer<Waiter>,
        sender: LinkSender,
        redactor: Redactor,
        tap: Option<Tap>,
    ) -> Self {
        Self {
            redactor,
            tap,
            asks: HashMap::new(),
            last_ask: AskNumber::default(),
            replaced: None,
            owed: VecDeque::new(),
            has_chores: false,
            peer,
            sender,
            life: Life::Open,
            timer: None,
            session: None,
            users_asked: 0,
            write_failed_at: None,
            first_stray: None,
            last_head: None,
            is_confirmed: false,
            is_ready: false,
        }
    }

    pub(super) fn refusal(&self, refused: CallRefused) -> Error {
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
    pub(super) fn transmit_call(
        &mut self,
        call: CallId,
        labels: impl FnOnce() -> Box<Labels>,
    ) -> Result<(), Error> {
        if let Life::Closed(death) | Life::Closing(death) = &self.life {
            let error = death.error(Sent::No);
            self.peer.abandon(call);
            while self.peer.poll_transmit().is_some() {}
            return Err(error);
        }
        let labels = self.sender.wants_labels().then(labels);
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
    pub(super) fn transmit_notice(&mut self, method: &'static str, step: Step) {
        let labels = self.notice_labels(method, step);
        self.transmit_labelled(labels);
    }

    fn notice_labels(&self, method: &'static str, step: Step) -> Option<Box<Labels>> {
        if !self.sender.wants_labels() {
            return None;
        }
        let mut labels = Labels::of_method(method).with_step(step);
        // A modern message states its revision itself (HTTP-11).
        labels.version = match &self.session {
            Some((Era::Modern, version)) => Some(version.as_str().into()),
            _ => None,
        };
        Some(Box::new(labels))
    }

    /// Hands what was encoded to the link; nothing in it may be a request or a notification.
    pub(super) fn transmit(&mut self) {
        self.transmit_labelled(None);
    }

    fn transmit_labelled(&mut self, labels: Option<Box<Labels>>) {
        if self.transmit_with(labels) == Err(SendError::Full) {
            // Bound: answers cannot be dropped one by one, or the server would wait for them.
            let reason = "the server sends requests but does not read the answers".to_owned();
            self.life = Life::Closing(Arc::new(Death {
                reason,
                obituary: None,
            }));
        }
    }

    fn transmit_with(&mut self, mut labels: Option<Box<Labels>>) -> Result<(), SendError> {
        let mut result = Ok(());
        while let Some(transmit) = self.peer.poll_transmit() {
            let body = transmit.body;
            let outbound = match transmit.kind {
                TransmitKind::Call(call) => Outbound::Send {
                    exchange: ExchangeId(call.number()),
                    labels: labels.take(),
                    body,
                },
                _ => Outbound::Notify {
                    labels: labels.take(),
                    body,
                },
            };
            match self.sender.push(outbound) {
                Ok(()) => {
                    if let Some(tap) = &self.tap {
                        tap.sent(body);
                    }
                }
                Err(error) => result = Err(error),
            }
        }
        result
    }

    /// Tells the server that nobody waits for a call any more, and tells whether it may have run.
    pub(super) fn tell_given_up(
        &mut self,
        call: CallId,
        waiter: &Waiter,
        why: &'static str,
    ) -> Sent {
        let exchange = ExchangeId(call.number());
        let never_left = waiter.never_left.load(Ordering::Relaxed);
        if never_left || self.sender.retract(exchange) == Retracted::Unsent {
            return Sent::No;
        }
        let is_modern = matches!(self.session, Some((Era::Modern, _)));
        let has_streams = self.sender.wants_labels();
        let says_so = waiter.is_cancellable && !(is_modern && has_streams);
        self.owed.push_back(GivenUp {
            call,
            is_aborted: false,
            why: says_so.then_some(why),
        });
        self.tell_owed();
        if self.owed.len() > OWED_MAX {
            let reason = "the server does not read what is sent to it".to_owned();
            self.life = Life::Closing(Arc::new(Death {
                reason,
                obituary: None,
            }));
        }
        Sent::Maybe
    }

    /// Tells of the calls that were given up, as far as there is room. Giving one call up must not
    /// cost the others the connection, only because the server is slow to read.
    fn tell_owed(&mut self) {
        while let Some(mut given_up) = self.owed.pop_front() {
            if !self.tell(&mut given_up) {
                self.owed.push_front(given_up);
                return;
            }
        }
    }

    /// Tells of one call, and says whether there was room for all of it.
    fn tell(&mut self, given_up: &mut GivenUp) -> bool {
        let exchange = ExchangeId(given_up.call.number());
        // Closing the reply stream is how a modern server over HTTP is told (HTTP-23); on a pipe
        // the link does nothing with it and the notification says it (STDIO-06).
        if !given_up.is_aborted
            && self.sender.push(Outbound::Abort { exchange }) == Err(SendError::Full)
        {
            return false;
        }
        given_up.is_aborted = true;
        let Some(why) = given_up.why else { return true };
        let (method, number) = (method::NOTIFICATIONS_CANCELLED, given_up.call.number());
        self.peer.notify(method, |out| {
            out.extend_from_slice(b"{\"requestId\":");
            out.extend_from_slice(number.to_string().as_bytes());
            out.extend_from_slice(b",\"reason\":\"");
            out.extend_from_slice(why.as_bytes());
            out.extend_from_slice(b"\"}");
        });
        let labels = self.notice_labels(method, Step::Ordinary);
        // A link that is gone has nobody left to tell.
        self.transmit_with(labels) != Err(SendError::Full)
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

    /// Takes note of a question that a handler is to answer.
    pub(super) fn open_ask(&mut self, id: &RequestId) -> AskNumber {
        self.last_ask.0 += 1;
        self.asks.insert(id.clone(), self.last_ask);
        self.last_ask
    }

    /// Answers a question, unless it is no longer the one that has this id.
    pub(super) fn answer_ask(
        &mut self,
        id: &RequestId,
        number: AskNumber,
        answer: Result<Vec<u8>, ErrorObject>,
    ) {
        if self.asks.get(id) == Some(&number) {
            self.asks.remove(id);
            self.answer(id, answer);
        }
    }

    /// Forgets a question that the server took back; gives its number, if a handler has it.
    pub(super) fn withdraw_ask(&mut self, id: &RequestId) -> Option<AskNumber> {
        self.peer.withdraw(id);
        self.asks.remove(id)
    }

    /// Forgets all questions, and has the driver end their handlers.
    pub(super) fn withdraw_all(&mut self) {
        self.peer.withdraw_all();
        self.asks.clear();
        self.replaced = Some(self.last_ask);
    }

    pub(super) fn refuse_unknown(&mut self, id: &RequestId, number: AskNumber, method: &str) {
        let text = format!("this client does not offer {method}");
        let error = ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, text);
        self.answer_ask(id, number, Err(error));
    }

    pub(super) fn is_due_before_timer(&self) -> bool {
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

    /// Writes what can be written, and tells of the calls that were given up as that makes room.
    fn flush(&mut self) -> Result<Sending, SendError> {
        let mut sending = self.sender.try_flush();
        while !self.owed.is_empty() {
            self.tell_owed();
            // What finds no room although nothing waits never will.
            if !self.sender.has_unsent() {
                break;
            }
            sending = self.sender.try_flush();
            if sending != Ok(Sending::Done) {
                break;
            }
        }
        sending
    }

    /// Writes what can be written and tells the driver what to wait for.
    pub(super) fn plan(&mut self) -> Plan {
        let blocked = match self.flush() {
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
            replaced: self.replaced.take(),
            has_chores: std::mem::take(&mut self.has_chores),
            blocked,
            timer: self.timer,
            end,
        }
    }
}
