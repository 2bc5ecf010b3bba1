//! From TOML to the tree that configurations are read from.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ImportErrorKind;
use super::lines::Lines;
use crate::config::Position;
use crate::config::tree::{Entry, Key, Node, Scalar, Value};

/// The tree of this text, or what is wrong with it and where.
pub(super) fn parse(text: &str) -> Result<Node, (ImportErrorKind, Position)> {
    let lines = Lines::new(text);
    let table = DeTable::parse(text).map_err(|error| {
        let detail = error.message().to_owned();
        let start = error.span().map_or(0, |span| span.start);
        (ImportErrorKind::NotToml { detail }, lines.place(start))
    })?;
    Ok(Node {
        position: Position::new(1, 1),
        tag: None,
        value: mapping(&lines, table.get_ref()),
    })
}

// Bound: the parser refuses what is nested more than 80 deep.
fn node(lines: &Lines<'_>, spanned: &Spanned<DeValue<'_>>) -> Node {
    let value = match spanned.get_ref() {
        DeValue::String(text) => scalar(text, true),
        DeValue::Integer(number) => scalar(&number.to_string(), false),
        DeValue::Float(number) => scalar(number.as_str(), false),
        DeValue::Boolean(word) => scalar(if *word { "true" } else { "false" }, false),
        DeValue::Datetime(date) => scalar(&date.to_string(), true),
        DeValue::Array(items) => Value::List(items.iter().map(|item| node(lines, item)).collect()),
        DeValue::Table(table) => mapping(lines, table),
    };
    Node {
        position: lines.place(spanned.span().start),
        tag: None,
        value,
    }
}

fn mapping(lines: &Lines<'_>, table: &DeTable<'_>) -> Value {
    // The parser sorts by name; people expect the order of the file.
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entries = entries.into_iter().map(|(key, value)| Entry {
        key: Key {
            text: Some(Arc::from(key.get_ref().as_ref())),
            position: lines.place(key.span().start),
            quoted: true,
        },
        value: node(lines, value),
    });
    Value::Mapping(entries.collect())
}

fn scalar(text: &str, quoted: bool) -> Value {
    Value::Scalar(Scalar {
        text: Arc::from(text),
        quoted,
    })
}
