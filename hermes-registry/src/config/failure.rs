//! What makes a file unreadable as a whole, so that nothing is left to work with.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::problem::Position;

/// Why a configuration cannot be read at all.
///
/// Its `Display` is one plain sentence that begins with the file and, where there is one, line and
/// column.
#[derive(Debug)]
pub struct ConfigError {
    pub(super) file: Arc<str>,
    pub(super) position: Option<Position>,
    pub(super) kind: ConfigErrorKind,
}

impl ConfigError {
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
    pub fn kind(&self) -> &ConfigErrorKind {
        &self.kind
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "{}:{position}: {}", self.file, self.kind),
            None => write!(f, "{}: {}", self.file, self.kind),
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ConfigErrorKind::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

/// What makes a configuration unreadable.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// An alias to a value that it is itself a part of.
    AliasOfItself,
    /// A second document in the file.
    ManyDocuments,
    /// Something other than a mapping, at this key or (without a key) at the top.
    NotMapping {
        /// The key whose value it is.
        key: Option<&'static str>,
        /// What stands there.
        found: &'static str,
    },
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// Text that is not YAML.
    NotYaml {
        /// What the parser expected.
        detail: String,
        /// Whether a `${…}` without quotes in that line is the probable reason.
        reference: bool,
    },
    /// Lists and mappings inside each other beyond the limit.
    TooDeep {
        /// The deepest nesting that is allowed.
        depth_max: usize,
    },
    /// A file beyond the limit.
    TooLong {
        /// The most bytes that are allowed.
        bytes_max: u64,
    },
    /// More values than the limit, counted with every alias written out.
    TooMany,
    /// The file cannot be opened or read.
    Unreadable(io::Error),
}

impl fmt::Display for ConfigErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AliasOfItself => f.write_str("an alias refers to a value that it is part of"),
            Self::ManyDocuments => f.write_str("a second YAML document begins here; one is read"),
            Self::NotMapping {
                key: Some(key),
                found,
            } => {
                write!(
                    f,
                    "{key}: must be a mapping of names to servers, but is {found}"
                )
            }
            Self::NotMapping { key: None, found } => {
                write!(
                    f,
                    "the file must be a mapping with the key `mcp_servers`, but is {found}"
                )
            }
            Self::NotUtf8 => f.write_str("the file is not UTF-8 text"),
            Self::NotYaml { detail, reference } => {
                write!(f, "not YAML: {detail}")?;
                if *reference {
                    f.write_str("; write a value with `${…}` in quotes inside `[ ]` or `{ }`")?;
                }
                Ok(())
            }
            Self::TooDeep { depth_max } => {
                write!(
                    f,
                    "lists and mappings are nested more than {depth_max} deep"
                )
            }
            Self::TooLong { bytes_max } => write!(f, "the file is longer than {bytes_max} bytes"),
            Self::TooMany => f.write_str("too many values, with aliases written out"),
            Self::Unreadable(error) if error.kind() == io::ErrorKind::NotFound => {
                f.write_str("the file does not exist")
            }
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
        }
    }
}
