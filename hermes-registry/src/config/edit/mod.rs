//! Changes of a configuration, text in and text out.
//!
//! ```text
//! text + change ── operations ── put (layout, child, text) ──> text ── read again, compared ──> text
//! ```
//!
//! What users may rely on:
//!
//! - Everything but the change stays as it is, byte for byte: comments, order, quotes, line breaks.
//! - An entry that goes takes the comments along that stand within its lines, or right below and
//!   further to the right than its name; a comment above it stays.
//! - Servers may stand in lines or in braces, and what is added is written in the same way.
//! - A change that would alter anything else, as where an alias refers to what is changed, is
//!   refused: the result is read again and must say exactly what the file said, with the change.
//!
//! Reading and writing files is left to the caller.

mod child;
mod error;
mod expected;
mod layout;
mod put;
mod text;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use error::{EditError, EditErrorKind};

use super::entry::{ServerEntry, Written};
use super::tree::{Node, Value};
use super::values::switch;
use super::{Config, ConfigError, SERVERS, parse_tree};

/// A change of a configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Change {
    /// Adds a server, below all others; its name must be new.
    Add(ServerEntry),
    /// Uses a server, or does not: its key `enabled`.
    Enable {
        /// The server.
        server: String,
        /// Whether it is used.
        enabled: bool,
    },
    /// Says which tools of a server are offered: `tools.include` and `tools.exclude`.
    ///
    /// Other keys of `tools`, and patterns that stay, are not touched.
    Offer {
        /// The server.
        server: String,
        /// The patterns of `tools.include`; `None` takes the key out.
        include: Option<Vec<String>>,
        /// The patterns of `tools.exclude`; without any, the key is taken out.
        exclude: Vec<String>,
    },
    /// Adds a server, or puts it in the place of the one that has its name.
    Put(ServerEntry),
    /// Takes a server out.
    Remove {
        /// The server.
        server: String,
    },
}

/// A step of a change.
#[derive(Debug)]
enum Operation<'a> {
    List(Vec<&'a str>, &'a [String]),
    Put(Vec<&'a str>, Written),
    Take(Vec<&'a str>),
}

/// The text of a configuration after these changes, in this order; `file_name` is how errors name
/// it.
///
/// The text may be empty, as where there is no file yet.
///
/// # Errors
///
/// [`EditError`] if the text cannot be read as a whole, or if one of the changes cannot be made;
/// then none is.
pub fn edit(text: &str, file_name: &str, changes: &[Change]) -> Result<String, EditError> {
    let fail = |kind| EditError {
        file: file_name.to_owned(),
        kind,
    };
    // Whatever keeps the file from being read as a whole keeps it from being changed.
    Config::parse(text, file_name, &|_| None)
        .map_err(|error| fail(EditErrorKind::Unreadable(error)))?;
    let mark = if text.starts_with('\u{feff}') {
        "\u{feff}"
    } else {
        ""
    };
    let mut text = text.strip_prefix(mark).unwrap_or(text).to_owned();
    for change in changes {
        text = changed(&text, file_name, change).map_err(fail)?;
    }
    Ok(format!("{mark}{text}"))
}

fn changed(text: &str, file_name: &str, change: &Change) -> Result<String, EditErrorKind> {
    let read =
        |text: &str| parse_tree(text, &Arc::from(file_name)).map_err(EditErrorKind::Unreadable);
    let mut tree = read(text)?;
    let mut text = text.to_owned();
    for operation in operations(tree.as_ref(), change)? {
        let wanted = expected::after(tree.as_ref(), &operation);
        let new = match &operation {
            Operation::List(path, items) => put::list(&text, path, items)?,
            Operation::Put(path, value) => put::put(&text, path, value)?,
            Operation::Take(path) => put::take(&text, path)?,
        };
        // Invariant: what is handed out says what the file said, with this change and no other.
        tree = match read(&new) {
            Ok(Some(found)) if expected::is_same(&found, &wanted) => Some(found),
            Ok(None) if expected::is_nothing(&wanted) => None,
            Err(EditErrorKind::Unreadable(error)) if is_too_long(&error) => {
                return Err(EditErrorKind::Unreadable(error));
            }
            _ => return Err(EditErrorKind::NotAlone),
        };
        text = new;
    }
    Ok(text)
}

fn is_too_long(error: &ConfigError) -> bool {
    matches!(error.kind(), super::ConfigErrorKind::TooLong { .. })
}

/// The steps of a change.
fn operations<'c>(
    tree: Option<&Node>,
    change: &'c Change,
) -> Result<Vec<Operation<'c>>, EditErrorKind> {
    let found = |server: &str| tree.and_then(|root| expected::entry(root, &[SERVERS], server));
    let known = |server: &str| {
        let unknown = || EditErrorKind::Unknown {
            server: server.to_owned(),
        };
        found(server).map(|entry| &entry.value).ok_or_else(unknown)
    };
    match change {
        Change::Add(entry) | Change::Put(entry) => {
            let name = entry.name();
            match (found(name), change) {
                (Some(server), Change::Add(_)) => Err(EditErrorKind::Exists {
                    server: name.to_owned(),
                    line: server.key.position.line,
                }),
                _ => Ok(vec![Operation::Put(vec![SERVERS, name], entry.written())]),
            }
        }
        Change::Enable { server, enabled } => {
            let now = expected::at(known(server)?, &["enabled"]).and_then(Node::as_scalar);
            let now = now.map_or(Some(true), |word| switch(&word.text));
            let value = Written::Scalar(enabled.to_string());
            let put = Operation::Put(vec![SERVERS, server, "enabled"], value);
            Ok(if now == Some(*enabled) {
                Vec::new()
            } else {
                vec![put]
            })
        }
        Change::Offer {
            server,
            include,
            exclude,
        } => Ok(offer(known(server)?, server, include.as_deref(), exclude)),
        Change::Remove { server } => {
            known(server)?;
            Ok(vec![Operation::Take(vec![SERVERS, server])])
        }
    }
}

fn offer<'c>(
    known: &Node,
    server: &'c str,
    include: Option<&'c [String]>,
    exclude: &'c [String],
) -> Vec<Operation<'c>> {
    let path = |below: &[&'c str]| [&[SERVERS, server, "tools"], below].concat();
    let mut operations = Vec::new();
    let tools = expected::at(known, &["tools"]);
    if tools.is_some_and(|tools| !matches!(tools.value, Value::Mapping(_))) {
        // What stands there are the names to include, or nothing.
        operations.push(Operation::Take(path(&[])));
    }
    let exclude = Some(exclude).filter(|exclude| !exclude.is_empty());
    for (key, patterns) in [("include", include), ("exclude", exclude)] {
        operations.push(match patterns {
            Some(patterns) => Operation::List(path(&[key]), patterns),
            None => Operation::Take(path(&[key])),
        });
    }
    operations
}
