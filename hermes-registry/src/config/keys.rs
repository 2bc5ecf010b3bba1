//! The keys of a server, known to all who read the file.
//!
//! Every key that a configuration may have is here, with whether it does something yet, so that a
//! slip of the hand is told from a feature that is still to come.

use super::kind::ProblemKind;
use crate::nearest::nearest;

/// What becomes of a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Standing {
    /// It is read and does what it says.
    Active,
    /// It is known, but what it controls is not there yet.
    Later,
    /// It means nothing here.
    Unknown,
}

/// The keys at one place of the file.
pub(super) struct Keys {
    /// Keys that do what they say, in the order in which an error lists them.
    active: &'static [&'static str],
    /// Keys whose feature is still to come.
    later: &'static [&'static str],
    /// Keys of other programs, with what they are called here.
    foreign: &'static [(&'static str, &'static str)],
}

/// Directly under a server's name.
pub(super) const SERVER: Keys = Keys {
    active: &[
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "headers",
        "transport",
        "type",
        "ssl_verify",
        "client_cert",
        "client_key",
        "proxy",
        "timeout",
        "connect_timeout",
        "enabled",
        "protocol",
        "tools",
    ],
    later: &[
        "auth",
        "breaker",
        "description",
        "elicitation",
        "env_passthrough",
        "identity_header",
        "idle_timeout_seconds",
        "keepalive_interval",
        "lazy",
        "lifecycle",
        "log_level",
        "max_lifetime_seconds",
        "naming",
        "oauth",
        "reconnect",
        "roots",
        "sampling",
        "scope",
        "skip_preflight",
        "strict_redirect_headers",
        "supports_parallel_tool_calls",
        "trust",
        "validate_arguments",
    ],
    foreign: &[
        ("arguments", "args"),
        ("cmd", "command"),
        ("connection_timeout", "connect_timeout"),
        ("connectTimeout", "connect_timeout"),
        ("disabled", "enabled"),
        ("environment", "env"),
        ("ca_bundle", "ssl_verify"),
        ("httpUrl", "url"),
        ("http_headers", "headers"),
        ("serverUrl", "url"),
        ("startup_timeout_sec", "connect_timeout"),
        ("tool_timeout_sec", "timeout"),
        ("workdir", "cwd"),
        ("working_directory", "cwd"),
    ],
};

/// Under `tools`.
pub(super) const TOOLS: Keys = Keys {
    active: &["include", "exclude"],
    later: &["resources", "prompts", "scope", "timeouts"],
    foreign: &[
        ("allow", "include"),
        ("allowed", "include"),
        ("blocked", "exclude"),
        ("deny", "exclude"),
        ("disabled", "exclude"),
        ("enabled", "include"),
    ],
};

/// Under `sampling`.
pub(super) const SAMPLING: Keys = Keys {
    active: &[],
    later: &[
        "enabled",
        "model",
        "max_tokens_cap",
        "timeout",
        "max_rpm",
        "max_tool_rounds",
        "allowed_models",
        "log_level",
    ],
    foreign: &[],
};

/// Under `elicitation`.
pub(super) const ELICITATION: Keys = Keys {
    active: &[],
    later: &["enabled", "timeout"],
    foreign: &[],
};

impl Keys {
    pub(super) fn standing(&self, key: &str) -> Standing {
        if self.active.contains(&key) {
            Standing::Active
        } else if self.later.contains(&key) {
            Standing::Later
        } else {
            Standing::Unknown
        }
    }

    /// The problem with a key that is unknown.
    pub(super) fn unknown(&self, key: &str) -> ProblemKind {
        let foreign = self.foreign.iter().find(|(name, _)| *name == key);
        let known = self.active.iter().chain(self.later).copied();
        let near = foreign
            .map(|(_, here)| *here)
            .or_else(|| nearest(key, known));
        let listed = if self.active.is_empty() {
            self.later
        } else {
            self.active
        };
        ProblemKind::UnknownKey {
            nearest: near,
            known: listed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_in_two_places() {
        for keys in [SERVER, TOOLS, SAMPLING, ELICITATION] {
            let mut all: Vec<&str> = keys.active.iter().chain(keys.later).copied().collect();
            all.extend(keys.foreign.iter().map(|(name, _)| *name));
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
            for (_, here) in keys.foreign {
                assert_eq!(keys.standing(here), Standing::Active, "{here}");
            }
        }
    }
}
