//! How long, how often and how many: every setting of a server's life, with its default and reason.
//!
//! Reading the settings from a configuration is left to `config`.

use std::time::Duration;

/// The longest time that a setting can be: a year, so that adding it to a time cannot overflow.
const TIME_MAX: Duration = Duration::from_secs(365 * 86_400);

/// The shortest time between two looks at a quiet server; less would be load, not care.
const KEEPALIVE_INTERVAL_MIN: Duration = Duration::from_secs(5);

/// The shortest wait before a server is tried again, so that no setting makes a busy loop.
const BACKOFF_MIN: Duration = Duration::from_millis(10);

/// The shortest interval of what happens to a server that works or is parked.
const INTERVAL_MIN: Duration = Duration::from_secs(1);

/// How a server is kept alive, given up and tried again.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LifePolicy {
    /// How a server that cannot be reached or is lost is tried again.
    pub reconnect: ReconnectPolicy,
    /// When calls are kept away from a server.
    pub breaker: BreakerPolicy,
    /// How long a server may be quiet before it is asked for a sign of life. Default 180 s, within
    /// the patience of most boxes on the way; at least 5 s.
    pub keepalive_interval: Duration,
    /// How long the answer to that may take. Default 30 s: nobody waits for it.
    pub keepalive_timeout: Duration,
    /// How long a suspect server has to show that it works. Default 5 s: a call waits for it.
    pub suspect_timeout: Duration,
    /// How long an attempt to connect may be out, with clearing up after it, before it is given up
    /// even if nobody tells its outcome. Default 90 s: the 60 s of `connect_timeout`, and room.
    pub connect_max: Duration,
    /// How long the end of a connection is waited for before the next one is begun all the same.
    /// Default 15 s, twice what the steps of closing take.
    pub close_max: Duration,
    /// How long calls that run are waited for before their connection is replaced, and so how long
    /// new calls are held back at most for that. Default 30 s.
    pub drain_max: Duration,
    /// How long a child process may be unused before it is ended; the next call starts it again.
    /// Default: never. Of no use for a server behind a URL, so leave it out there.
    pub idle_timeout: Option<Duration>,
    /// How old a child process may become before it is replaced. Default: any age. Of no use for a
    /// server behind a URL, so leave it out there.
    pub max_lifetime: Option<Duration>,
    /// Whether a discovery leaves the server alone until a call wants it. Default false; only for
    /// a server whose tools are known from before.
    pub lazy: bool,
    /// Calls that run at once on the server. Default 1, since a server that does not say that it
    /// can do more may mix up what it does; at least 1.
    pub parallel_calls_max: usize,
    /// Calls that wait for the server. Default 256: memory, and whoever is further behind would
    /// wait in vain.
    pub queue_len_max: usize,
}

impl LifePolicy {
    /// The default of [`LifePolicy::parallel_calls_max`] for a server whose configuration says that
    /// it supports parallel calls: more are seldom faster, and each may cost the server a thread.
    pub const PARALLEL_CALLS_MAX: usize = 16;

    /// The policy with every setting within its bounds.
    pub(super) fn bounded(self) -> Self {
        let within = |time: Duration, min: Duration| time.clamp(min, TIME_MAX);
        Self {
            reconnect: self.reconnect.bounded(),
            breaker: self.breaker.bounded(),
            keepalive_interval: within(self.keepalive_interval, KEEPALIVE_INTERVAL_MIN),
            keepalive_timeout: within(self.keepalive_timeout, BACKOFF_MIN),
            suspect_timeout: within(self.suspect_timeout, BACKOFF_MIN),
            connect_max: within(self.connect_max, BACKOFF_MIN),
            close_max: within(self.close_max, BACKOFF_MIN),
            drain_max: within(self.drain_max, Duration::ZERO),
            idle_timeout: self.idle_timeout.map(|time| within(time, INTERVAL_MIN)),
            max_lifetime: self.max_lifetime.map(|time| within(time, INTERVAL_MIN)),
            parallel_calls_max: self.parallel_calls_max.max(1),
            ..self
        }
    }
}

impl Default for LifePolicy {
    fn default() -> Self {
        Self {
            reconnect: ReconnectPolicy::default(),
            breaker: BreakerPolicy::default(),
            keepalive_interval: Duration::from_secs(180),
            keepalive_timeout: Duration::from_secs(30),
            suspect_timeout: Duration::from_secs(5),
            connect_max: Duration::from_secs(90),
            close_max: Duration::from_secs(15),
            drain_max: Duration::from_secs(30),
            idle_timeout: None,
            max_lifetime: None,
            lazy: false,
            parallel_calls_max: 1,
            queue_len_max: 256,
        }
    }
}

/// How a server that cannot be reached or is lost is tried again.
///
/// The retries are a budget: a new connection does not fill it up again, only health that was
/// proven on one does.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ReconnectPolicy {
    /// Retries of a server that was never connected. Default 3: a person may be waiting for it.
    pub initial_retries: u32,
    /// Retries of a server that was connected before. Default 5, about half a minute: a restart.
    pub retries: u32,
    /// The wait before the first retry; it doubles with each. Default 1 s; at least 10 ms.
    pub backoff_first: Duration,
    /// The longest wait before a retry. Default 60 s.
    pub backoff_max: Duration,
    /// By how many percent a wait may be shorter or longer, so that many servers that were lost
    /// together do not come back together. Default 20; at most 100.
    pub jitter_percent: u32,
    /// How often a parked server is tried, if trying can help. Default 300 s; at least 1 s.
    pub park_probe_interval: Duration,
    /// How long after it was parked a server is tried for a call, if trying can help; until then
    /// calls are refused. Default 60 s, as a breaker stays open.
    pub park_call_after: Duration,
}

impl ReconnectPolicy {
    fn bounded(self) -> Self {
        let backoff_first = self.backoff_first.clamp(BACKOFF_MIN, TIME_MAX);
        Self {
            backoff_first,
            backoff_max: self.backoff_max.clamp(backoff_first, TIME_MAX),
            jitter_percent: self.jitter_percent.min(100),
            park_probe_interval: self.park_probe_interval.clamp(INTERVAL_MIN, TIME_MAX),
            park_call_after: self.park_call_after.clamp(BACKOFF_MIN, TIME_MAX),
            ..self
        }
    }
}

impl Default for ReconnectPolicy {
    fn default() -> Self {
        Self {
            initial_retries: 3,
            retries: 5,
            backoff_first: Duration::from_secs(1),
            backoff_max: Duration::from_secs(60),
            jitter_percent: 20,
            park_probe_interval: Duration::from_secs(300),
            park_call_after: Duration::from_secs(60),
        }
    }
}

/// When calls are kept away from a server that fails them.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct BreakerPolicy {
    /// Failures in a row after which calls are refused. Default 3; at least 1.
    pub threshold: u32,
    /// How long they are refused before one is let through as a probe. Default 60 s.
    pub cooldown: Duration,
    /// How long another call waits for the outcome of the probe before it is refused. Default 5 s:
    /// most answers are there by then. With 0 it is refused at once.
    pub probe_wait: Duration,
}

impl BreakerPolicy {
    fn bounded(self) -> Self {
        Self {
            threshold: self.threshold.max(1),
            cooldown: self.cooldown.min(TIME_MAX),
            probe_wait: self.probe_wait.min(TIME_MAX),
        }
    }
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self {
            threshold: 3,
            cooldown: Duration::from_secs(60),
            probe_wait: Duration::from_secs(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_within_their_bounds() {
        assert_eq!(LifePolicy::default().bounded(), LifePolicy::default());
    }

    #[test]
    fn what_would_be_a_busy_loop_or_no_call_at_all_is_kept_within_bounds() {
        let zero = Duration::ZERO;
        let policy = LifePolicy {
            reconnect: ReconnectPolicy {
                backoff_first: zero,
                backoff_max: zero,
                jitter_percent: 300,
                park_probe_interval: zero,
                ..ReconnectPolicy::default()
            },
            breaker: BreakerPolicy {
                threshold: 0,
                ..BreakerPolicy::default()
            },
            keepalive_interval: Duration::from_secs(1),
            idle_timeout: Some(zero),
            max_lifetime: Some(Duration::MAX),
            parallel_calls_max: 0,
            ..LifePolicy::default()
        };
        let bounded = policy.bounded();
        assert_eq!(bounded.reconnect.backoff_first, BACKOFF_MIN);
        assert_eq!(bounded.reconnect.backoff_max, BACKOFF_MIN);
        assert_eq!(bounded.reconnect.jitter_percent, 100);
        assert_eq!(bounded.reconnect.park_probe_interval, INTERVAL_MIN);
        assert_eq!(bounded.breaker.threshold, 1);
        assert_eq!(bounded.keepalive_interval, KEEPALIVE_INTERVAL_MIN);
        assert_eq!(bounded.idle_timeout, Some(INTERVAL_MIN));
        assert_eq!(bounded.max_lifetime, Some(TIME_MAX));
        assert_eq!(bounded.parallel_calls_max, 1);
    }
}
