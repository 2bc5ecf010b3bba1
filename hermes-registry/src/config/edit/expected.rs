//! What a file should mean after a change: the same change, made to the tree.

use std::sync::Arc;

use super::Operation;
use super::put::{SETTING_DEPTH, has};
use crate::config::entry::scalar;
use crate::config::tree::{Entry, Key, Node, Scalar, Value};
use crate::config::{Position, yaml};

/// Positions mean nothing in a tree that nobody wrote.
const NOWHERE: Position = Position::new(1, 1);

/// The tree after this operation.
pub(super) fn after(before: Option<&Node>, operation: &Operation<'_>) -> Node {
    let mut root = before.cloned().unwrap_or_else(nothing);
    match operation {
        Operation::List(path, items) => {
            let known = at(&root, path).and_then(|node| match &node.value {
                Value::List(items) => Some(items.clone()),
                _ => None,
            });
            let mut list = known.unwrap_or_default();
            list.retain(|known| text(known).is_some_and(|text| has(items, text)));
            let is_new = |item: &&String| !list.iter().any(|known| text(known) == Some(item));
            let new = items.iter().filter(is_new);
            let new: Vec<Node> = new.map(|item| written(&scalar(item))).collect();
            list.extend(new);
            set(&mut root, path, node(Value::List(list)));
        }
        Operation::Put(path, value) => set(&mut root, path, written(&value.in_line())),
        Operation::Take(path) => take(&mut root, path),
    }
    root
}

/// Whether two values say the same in the same way.
///
/// The order of keys says nothing, and a mapping without entries says what null does.
pub(super) fn is_same(one: &Node, other: &Node) -> bool {
    if one.tag != other.tag {
        return false;
    }
    match (&one.value, &other.value) {
        _ if is_nothing(one) || is_nothing(other) => is_nothing(one) && is_nothing(other),
        (Value::Scalar(one), Value::Scalar(other)) => {
            one.text == other.text && one.quoted == other.quoted
        }
        (Value::List(one), Value::List(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| is_same(one, other))
        }
        (Value::Mapping(one), Value::Mapping(other)) => {
            let (one, other) = (sorted(one), sorted(other));
            let mut pairs = one.iter().zip(&other);
            one.len() == other.len()
                && pairs.all(|(one, other)| {
                    one.key.text == other.key.text && is_same(&one.value, &other.value)
                })
        }
        _ => false,
    }
}

/// The entries by their keys; of one key, those of the text before those that a merge brings.
fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by_key(|entry| entry.key.text.clone());
    sorted
}

pub(super) fn is_nothing(node: &Node) -> bool {
    let is_empty = matches!(&node.value, Value::Mapping(entries) if entries.is_empty());
    node.is_null() || is_empty
}

/// The value at this path.
pub(super) fn at<'n>(root: &'n Node, path: &[&str]) -> Option<&'n Node> {
    match path.split_last() {
        Some((key, above)) => entry(root, above, key).map(|entry| &entry.value),
        None => Some(root),
    }
}

/// The entry of this key in the mapping at this path.
pub(super) fn entry<'n>(root: &'n Node, path: &[&str], key: &str) -> Option<&'n Entry> {
    let Value::Mapping(entries) = &at(root, path)?.value else {
        return None;
    };
    let mut entries = entries.iter();
    entries.find(|entry| entry.key.text.as_deref() == Some(key))
}

/// The text of an item of a list.
fn text(item: &Node) -> Option<&str> {
    match &item.value {
        Value::Scalar(scalar) => Some(&scalar.text),
        _ => None,
    }
}

fn set(node: &mut Node, path: &[&str], value: Node) {
    let Some((key, below)) = path.split_first() else {
        *node = value;
        return;
    };
    if !matches!(node.value, Value::Mapping(_)) {
        node.value = Value::Mapping(Vec::new());
    }
    let Value::Mapping(entries) = &mut node.value else {
        return;
    };
    let known = entries
        .iter_mut()
        .find(|entry| entry.key.text.as_deref() == Some(*key));
    match known {
        Some(entry) => set(&mut entry.value, below, value),
        None => {
            let mut new = nothing();
            set(&mut new, below, value);
            let key = Key {
                text: Some(Arc::from(*key)),
                position: NOWHERE,
                quoted: false,
            };
            entries.push(Entry { key, value: new });
        }
    }
}

fn take(root: &mut Node, path: &[&str]) {
    let Some((key, above)) = path.split_last() else {
        return;
    };
    let Some(Value::Mapping(entries)) = at_mut(root, above).map(|node| &mut node.value) else {
        return;
    };
    let count = entries.len();
    entries.retain(|entry| entry.key.text.as_deref() != Some(*key));
    if count > 0 && entries.is_empty() && path.len() > SETTING_DEPTH {
        take(root, above);
    }
}

fn at_mut<'n>(root: &'n mut Node, path: &[&str]) -> Option<&'n mut Node> {
    let Some((key, below)) = path.split_first() else {
        return Some(root);
    };
    let Value::Mapping(entries) = &mut root.value else {
        return None;
    };
    let mut entries = entries.iter_mut();
    let entry = entries.find(|entry| entry.key.text.as_deref() == Some(*key))?;
    at_mut(&mut entry.value, below)
}

/// The value that is written so.
fn written(value: &str) -> Node {
    let root = yaml::parse(value).ok().flatten();
    root.unwrap_or_else(nothing)
}

fn nothing() -> Node {
    node(Value::Scalar(Scalar {
        text: Arc::from(""),
        quoted: false,
    }))
}

fn node(value: Value) -> Node {
    Node {
        position: NOWHERE,
        tag: None,
        value,
    }
}
