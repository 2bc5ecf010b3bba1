//! Calls of a server's tools: who is trusted, how many run at once, how much of a result is kept,
//! and what the server is told of us.
//!
//! What these settings lead to is decided elsewhere.

use mcp_types::LoggingLevel;

use super::keys;
use super::kind::ProblemKind;
use super::problem::Position;
use super::range::Count;
use super::read::{KeyPath, Named, Reader};
use super::roots;
use super::server::ServerConfig;
use crate::OutcomeLimits;

/// How many calls a server runs at once if it may run several: 8, more than a model asks for in
/// one turn, and few enough for a server that does them one by one.
pub const MAX_PARALLEL_CALLS_DEFAULT: u32 = 8;

// Bound: as many as may be in flight to one server at all.
pub(super) const PARALLEL_CALLS: Count = Count::between(1, 1_024);

// Less than this tells a model nothing; more than this no model can read.
pub(super) const MAX_CHARS: Count = Count::between(100, 10_000_000);

pub(super) const TRUST: [(&str, Trust); 2] =
    [("full", Trust::Full), ("untrusted", Trust::Untrusted)];

pub(super) static LOG_LEVELS: [(&str, LoggingLevel); 8] = [
    ("debug", LoggingLevel::Debug),
    ("info", LoggingLevel::Info),
    ("notice", LoggingLevel::Notice),
    ("warning", LoggingLevel::Warning),
    ("error", LoggingLevel::Error),
    ("critical", LoggingLevel::Critical),
    ("alert", LoggingLevel::Alert),
    ("emergency", LoggingLevel::Emergency),
];

/// How far a server is trusted.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Trust {
    /// What it says of its tools is believed; written `full`.
    #[default]
    Full,
    /// Its tools need approval; written `untrusted`.
    Untrusted,
}

/// How much of a result is handed on; written `output`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct OutputConfig {
    /// The most characters of text and of structured content, from 100 to 10,000,000; those of
    /// the registry by default.
    pub max_chars: Option<u32>,
    /// Whether a text that is cut is kept in a file as a whole, where the host has a folder for
    /// that; true by default.
    pub spill: bool,
}

impl Default for OutputConfig {
    fn default() -> Self {
        Self {
            max_chars: None,
            spill: true,
        }
    }
}

impl OutputConfig {
    /// These limits, with what is configured for the server in their place.
    #[must_use]
    pub fn limits(&self, of_registry: OutcomeLimits) -> OutcomeLimits {
        let mut limits = of_registry;
        if let Some(max) = self.max_chars {
            let max = usize::try_from(max).unwrap_or(usize::MAX);
            limits.text_len_max = max;
            limits.structured_len_max = max;
        }
        limits
    }
}

/// All settings of this module.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Calls {
    trust: Trust,
    is_parallel: bool,
    max_parallel: u32,
    validates_arguments: bool,
    output: OutputConfig,
    log_level: Option<LoggingLevel>,
    roots: Option<Vec<String>>,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            trust: Trust::Full,
            is_parallel: false,
            max_parallel: MAX_PARALLEL_CALLS_DEFAULT,
            validates_arguments: true,
            output: OutputConfig::default(),
            log_level: None,
            roots: None,
        }
    }
}

impl ServerConfig {
    /// How far the server is trusted; fully by default.
    #[must_use]
    pub fn trust(&self) -> Trust {
        self.calls.trust
    }

    /// Whether its tools may run at the same time; false by default.
    #[must_use]
    pub fn supports_parallel_tool_calls(&self) -> bool {
        self.calls.is_parallel
    }

    /// How many of its tools may run at the same time: 1 unless it supports parallel calls, else 8
    /// by default and at most 1,024.
    #[must_use]
    pub fn max_parallel_calls(&self) -> u32 {
        if self.calls.is_parallel {
            self.calls.max_parallel
        } else {
            1
        }
    }

    /// Whether arguments are held against the tool's schema before they are sent; true by default.
    #[must_use]
    pub fn validates_arguments(&self) -> bool {
        self.calls.validates_arguments
    }

    /// How much of a result is handed on.
    #[must_use]
    pub fn output(&self) -> &OutputConfig {
        &self.calls.output
    }

    /// From which level on the server is asked for log messages; `None`, the default, leaves that
    /// to the server.
    #[must_use]
    pub fn log_level(&self) -> Option<&LoggingLevel> {
        self.calls.log_level.as_ref()
    }

    /// The URIs of the folders that the server is told to work in; `None`, the default, where the
    /// configuration says nothing of them.
    #[must_use]
    pub fn roots(&self) -> Option<&[String]> {
        self.calls.roots.as_deref()
    }

    /// The same server, trusted this far.
    #[must_use]
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.calls.trust = trust;
        self
    }

    /// The same server, with this many tools running at once, from 1 to 1,024.
    #[must_use]
    pub fn with_parallel_calls(mut self, max: u32) -> Self {
        self.calls.is_parallel = max > 1;
        self.calls.max_parallel = max.clamp(PARALLEL_CALLS.min, PARALLEL_CALLS.max);
        self
    }

    /// The same server, whose arguments are sent unseen.
    #[must_use]
    pub fn without_validation(mut self) -> Self {
        self.calls.validates_arguments = false;
        self
    }

    /// The same server, whose results are handed on so.
    #[must_use]
    pub fn with_output(mut self, output: OutputConfig) -> Self {
        self.calls.output = output;
        self
    }

    /// The same server, asked for log messages from this level on.
    #[must_use]
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.calls.log_level = Some(level);
        self
    }

    /// The same server, told to work in the folders of these URIs.
    #[must_use]
    pub fn with_roots(mut self, uris: impl IntoIterator<Item = String>) -> Self {
        self.calls.roots = Some(uris.into_iter().collect());
        self
    }
}

/// What was found of these settings so far.
#[derive(Default)]
pub(super) struct CallsDraft {
    calls: Calls,
    max_parallel_at: Option<(Position, KeyPath)>,
}

impl CallsDraft {
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) {
        let (value, path) = (entry.value, &entry.path);
        match entry.key {
            "trust" => {
                let trust = reader.choice(value, path, "full or untrusted", &TRUST);
                self.calls.trust = trust.unwrap_or_default();
            }
            "supports_parallel_tool_calls" => {
                self.calls.is_parallel = reader.switch(value, path).unwrap_or_default();
            }
            "max_parallel_calls" => {
                self.max_parallel_at = Some((entry.position, path.clone()));
                let max = reader.count(value, path, &PARALLEL_CALLS);
                self.calls.max_parallel = max.unwrap_or(MAX_PARALLEL_CALLS_DEFAULT);
            }
            "validate_arguments" => {
                self.calls.validates_arguments = reader.switch(value, path).unwrap_or(true);
            }
            "log_level" => {
                let allowed = "debug, info, notice, warning, error, critical, alert or emergency";
                self.calls.log_level = reader.choice(value, path, allowed, &LOG_LEVELS);
            }
            "roots" => self.calls.roots = roots::read(reader, value, path),
            _ => self.calls.output = read_output(reader, entry),
        }
    }

    /// The settings, now that all keys are known.
    pub(super) fn finish(self, reader: &mut Reader<'_>) -> Calls {
        if let Some((position, path)) = self.max_parallel_at.filter(|_| !self.calls.is_parallel) {
            let needs = "supports_parallel_tool_calls: true";
            reader.warn(position, &path, ProblemKind::NeedsKey { needs });
        }
        self.calls
    }
}

fn read_output(reader: &mut Reader<'_>, entry: &Named<'_>) -> OutputConfig {
    let mut found = OutputConfig::default();
    for entry in reader.known_entries(entry.value, &entry.path, &keys::OUTPUT) {
        if entry.key == "max_chars" {
            found.max_chars = reader.count(entry.value, &entry.path, &MAX_CHARS);
        } else {
            found.spill = reader.switch(entry.value, &entry.path).unwrap_or(true);
        }
    }
    found
}
