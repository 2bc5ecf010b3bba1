//! When a connection has been quiet for so long that it need not keep the storage of a long frame.

use std::time::{Duration, Instant};

/// How long a connection is quiet before it lets go.
const QUIET: Duration = Duration::from_secs(5);

/// Looks now and then whether anything has come in since it last looked.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    due: Option<Instant>,
    has_heard: bool,
}

impl Quiet {
    /// When [`Quiet::is_over`] is to be asked.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Something has come in. The clock is read only if there is storage to let go of and nobody
    /// has looked at it yet.
    pub(super) fn heard(&mut self, holds_storage: bool, now: impl FnOnce() -> Instant) {
        self.has_heard = true;
        if holds_storage && self.due.is_none() {
            self.due = Some(now() + QUIET);
        }
    }

    /// Whether it is time to let go.
    pub(super) fn is_over(&mut self, now: Instant) -> bool {
        if self.due.is_none_or(|due| now < due) {
            return false;
        }
        let has_heard = std::mem::take(&mut self.has_heard);
        self.due = has_heard.then(|| now + QUIET);
        !has_heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[tokio::test(start_paused = true)]
    async fn storage_is_let_go_of_once_nothing_came_for_a_while() {
        let start = clock::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut quiet = Quiet::default();
        quiet.heard(false, || panic!("there is nothing to let go of"));
        assert_eq!(quiet.due(), None);
        quiet.heard(true, || at(0));
        quiet.heard(true, || panic!("the clock is read once"));
        assert_eq!(quiet.due(), Some(at(5)));
        for (seconds, is_over, due) in [(4, false, Some(5)), (5, false, Some(10)), (10, true, None)]
        {
            assert_eq!(quiet.is_over(at(seconds)), is_over, "{seconds}");
            assert_eq!(quiet.due(), due.map(at), "{seconds}");
        }
    }
}
