//! Why a text was not changed.

use std::fmt;

use crate::config::ConfigError;

/// Why a configuration was left as it was.
///
/// Its `Display` is one plain sentence that begins with the file and, where there is one, the line.
#[derive(Debug)]
pub struct EditError {
    pub(super) file: String,
    pub(super) kind: EditErrorKind,
}

impl EditError {
    /// The file, as the caller named it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What is wrong, for programs.
    #[must_use]
    pub fn kind(&self) -> &EditErrorKind {
        &self.kind
    }
}

/// What keeps a change from being made.
#[derive(Debug)]
#[non_exhaustive]
pub enum EditErrorKind {
    /// The key comes from an alias or a merge key, so that it stands somewhere else.
    Elsewhere {
        /// The key.
        key: String,
        /// The line of the alias, from one.
        line: usize,
    },
    /// A server of this name is there already.
    Exists {
        /// The server.
        server: String,
        /// Its line, from one.
        line: usize,
    },
    /// The change cannot be made without another one, as the file is written.
    NotAlone,
    /// The key stands twice, so that it cannot be known which one is meant.
    Twice {
        /// The key.
        key: String,
        /// The line of the first, from one.
        first: usize,
        /// The line of the second, from one.
        second: usize,
    },
    /// No server has this name.
    Unknown {
        /// The name.
        server: String,
    },
    /// The file has faults that keep it from being read as a whole.
    Unreadable(ConfigError),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = &self.file;
        match &self.kind {
            EditErrorKind::Elsewhere { key, line } => write!(
                f,
                "{file}:{line}: `{key}` comes from an alias or a merge key, where it may belong to \
                 others too"
            ),
            EditErrorKind::Exists { server, line } => {
                write!(f, "{file}:{line}: a server is called `{server}` already")
            }
            EditErrorKind::NotAlone => write!(
                f,
                "{file}: the change cannot be made without changing something else, as the file is \
                 written"
            ),
            EditErrorKind::Twice { key, first, second } => write!(
                f,
                "{file}:{second}: `{key}` stands in line {first} already, and either may be meant"
            ),
            EditErrorKind::Unknown { server } => {
                write!(f, "{file}: no server is called `{server}`")
            }
            EditErrorKind::Unreadable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EditError {}
