//! Why approved definitions could not be read.

use std::error::Error;
use std::fmt;

use super::{PINS_LEN_MAX, PINS_VERSION};

/// Why approved definitions could not be read.
///
/// Whoever gets one should not go on as if nothing had been approved: then every change that a
/// server made meanwhile would pass for new.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum PinsError {
    /// A definition is not the one that its digest belongs to.
    Altered {
        /// The server.
        server: String,
        /// The tool, by the name the server uses.
        tool: String,
    },
    /// The text is not JSON of the right shape.
    Malformed {
        /// What is wrong with it.
        reason: String,
    },
    /// The text is longer than [`PINS_LEN_MAX`].
    TooLong,
    /// The text is of a version that is not known here.
    UnknownVersion {
        /// The version that it names.
        version: u64,
    },
}

impl fmt::Display for PinsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered { server, tool } => write!(
                f,
                "the approved definition of `{tool}` of server `{server}` is not the one that its \
                 digest belongs to; approve the tool again"
            ),
            Self::Malformed { reason } => {
                write!(f, "the approved definitions cannot be read: {reason}")
            }
            Self::TooLong => write!(
                f,
                "the approved definitions are longer than {PINS_LEN_MAX} bytes"
            ),
            Self::UnknownVersion { version } => write!(
                f,
                "the approved definitions are written in version {version}, and this program knows \
                 version {PINS_VERSION} only; use a newer program, or approve the tools again"
            ),
        }
    }
}

impl Error for PinsError {}
