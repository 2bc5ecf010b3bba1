//! Our calls in flight: their waiters and their two clocks.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::standing::Standing;
use crate::id::BuildCallIdHasher;
use crate::{Budget, CallId};

/// How long a call may take.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Timeouts {
    /// From the sending, or the last sign of progress, to the answer. [`Duration::MAX`] stands for
    /// a call that stays open until one side ends it; other calls go on as if it were not there.
    pub idle: Duration,
    /// From the sending to the answer, whatever happens between.
    pub hard: Duration,
}

impl Timeouts {
    /// Both budgets.
    pub const fn new(idle: Duration, hard: Duration) -> Self {
        Self { idle, hard }
    }
}

#[derive(Debug)]
struct Entry<W> {
    waiter: W,
    idle: Duration,
    idle_at: Instant,
    hard_at: Instant,
}

impl<W> Entry<W> {
    fn is_lasting(&self) -> bool {
        self.idle == Duration::MAX
    }

    fn due(&self) -> Instant {
        self.idle_at.min(self.hard_at)
    }
}

/// The calls in flight.
#[derive(Debug)]
pub(super) struct Outgoing<W> {
    entries: HashMap<CallId, Entry<W>, BuildCallIdHasher>,
    /// How many of them stay open until one side ends them.
    lasting: usize,
    last_id: u64,
    /// Invariant: no call is due before this time. It may be earlier than the first due call, so
    /// that neither an answer nor progress has to touch it; a look that finds nothing due
    /// corrects it.
    next_look: Option<Instant>,
    standing: Standing,
}

impl<W> Outgoing<W> {
    pub(super) fn new() -> Self {
        Self {
            entries: HashMap::default(),
            lasting: 0,
            last_id: 0,
            next_look: None,
            standing: Standing::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn next_id(&mut self) -> CallId {
        self.last_id += 1;
        CallId::new(self.last_id)
    }

    pub(super) fn was_issued(&self, call: CallId) -> bool {
        (1..=self.last_id).contains(&call.number())
    }

    pub(super) fn contains(&self, call: CallId) -> bool {
        self.entries.contains_key(&call)
    }

    pub(super) fn insert(&mut self, call: CallId, now: Instant, timeouts: Timeouts, waiter: W) {
        // While the clocks stand still, a new call starts at the moment they stopped, so that
        // moving them on later moves all calls alike.
        let now = self.standing.clock(now);
        let entry = Entry {
            waiter,
            idle: timeouts.idle,
            idle_at: later(now, timeouts.idle),
            hard_at: later(now, timeouts.hard),
        };
        self.lasting += usize::from(entry.is_lasting());
        let due = entry.due();
        self.next_look = Some(self.next_look.map_or(due, |look| look.min(due)));
        self.entries.insert(call, entry);
    }

    pub(super) fn remove(&mut self, call: CallId) -> Option<W> {
        let entry = self.entries.remove(&call)?;
        self.lasting -= usize::from(entry.is_lasting());
        Some(entry.waiter)
    }

    pub(super) fn waiter_mut(&mut self, call: CallId) -> Option<&mut W> {
        self.entries.get_mut(&call).map(|entry| &mut entry.waiter)
    }

    pub(super) fn waiter(&self, call: CallId) -> Option<&W> {
        self.entries.get(&call).map(|entry| &entry.waiter)
    }

    /// The calls in flight, oldest first.
    pub(super) fn calls(&self) -> Vec<CallId> {
        let mut calls: Vec<_> = self.entries.keys().copied().collect();
        calls.sort_unstable();
        calls
    }

    /// How many calls wait for an answer that is on its way.
    pub(super) fn waiting(&self) -> usize {
        self.entries.len() - self.lasting
    }

    /// The call that waits for an answer, if it is the only one.
    pub(super) fn sole(&self) -> Option<CallId> {
        if self.waiting() != 1 {
            return None;
        }
        let mut waiting = self.entries.iter().filter(|(_, entry)| !entry.is_lasting());
        waiting.next().map(|(call, _)| *call)
    }

    /// Starts the idle clock of a call afresh.
    pub(super) fn touch(&mut self, call: CallId, now: Instant) {
        let now = self.standing.clock(now);
        // Once the clocks of this call run on, they are moved by how long they stood.
        let now = now
            .checked_sub(self.standing.single(now, call))
            .unwrap_or(now);
        if let Some(entry) = self.entries.get_mut(&call) {
            entry.idle_at = later(now, entry.idle);
        }
    }

    pub(super) fn pause(&mut self, now: Instant) {
        self.standing.stop_all(now);
    }

    pub(super) fn resume(&mut self, now: Instant) {
        let Some(pause) = self.standing.start_all(now) else {
            return;
        };
        for entry in self.entries.values_mut() {
            entry.idle_at = later(entry.idle_at, pause);
            entry.hard_at = later(entry.hard_at, pause);
        }
        self.next_look = self.entries.values().map(Entry::due).min();
    }

    pub(super) fn pause_one(&mut self, now: Instant, call: CallId) {
        self.standing.stop(now, call);
    }

    pub(super) fn resume_one(&mut self, now: Instant, call: CallId) -> Duration {
        let pause = self.standing.start(now, call);
        if let Some(entry) = self.entries.get_mut(&call) {
            entry.idle_at = later(entry.idle_at, pause);
            entry.hard_at = later(entry.hard_at, pause);
            let due = entry.due();
            self.next_look = Some(self.next_look.map_or(due, |look| look.min(due)));
        }
        pause
    }

    pub(super) fn standing(&self) -> &Standing {
        &self.standing
    }

    pub(super) fn next_look(&self) -> Option<Instant> {
        // It stays when the last call ends: one look in vain costs less than setting a timer for
        // every call anew.
        self.next_look.filter(|_look| !self.standing.is_all())
    }

    /// The calls that are due, oldest first, and which budget of each ran out.
    pub(super) fn due(&mut self, now: Instant) -> Vec<(CallId, Budget)> {
        if self.standing.is_all() || self.next_look.is_none_or(|look| now < look) {
            return Vec::new();
        }
        let mut due: Vec<_> = self
            .entries
            .iter()
            .filter(|(call, entry)| entry.due() <= now && !self.standing.is_single(**call))
            .map(|(call, entry)| {
                (
                    *call,
                    if entry.hard_at <= entry.idle_at {
                        Budget::Hard
                    } else {
                        Budget::Idle
                    },
                )
            })
            .collect();
        due.sort_unstable_by_key(|(call, _budget)| *call);
        self.next_look = self
            .entries
            .values()
            .map(Entry::due)
            .filter(|due_at| *due_at > now)
            .min();
        due
    }
}

/// A time so far away that it cannot be told is a century off, which is the same thing.
fn later(now: Instant, by: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    now.checked_add(by)
        .or_else(|| now.checked_add(CENTURY))
        .unwrap_or(now)
}
