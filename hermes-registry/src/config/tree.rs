//! The file as a tree in which every key and value knows its place.
//!
//! Scalars keep the text they were written with: whether `30` is a number, a duration or a text is
//! for the key to say, and `1.0` stays `1.0`.
//! Duplicate keys are kept too; whoever reads the mapping reports them.

use std::sync::Arc;

use super::problem::Position;

/// The longest excerpt of a value that an error quotes, in characters.
const EXCERPT_LEN_MAX: usize = 40;

/// One value.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) position: Position,
    /// A tag that is not of YAML's core schema, which means nothing in a configuration.
    pub(super) tag: Option<Arc<str>>,
    pub(super) value: Value,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    Mapping(Vec<Entry>),
}

/// A scalar as it was written.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub(super) text: Arc<str>,
    /// Whether it stood in quotes, in a block, or under the tag `!!str`: a text and nothing else.
    pub(super) quoted: bool,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) value: Node,
}

/// A key, whose text is missing when a list or mapping stands in its place.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) text: Option<Arc<str>>,
    pub(super) position: Position,
    pub(super) quoted: bool,
}

impl Scalar {
    /// Whether this is YAML's null.
    pub(super) fn is_null(&self) -> bool {
        !self.quoted && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }
}

impl Node {
    /// The scalar, unless this is a list, a mapping or null.
    pub(super) fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) if !scalar.is_null() => Some(scalar),
            _ => None,
        }
    }

    /// Whether this is YAML's null.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// What this is, for errors that must not quote it.
    pub(super) fn sort(&self) -> &'static str {
        match &self.value {
            Value::Scalar(scalar) if scalar.is_null() => "empty",
            Value::Scalar(_) => "a text",
            Value::List(_) => "a list",
            Value::Mapping(_) => "a mapping",
        }
    }

    /// What this is, with an excerpt of its text as it stands in the file.
    pub(super) fn quote(&self) -> String {
        match self.as_scalar() {
            Some(scalar) => format!("`{}`", excerpt(&scalar.text)),
            None => self.sort().to_owned(),
        }
    }
}

/// The beginning of a text, on one line and without control characters.
pub(super) fn excerpt(text: &str) -> String {
    let mut chars = text.chars();
    let mut excerpt: String = chars
        .by_ref()
        .take(EXCERPT_LEN_MAX)
        .flat_map(|char| {
            let escaped = char.is_control().then(|| char.escape_default());
            let plain = escaped.is_none().then_some(char);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect();
    if chars.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}
