//! When and how a reply stream that ended without its answer is taken up again.
//!
//! Spec: HTTP-25, HTTP-26, T-15 to T-19; revisions 2025-03-26 to 2025-11-25 only. Time and streams
//! are the caller's.

use std::time::Duration;

/// Before a stream is taken up again, if the server names no time.
const RETRY_DEFAULT: Duration = Duration::from_secs(1);
/// A server that says `retry: 0` must not have us turn in a circle.
const RETRY_MIN: Duration = Duration::from_millis(100);
/// Attempts in a row that brought nothing new.
// Bound: with the default time they span a restart of the server; the call's deadline may be
// earlier.
const ATTEMPTS_MAX: u32 = 10;

/// What one reply stream has been through.
#[derive(Debug, Default)]
pub(super) struct Resume {
    /// The attempts since the last sign of progress.
    attempts: u32,
}

/// What to do about a stream that ended.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Resumption {
    /// Take it up after this time.
    After(Duration),
    /// Do not: it cannot be taken up, or that has been tried often enough.
    GiveUp,
}

impl Resume {
    /// A new event came, so the next end counts afresh.
    pub(super) fn progressed(&mut self) {
        self.attempts = 0;
    }

    /// Decides about the end of the stream. Without an event id there is nothing to go on from.
    pub(super) fn ended(&mut self, has_event_id: bool, retry: Option<Duration>) -> Resumption {
        if !has_event_id || self.attempts >= ATTEMPTS_MAX {
            return Resumption::GiveUp;
        }
        self.attempts += 1;
        Resumption::After(retry.unwrap_or(RETRY_DEFAULT).max(RETRY_MIN))
    }
}

/// The pauses between the streams that belong to no exchange.
///
/// Such a stream may end as often as the server likes, so only those in a row that brought
/// nothing are counted, and each makes the next pause longer.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    empty: u32,
}

impl Backoff {
    const PAUSE_MAX: Duration = Duration::from_secs(30);
    const EMPTY_MAX: u32 = 20;

    /// An event came.
    pub(super) fn progressed(&mut self) {
        self.empty = 0;
    }

    /// The pause before the next attempt; `None` if there was nothing for too long.
    pub(super) fn ended(&mut self, retry: Option<Duration>) -> Option<Duration> {
        self.empty += 1;
        if self.empty > Self::EMPTY_MAX {
            return None;
        }
        let pause = retry.unwrap_or(RETRY_DEFAULT).max(RETRY_MIN);
        let factor = 1_u32 << (self.empty - 1).min(16);
        Some(pause.saturating_mul(factor).min(Self::PAUSE_MAX.max(pause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_taken_up_after_the_time_the_server_names() {
        let mut resume = Resume::default();
        let millis = |millis| Some(Duration::from_millis(millis));
        let rows = [
            (None, 1_000),
            (millis(500), 500),
            (millis(0), 100),
            (millis(30_000), 30_000),
        ];
        for (retry, wanted) in rows {
            let wanted = Resumption::After(Duration::from_millis(wanted));
            assert_eq!(resume.ended(true, retry), wanted);
        }
    }

    #[test]
    fn a_stream_without_an_event_id_is_not() {
        assert_eq!(Resume::default().ended(false, None), Resumption::GiveUp);
    }

    #[test]
    fn attempts_that_bring_nothing_are_counted_and_progress_starts_afresh() {
        let mut resume = Resume::default();
        for _ in 0..3 {
            for _ in 0..ATTEMPTS_MAX {
                assert_ne!(resume.ended(true, None), Resumption::GiveUp);
            }
            assert_eq!(resume.ended(true, None), Resumption::GiveUp);
            resume.progressed();
        }
    }

    #[test]
    fn the_shared_stream_is_opened_less_and_less_often() {
        let mut backoff = Backoff::default();
        let pauses: Vec<_> = std::iter::from_fn(|| backoff.ended(Some(Duration::ZERO))).collect();
        assert_eq!(pauses.len(), 20);
        assert!(pauses.is_sorted());
        assert_eq!(pauses.first(), Some(&Duration::from_millis(100)));
        assert_eq!(pauses.last(), Some(&Duration::from_secs(30)));
        backoff.progressed();
        assert_eq!(backoff.ended(None), Some(Duration::from_secs(1)));
    }
}
