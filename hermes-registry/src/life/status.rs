//! What is told of a life at one moment.

use std::time::{Duration, Instant};

use super::phase::Phase;
use super::{BreakerStatus, Fault, Life, State, Why};

/// What is known of a server's life at one moment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LifeStatus {
    /// How it is.
    pub state: State,
    /// For how long it has been so.
    pub state_for: Duration,
    /// Why it is so.
    pub why: Why,
    /// What was last wrong, until the server proves that it works.
    pub fault: Option<Fault>,
    /// Whether the connection did more than to be made: it answered a call or passed a check.
    pub is_proven: bool,
    /// Retries since the server last proved that it works.
    pub retries_used: u32,
    /// How many there may be before it is parked.
    pub retries_max: u32,
    /// When the next attempt to connect is made, if it has its time.
    pub next_attempt_in: Option<Duration>,
    /// The breaker.
    pub breaker: BreakerStatus,
    /// How often it was connected after the first time.
    pub restarts: u64,
    /// Calls that run.
    pub in_flight: usize,
    /// Calls that wait.
    pub queued: usize,
}

impl Life {
    /// What was last wrong, until the server proves that it works.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// What is known at this moment.
    #[must_use]
    pub fn status(&self, now: Instant) -> LifeStatus {
        let last = self.ledger.last();
        LifeStatus {
            state: self.state(),
            state_for: last.map_or(Duration::ZERO, |last| {
                now.saturating_duration_since(last.at)
            }),
            why: last.map_or(Why::Unused, |last| last.why.clone()),
            fault: self.fault.clone(),
            is_proven: matches!(&self.phase, Phase::Live(live) if live.is_proven),
            retries_used: self.retries_used,
            retries_max: self.retries_max(),
            next_attempt_in: self
                .phase
                .next_attempt_at()
                .map(|at| at.saturating_duration_since(now)),
            breaker: self.breaker.status(now),
            restarts: self.connects.saturating_sub(1),
            in_flight: self.queue.running().len(),
            queued: self.queue.waiting_len(),
        }
    }
}
