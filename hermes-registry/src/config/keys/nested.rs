//! The keys of the mappings under a server.

use super::super::calls::MAX_CHARS;
use super::super::life::{
    BACKOFF, COOLDOWN, FAILURES, INITIAL_RETRIES, LIFETIME, PARK_PROBE_INTERVAL, RETRIES,
};
use super::super::tools::TIMEOUT;
use super::{Key, Keys, Shape};

/// Under `tools`.
pub(in crate::config) const TOOLS: Keys = Keys {
    rows: &[
        Key::new(
            "include",
            Shape::TextOrTexts,
            "Names or globs of the tools that are offered, and no others. An empty list offers \
             none.",
        ),
        Key::new(
            "exclude",
            Shape::TextOrTexts,
            "Names or globs of tools that are not offered. It has no effect beside `include`.",
        ),
        Key::new(
            "resources",
            Shape::Switch,
            "Whether tools that list and read its resources are offered, where it has resources.",
        )
        .or("true"),
        Key::new(
            "prompts",
            Shape::Switch,
            "Whether tools that list and fill its prompts are offered, where it has prompts.",
        )
        .or("true"),
        Key::new(
            "timeouts",
            Shape::TimeMap(TIMEOUT),
            "For a tool's own name, or a glob, a `timeout` of its own. An exact name wins, then \
             the first glob.",
        )
        .or("{}"),
        Key::unsupported(
            "scope",
            "every agent of this host sees these tools; remove the key",
        ),
    ],
    foreign: &[
        ("allow", "include"),
        ("allowed", "include"),
        ("blocked", "exclude"),
        ("deny", "exclude"),
        ("disabled", "exclude"),
        ("enabled", "include"),
        ("timeout", "timeouts"),
    ],
};

/// Under `output`.
pub(in crate::config) const OUTPUT: Keys = Keys {
    rows: &[
        Key::new(
            "max_chars",
            Shape::Count(MAX_CHARS),
            "The most characters of a result's text that a model gets, and of its structured \
             content; by default what the program that uses the registry sets, 50,000.",
        ),
        Key::new(
            "spill",
            Shape::Switch,
            "Whether a text that is cut is kept in a file as a whole, where the host has a folder \
             for that.",
        )
        .or("true"),
    ],
    foreign: &[("max_length", "max_chars"), ("limit", "max_chars")],
};

/// Under `lifecycle`.
pub(in crate::config) const LIFECYCLE: Keys = Keys {
    rows: &[
        Key::new(
            "idle_timeout_seconds",
            Shape::Seconds(LIFETIME),
            "As directly under the server.",
        )
        .or("\"off\""),
        Key::new(
            "max_lifetime_seconds",
            Shape::Seconds(LIFETIME),
            "As directly under the server.",
        )
        .or("\"off\""),
    ],
    foreign: &[
        ("idle_timeout", "idle_timeout_seconds"),
        ("max_lifetime", "max_lifetime_seconds"),
    ],
};

/// Under `reconnect`.
pub(in crate::config) const RECONNECT: Keys = Keys {
    rows: &[
        Key::new(
            "initial_retries",
            Shape::Count(INITIAL_RETRIES),
            "How often the server is tried again while it was never reached.",
        )
        .or("3"),
        Key::new(
            "retries",
            Shape::Count(RETRIES),
            "How often in a row it is tried again once it was lost, before it is parked.",
        )
        .or("5"),
        Key::new(
            "backoff_first",
            Shape::Seconds(BACKOFF),
            "The wait before the first of these tries; each further wait is twice as long.",
        )
        .or("1"),
        Key::new("backoff_max", Shape::Seconds(BACKOFF), "The longest wait.").or("60"),
        Key::new(
            "park_probe_interval",
            Shape::Seconds(PARK_PROBE_INTERVAL),
            "How often a parked server is tried.",
        )
        .or("300"),
    ],
    foreign: &[
        ("attempts", "retries"),
        ("max_retries", "retries"),
        ("max_backoff", "backoff_max"),
    ],
};

/// Under `breaker`.
pub(in crate::config) const BREAKER: Keys = Keys {
    rows: &[
        Key::new(
            "failures",
            Shape::Count(FAILURES),
            "How many failures in a row open it; an error that a tool reports is none.",
        )
        .or("3"),
        Key::new(
            "cooldown",
            Shape::Seconds(COOLDOWN),
            "How long it stays open before one call may try.",
        )
        .or("60"),
    ],
    foreign: &[("threshold", "failures")],
};
