//! What makes a file of another agent unreadable as a whole.

use std::fmt;

use crate::config::Position;

/// Why nothing can be imported from a file.
///
/// Its `Display` is one plain sentence that begins with the file and, where there is one, line and
/// column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ImportError {
    pub(super) file: String,
    pub(super) position: Option<Position>,
    pub(super) kind: ImportErrorKind,
}

impl ImportError {
    /// The file, as the caller named it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Where reading stopped, if it began.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// What is wrong, for programs.
    #[must_use]
    pub fn kind(&self) -> &ImportErrorKind {
        &self.kind
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "{}:{position}: {}", self.file, self.kind),
            None => write!(f, "{}: {}", self.file, self.kind),
        }
    }
}

impl std::error::Error for ImportError {}

/// What makes a file unreadable.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ImportErrorKind {
    /// No servers where this kind of file has them.
    NoServers {
        /// The keys that were looked for.
        expected: &'static str,
    },
    /// The text is not JSON, comments and trailing commas set aside.
    NotJson {
        /// What the parser says.
        detail: String,
    },
    /// The text is not TOML.
    NotToml {
        /// What the parser says.
        detail: String,
    },
    /// A file beyond the limit.
    TooLong {
        /// The most bytes that are allowed.
        bytes_max: usize,
    },
}

impl fmt::Display for ImportErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoServers { expected } => {
                write!(f, "has no servers; they are expected under {expected}")
            }
            Self::NotJson { detail } => write!(f, "not JSON: {detail}"),
            Self::NotToml { detail } => write!(f, "not TOML: {detail}"),
            Self::TooLong { bytes_max } => write!(f, "the file is longer than {bytes_max} bytes"),
        }
    }
}
