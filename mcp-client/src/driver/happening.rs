//! From what came in to what is to be done about it, decided under the lock and done outside.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bytes::Bytes;
use mcp_jsonrpc::{
    CallId, Decoded, Event, Limits, Malformed, Method, Misbehavior, Outcome, RequestId, Shape, Tie,
    decode,
};
use mcp_transport::link::{
    Closed, ExchangeFailure, ExchangeFailureKind, ExchangeId, Inbound, Origin, Outbound, Retracted,
    SendError,
};
use mcp_types::{ProgressParams, SubscriptionFilter, method};

use super::asks::{Ask, AskNumber};
use super::core::Core;
use super::shared::{Death, Life};
use super::told::plain_progress;
use super::waiter::{Head, Settled, Waiter};
use crate::Sent;
use crate::call::Hearers;
use crate::session::Era;

/// Bytes of what is no message that are kept: more than is ever shown, so that a secret that
/// reaches past what is shown can still be recognised.
const STRAY_MAX: usize = 8 * 1024;

/// What made the peer's events happen.
#[derive(Default)]
pub(super) struct Cause {
    /// Where the frame came from, if it was one.
    pub(super) origin: Option<Origin>,
    /// Why an exchange brought no answer, if that is what happened.
    pub(super) failure: Option<ExchangeFailure>,
}

/// Something to do once the lock is released, in order.
pub(super) enum Happening {
    /// A modern server tells from now on what was subscribed to.
    Acknowledged {
        hearers: Arc<Hearers>,
        granted: SubscriptionFilter,
    },
    /// A server's question needs a handler.
    Asked(Ask),
    /// The server has taken the confirmation of the session.
    Confirmed,
    /// The server tells something that is no progress.
    Noticed {
        method: Method,
        params: Option<Bytes>,
        /// Who hears of it besides, as it belongs to their call.
        hearers: Option<Arc<Hearers>>,
    },
    /// A call made progress.
    Progressed {
        hearers: Arc<Hearers>,
        progress: ProgressParams,
    },
    /// A call has ended.
    Settled { waiter: Waiter, settled: Settled },
    /// A line on stdout was no message.
    Strayed { excerpt: Bytes },
    /// The server broke the protocol.
    Misbehaved(Misbehavior),
    /// Something could not be read that may have been for anybody.
    Unread { reason: String },
    /// The server took a question back.
    Withdrawn { number: AskNumber },
}

impl Core {
    /// Takes one thing that came in.
    pub(super) fn take(&mut self, now: Instant, inbound: Inbound, happened: &mut Vec<Happening>) {
        if let Some(tap) = &self.tap {
            tap.received(&inbound);
        }
        let mut cause = Cause::default();
        match inbound {
            // Interop: servers keep an idle stream open by events such as `data: ping`, for days
            // on end (test `pings_that_are_no_messages_never_end_a_connection`). No call waits for
            // anything that such an event could be, so it is told and not held against the server.
            Inbound::Frame {
                origin: Origin::Shared,
                body,
                ..
            } if self.sender.wants_labels() && !begins_like_a_message(&body) => {
                let excerpt = body.slice(..body.len().min(STRAY_MAX));
                self.first_stray.get_or_insert_with(|| alone(&excerpt));
                happened.push(Happening::Strayed { excerpt });
            }
            Inbound::Frame { origin, body, .. } => {
                if let Some(progress) = plain_progress(origin, &body) {
                    self.peer.handle_known_notice();
                    self.progressed(now, progress, happened);
                    return;
                }
                cause.origin = Some(origin);
                self.note_unaddressed(origin, &body);
                self.peer.handle_frame(body, tie(origin));
                self.reply_over(origin, &mut cause);
            }
            Inbound::TooLong {
                head,
                tail,
                len,
                len_max,
                origin,
            } => {
                self.peer.handle_too_long(
                    head,
                    &tail,
                    Malformed::TooLong { len, len_max },
                    tie(origin),
                );
                self.reply_over(origin, &mut cause);
            }
            Inbound::Head {
                exchange,
                status,
                media,
                is_in_session,
            } => {
                let head = Head {
                    status,
                    media,
                    is_in_session,
                };
                self.note_head(exchange, head);
            }
            Inbound::ExchangeEnded { exchange } => {
                let reason = "the server ended its reply without an answer";
                let kind = ExchangeFailureKind::NoAnswer;
                cause.failure = Some(ExchangeFailure::new(kind, reason, true));
                self.peer.handle_lost(CallId::new(exchange.0));
            }
            Inbound::ExchangeFailed { exchange, failure } => {
                cause.failure = Some(failure);
                self.peer.handle_lost(CallId::new(exchange.0));
            }
            Inbound::Ready => self.is_ready = true,
            Inbound::Confirmed => happened.push(Happening::Confirmed),
            Inbound::Closed(closed) => self.close(closed),
            Inbound::Unread { reason } => happened.push(Happening::Unread { reason }),
            _ => {}
        }
        self.drain(now, &cause, happened);
    }

    /// Ends the call whose whole reply was taken, if that did not end it: the answer to another
    /// request, or no answer at all, is all that it will get.
    fn reply_over(&mut self, origin: Origin, cause: &mut Cause) {
        let Origin::Reply(exchange) = origin else {
            return;
        };
        let call = CallId::new(exchange.0);
        // A call that has its answer is settled already.
        if self.peer.waiter(call).is_some() {
            let reason = "the server replied with what answers another request, or none";
            let kind = ExchangeFailureKind::NoAnswer;
            cause.failure = Some(ExchangeFailure::new(kind, reason, true));
            self.peer.handle_lost(call);
        }
    }

    /// Remembers the head of a reply for as long as its call is in flight.
    fn note_head(&mut self, exchange: ExchangeId, head: Head) {
        self.last_head = Some(head.clone());
        if let Some(waiter) = self.peer.waiter_mut(CallId::new(exchange.0)) {
            // A reply has one head; should a stream be taken up again, the first one counts.
            waiter.trace().head.get_or_insert(head);
        }
    }

    /// Remembers that a refusal is an error without an id of ours.
    fn note_unaddressed(&mut self, origin: Origin, body: &[u8]) {
        let Origin::Reply(exchange) = origin else {
            return;
        };
        let waiter = self.peer.waiter_mut(CallId::new(exchange.0));
        let Some(trace) = waiter.and_then(|waiter| waiter.trace.as_mut()) else {
            return;
        };
        if trace.head.as_ref().is_some_and(|head| head.status >= 400)
            && let Ok(Decoded::One(envelope)) = decode(body, Limits::default().depth_max)
            && matches!(envelope.shape, Shape::Failure { .. })
        {
            trace.is_unaddressed = envelope.id.as_call().is_none();
        }
    }

    /// Ends the calls whose budget has run out.
    pub(super) fn time_out(&mut self, now: Instant, happened: &mut Vec<Happening>) {
        self.check_writing(now);
        self.peer.handle_timeout(now);
        self.drain(now, &Cause::default(), happened);
    }

    /// Ends everything for the reason given.
    pub(super) fn die(&mut self, death: Arc<Death>, now: Instant, happened: &mut Vec<Happening>) {
        if !matches!(self.life, Life::Closed(_)) {
            self.life = Life::Closed(death);
        }
        self.peer.handle_closed();
        self.drain(now, &Cause::default(), happened);
    }

    fn close(&mut self, closed: Closed) {
        let mut reason = self.redactor.redact(&closed.to_string()).into_owned();
        let obituary = closed.obituary.map(|mut obituary| {
            let methods = self
                .peer
                .calls()
                .into_iter()
                .filter_map(|call| self.peer.waiter(call));
            obituary.in_flight = methods.map(|waiter| waiter.method.to_string()).collect();
            Arc::from(obituary)
        });
        if closed.cut.is_some() {
            reason.push_str(", in the middle of a message");
        }
        // A connection that we were closing anyway keeps that reason.
        let death = match &self.life {
            Life::Closing(death) => Arc::clone(death),
            _ => Arc::new(Death { reason, obituary }),
        };
        self.life = Life::Closed(death);
        self.peer.handle_closed();
    }

    /// Turns the peer's events into what is to be done.
    pub(super) fn drain(&mut self, now: Instant, cause: &Cause, happened: &mut Vec<Happening>) {
        while let Some(event) = self.peer.poll_event() {
            match event {
                Event::Settled {
                    call,
                    mut waiter,
                    outcome,
                } => {
                    let stands = self.peer.call_stands(now, call);
                    if !stands.is_zero() {
                        waiter.trace().stood += stands;
                    }
                    let settled = self.settled(call, &mut waiter, outcome, cause);
                    happened.push(Happening::Settled { waiter, settled });
                }
                Event::Noticed { method, params } => {
                    let notice = (method, params);
                    self.noticed(now, notice, cause.origin, happened);
                }
                Event::Asked { id, method, params } => {
                    let call = tied(cause.origin);
                    self.asked(id, method, params, call, happened);
                }
                Event::Misbehaved(misbehavior) => {
                    self.note_stray(&misbehavior, cause.origin);
                    happened.push(match misbehavior {
                        Misbehavior::NotJson { excerpt, .. } => {
                            self.first_stray.get_or_insert_with(|| alone(&excerpt));
                            Happening::Strayed { excerpt }
                        }
                        misbehavior => Happening::Misbehaved(misbehavior),
                    });
                }
                Event::Exhausted => {
                    let reason = "the server sent nothing but broken messages".to_owned();
                    self.life = Life::Closing(Arc::new(Death {
                        reason,
                        obituary: None,
                    }));
                }
                _ => {}
            }
        }
        // The peer refuses by itself what is past its limits.
        self.transmit();
    }

    /// Keeps what came on the stream of a call and was no message, to be told should no answer
    /// follow.
    fn note_stray(&mut self, misbehavior: &Misbehavior, origin: Option<Origin>) {
        let (Misbehavior::NotJson { excerpt, .. } | Misbehavior::NotAMessage { excerpt }) =
            misbehavior
        else {
            return;
        };
        if let Some(Origin::Stream(exchange)) = origin
            && let Some(waiter) = self.peer.waiter_mut(CallId::new(exchange.0))
        {
            // The first one tells most.
            waiter.trace().stray.get_or_insert_with(|| alone(excerpt));
        }
    }

    fn settled(
        &mut self,
        call: CallId,
        waiter: &mut Waiter,
        outcome: Outcome,
        cause: &Cause,
    ) -> Settled {
        let exchange = ExchangeId(call.number());
        let is_own_reply = cause.origin == Some(Origin::Reply(exchange));
        if self.sender.wants_labels() && cause.origin.is_some() && !is_own_reply {
            // A link that is gone has nothing left to resume.
            let _: Result<(), SendError> = self.sender.push(Outbound::Settled { exchange });
        }
        let (sent, death) = match &outcome {
            Outcome::TimedOut(_) => (
                self.tell_given_up(call, waiter, "no answer within the time allowed"),
                None,
            ),
            Outcome::Lost => {
                let failure = cause.failure.as_ref();
                let is_refused = failure.is_some_and(|failure| !failure.may_have_run);
                let never_left = waiter.never_left.load(Ordering::Relaxed);
                let sent = match self.sender.retract(exchange) {
                    Retracted::Unsent => Sent::No,
                    _ if never_left || is_refused => Sent::No,
                    _ => Sent::Maybe,
                };
                let death = match &self.life {
                    Life::Closing(death) | Life::Closed(death) if failure.is_none() => {
                        Some(Arc::clone(death))
                    }
                    _ => None,
                };
                (sent, death)
            }
            _ => (Sent::Yes, None),
        };
        if let (Outcome::Lost, Some(failure)) = (&outcome, &cause.failure) {
            waiter.trace().failure = Some(failure.clone());
        }
        Settled {
            outcome,
            sent,
            death,
            trace: waiter.trace.take(),
        }
    }

    fn asked(
        &mut self,
        id: RequestId,
        method: Method,
        params: Option<Bytes>,
        call: Option<CallId>,
        happened: &mut Vec<Happening>,
    ) {
        if matches!(self.session, Some((Era::Modern, _))) {
            self.peer.withdraw(&id);
            return;
        }
        // Spec: LIFE-09, N-10. A ping is answered even before the session is open.
        if method.as_str() == method::PING {
            return self.answer(&id, Ok(b"{}".to_vec()));
        }
        let number = self.open_ask(&id);
        happened.push(Happening::Asked(Ask {
            id,
            number,
            method,
            params,
            call,
        }));
    }
}

/// An excerpt to be kept, without the rest of its frame.
fn alone(excerpt: &[u8]) -> Bytes {
    Bytes::copy_from_slice(excerpt)
}

/// Whether a frame begins as objects and lists do.
fn begins_like_a_message(body: &[u8]) -> bool {
    let text = body.trim_ascii_start();
    matches!(text.first(), Some(b'{' | b'[' | 0xEF))
}

/// The call that something belongs to, by where it came from.
pub(super) fn tied(origin: Option<Origin>) -> Option<CallId> {
    match origin? {
        Origin::Reply(exchange) | Origin::Stream(exchange) => Some(CallId::new(exchange.0)),
        _ => None,
    }
}

fn tie(origin: Origin) -> Tie {
    match origin {
        Origin::Reply(exchange) => Tie::Reply(CallId::new(exchange.0)),
        Origin::Stream(exchange) => Tie::Stream(CallId::new(exchange.0)),
        _ => Tie::None,
    }
}

#[cfg(test)]
mod tests {
    use mcp_jsonrpc::{Peer, Timeouts};
    use mcp_transport::{Limits as LinkLimits, link, redact::Redactor};
    use tokio::sync::oneshot;

    use super::*;
    use crate::clock;

    /// A connection over HTTP with one call in flight.
    fn core() -> (Core, ExchangeId) {
        let (link, _far_end) = link::pair(LinkLimits::default());
        let (sender, _receiver) = link.split();
        let mut core = Core::new(Peer::new(Limits::default()), sender, Redactor::new(), None);
        let waiter = Waiter::new(oneshot::channel().0, "m".into());
        let timeouts = Timeouts::new(std::time::Duration::MAX, std::time::Duration::MAX);
        let called = core
            .peer
            .call(clock::now(), timeouts, waiter, "m", |_call, _params| ());
        let call = called.map_err(|(_waiter, refused)| refused).unwrap();
        (core, ExchangeId(call.number()))
    }

    #[test]
    fn what_is_kept_of_a_frame_that_is_no_message_does_not_hold_the_frame() {
        for text in ["{ no message ", "no message "] {
            let (mut core, exchange) = core();
            for origin in [Origin::Shared, Origin::Stream(exchange)] {
                let body = Bytes::from(text.repeat(STRAY_MAX));
                let inbound = Inbound::Frame {
                    origin,
                    body: body.clone(),
                    is_repaired: false,
                };
                core.take(clock::now(), inbound, &mut Vec::new());
                assert!(body.is_unique(), "{text}{origin:?}");
            }
            let waiter = core.peer.waiter_mut(CallId::new(exchange.0)).unwrap();
            for kept in [core.first_stray, waiter.trace().stray.take()] {
                assert_eq!(kept.map(|kept| kept.len()), Some(STRAY_MAX), "{text}");
            }
        }
    }
}
