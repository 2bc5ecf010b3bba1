//! What became of each key, for whoever imports to read.
//!
//! No text of a report holds a value.

use std::fmt;

/// A key that was carried over.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Carried {
    /// The server.
    pub server: String,
    /// The key in the file, its path within the server.
    pub key: String,
    /// The line in the file, from one.
    pub line: usize,
    /// The key that it is here.
    pub to: &'static str,
    /// What the user should know of it.
    pub note: Option<String>,
}

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`", self.server, self.key)?;
        if self.key != self.to {
            write!(f, " is `{}` here", self.to)?;
        }
        match &self.note {
            Some(note) => write!(f, ": {note}"),
            None => Ok(()),
        }
    }
}

/// What could not be carried over.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct NotCarried {
    /// The server, if it belongs to one.
    pub server: Option<String>,
    /// The key in the file, its path within the server or the file; `None` for a whole server.
    pub key: Option<String>,
    /// The line in the file, from one.
    pub line: usize,
    /// Why, and where it helps, what to do.
    pub reason: String,
}

impl fmt::Display for NotCarried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(server) = &self.server {
            write!(f, "{server}: ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "`{key}`: ")?;
        }
        f.write_str(&self.reason)
    }
}

/// A name that stands more than once.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// The server.
    pub server: String,
    /// The line in the file that is imported, from one.
    pub line: usize,
    /// What it meets.
    pub kind: ConflictKind,
}

/// What a name meets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ConflictKind {
    /// A server of this name in our configuration that is configured otherwise.
    Differs {
        /// The line in our configuration.
        line: usize,
    },
    /// A server of this name in our configuration that is the same.
    Same {
        /// The line in our configuration.
        line: usize,
    },
    /// The same name earlier in the file, which the later one replaces, as the other agent does.
    Twice {
        /// The line of the earlier one.
        first: usize,
    },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = &self.server;
        match self.kind {
            ConflictKind::Differs { line } => write!(
                f,
                "{server}: a server of this name is configured in line {line}, and otherwise"
            ),
            ConflictKind::Same { line } => {
                write!(f, "{server}: is configured in line {line} already, just so")
            }
            ConflictKind::Twice { first } => write!(
                f,
                "{server}: stands in line {first} already; what stands last counts"
            ),
        }
    }
}

/// Everything that is said of an import.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) carried: Vec<Carried>,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) not_carried: Vec<NotCarried>,
}
