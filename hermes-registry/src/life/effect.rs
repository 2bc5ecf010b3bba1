//! What a life wants done, and how it names connections, checks and calls.

use std::time::{Duration, Instant};

use super::{Fault, Refusal, Why};

/// One attempt to connect and the connection that comes of it; later ones are greater.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Epoch(pub(super) u64);

impl Epoch {
    /// How many attempts there have been, this one included.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

/// One look at whether a server works.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CheckId(pub(super) u64);

/// One call that was admitted; later ones are greater.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Ticket(pub(super) u64);

/// Something to be done; to be drained after every command and every `handle_*`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Effect {
    /// The state is another one, so what is published of it is out of date.
    Changed,
    /// Ask the server for a sign of life and tell what came of it with `handle_checked`: `ping` in
    /// the legacy era, any cheap request in the modern one, which has none.
    /// An answer that is an error is a sign of life too.
    Check {
        /// The connection.
        epoch: Epoch,
        /// What the outcome is told by.
        check: CheckId,
        /// When it has failed if there is no outcome.
        until: Instant,
    },
    /// End the attempt or the connection with this number, whichever there is, and all of its
    /// calls; tell with `handle_closed` when nothing of it is left.
    Close {
        /// The attempt or the connection.
        epoch: Epoch,
        /// Why.
        why: Why,
    },
    /// Connect the server, and tell the outcome with `handle_connected` or
    /// `handle_connect_failed`.
    Connect {
        /// What the outcome is told by.
        epoch: Epoch,
    },
    /// A call that waited ends without having run.
    Refuse {
        /// The call.
        ticket: Ticket,
        /// Why.
        refusal: Refusal,
    },
    /// A call that waited runs now.
    Start(Started),
}

/// What came of asking for a call to be admitted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use = "a call that may run, or waits, has to be told the end of"]
pub enum Admission {
    /// It runs now.
    Go(Started),
    /// It does not run, and there is nothing to tell.
    Refuse(Refusal),
    /// It waits: [`Effect::Start`] or [`Effect::Refuse`] follows, by its deadline.
    Wait(Ticket),
}

/// A call that may run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Started {
    /// The call.
    pub ticket: Ticket,
    /// The connection that it runs on.
    pub epoch: Epoch,
    /// When it was asked for.
    pub asked_at: Instant,
    /// When it was let through.
    pub started_at: Instant,
    /// Whether the breaker waits for its outcome.
    pub is_probe: bool,
}

impl Started {
    /// How long it waited, for the server to be there or for other calls.
    #[must_use]
    pub fn queued(&self) -> Duration {
        self.started_at.saturating_duration_since(self.asked_at)
    }
}

/// How a call ended, as far as it tells something of the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallEnd {
    /// Whoever made it gave it up, or it failed in a way that says nothing of the server's health.
    Abandoned,
    /// The server answered, be it with an error: it works.
    Answered,
    /// The connection is gone.
    Lost(Fault),
    /// No answer came in time.
    TimedOut,
    /// The server wants other credentials, of everyone and not for this call alone.
    Unauthorized(Fault),
    /// The server could not be reached, and there is no connection that could be gone.
    Unreachable(Fault),
}
