//! What a server changed since its tools were approved, and what follows from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mcp_types::Tool;

use super::Pin;
use super::definition::{Definition, Field};
use super::diff::diff;
use crate::config::Trust;

/// What is not as it was approved.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Drift {
    /// Tools that were never approved, sorted.
    pub added: Vec<String>,
    /// Tools that were approved and are not offered any more, sorted.
    pub removed: Vec<String>,
    /// Tools that are offered with another definition, sorted by their names.
    pub changed: Vec<Change>,
    /// Whether nothing of this server was ever approved, so that everything is new.
    pub is_first: bool,
}

/// A tool whose definition is not the approved one.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The tool, by the name the server uses.
    pub tool: String,
    /// The parts that are different; none if only the digest of the approved one is known.
    pub fields: Vec<Field>,
    /// How they are different, in lines that begin with `-`, `+` or a space under the name of each
    /// part, at most [`super::DIFF_LEN_MAX`] characters.
    /// What people cannot see is written as an escape.
    /// It is a server's text: redact it before showing it.
    pub diff: String,
}

/// Whether a tool may be used.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// It may.
    Allowed,
    /// It has to be approved first.
    Blocked {
        /// Why.
        why: Unapproved,
    },
}

/// Why a tool is not approved.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Unapproved {
    /// It was never approved.
    Added,
    /// It is not what was approved.
    Changed {
        /// The parts that are different.
        fields: Vec<Field>,
    },
}

impl Drift {
    pub(super) fn new<'t>(
        pins: Option<&BTreeMap<String, Pin>>,
        tools: impl IntoIterator<Item = &'t Tool>,
    ) -> Self {
        let mut drift = Self {
            is_first: pins.is_none(),
            ..Self::default()
        };
        let mut offered = BTreeSet::new();
        for tool in tools {
            offered.insert(tool.name.as_str());
            match pins.and_then(|pins| pins.get(&tool.name)) {
                None => drift.added.push(tool.name.clone()),
                Some(pin) => drift.changed.extend(change(pin, tool)),
            }
        }
        let known = pins.into_iter().flatten().map(|(name, _)| name);
        let removed = known.filter(|name| !offered.contains(name.as_str()));
        drift.removed.extend(removed.cloned());
        drift.added.sort();
        drift
            .changed
            .sort_by(|one, other| one.tool.cmp(&other.tool));
        drift
    }

    /// Whether everything is as it was approved.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

fn change(pin: &Pin, tool: &Tool) -> Option<Change> {
    let now = Definition::of(tool);
    if now.digest() == pin.digest {
        return None;
    }
    let (fields, diff) = match &pin.text {
        Some(before) => diff(&Definition::parts(before), &Definition::parts(&now.text)),
        None => (Vec::new(), String::new()),
    };
    Some(Change {
        tool: tool.name.clone(),
        fields,
        diff,
    })
}

/// Whether a tool of a server may be used, by how far the server is trusted.
///
/// Of a server that is trusted, changes are told and nothing is blocked; of another one, a tool is
/// blocked as long as it is not what was approved.
#[must_use]
pub fn verdict(trust: Trust, drift: &Drift, tool: &str) -> Verdict {
    if trust == Trust::Full {
        return Verdict::Allowed;
    }
    if drift
        .added
        .binary_search_by(|added| added.as_str().cmp(tool))
        .is_ok()
    {
        return Verdict::Blocked {
            why: Unapproved::Added,
        };
    }
    let changed = drift
        .changed
        .binary_search_by(|change| change.tool.as_str().cmp(tool));
    match changed.ok().and_then(|place| drift.changed.get(place)) {
        None => Verdict::Allowed,
        Some(change) => Verdict::Blocked {
            why: Unapproved::Changed {
                fields: change.fields.clone(),
            },
        },
    }
}

impl fmt::Display for Unapproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added => f.write_str("it was never approved"),
            Self::Changed { fields } if fields.is_empty() => {
                f.write_str("it is not what was approved")
            }
            Self::Changed { fields } => {
                let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
                write!(f, "its {} changed since it was approved", names.join(", "))
            }
        }
    }
}
