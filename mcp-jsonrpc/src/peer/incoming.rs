//! The peer's requests that wait for our answer; an id space of its own.

use std::collections::HashSet;

use crate::RequestId;

/// The open requests of the peer.
///
/// Invariant: nothing here is ever compared with our own call ids; a server may use the id of our
/// pending call for a request of its own (BR-025).
#[derive(Debug, Default)]
pub(super) struct Incoming {
    open: HashSet<RequestId>,
}

impl Incoming {
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.open.contains(id)
    }

    pub(super) fn open(&mut self, id: RequestId) {
        self.open.insert(id);
    }

    pub(super) fn close(&mut self, id: &RequestId) -> bool {
        self.open.remove(id)
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
    }
}
