//! Who may have a name that somebody has already.

use std::fmt;

use crate::filter::Pattern;
use crate::name::{PublicName, ServerName};

/// Which toolsets of the host may take names from which others.
///
/// The default is that none may: a toolset replaces its own tools only.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    /// Who, and whose.
    overrides: Vec<(Pattern, Pattern)>,
}

impl Admission {
    /// The same rules, and toolsets that match `by` may take over tools of toolsets that match
    /// `of`, and remove them. Servers have toolsets too, by the names `mcp-` and theirs.
    #[must_use]
    pub fn allow_override(mut self, by: impl Into<Pattern>, of: impl Into<Pattern>) -> Self {
        self.overrides.push((by.into(), of.into()));
        self
    }

    pub(super) fn lets(&self, by: &str, of: &str) -> bool {
        let mut overrides = self.overrides.iter();
        by == of || overrides.any(|(who, whose)| who.matches(by) && whose.matches(of))
    }
}

/// Why a tool of the host was not taken on or not removed. Nothing has changed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum AdmissionError {
    /// The rules do not let this toolset have it.
    NotAllowed {
        /// The tool.
        name: PublicName,
        /// Whose it is.
        owner: String,
        /// Who wanted to have it, or to remove it.
        toolset: ServerName,
    },
    /// Somebody has the name already; only an override takes it from them.
    Taken {
        /// The tool.
        name: PublicName,
        /// Whose it is.
        owner: String,
    },
}

impl fmt::Display for AdmissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAllowed {
                name,
                owner,
                toolset,
            } => write!(
                f,
                "toolset `{toolset}` may not touch `{name}` of toolset `{owner}`: allow it with \
                 `Admission::allow_override`"
            ),
            Self::Taken { name, owner } => write!(
                f,
                "toolset `{owner}` has a tool `{name}` already: choose another name, or override it"
            ),
        }
    }
}

impl std::error::Error for AdmissionError {}
