//! One thing that is wrong with one key of a configuration, and where; `kind` says what.
//!
//! A [`Problem`] costs at most the server it belongs to.
//! It never quotes a value of `env` or `headers`, nor the value of a variable.

use std::fmt;
use std::sync::Arc;

use super::kind::ProblemKind;

/// A place in the text of a file; both numbers count from one, columns in characters.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Position {
    /// The line, from one.
    pub line: usize,
    /// The character within the line, from one.
    pub column: usize,
}

impl Position {
    /// The place in this line and column, both counted from one.
    #[must_use]
    pub const fn new(line: usize, column: usize) -> Self {
        Self { line, column }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What a [`Problem`] costs.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Severity {
    /// Nothing: the configuration is used, though perhaps not as its author thinks.
    Warning,
    /// The server that the problem belongs to; the others are used.
    Error,
}

/// One thing that is wrong with one key of a configuration.
///
/// Its `Display` is one plain sentence that begins with file, line and column:
/// ``config.yaml:12:5: mcp_servers.github.timeuot: unknown key; did you mean `timeout`?``
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    pub(super) severity: Severity,
    pub(super) file: Arc<str>,
    pub(super) position: Position,
    pub(super) path: String,
    pub(super) server: Option<Arc<str>>,
    pub(super) kind: ProblemKind,
}

impl Problem {
    /// Whether it costs its server or nothing.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Whether it costs its server.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The file, as the caller named it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Where the key or value stands.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The path of the key, such as `mcp_servers.github.args[1]`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The name of the server as it stands in the file, if the problem belongs to one.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// What is wrong, for programs.
    #[must_use]
    pub fn kind(&self) -> &ProblemKind {
        &self.kind
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {}: {}",
            self.file, self.position, self.path, self.kind
        )
    }
}

impl std::error::Error for Problem {}
