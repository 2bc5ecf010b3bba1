//! Whether a tool of the host can be used at the moment, from checks that are made now and then.

use std::time::{Duration, Instant};

/// How long an answer counts.
const FRESH: Duration = Duration::from_secs(30);

/// How long after the last good answer a bad one is not believed.
const GRACE: Duration = Duration::from_secs(60);

/// What checks have said so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Availability {
    /// When it was last checked, and whether that is believed.
    checked: Option<(Instant, bool)>,
    last_good: Option<Instant>,
}

impl Availability {
    /// Whether the tool is offered. What was never checked is not.
    pub(super) fn is_available(self) -> bool {
        self.checked.is_some_and(|(_, is_available)| is_available)
    }

    /// When the next check is due; `None` for at once.
    pub(super) fn due(self) -> Option<Instant> {
        self.checked.map(|(at, _)| at + FRESH)
    }

    /// Takes an answer.
    pub(super) fn record(&mut self, now: Instant, answer: bool) {
        if answer {
            self.last_good = Some(now);
        }
        let is_recent = self
            .last_good
            .is_some_and(|good| now.saturating_duration_since(good) < GRACE);
        self.checked = Some((now, answer || is_recent));
    }
}
