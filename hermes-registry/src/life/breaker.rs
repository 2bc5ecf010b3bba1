//! Keeps calls away from a server that fails them.
//!
//! ```text
//!           threshold failures in a row          cooldown over: the next call
//!  closed ------------------------------> open ------------------------------> half open
//!    ^                                     ^                                    |   |
//!    |                                     +------------ the probe fails -------+   |
//!    +----------------------------- a call is answered -----------------------------+
//! ```
//!
//! What counts as a failure, and what becomes of calls that are kept away, is decided by whoever
//! uses it.

use std::time::{Duration, Instant};

use super::Ticket;
use super::policy::BreakerPolicy;

/// The breaker of one server.
#[derive(Debug)]
pub(super) struct Breaker {
    policy: BreakerPolicy,
    condition: Condition,
}

#[derive(Debug)]
enum Condition {
    Closed {
        strikes: u32,
    },
    /// Invariant: while it is half open, the probe is the only call that was let through since it
    /// opened.
    HalfOpen {
        /// The probe; `None` if it was given back and no other call wants to be it.
        probe: Option<Ticket>,
    },
    Open {
        until: Instant,
    },
}

/// Why a call is kept away.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Barred {
    /// Another call is the probe.
    BeingProbed,
    /// For so long no call is let through.
    Open(Duration),
}

/// How the breaker of a server is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum BreakerStatus {
    /// Calls are let through.
    Closed {
        /// How many have failed in a row.
        strikes: u32,
    },
    /// One call is let through, to see whether the server works again.
    HalfOpen {
        /// Whether that call is under way.
        is_probed: bool,
    },
    /// No call is let through.
    Open {
        /// For how long.
        retry_in: Duration,
    },
}

impl Breaker {
    pub(super) fn new(policy: BreakerPolicy) -> Self {
        let condition = Condition::Closed { strikes: 0 };
        Self { policy, condition }
    }

    /// Asks for a call to be let through; tells whether it is the probe.
    pub(super) fn enter(&mut self, now: Instant, ticket: Ticket) -> Result<bool, Barred> {
        match self.condition {
            Condition::Closed { .. } => Ok(false),
            Condition::Open { until } if now < until => Err(Barred::Open(until - now)),
            Condition::HalfOpen { probe: Some(probe) } if probe != ticket => {
                Err(Barred::BeingProbed)
            }
            Condition::Open { .. } | Condition::HalfOpen { .. } => {
                let probe = Some(ticket);
                self.condition = Condition::HalfOpen { probe };
                Ok(true)
            }
        }
    }

    /// A call was answered.
    pub(super) fn succeeded(&mut self) {
        self.condition = Condition::Closed { strikes: 0 };
    }

    /// One failure, of these calls together; tells whether it opened.
    ///
    /// While it is not closed only the probe counts: other calls are from before it opened.
    pub(super) fn failed(&mut self, now: Instant, tickets: &[Ticket]) -> bool {
        let opens = match &mut self.condition {
            Condition::Closed { strikes } => {
                *strikes += 1;
                *strikes >= self.policy.threshold
            }
            Condition::HalfOpen { probe } => probe.is_some_and(|probe| tickets.contains(&probe)),
            Condition::Open { .. } => false,
        };
        if opens {
            let until = now + self.policy.cooldown;
            self.condition = Condition::Open { until };
        }
        opens
    }

    /// A call ended without a result; if it was the probe, `next` is.
    pub(super) fn gave_back(&mut self, ticket: Ticket, next: Option<Ticket>) {
        if self.probe() == Some(ticket) {
            self.condition = Condition::HalfOpen { probe: next };
        }
    }

    /// The call that is let through as the probe.
    pub(super) fn probe(&self) -> Option<Ticket> {
        match self.condition {
            Condition::HalfOpen { probe } => probe,
            Condition::Closed { .. } | Condition::Open { .. } => None,
        }
    }

    pub(super) fn status(&self, now: Instant) -> BreakerStatus {
        match self.condition {
            Condition::Closed { strikes } => BreakerStatus::Closed { strikes },
            Condition::HalfOpen { probe } => BreakerStatus::HalfOpen {
                is_probed: probe.is_some(),
            },
            Condition::Open { until } if now < until => BreakerStatus::Open {
                retry_in: until - now,
            },
            Condition::Open { .. } => BreakerStatus::HalfOpen { is_probed: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::life::tests::at;

    fn opened() -> Breaker {
        let mut breaker = Breaker::new(BreakerPolicy::default());
        for (failure, opens) in [(1, false), (2, false), (3, true)] {
            assert_eq!(breaker.failed(at(0.0), &[Ticket(failure)]), opens);
        }
        breaker
    }

    #[test]
    fn three_failures_in_a_row_open_it_for_a_minute() {
        let mut breaker = opened();
        let left = |seconds| Err(Barred::Open(Duration::from_secs_f64(seconds)));
        assert_eq!(breaker.enter(at(0.0), Ticket(4)), left(60.0));
        assert_eq!(breaker.enter(at(59.5), Ticket(5)), left(0.5));
        assert_eq!(breaker.enter(at(60.0), Ticket(6)), Ok(true));
    }

    #[test]
    fn an_answer_between_failures_starts_the_count_afresh() {
        let mut breaker = Breaker::new(BreakerPolicy::default());
        for _ in 0..5 {
            assert!(!breaker.failed(at(0.0), &[Ticket(1)]));
            assert!(!breaker.failed(at(0.0), &[Ticket(2)]));
            breaker.succeeded();
        }
        assert_eq!(breaker.enter(at(0.0), Ticket(3)), Ok(false));
    }

    #[test]
    fn one_probe_is_let_through_however_many_ask() {
        let mut breaker = opened();
        assert_eq!(breaker.enter(at(60.0), Ticket(4)), Ok(true));
        for other in 5..100 {
            let entered = breaker.enter(at(600.0), Ticket(other));
            assert_eq!(entered, Err(Barred::BeingProbed));
        }
        assert_eq!(breaker.enter(at(600.0), Ticket(4)), Ok(true));
    }

    #[test]
    fn the_probe_decides() {
        let mut breaker = opened();
        assert_eq!(breaker.enter(at(60.0), Ticket(4)), Ok(true));
        // One from before it opened.
        assert!(!breaker.failed(at(61.0), &[Ticket(3)]));
        assert_eq!(breaker.probe(), Some(Ticket(4)));
        assert!(breaker.failed(at(62.0), &[Ticket(3), Ticket(4)]));
        let left = Err(Barred::Open(Duration::from_secs(60)));
        assert_eq!(breaker.enter(at(62.0), Ticket(5)), left);
        assert_eq!(breaker.enter(at(122.0), Ticket(6)), Ok(true));
        breaker.succeeded();
        assert_eq!(breaker.enter(at(122.0), Ticket(7)), Ok(false));
    }

    #[test]
    fn a_probe_that_was_given_up_leaves_its_place_to_the_next_call() {
        let mut breaker = opened();
        assert_eq!(breaker.enter(at(60.0), Ticket(4)), Ok(true));
        breaker.gave_back(Ticket(3), None);
        assert_eq!(breaker.probe(), Some(Ticket(4)));
        breaker.gave_back(Ticket(4), Some(Ticket(5)));
        assert_eq!(breaker.enter(at(60.0), Ticket(6)), Err(Barred::BeingProbed));
        breaker.gave_back(Ticket(5), None);
        assert_eq!(breaker.enter(at(60.0), Ticket(6)), Ok(true));
    }

    #[test]
    fn its_status_counts_down_and_tells_when_a_probe_is_due() {
        let mut breaker = opened();
        let retry_in = Duration::from_secs(20);
        assert_eq!(breaker.status(at(40.0)), BreakerStatus::Open { retry_in });
        let due = BreakerStatus::HalfOpen { is_probed: false };
        assert_eq!(breaker.status(at(60.0)), due);
        assert_eq!(breaker.enter(at(60.0), Ticket(4)), Ok(true));
        let under_way = BreakerStatus::HalfOpen { is_probed: true };
        assert_eq!(breaker.status(at(60.0)), under_way);
    }
}
