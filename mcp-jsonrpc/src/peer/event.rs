//! What comes out of a peer: settlements of our calls, and what the other side wants.

use bytes::Bytes;

use crate::decode::{Decoded, Malformed, Shape, Span, decode};
use crate::scan::DEPTH_MAX;
use crate::{CallId, ErrorObject, Misbehavior, RequestId};

/// Something that happened; to be drained after every `handle_*` and command.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<W> {
    /// The peer asks for an answer, to be given by [`crate::Peer::respond`].
    Asked {
        /// Its id.
        id: RequestId,
        /// The method.
        method: Method,
        /// The parameters, if there are any that are not `null`.
        params: Option<Bytes>,
    },
    /// The misbehaviour budget is spent; the connection should be closed.
    Exhausted,
    /// The peer did what it must not. Nothing else is lost by it.
    Misbehaved(Misbehavior),
    /// The peer tells something.
    Noticed {
        /// The method.
        method: Method,
        /// The parameters, if there are any that are not `null`.
        params: Option<Bytes>,
    },
    /// A call has ended. Each call yields this exactly once.
    Settled {
        /// The call.
        call: CallId,
        /// What was given to [`crate::Peer::call`].
        waiter: W,
        /// How it ended.
        outcome: Outcome,
    },
    /// An answer came for a call that had ended before; normal after a timeout or a cancellation.
    Stale {
        /// The call.
        call: CallId,
    },
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// With a result.
    Answered(Answer),
    /// The connection is gone.
    Lost,
    /// A frame was meant for it and could not be read.
    Malformed {
        /// What was wrong.
        reason: Malformed,
        /// The beginning of the frame, at most 8 KiB; redact and shorten it before showing it.
        excerpt: Bytes,
    },
    /// With an error answer.
    Refused(ErrorObject),
    /// One of its budgets ran out.
    TimedOut(Budget),
}

/// Which of a call's two budgets ran out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Budget {
    /// Nothing was heard for too long; progress starts this one afresh.
    Idle,
    /// The call took too long as a whole; nothing extends this one.
    Hard,
}

/// The name of a method, as a part of the frame it came in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Method(Bytes);

impl Method {
    pub(super) fn new(name: Bytes) -> Self {
        Self(name)
    }

    /// The name; a name that is not UTF-8 is empty, and so unknown.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// A successful answer: a frame and where its result stands.
///
/// An answer in one of the two usual member orders is recognised by its edges alone, so its
/// result may turn out not to be JSON when it is read, or to be nested more than 128 deep; then
/// ask [`Answer::recheck`].
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    frame: Bytes,
    result: Span,
    is_checked: bool,
}

impl Answer {
    pub(super) fn new(frame: Bytes, result: Span, is_checked: bool) -> Self {
        Self {
            frame,
            result,
            is_checked,
        }
    }

    /// The bytes of the result.
    pub fn result(&self) -> Bytes {
        let start = self.result.start.min(self.frame.len());
        self.frame
            .slice(start..self.result.end.clamp(start, self.frame.len()))
    }

    /// The whole frame.
    pub fn frame(&self) -> &Bytes {
        &self.frame
    }

    /// Whether the frame has been read from end to end, so that the result is JSON.
    pub fn is_checked(&self) -> bool {
        self.is_checked
    }

    /// Reads the frame from end to end.
    ///
    /// # Errors
    ///
    /// What is wrong with the frame, if it is no successful answer after all.
    pub fn recheck(&self) -> Result<Self, Malformed> {
        if self.is_checked {
            return Ok(self.clone());
        }
        match decode(&self.frame, DEPTH_MAX) {
            Ok(Decoded::One(envelope)) => match envelope.shape {
                Shape::Answer { result } => Ok(Self::new(self.frame.clone(), result, true)),
                _ => Err(Malformed::NotAMessage),
            },
            Ok(Decoded::Batch(_)) => Err(Malformed::NotAMessage),
            Err(malformed) => Err(malformed),
        }
    }
}
