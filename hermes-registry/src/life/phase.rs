//! Where a life stands, with all that only matters there.

use std::time::{Duration, Instant};

use super::{CheckId, Epoch, Fault, State};

/// Where a life stands.
#[derive(Debug)]
pub(super) enum Phase {
    Closed,
    Connecting {
        epoch: Epoch,
        until: Instant,
    },
    Disabled,
    /// An attempt or a connection is being ended; nothing new begins before it is.
    Ending {
        epoch: Epoch,
        until: Instant,
        then: Then,
    },
    Idle,
    Live(Live),
    Parked(Option<ParkTimes>),
    Recycled,
    Waiting {
        until: Instant,
    },
}

/// What follows when something has ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Then {
    Close,
    Disable,
    Idle,
    Park(Option<ParkTimes>),
    Recycle,
    Retry { at: Instant },
}

/// When a parked server is tried again; there are none if only a person can mend what is wrong.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct ParkTimes {
    /// From then on it is tried for a call.
    pub(super) call_at: Instant,
    /// Then it is tried anyway.
    pub(super) probe_at: Instant,
}

/// A connection.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) epoch: Epoch,
    pub(super) since: Instant,
    /// When the server last gave a sign of life.
    pub(super) heard_at: Instant,
    /// When a call last began or ended.
    pub(super) used_at: Instant,
    /// When its process is too old.
    pub(super) old_at: Option<Instant>,
    /// Whether it did more than to connect.
    pub(super) is_proven: bool,
    pub(super) check: Option<Check>,
    pub(super) condition: Condition,
}

/// A look at whether the server works, that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    pub(super) id: CheckId,
    pub(super) until: Instant,
}

/// How a connection is.
#[derive(Debug)]
pub(super) enum Condition {
    /// New calls wait, until no call runs or this time.
    Draining {
        until: Instant,
        goal: Goal,
    },
    Steady,
    Suspect,
}

/// Why a connection is drained.
#[derive(Debug)]
pub(super) enum Goal {
    /// Its process is too old.
    Recycle,
    /// It is of no use any more.
    Replace(Fault),
    /// It is not wanted any more.
    Stop(Then),
}

impl Phase {
    pub(super) fn state(&self) -> State {
        match self {
            Self::Closed => State::Closed,
            Self::Connecting { .. } => State::Connecting,
            Self::Disabled => State::Disabled,
            Self::Ending { then, .. } => then.state(),
            Self::Idle => State::Idle,
            Self::Live(live) => match &live.condition {
                Condition::Draining {
                    goal: Goal::Stop(_),
                    ..
                } => State::Closing,
                Condition::Draining { .. } => State::Draining,
                Condition::Steady => State::Ready,
                Condition::Suspect => State::Suspect,
            },
            Self::Parked(_) => State::Parked,
            Self::Recycled => State::Recycled,
            Self::Waiting { .. } => State::Waiting,
        }
    }

    /// When a parked server is tried again, if it is parked and trying can help.
    pub(super) fn park_times(&self) -> Option<ParkTimes> {
        match self {
            Self::Parked(times)
            | Self::Ending {
                then: Then::Park(times),
                ..
            } => *times,
            _ => None,
        }
    }

    /// When the next attempt to connect is made, if it has its time.
    pub(super) fn next_attempt_at(&self) -> Option<Instant> {
        match self {
            Self::Waiting { until: at }
            | Self::Ending {
                then: Then::Retry { at },
                ..
            } => Some(*at),
            _ => self.park_times().map(|times| times.probe_at),
        }
    }
}

impl Then {
    /// What a server that is being ended counts as: what nobody has to wait for is so already.
    fn state(self) -> State {
        match self {
            Self::Close | Self::Disable => State::Closing,
            Self::Idle => State::Idle,
            Self::Park(_) => State::Parked,
            Self::Recycle => State::Recycled,
            Self::Retry { .. } => State::Waiting,
        }
    }
}

impl Live {
    pub(super) fn new(now: Instant, epoch: Epoch, lifetime: Option<Duration>) -> Self {
        Self {
            epoch,
            since: now,
            heard_at: now,
            used_at: now,
            old_at: lifetime.map(|lifetime| now + lifetime),
            is_proven: false,
            check: None,
            condition: Condition::Steady,
        }
    }
}
