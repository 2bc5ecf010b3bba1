//! The life of one configured server, decided without I/O.
//!
//! ```text
//!  Idle ---> Connecting ---------> Ready <-------> Suspect      Disabled
//!              ^  |  ^               |  \             |
//!              |  v  | call          |   v            | fails its check
//!              |  |  +---- Recycled <+- Draining      |
//!              |  |     idle, too old|                |
//!           Waiting <----------------+----------------+
//!              |          lost
//!              v budget spent, or trying cannot help
//!            Parked ---> Connecting: from time to time, for a call, or when somebody asks
//! ```
//!
//! From everywhere `close` leads to Closing and Closed, and `disable` to Disabled.
//! Nothing new begins before what was there has ended, so there is one process at most.
//!
//! Drive contract: after each command and each `handle_*`, drain [`Life::poll_effect`] before the
//! next one; [`Life::next_wake`] tells when [`Life::handle_wake`] is next wanted.
//! Each attempt to connect has an [`Epoch`] and each check a [`CheckId`], which come back with the
//! outcome; an outcome that nobody waits for any more changes nothing, except that a connection
//! which comes too late is told to be closed.
//!
//! Whoever drives it connects, pings, closes, makes the calls, and knows the configuration.

mod backoff;
mod breaker;
mod calls;
mod connecting;
mod effect;
mod fault;
mod health;
mod ledger;
mod phase;
mod policy;
mod queue;
mod refusal;
mod rest;
mod state;
mod status;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Instant;

use self::backoff::Jitter;
use self::breaker::Breaker;
pub use self::breaker::BreakerStatus;
pub use self::effect::{Admission, CallEnd, CheckId, Effect, Epoch, Started, Ticket};
pub use self::fault::{Fault, FaultKind};
use self::ledger::Ledger;
pub use self::ledger::Transition;
use self::phase::Phase;
pub use self::policy::{BreakerPolicy, LifePolicy, ReconnectPolicy};
use self::queue::Queue;
pub use self::refusal::Refusal;
pub use self::state::{State, Why};
pub use self::status::LifeStatus;

/// The life of one server.
///
/// Invariant: while calls wait, something is under way that will let them run or refuse them, and
/// each has a deadline.
#[derive(Debug)]
pub struct Life {
    policy: LifePolicy,
    jitter: Jitter,
    phase: Phase,
    breaker: Breaker,
    queue: Queue,
    // Bound: drained after each command; one command adds one for each call that waits, and four.
    effects: VecDeque<Effect>,
    has_changed: bool,
    ledger: Ledger,
    /// What was last wrong, until health is proven.
    fault: Option<Fault>,
    last_epoch: Epoch,
    last_check: CheckId,
    /// Retries since health was last proven.
    retries_used: u32,
    connects: u64,
}

impl Life {
    /// The life of a server that nobody has asked for yet. Settings that are out of bounds are
    /// brought within them; `seed` is where the chance in waits comes from.
    #[must_use]
    pub fn new(now: Instant, policy: LifePolicy, seed: u64) -> Self {
        let policy = policy.bounded();
        let mut ledger = Ledger::new();
        ledger.note(Transition {
            at: now,
            state: State::Idle,
            why: Why::Unused,
        });
        Self {
            jitter: Jitter::new(seed),
            phase: Phase::Idle,
            breaker: Breaker::new(policy.breaker.clone()),
            queue: Queue::new(),
            effects: VecDeque::new(),
            has_changed: false,
            ledger,
            fault: None,
            last_epoch: Epoch(0),
            last_check: CheckId(0),
            retries_used: 0,
            connects: 0,
            policy,
        }
    }

    /// The policy, with every setting within its bounds.
    #[must_use]
    pub fn policy(&self) -> &LifePolicy {
        &self.policy
    }

    /// How the server is.
    #[must_use]
    pub fn state(&self) -> State {
        self.phase.state()
    }

    /// The connection, if there is one that is not being ended.
    #[must_use]
    pub fn epoch(&self) -> Option<Epoch> {
        match &self.phase {
            Phase::Live(live) => Some(live.epoch),
            _ => None,
        }
    }

    /// Whether the server was ever connected.
    #[must_use]
    pub fn has_connected(&self) -> bool {
        self.connects > 0
    }

    /// The last 32 changes of state, oldest first.
    pub fn ledger(&self) -> impl ExactSizeIterator<Item = &Transition> {
        self.ledger.iter()
    }

    /// How many changes of state there were, those that are no longer in the ledger included.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.ledger.count()
    }

    /// The next thing to be done.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        let changed = || std::mem::take(&mut self.has_changed).then_some(Effect::Changed);
        self.effects.pop_front().or_else(changed)
    }

    /// When [`Life::handle_wake`] is wanted.
    #[must_use]
    pub fn next_wake(&self) -> Option<Instant> {
        let phase = match &self.phase {
            Phase::Connecting { until, .. }
            | Phase::Ending { until, .. }
            | Phase::Waiting { until } => Some(*until),
            Phase::Live(live) => self.live_due(live),
            Phase::Parked(times) => times.map(|times| times.probe_at),
            Phase::Closed | Phase::Disabled | Phase::Idle | Phase::Recycled => None,
        };
        let waiting = self.queue.next_due(self.hold());
        phase.into_iter().chain(waiting).min()
    }

    /// Does what is due.
    pub fn handle_wake(&mut self, now: Instant) {
        self.refuse_due(now);
        match &self.phase {
            Phase::Connecting { epoch, until } if *until <= now => {
                let epoch = *epoch;
                self.give_up_attempt(now, epoch);
            }
            Phase::Ending { until, .. } if *until <= now => self.finish_ending(now),
            Phase::Waiting { until } if *until <= now => {
                self.start_connecting(now, Why::Retried(self.retries_used));
            }
            Phase::Parked(Some(times)) if times.probe_at <= now => {
                self.start_connecting(now, Why::Probed);
            }
            Phase::Live(_) => self.wake_live(now),
            _ => {}
        }
        self.advance(now);
    }

    fn enter(&mut self, now: Instant, phase: Phase, why: Why) {
        self.phase = phase;
        self.note(now, why);
    }

    /// Writes the state into the ledger, if it is another one than the last that stands there.
    fn note(&mut self, now: Instant, why: Why) {
        let state = self.state();
        if self.ledger.last().is_none_or(|last| last.state != state) {
            self.has_changed = true;
            self.ledger.note(Transition {
                at: now,
                state,
                why,
            });
        }
    }
}
