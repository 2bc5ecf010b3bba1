//! What a frame means to the peer: which call it ends, or what it wants.

use bytes::Bytes;

use super::event::Method;
use super::{Answer, Event, Outcome, Peer};
use crate::decode::{Decoded, Elements, Envelope, Id, Malformed, Shape, Span, decode};
use crate::edges::quick_answer;
use crate::recover::{Recovered, recover};
use crate::scan::{DEPTH_MAX, may_be_deeper};
use crate::{CallId, ErrorObject, Misbehavior, RequestId, recover_ids};

/// Bytes of a broken frame that are kept as evidence: more than is ever shown, so that a secret
/// that reaches past what is shown can still be recognised.
const EXCERPT_MAX: usize = 8 * 1024;

/// What the transport knows about where a frame belongs.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Tie {
    /// Nothing.
    #[default]
    None,
    /// It is the whole reply to this call, and ends it whatever it is, unless it names another.
    Reply(CallId),
    /// It is one of several that come in reply to this call. An answer or an error that names no
    /// other call ends it; what is no message does not, since the answer may still follow.
    Stream(CallId),
}

impl Tie {
    /// The call that an answer or an error is for if it names none.
    fn for_answer(self) -> Option<CallId> {
        match self {
            Self::None => None,
            Self::Reply(call) | Self::Stream(call) => Some(call),
        }
    }

    /// The call that a broken frame is for if it names none.
    fn for_broken(self) -> Option<CallId> {
        match self {
            Self::None | Self::Stream(_) => None,
            Self::Reply(call) => Some(call),
        }
    }
}

impl<W> Peer<W> {
    /// Takes one frame; `tie` tells what the transport knows about where it belongs.
    pub fn handle_frame(&mut self, frame: Bytes, tie: Tie) {
        let depth_max = self.limits.depth_max;
        if let Some((call, result)) = quick_answer(&frame)
            && self.outgoing.contains(call)
            && (depth_max >= DEPTH_MAX || !may_be_deeper(&frame, depth_max))
        {
            self.is_good();
            self.settle(call, Outcome::Answered(Answer::new(frame, result, false)));
            return;
        }
        let before = (self.strikes, self.ledger.settled);
        match Elements::of(&frame, depth_max) {
            Some(elements) => self.handle_batch(elements, &frame, tie),
            None => self.handle_message(&frame, tie),
        }
        // A frame that ended a call, or did nothing wrong, shows that the peer is worth keeping.
        if before.0 == self.strikes || before.1 != self.ledger.settled {
            self.is_good();
        }
    }

    /// Counts a notification that was recognised by [`crate::params_of_notice`] and read.
    pub fn handle_known_notice(&mut self) {
        self.is_good();
    }

    fn handle_message(&mut self, frame: &Bytes, tie: Tie) {
        match decode(frame, self.limits.depth_max) {
            Ok(Decoded::One(envelope)) => self.handle_envelope(&envelope, frame, tie),
            Ok(Decoded::Batch(_)) => self.handle_malformed(Malformed::NotAMessage, frame, tie),
            Err(reason) => self.handle_malformed(reason, frame, tie),
        }
    }

    /// Takes what was kept of a frame that was too long: its beginning and its end.
    pub fn handle_too_long(&mut self, head: Bytes, tail: &[u8], malformed: Malformed, tie: Tie) {
        let Recovered {
            mut ids,
            is_own_message,
        } = recover(&head, false);
        // Servers that write the id last (TypeScript) are known by the tail.
        ids.extend(id_at_end(tail));
        let excerpt = head.slice(..head.len().min(EXCERPT_MAX));
        let named = self.first_in_flight(&ids).or_else(|| tie.for_answer());
        // A late answer to another call names it; without any name, and with one call in flight,
        // it can only be that call's.
        let is_stale = ids.iter().any(|id| self.was_issued(id));
        let ended = match named {
            _ if is_own_message => None,
            None if !is_stale => self.outgoing.sole(),
            named => named,
        };
        match ended {
            Some(call) => {
                let reason = malformed;
                self.settle(call, Outcome::Malformed { reason, excerpt });
            }
            None => self.misbehaved(Misbehavior::NotAMessage { excerpt }),
        }
    }

    /// Takes the messages of a batch as they come, so that a long one costs no memory and one
    /// that breaks off is read as far as it goes.
    fn handle_batch(&mut self, elements: Elements<'_>, frame: &Bytes, tie: Tie) {
        let mut len = 0;
        for span in elements {
            len += 1;
            match span {
                Ok(span) => self.handle_message(&frame.slice(span.start..span.end), tie),
                Err(fault) => self.handle_malformed(Malformed::NotJson(fault), frame, tie),
            }
        }
        if len == 0 || !self.accepts_batches {
            self.misbehaved(Misbehavior::Batch { len });
        }
    }

    fn handle_envelope(&mut self, envelope: &Envelope<'_>, frame: &Bytes, tie: Tie) {
        let params = |span: Option<Span>| span.map(|span| frame.slice(span.start..span.end));
        let name = |name: &std::borrow::Cow<'_, str>| match name {
            std::borrow::Cow::Borrowed(name) => Method::new(frame.slice_ref(name.as_bytes())),
            std::borrow::Cow::Owned(name) => Method::new(Bytes::copy_from_slice(name.as_bytes())),
        };
        if !envelope.is_version_right {
            self.misbehaved(Misbehavior::Version);
        } else if envelope.has_duplicate {
            self.misbehaved(Misbehavior::DuplicateMember);
        }
        match &envelope.shape {
            Shape::Ask {
                method,
                params: span,
            } => {
                if let Id::Given(id) = &envelope.id {
                    self.open_ask(id.clone(), name(method), params(*span));
                }
            }
            Shape::Notice {
                method,
                params: span,
            } => {
                let (method, params) = (name(method), params(*span));
                self.events.push_back(Event::Noticed { method, params });
            }
            Shape::Answer { result } => {
                let answer = Answer::new(frame.clone(), *result, true);
                self.end_call(envelope, tie, Outcome::Answered(answer));
            }
            Shape::Failure { error } => {
                let error = ErrorObject::read(error.of(frame));
                self.end_call(envelope, tie, Outcome::Refused(error));
            }
        }
    }

    /// Ends the call that an answer is for, if there is one.
    fn end_call(&mut self, envelope: &Envelope<'_>, tie: Tie, outcome: Outcome) {
        let named = self
            .in_flight_named(&envelope.id)
            .or_else(|| self.in_flight_named(envelope.earlier_id.as_ref().unwrap_or(&Id::Absent)));
        let issued = envelope
            .id
            .as_call()
            .filter(|call| self.outgoing.was_issued(*call));
        let is_loose_error = matches!(outcome, Outcome::Refused(_)) && issued.is_none();
        let ended = named
            .or_else(|| tie.for_answer().filter(|_tied| issued.is_none()))
            .or_else(|| {
                // Law 1: an error without a usable id means the only unanswered call, provided that
                // nothing was written after it which it could mean instead.
                is_loose_error
                    .then(|| self.outgoing.sole())
                    .flatten()
                    .filter(|sole| self.last_written == Some(*sole))
            });
        if let Some(call) = ended
            && self.outgoing.contains(call)
        {
            self.settle(call, outcome);
        } else if let Some(call) = issued {
            self.ledger.stale += 1;
            self.events.push_back(Event::Stale { call });
        } else if let Outcome::Refused(error) = outcome {
            self.misbehaved(Misbehavior::LooseError(error));
        } else {
            self.misbehaved(Misbehavior::UnknownId(envelope.id.as_call()));
        }
    }

    /// Ends the call that a broken frame was meant for, if that can be told.
    fn handle_malformed(&mut self, reason: Malformed, frame: &Bytes, tie: Tie) {
        let excerpt = frame.slice(..frame.len().min(EXCERPT_MAX));
        let Recovered {
            ids,
            is_own_message,
        } = recover(frame, true);
        let call = self
            .first_in_flight(&ids)
            .or_else(|| tie.for_broken())
            .filter(|_call| !is_own_message);
        if let Some(call) = call {
            self.settle(
                call,
                Outcome::Malformed {
                    reason: reason.clone(),
                    excerpt: excerpt.clone(),
                },
            );
        }
        self.misbehaved(match reason {
            Malformed::NotJson(fault) => Misbehavior::NotJson { fault, excerpt },
            _ => Misbehavior::NotAMessage { excerpt },
        });
    }

    fn first_in_flight(&self, ids: &[RequestId]) -> Option<CallId> {
        ids.iter()
            .find_map(|id| self.in_flight_named(&Id::Given(id.clone())))
    }

    fn was_issued(&self, id: &RequestId) -> bool {
        let call = Id::Given(id.clone()).as_call();
        call.is_some_and(|call| self.outgoing.was_issued(call))
    }

    fn in_flight_named(&self, id: &Id) -> Option<CallId> {
        id.as_call().filter(|call| self.outgoing.contains(*call))
    }
}

/// The id at the very end of a frame, as in `…,"jsonrpc":"2.0","id":7}`.
fn id_at_end(tail: &[u8]) -> Option<RequestId> {
    let at = memchr::memmem::rfind(tail, br#","id":"#)?;
    let rest = tail.get(at + 1..)?.trim_ascii_end().strip_suffix(b"}")?;
    recover_ids(rest, true).into_iter().next()
}
