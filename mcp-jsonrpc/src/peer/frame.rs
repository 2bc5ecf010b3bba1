//! What a frame means to the peer: which call it ends, or what it wants.

use bytes::Bytes;

use super::event::Method;
use super::{Answer, Event, Outcome, Peer};
use crate::decode::{Decoded, Envelope, Id, Malformed, Shape, Span, decode, quick_answer};
use crate::scan::may_be_deeper;
use crate::{CallId, ErrorObject, Misbehavior, RequestId, recover_ids};

/// Bytes of a broken frame that are kept as evidence.
const EXCERPT_MAX: usize = 256;

impl<W> Peer<W> {
    /// Takes one frame.
    ///
    /// `tie` names the call to which the transport knows the frame to belong, as the body of its
    /// own reply; such a frame ends that call if it names no other.
    pub fn handle_frame(&mut self, frame: Bytes, tie: Option<CallId>) {
        let depth_max = self.limits.depth_max;
        if let Some((call, result)) = quick_answer(&frame)
            && self.outgoing.contains(call)
            && !may_be_deeper(&frame, depth_max)
        {
            self.is_good();
            self.settle(call, Outcome::Answered(Answer::new(frame, result, false)));
            return;
        }
        match decode(&frame, depth_max) {
            Ok(Decoded::One(envelope)) => self.handle_envelope(&envelope, &frame, tie),
            Ok(Decoded::Batch(spans)) => self.handle_batch(&spans, &frame, tie),
            Err(reason) => self.handle_malformed(reason, &frame, tie),
        }
    }

    /// Takes what was kept of a frame that was too long: its beginning and its end.
    pub fn handle_too_long(&mut self, head: Bytes, tail: &[u8], malformed: Malformed) {
        let mut ids = recover_ids(&head, false);
        // Servers that write the id last (TypeScript) are known by the tail.
        ids.extend(id_at_end(tail));
        let named = ids
            .iter()
            .find_map(|id| self.in_flight_named(&Id::Given(id.clone())));
        let excerpt = head.slice(..head.len().min(EXCERPT_MAX));
        // A frame of this size is an answer; with one call in flight it can only be that call's.
        match named.or_else(|| self.outgoing.sole()) {
            Some(call) => {
                self.settle(
                    call,
                    Outcome::Malformed {
                        reason: malformed,
                        excerpt,
                    },
                );
            }
            None => self.misbehaved(Misbehavior::NotAMessage { excerpt }),
        }
    }

    fn handle_batch(&mut self, spans: &[Span], frame: &Bytes, tie: Option<CallId>) {
        let len = spans.len();
        if len == 0 || !self.accepts_batches || len > self.limits.batch_len_max {
            self.misbehaved(Misbehavior::Batch { len });
        }
        for span in spans.iter().take(self.limits.batch_len_max) {
            let element = frame.slice(span.start..span.end);
            match decode(&element, self.limits.depth_max) {
                Ok(Decoded::One(envelope)) => self.handle_envelope(&envelope, &element, tie),
                Ok(Decoded::Batch(_)) => {
                    self.handle_malformed(Malformed::NotAMessage, &element, tie);
                }
                Err(reason) => self.handle_malformed(reason, &element, tie),
            }
        }
    }

    fn handle_envelope(&mut self, envelope: &Envelope<'_>, frame: &Bytes, tie: Option<CallId>) {
        let params = |span: Option<Span>| span.map(|span| frame.slice(span.start..span.end));
        let name = |name: &std::borrow::Cow<'_, str>| match name {
            std::borrow::Cow::Borrowed(name) => Method::new(frame.slice_ref(name.as_bytes())),
            std::borrow::Cow::Owned(name) => Method::new(Bytes::copy_from_slice(name.as_bytes())),
        };
        if envelope.is_version_right && !envelope.has_duplicate {
            self.is_good();
        } else if !envelope.is_version_right {
            self.misbehaved(Misbehavior::Version);
        } else {
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
    fn end_call(&mut self, envelope: &Envelope<'_>, tie: Option<CallId>, outcome: Outcome) {
        let named = self
            .in_flight_named(&envelope.id)
            .or_else(|| self.in_flight_named(envelope.earlier_id.as_ref().unwrap_or(&Id::Absent)));
        let issued = envelope
            .id
            .as_call()
            .filter(|call| self.outgoing.was_issued(*call));
        let is_loose_error = matches!(outcome, Outcome::Refused(_)) && issued.is_none();
        let ended = named
            .or_else(|| tie.filter(|_tied| issued.is_none()))
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
    fn handle_malformed(&mut self, reason: Malformed, frame: &Bytes, tie: Option<CallId>) {
        let excerpt = frame.slice(..frame.len().min(EXCERPT_MAX));
        let call = recover_ids(frame, true)
            .into_iter()
            .find_map(|id| self.in_flight_named(&Id::Given(id)))
            .or(tie);
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

    fn in_flight_named(&self, id: &Id) -> Option<CallId> {
        id.as_call().filter(|call| self.outgoing.contains(*call))
    }
}

/// The id at the very end of a frame, as in `…,"jsonrpc":"2.0","id":7}`.
fn id_at_end(tail: &[u8]) -> Option<RequestId> {
    let at = memchr::memmem::rfind(tail, br#","id":"#)?;
    let rest = tail.get(at + 1..)?.strip_suffix(b"}")?;
    recover_ids(rest, true).into_iter().next()
}
