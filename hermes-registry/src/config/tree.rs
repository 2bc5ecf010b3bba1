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
pub(crate) struct Node {
    pub(crate) position: Position,
    /// A tag that is not of YAML's core schema, which means nothing in a configuration.
    pub(crate) tag: Option<Arc<str>>,
    pub(crate) value: Value,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    Mapping(Vec<Entry>),
}

/// A scalar as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    pub(crate) text: Arc<str>,
    /// Whether it stood in quotes, in a block, or under the tag `!!str`: a text and nothing else.
    pub(crate) quoted: bool,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) value: Node,
}

/// A key, whose text is missing when a list or mapping stands in its place.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) text: Option<Arc<str>>,
    pub(crate) position: Position,
    pub(crate) quoted: bool,
}

impl Scalar {
    /// Whether this is YAML's null.
    pub(crate) fn is_null(&self) -> bool {
        !self.quoted && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }
}

impl Node {
    /// The scalar, unless this is a list, a mapping or null.
    pub(crate) fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) if !scalar.is_null() => Some(scalar),
            _ => None,
        }
    }

    /// Whether this is YAML's null.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// What this is, for errors that must not quote it.
    pub(crate) fn sort(&self) -> &'static str {
        match &self.value {
            Value::Scalar(scalar) if scalar.is_null() => "empty",
            Value::Scalar(_) => "a text",
            Value::List(_) => "a list",
            Value::Mapping(_) => "a mapping",
        }
    }

    /// What this is, with an excerpt of its text as it stands in the file.
    pub(crate) fn quote(&self) -> String {
        match self.as_scalar() {
            Some(scalar) => format!("`{}`", excerpt(&scalar.text)),
            None => self.sort().to_owned(),
        }
    }
}

/// The beginning of a text, on one line and without control characters.
pub(crate) fn excerpt(text: &str) -> String {
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
