//! From what came in to what is to be done about it, decided under the lock and done outside.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bytes::Bytes;
use mcp_jsonrpc::{CallId, Event, Malformed, Method, Misbehavior, Outcome, RequestId};
use mcp_transport::link::{Closed, ExchangeId, Inbound, Origin, Retracted};
use mcp_types::{CancelledParams, ProgressParams, Token, method};

use super::shared::{Core, Death, Life, Settled, Waiter};
use crate::Sent;
use crate::notice::ProgressSink;
use crate::session::Era;

/// Something to do once the lock is released, in order.
pub(super) enum Happening {
    /// A server's question needs a handler.
    Asked {
        id: RequestId,
        method: Method,
        params: Option<Bytes>,
    },
    /// The server tells something that is no progress.
    Noticed {
        method: Method,
        params: Option<Bytes>,
    },
    /// A call made progress.
    Progressed {
        sink: Arc<ProgressSink>,
        progress: ProgressParams,
    },
    /// A call has ended.
    Settled { waiter: Waiter, settled: Settled },
    /// A line on stdout was no message.
    Strayed { excerpt: Bytes },
    /// The server broke the protocol.
    Misbehaved(Misbehavior),
    /// The server took a question back.
    Withdrawn { id: RequestId },
}

impl Core {
    /// Takes one thing that came in.
    pub(super) fn take(&mut self, now: Instant, inbound: Inbound, happened: &mut Vec<Happening>) {
        let mut lost = None;
        match inbound {
            Inbound::Frame { origin, body, .. } => self.peer.handle_frame(body, tie(origin)),
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
            }
            Inbound::ExchangeEnded { exchange } => {
                lost = Some("the server ended its reply without an answer".to_owned());
                self.peer.handle_lost(CallId::new(exchange.0));
            }
            Inbound::ExchangeFailed { exchange, reason } => {
                lost = Some(format!("the reply of the server broke off: {reason}"));
                self.peer.handle_lost(CallId::new(exchange.0));
            }
            Inbound::Closed(closed) => self.close(closed),
            _ => {}
        }
        let lost = lost.map(|reason| {
            Arc::new(Death {
                reason,
                obituary: None,
            })
        });
        self.drain(now, lost.as_ref(), happened);
    }

    /// Ends the calls whose budget has run out.
    pub(super) fn time_out(&mut self, now: Instant, happened: &mut Vec<Happening>) {
        self.check_writing(now);
        self.peer.handle_timeout(now);
        self.drain(now, None, happened);
    }

    /// Ends everything for the reason given.
    pub(super) fn die(&mut self, death: Arc<Death>, now: Instant, happened: &mut Vec<Happening>) {
        if !matches!(self.life, Life::Closed(_)) {
            self.life = Life::Closed(death);
        }
        self.peer.handle_closed();
        self.drain(now, None, happened);
    }

    fn close(&mut self, closed: Closed) {
        let mut reason = closed.to_string();
        let obituary = closed.obituary.map(|mut obituary| {
            let methods = self
                .peer
                .calls()
                .into_iter()
                .filter_map(|call| self.peer.waiter(call));
            obituary.in_flight = methods.map(|waiter| waiter.method.to_string()).collect();
            Arc::new(obituary)
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
    fn drain(&mut self, now: Instant, lost: Option<&Arc<Death>>, happened: &mut Vec<Happening>) {
        while let Some(event) = self.peer.poll_event() {
            match event {
                Event::Settled {
                    call,
                    waiter,
                    outcome,
                } => {
                    let settled = self.settled(call, &waiter, outcome, lost);
                    happened.push(Happening::Settled { waiter, settled });
                }
                Event::Noticed { method, params } => self.noticed(now, method, params, happened),
                Event::Asked { id, method, params } => self.asked(id, method, params, happened),
                Event::Misbehaved(misbehavior) => happened.push(match misbehavior {
                    Misbehavior::NotJson { excerpt, .. } => {
                        self.first_stray.get_or_insert_with(|| excerpt.clone());
                        Happening::Strayed { excerpt }
                    }
                    misbehavior => Happening::Misbehaved(misbehavior),
                }),
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

    fn settled(
        &mut self,
        call: CallId,
        waiter: &Waiter,
        outcome: Outcome,
        lost: Option<&Arc<Death>>,
    ) -> Settled {
        let exchange = ExchangeId(call.number());
        let (sent, death) = match &outcome {
            Outcome::TimedOut(_) => (
                self.tell_given_up(call, waiter, "no answer within the time allowed"),
                None,
            ),
            Outcome::Lost => {
                let never_left = waiter.never_left.load(Ordering::Relaxed);
                let sent = match self.sender.retract(exchange) {
                    Retracted::Unsent => Sent::No,
                    _ if never_left => Sent::No,
                    _ => Sent::Maybe,
                };
                let death = match &self.life {
                    Life::Open => lost.cloned(),
                    Life::Closing(death) | Life::Closed(death) => Some(Arc::clone(death)),
                };
                (sent, death)
            }
            _ => (Sent::Yes, None),
        };
        Settled {
            outcome,
            sent,
            death,
        }
    }

    fn noticed(
        &mut self,
        now: Instant,
        method: Method,
        params: Option<Bytes>,
        happened: &mut Vec<Happening>,
    ) {
        match method.as_str() {
            method::NOTIFICATIONS_PROGRESS => {
                let Some(progress) = read::<ProgressParams>(params.as_ref()) else {
                    return;
                };
                // Spec: T-39. Progress for a call that has ended is dropped.
                let Token::Number(number) = progress.progress_token else {
                    return;
                };
                let Ok(number) = u64::try_from(number) else {
                    return;
                };
                let call = CallId::new(number);
                self.peer.touch(now, call);
                let sink = self
                    .peer
                    .waiter(call)
                    .and_then(|waiter| waiter.progress.clone());
                if let Some(sink) = sink {
                    happened.push(Happening::Progressed { sink, progress });
                }
            }
            method::NOTIFICATIONS_CANCELLED => {
                let Some(cancelled) = read::<CancelledParams>(params.as_ref()) else {
                    return;
                };
                let Some(id) = cancelled.request_id.and_then(request_id) else {
                    return;
                };
                if self.peer.withdraw(&id) {
                    happened.push(Happening::Withdrawn { id });
                }
            }
            _ => happened.push(Happening::Noticed { method, params }),
        }
    }

    fn asked(
        &mut self,
        id: RequestId,
        method: Method,
        params: Option<Bytes>,
        happened: &mut Vec<Happening>,
    ) {
        if matches!(self.session, Some((Era::Modern, _))) {
            self.peer.withdraw(&id);
            return;
        }
        // Spec: LIFE-09, N-10. A ping is answered even before the session is open.
        if method.as_str() == method::PING {
            self.answer(&id, Ok(b"{}".to_vec()));
        } else {
            happened.push(Happening::Asked { id, method, params });
        }
    }
}

fn tie(origin: Origin) -> Option<CallId> {
    match origin {
        Origin::Exchange(exchange) => Some(CallId::new(exchange.0)),
        _ => None,
    }
}

/// Reads the parameters of a notice; a broken one says nothing (CANC-05).
pub(super) fn read<T: mcp_types::Decode>(params: Option<&Bytes>) -> Option<T> {
    let text = std::str::from_utf8(params?).ok()?;
    T::decode(text).ok().map(|decoded| decoded.value)
}

fn request_id(token: Token) -> Option<RequestId> {
    match token {
        Token::Number(number) => Some(RequestId::Number(number)),
        Token::Text(text) => Some(RequestId::Text(text.into())),
        Token::Raw(raw) => Some(RequestId::Decimal(raw.as_str().into())),
        _ => None,
    }
}
