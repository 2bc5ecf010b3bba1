//! Encoded messages that wait to be taken by the transport.

use std::collections::VecDeque;

use crate::CallId;

/// A message to send.
#[derive(Debug)]
#[non_exhaustive]
pub struct Transmit<'a> {
    /// What it is.
    pub kind: TransmitKind,
    /// The JSON text, without a line end.
    pub body: &'a [u8],
}

/// What kind of message is to be sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TransmitKind {
    /// A request, which opens an exchange.
    Call(CallId),
    /// A notification or an answer, to which nothing comes back.
    OneWay,
}

/// One buffer for all messages not yet taken, and where each ends.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    bytes: Vec<u8>,
    taken: usize,
    queue: VecDeque<(TransmitKind, usize)>,
}

impl Outbox {
    pub(super) fn push(&mut self, kind: TransmitKind, write: impl FnOnce(&mut Vec<u8>)) {
        self.reclaim();
        let start = self.bytes.len();
        write(&mut self.bytes);
        self.queue.push_back((kind, self.bytes.len() - start));
    }

    pub(super) fn pop(&mut self) -> Option<Transmit<'_>> {
        let (kind, len) = self.queue.pop_front()?;
        let start = self.taken;
        self.taken += len;
        let body = self.bytes.get(start..self.taken).unwrap_or_default();
        Some(Transmit { kind, body })
    }

    /// Uses the buffer from its start again once everything in it was taken.
    fn reclaim(&mut self) {
        // Bound: the buffer of one large message is not kept for the small ones after it.
        const KEPT_MAX: usize = 64 * 1024;
        if self.queue.is_empty() {
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_MAX);
            self.taken = 0;
        }
    }
}
