//! Chance that comes from a seed.

use std::time::Duration;

use crate::life::backoff::Jitter;

/// A source of chance.
pub(super) struct Chance(Jitter);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        // Lives are given the same seed, and their waits are not to go along with the events.
        Self(Jitter::new(!seed))
    }

    /// A number below this one, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(1);
        usize::try_from(self.0.next() % end).unwrap_or(0)
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A time from the first number of milliseconds up to the second.
    pub(super) fn millis(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.0.next() % (to - from))
    }
}
