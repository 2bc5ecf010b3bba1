//! What is configured already, and how it meets what is imported.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::format::find;
use super::report::{Conflict, ConflictKind};
use super::source::name;
use crate::config::tree::{Node, Value};
use crate::config::{ConfigError, SERVERS, ServerEntry, parse_tree};

/// The servers of our own configuration, as they are written and not as they are used.
#[derive(Debug, Default)]
pub struct Existing {
    servers: BTreeMap<String, Node>,
}

impl Existing {
    /// No servers, as where there is no configuration yet.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The servers of this text, a configuration; `file_name` is how an error names it.
    ///
    /// # Errors
    ///
    /// If the text is too long or not one YAML document.
    pub fn parse(text: &str, file_name: &str) -> Result<Self, ConfigError> {
        let root = parse_tree(text, &Arc::from(file_name))?;
        let servers = root.as_ref().and_then(|root| find(root, &[SERVERS]));
        let mut known = BTreeMap::new();
        if let Some(Value::Mapping(entries)) = servers.map(|servers| &servers.value) {
            for entry in entries {
                known.insert(name(entry).to_owned(), entry.value.clone());
            }
        }
        Ok(Self { servers: known })
    }

    /// Whether any text under this key of a server holds `${`, so that it is used otherwise than it
    /// is written.
    #[must_use]
    pub fn has_marks(&self, server: &str, key: &str) -> bool {
        let server = self.servers.get(server);
        server
            .and_then(|server| find(server, &[key]))
            .is_some_and(has_mark)
    }

    /// How a server that stands in `line` of another file meets what is configured.
    pub(super) fn meet(&self, server: &ServerEntry, line: usize) -> Option<Conflict> {
        let known = self.servers.get(server.name())?;
        let at = known.position.line;
        let written = format!("{SERVERS}:\n{}", server.to_yaml());
        let written = parse_tree(&written, &Arc::from("")).ok().flatten();
        let new = written
            .as_ref()
            .and_then(|root| find(root, &[SERVERS, server.name()]));
        let kind = if new.is_some_and(|new| is_same(new, known)) {
            ConflictKind::Same { line: at }
        } else {
            ConflictKind::Differs { line: at }
        };
        Some(Conflict {
            server: server.name.clone(),
            line,
            kind,
        })
    }
}

fn has_mark(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.contains("${"),
        Value::List(items) => items.iter().any(has_mark),
        Value::Mapping(entries) => entries.iter().any(|entry| has_mark(&entry.value)),
    }
}

/// Whether two values say the same; the order of keys and quotes do not matter.
fn is_same(one: &Node, other: &Node) -> bool {
    match (&one.value, &other.value) {
        (Value::Scalar(one), Value::Scalar(other)) => {
            one.text == other.text && one.is_null() == other.is_null()
        }
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Mapping(one), Value::Mapping(other)) => {
            one.len() == other.len()
                && one.iter().all(|entry| {
                    let same_key = other.iter().find(|known| known.key.text == entry.key.text);
                    same_key.is_some_and(|known| is_same(&entry.value, &known.value))
                })
        }
        _ => false,
    }
}
