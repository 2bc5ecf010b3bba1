//! The keys of a file that is read, each with its path and its place.

use std::collections::BTreeMap;

use crate::config::Position;
use crate::config::tree::{Entry, Node, Value};

/// One key of the file that is read.
pub(super) struct Source<'n> {
    /// Its path within the server.
    pub(super) key: String,
    pub(super) position: Position,
    pub(super) node: &'n Node,
}

impl<'n> Source<'n> {
    pub(super) fn new(entry: &'n Entry) -> Self {
        Self {
            key: name(entry).to_owned(),
            position: entry.key.position,
            node: &entry.value,
        }
    }

    /// The keys below this one, of which of two with one name the last counts.
    pub(super) fn below(&self) -> Vec<Self> {
        below(self.node, &self.key)
    }
}

/// The keys of a mapping, of which of two with one name the last counts.
pub(super) fn below<'n>(node: &'n Node, path: &str) -> Vec<Source<'n>> {
    let Value::Mapping(entries) = &node.value else {
        return Vec::new();
    };
    let mut found: Vec<Source<'n>> = Vec::new();
    for entry in last_ones(entries) {
        let mut source = Source::new(entry);
        if !path.is_empty() {
            source.key = format!("{path}.{}", source.key);
        }
        found.push(source);
    }
    found
}

/// The entries of a mapping without those that a later one replaces.
pub(super) fn last_ones(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    let indexed = entries.iter().enumerate();
    let last: BTreeMap<&str, usize> = indexed.map(|(at, entry)| (name(entry), at)).collect();
    let entries = entries.iter().enumerate();
    let is_last = move |at: &usize, entry: &Entry| last.get(name(entry)) == Some(at);
    entries.filter_map(move |(at, entry)| is_last(&at, entry).then_some(entry))
}

/// The name of an entry.
pub(super) fn name(entry: &Entry) -> &str {
    entry.key.text.as_deref().unwrap_or_default()
}
