//! The life of a server: when it is asked whether it still answers, when it is ended, when it is
//! tried again.
//!
//! What these settings lead to is decided elsewhere.

use std::time::Duration;

use super::keys;
use super::kind::ProblemKind;
use super::problem::Position;
use super::range::{Count, Seconds};
use super::read::{Named, Reader};
use super::server::{ServerConfig, TIMEOUT_MAX};

/// How often an idle server is asked whether it still answers: every 180 seconds.
pub const KEEPALIVE_INTERVAL_DEFAULT: Duration = Duration::from_secs(180);

/// The longest idle time and lifetime that a configuration can give: 30 days.
pub const LIFETIME_MAX: Duration = Duration::from_secs(30 * 86_400);

// A server that is asked more often than each five seconds does little else.
pub(super) const KEEPALIVE_INTERVAL: Seconds =
    Seconds::between(Duration::from_secs(5), TIMEOUT_MAX).or_off();

pub(super) const LIFETIME: Seconds = Seconds::up_to(LIFETIME_MAX).or_off();

// A first start that fails so often fails for ever.
pub(super) const INITIAL_RETRIES: Count = Count::between(0, 100);

pub(super) const RETRIES: Count = Count::between(0, 1_000);

// Without any wait, a server that dies at once is started as fast as the machine can.
pub(super) const BACKOFF: Seconds = Seconds::between(Duration::from_millis(100), TIMEOUT_MAX);

pub(super) const PARK_PROBE_INTERVAL: Seconds =
    Seconds::between(Duration::from_secs(5), TIMEOUT_MAX).or_off();

pub(super) const FAILURES: Count = Count::between(1, 1_000);

pub(super) const COOLDOWN: Seconds = Seconds::between(Duration::from_secs(1), TIMEOUT_MAX);

/// When a server that cannot be reached, or was lost, is tried again; written `reconnect`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ReconnectConfig {
    /// How often it is tried again while it was never reached; 3 by default, at most 100.
    pub initial_retries: u32,
    /// How often in a row it is tried again once it was lost, before it is parked; 5 by default,
    /// at most 1,000.
    pub retries: u32,
    /// The wait before the first of these; 1 second by default, at least 0.1.
    /// Each further wait is twice as long.
    pub backoff_first: Duration,
    /// The longest wait; 60 seconds by default, at most a day.
    pub backoff_max: Duration,
    /// How often a parked server is tried; every 300 seconds by default, `None` for never.
    pub park_probe_interval: Option<Duration>,
}

impl Default for ReconnectConfig {
    fn default() -> Self {
        Self {
            initial_retries: 3,
            retries: 5,
            backoff_first: Duration::from_secs(1),
            backoff_max: Duration::from_secs(60),
            park_probe_interval: Some(Duration::from_secs(300)),
        }
    }
}

/// When a server that keeps failing is left alone; written `breaker`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct BreakerConfig {
    /// How many failures in a row open it; 3 by default, from 1 to 1,000.
    /// An error that a tool reports is no failure.
    pub failures: u32,
    /// How long it stays open before one call may try; 60 seconds by default, at least one.
    pub cooldown: Duration,
}

impl Default for BreakerConfig {
    fn default() -> Self {
        Self {
            failures: 3,
            cooldown: Duration::from_secs(60),
        }
    }
}

/// All settings of this module.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Life {
    keepalive_interval: Option<Duration>,
    idle_timeout: Option<Duration>,
    max_lifetime: Option<Duration>,
    is_lazy: bool,
    reconnect: ReconnectConfig,
    breaker: BreakerConfig,
}

impl Default for Life {
    fn default() -> Self {
        Self {
            keepalive_interval: Some(KEEPALIVE_INTERVAL_DEFAULT),
            idle_timeout: None,
            max_lifetime: None,
            is_lazy: false,
            reconnect: ReconnectConfig::default(),
            breaker: BreakerConfig::default(),
        }
    }
}

impl ServerConfig {
    /// How often the server is asked whether it still answers, if nothing else shows it; every
    /// 180 seconds by default, `None` for never.
    #[must_use]
    pub fn keepalive_interval(&self) -> Option<Duration> {
        self.life.keepalive_interval
    }

    /// After how long without a call a child process is ended, to be started again by the next
    /// call; never by default, and never for a server behind a URL.
    #[must_use]
    pub fn idle_timeout(&self) -> Option<Duration> {
        self.command().and(self.life.idle_timeout)
    }

    /// After how long a child process is ended once no call is under way, to be started again by
    /// the next call; never by default, and never for a server behind a URL.
    #[must_use]
    pub fn max_lifetime(&self) -> Option<Duration> {
        self.command().and(self.life.max_lifetime)
    }

    /// Whether the server is connected by the first call only; false by default.
    #[must_use]
    pub fn is_lazy(&self) -> bool {
        self.life.is_lazy
    }

    /// When it is tried again.
    #[must_use]
    pub fn reconnect(&self) -> &ReconnectConfig {
        &self.life.reconnect
    }

    /// When it is left alone.
    #[must_use]
    pub fn breaker(&self) -> &BreakerConfig {
        &self.life.breaker
    }

    /// The same server, asked this often whether it still answers.
    #[must_use]
    pub fn with_keepalive_interval(mut self, interval: Option<Duration>) -> Self {
        self.life.keepalive_interval = interval;
        self
    }

    /// The same server, ended after this long without a call.
    #[must_use]
    pub fn with_idle_timeout(mut self, idle_timeout: Option<Duration>) -> Self {
        self.life.idle_timeout = idle_timeout;
        self
    }

    /// The same server, ended after this long.
    #[must_use]
    pub fn with_max_lifetime(mut self, max_lifetime: Option<Duration>) -> Self {
        self.life.max_lifetime = max_lifetime;
        self
    }

    /// The same server, connected by the first call only.
    #[must_use]
    pub fn lazy(mut self) -> Self {
        self.life.is_lazy = true;
        self
    }

    /// The same server, tried again in this way.
    #[must_use]
    pub fn with_reconnect(mut self, reconnect: ReconnectConfig) -> Self {
        self.life.reconnect = reconnect;
        self
    }

    /// The same server, left alone in this way.
    #[must_use]
    pub fn with_breaker(mut self, breaker: BreakerConfig) -> Self {
        self.life.breaker = breaker;
        self
    }
}

/// What was found of these settings so far.
#[derive(Default)]
pub(super) struct LifeDraft {
    pub(super) life: Life,
    /// The keys that may stand in two places, and where they stand.
    read: Vec<(&'static str, Position)>,
}

impl LifeDraft {
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) {
        let (value, path) = (entry.value, &entry.path);
        match entry.key {
            "keepalive_interval" => {
                self.life.keepalive_interval =
                    reader.seconds_or_off(value, path, &KEEPALIVE_INTERVAL);
            }
            "idle_timeout_seconds" => {
                self.note(reader, entry, "idle_timeout_seconds");
                self.life.idle_timeout = reader.seconds_or_off(value, path, &LIFETIME);
            }
            "max_lifetime_seconds" => {
                self.note(reader, entry, "max_lifetime_seconds");
                self.life.max_lifetime = reader.seconds_or_off(value, path, &LIFETIME);
            }
            "lifecycle" => {
                for entry in reader.known_entries(value, path, &keys::LIFECYCLE) {
                    self.read(reader, &entry);
                }
            }
            "lazy" => self.life.is_lazy = reader.switch(value, path).unwrap_or_default(),
            "reconnect" => self.life.reconnect = read_reconnect(reader, entry),
            _ => self.life.breaker = read_breaker(reader, entry),
        }
    }

    /// Notes that this key was read, and that it stands elsewhere too.
    fn note(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>, key: &'static str) {
        if let Some((_, first)) = self.read.iter().find(|(known, _)| *known == key) {
            let kind = ProblemKind::DuplicateKey { first: *first };
            reader.error(entry.position, &entry.path, kind);
        }
        self.read.push((key, entry.position));
    }
}

fn read_reconnect(reader: &mut Reader<'_>, entry: &Named<'_>) -> ReconnectConfig {
    let mut found = ReconnectConfig::default();
    let mut first_at = None;
    for entry in reader.known_entries(entry.value, &entry.path, &keys::RECONNECT) {
        let (value, path) = (entry.value, &entry.path);
        match entry.key {
            "initial_retries" => {
                let retries = reader.count(value, path, &INITIAL_RETRIES);
                found.initial_retries = retries.unwrap_or(found.initial_retries);
            }
            "retries" => {
                let retries = reader.count(value, path, &RETRIES);
                found.retries = retries.unwrap_or(found.retries);
            }
            "backoff_first" => {
                let first = reader.seconds(value, path, &BACKOFF);
                found.backoff_first = first.unwrap_or(found.backoff_first);
                first_at = first.map(|_| (value, path.clone()));
            }
            "backoff_max" => {
                let max = reader.seconds(value, path, &BACKOFF);
                found.backoff_max = max.unwrap_or(found.backoff_max);
            }
            _ => {
                found.park_probe_interval =
                    reader.seconds_or_off(value, path, &PARK_PROBE_INTERVAL);
            }
        }
    }
    if let Some((value, path)) = first_at.filter(|_| found.backoff_first > found.backoff_max) {
        let max = found.backoff_max.as_secs_f64();
        let allowed = format!("at most what `backoff_max` is, {max} seconds");
        reader.wrong(value, &path, allowed);
    }
    found
}

fn read_breaker(reader: &mut Reader<'_>, entry: &Named<'_>) -> BreakerConfig {
    let mut found = BreakerConfig::default();
    for entry in reader.known_entries(entry.value, &entry.path, &keys::BREAKER) {
        let (value, path) = (entry.value, &entry.path);
        if entry.key == "failures" {
            let failures = reader.count(value, path, &FAILURES);
            found.failures = failures.unwrap_or(found.failures);
        } else {
            let cooldown = reader.seconds(value, path, &COOLDOWN);
            found.cooldown = cooldown.unwrap_or(found.cooldown);
        }
    }
    found
}
