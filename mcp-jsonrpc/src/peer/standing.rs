//! Clocks that stand still: for how long those of all calls did, and those of single ones.
//!
//! Times while all clocks stand are counted once, for all; a call whose own clocks stand as well
//! gets nothing more for them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::CallId;

/// Which clocks stand still, and how long they did.
// Bound: one entry for each call for which somebody is being asked.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// Since when all stand.
    all_since: Option<Instant>,
    /// How long all stood before that.
    all: Duration,
    single: HashMap<CallId, Single>,
}

#[derive(Debug)]
struct Single {
    /// How often the clocks were stopped and not let run on.
    depth: usize,
    /// When they were stopped; as long as all stood before that.
    since: Instant,
    all: Duration,
}

impl Standing {
    /// The time that clocks show which stand only when all do.
    pub(super) fn clock(&self, now: Instant) -> Instant {
        self.all_since.unwrap_or(now)
    }

    pub(super) fn is_all(&self) -> bool {
        self.all_since.is_some()
    }

    pub(super) fn is_single(&self, call: CallId) -> bool {
        self.single.contains_key(&call)
    }

    pub(super) fn stop_all(&mut self, now: Instant) {
        self.all_since.get_or_insert(now);
    }

    /// Lets all run on; gives how long they stood, if they did.
    pub(super) fn start_all(&mut self, now: Instant) -> Option<Duration> {
        let stood = now.saturating_duration_since(self.all_since.take()?);
        self.all += stood;
        Some(stood)
    }

    /// How long all clocks have stood so far.
    pub(super) fn all(&self, now: Instant) -> Duration {
        let current = self
            .all_since
            .map(|since| now.saturating_duration_since(since));
        self.all + current.unwrap_or_default()
    }

    pub(super) fn stop(&mut self, now: Instant, call: CallId) {
        let (since, all) = (self.clock(now), self.all);
        let start = || Single {
            depth: 0,
            since,
            all,
        };
        self.single.entry(call).or_insert_with(start).depth += 1;
    }

    /// Lets the clocks of a call run on, unless they were stopped more often; gives how long they
    /// stood while not all did.
    pub(super) fn start(&mut self, now: Instant, call: CallId) -> Duration {
        let stood = self.single(now, call);
        match self.single.get_mut(&call) {
            Some(single) if single.depth > 1 => {
                single.depth -= 1;
                Duration::ZERO
            }
            Some(_last) => {
                self.single.remove(&call);
                stood
            }
            None => Duration::ZERO,
        }
    }

    /// How long the clocks of a call have stood, while not all did, since they were stopped last.
    pub(super) fn single(&self, now: Instant, call: CallId) -> Duration {
        self.single.get(&call).map_or(Duration::ZERO, |single| {
            let passed = self.clock(now).saturating_duration_since(single.since);
            passed.saturating_sub(self.all.saturating_sub(single.all))
        })
    }
}
