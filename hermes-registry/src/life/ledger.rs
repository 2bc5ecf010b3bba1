//! How a server came to be as it is: its last changes of state, with their times and reasons.

use std::collections::VecDeque;
use std::time::Instant;

use super::{State, Why};

/// Changes that are kept.
// Bound: enough to tell how a server was lost, tried again and parked; memory for many servers.
const LEN_MAX: usize = 32;

/// A change of state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transition {
    /// When.
    pub at: Instant,
    /// The state that it came into.
    pub state: State,
    /// Why.
    pub why: Why,
}

/// The last changes of state, oldest first.
#[derive(Debug)]
pub(super) struct Ledger {
    entries: VecDeque<Transition>,
    /// All changes there ever were.
    count: u64,
}

impl Ledger {
    pub(super) fn new() -> Self {
        Self {
            entries: VecDeque::new(),
            count: 0,
        }
    }

    pub(super) fn note(&mut self, entry: Transition) {
        if self.entries.len() == LEN_MAX {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
        self.count += 1;
    }

    pub(super) fn last(&self) -> Option<&Transition> {
        self.entries.back()
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Transition> {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::life::tests::at;

    #[test]
    fn the_last_changes_are_kept() {
        let mut ledger = Ledger::new();
        for second in 0..100_u32 {
            ledger.note(Transition {
                at: at(f64::from(second)),
                state: State::Waiting,
                why: Why::Retried(second),
            });
        }
        let kept: Vec<_> = ledger.iter().map(|entry| entry.why.clone()).collect();
        let expected: Vec<_> = (68..100).map(Why::Retried).collect();
        assert_eq!(kept, expected);
        assert_eq!(ledger.last().map(|entry| entry.at), Some(at(99.0)));
    }
}
