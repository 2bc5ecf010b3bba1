//! Why a tool of the host could not be called or did not finish.

use std::fmt;
use std::time::Duration;

/// Why a tool of the host could not be called or did not finish.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum HostFailure {
    /// No answer came in time; the tool was stopped wherever it was.
    Deadline {
        /// The limit.
        after: Duration,
    },
    /// The arguments are not what the tool takes.
    InvalidArguments {
        /// What is wrong with them.
        why: String,
    },
    /// It panicked, which is a fault of the host.
    Panicked,
    /// Its check says that it cannot be used at the moment.
    Unavailable,
}

impl HostFailure {
    /// A word for programs; it never changes.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Deadline { .. } => "deadline",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::Panicked => "tool_panicked",
            Self::Unavailable => "tool_unavailable",
        }
    }

    /// What to do next.
    #[must_use]
    pub fn suggestion(&self) -> &'static str {
        match self {
            Self::Deadline { .. } | Self::Panicked => {
                "the tool may have run; check its effect before calling it again"
            }
            Self::InvalidArguments { .. } => "correct the arguments and call again",
            Self::Unavailable => "use another tool, or try again later",
        }
    }
}

impl fmt::Display for HostFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline { after } => {
                write!(f, "it did not answer within {} s", after.as_secs_f64())
            }
            Self::InvalidArguments { why } => write!(f, "the arguments do not fit: {why}"),
            Self::Panicked => f.write_str("it panicked"),
            Self::Unavailable => f.write_str("it cannot be used at the moment"),
        }
    }
}
