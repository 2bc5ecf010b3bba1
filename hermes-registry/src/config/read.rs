//! Texts and mappings, read from the tree, with everything wrong noted.
//!
//! A reader never stops at the first fault: it notes the problem, gives `None`, and goes on with
//! the next key.
//! What else a value can be is in `values`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::expand::{EXPANDED_LEN_MAX, ExpandError, Expander};
use super::keys::{Keys, Shape, Standing};
use super::kind::ProblemKind;
use super::problem::{Position, Problem, Severity};
use super::tree::{Node, Value};
use super::values::switch;

/// The path of a key, such as `mcp_servers.github.args[1]`.
#[derive(Clone, Debug)]
pub(super) struct KeyPath(String);

impl KeyPath {
    pub(super) fn root(key: &str) -> Self {
        Self(part(key))
    }

    pub(super) fn key(&self, key: &str) -> Self {
        Self(format!("{}.{}", self.0, part(key)))
    }

    pub(super) fn item(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }
}

/// A key as it stands in a path: quoted unless it is plain.
fn part(key: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '/' | '@');
    if !key.is_empty() && key.len() <= 64 && key.chars().all(is_plain) {
        key.to_owned()
    } else {
        format!("\"{}\"", super::tree::excerpt(key))
    }
}

/// A text with its references replaced.
pub(super) struct Text {
    pub(super) text: String,
    /// Whether it is a text by its quotes, and not by a reference.
    pub(super) quoted: bool,
}

/// Reads values and collects what is wrong with them.
pub(super) struct Reader<'a> {
    file: Arc<str>,
    pub(super) expander: Expander<'a>,
    /// The server that is read, for the problems to name.
    server: Option<Arc<str>>,
    /// What variables of ours gave to this server.
    pub(super) substituted: BTreeSet<String>,
    /// Features that are still to come and were told of at this server.
    told: BTreeSet<&'static str>,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: Arc<str>, expander: Expander<'a>) -> Self {
        Self {
            file,
            expander,
            server: None,
            substituted: BTreeSet::new(),
            told: BTreeSet::new(),
            problems: Vec::new(),
        }
    }

    /// Begins with the server of this name.
    pub(super) fn begin(&mut self, server: &str) {
        self.server = Some(Arc::from(server));
        self.substituted.clear();
        self.told.clear();
    }

    pub(super) fn error(&mut self, position: Position, path: &KeyPath, kind: ProblemKind) {
        self.report(Severity::Error, position, path, kind);
    }

    pub(super) fn warn(&mut self, position: Position, path: &KeyPath, kind: ProblemKind) {
        self.report(Severity::Warning, position, path, kind);
    }

    fn report(
        &mut self,
        severity: Severity,
        position: Position,
        path: &KeyPath,
        kind: ProblemKind,
    ) {
        let (file, server) = (Arc::clone(&self.file), self.server.clone());
        let path = path.0.clone();
        self.problems.push(Problem {
            severity,
            file,
            position,
            path,
            server,
            kind,
        });
    }

    /// Notes that something else is allowed than what is there, quoting what is there.
    pub(super) fn wrong(
        &mut self,
        node: &Node,
        path: &KeyPath,
        allowed: impl Into<Cow<'static, str>>,
    ) {
        self.wrong_value(node, path, allowed.into(), node.quote());
    }

    /// Notes the same without quoting, for what may be a secret.
    pub(super) fn wrong_sort(
        &mut self,
        node: &Node,
        path: &KeyPath,
        allowed: impl Into<Cow<'static, str>>,
    ) {
        self.wrong_value(node, path, allowed.into(), node.sort().to_owned());
    }

    fn wrong_value(
        &mut self,
        node: &Node,
        path: &KeyPath,
        allowed: Cow<'static, str>,
        found: String,
    ) {
        let kind = ProblemKind::WrongValue { allowed, found };
        self.error(node.position, path, kind);
    }

    /// Notes a tag that means nothing, if there is one.
    pub(super) fn check_tag(&mut self, node: &Node, path: &KeyPath) {
        if let Some(tag) = &node.tag {
            let tag = super::tree::excerpt(tag);
            self.error(node.position, path, ProblemKind::Tag { tag });
        }
    }

    /// Any scalar but null, with its text as written and references replaced.
    pub(super) fn text(
        &mut self,
        node: &Node,
        path: &KeyPath,
        allowed: impl Into<Cow<'static, str>>,
    ) -> Option<Text> {
        self.check_tag(node, path);
        let Some(scalar) = node.as_scalar() else {
            self.wrong_sort(node, path, allowed);
            return None;
        };
        let kind = match self.expander.expand(&scalar.text) {
            Ok(expanded) => {
                let quoted = scalar.quoted && !expanded.interpolated;
                let text = expanded.text;
                self.substituted.extend(expanded.substituted);
                return Some(Text { text, quoted });
            }
            Err(ExpandError::BadName { name }) => ProblemKind::BadReference { name },
            Err(ExpandError::Unknown { name }) => ProblemKind::UnknownFolder { name },
            Err(ExpandError::Unset { variable }) => ProblemKind::UnsetVariable { variable },
            Err(ExpandError::Unterminated) => ProblemKind::UnterminatedReference,
            Err(ExpandError::TooLong) => ProblemKind::TooLong {
                bytes_max: EXPANDED_LEN_MAX,
            },
        };
        self.error(node.position, path, kind);
        None
    }

    /// A text that a process is given: an argument, a value of its environment, a path.
    pub(super) fn process_text(
        &mut self,
        node: &Node,
        path: &KeyPath,
        allowed: &'static str,
    ) -> Option<Text> {
        let text = self.text(node, path, allowed)?;
        if text.text.contains('\0') {
            self.error(node.position, path, ProblemKind::NulByte);
            return None;
        }
        Some(text)
    }

    /// Warns of white space around a text, which is hard to see and seldom meant.
    pub(super) fn warn_of_space(&mut self, node: &Node, path: &KeyPath, text: &str) {
        if text.trim() != text {
            self.warn(node.position, path, ProblemKind::HiddenSpace);
        }
    }

    /// The entries of a mapping whose keys are plain and stand once, each with its path.
    pub(super) fn entries<'n>(
        &mut self,
        node: &'n Node,
        path: &KeyPath,
        allowed: impl Into<Cow<'static, str>>,
    ) -> Option<Vec<Named<'n>>> {
        self.check_tag(node, path);
        let Value::Mapping(entries) = &node.value else {
            self.wrong_sort(node, path, allowed);
            return None;
        };
        let mut known: std::collections::BTreeMap<&str, Position> = Default::default();
        let mut named = Vec::with_capacity(entries.len());
        for entry in entries {
            let position = entry.key.position;
            let Some(key) = entry.key.text.as_deref() else {
                self.error(position, path, ProblemKind::NotAKey);
                continue;
            };
            let path = path.key(key);
            if let Some(first) = known.get(key).copied() {
                self.error(position, &path, ProblemKind::DuplicateKey { first });
                continue;
            }
            known.insert(key, position);
            named.push(Named {
                key,
                position,
                path,
                value: &entry.value,
            });
        }
        Some(named)
    }

    /// The entries of a mapping of these keys that are to be read, once everything is said about
    /// the others.
    pub(super) fn known_entries<'n>(
        &mut self,
        node: &'n Node,
        path: &KeyPath,
        keys: &Keys,
    ) -> Vec<Named<'n>> {
        let mut entries = self.entries(node, path, keys.allowed()).unwrap_or_default();
        entries.retain(|entry| self.is_to_be_read(keys, entry));
        entries
    }

    fn is_to_be_read(&mut self, keys: &Keys, entry: &Named<'_>) -> bool {
        let Some(key) = keys.find(entry.key) else {
            self.error(entry.position, &entry.path, keys.unknown(entry.key));
            return false;
        };
        let has_value = key.needs_value || !entry.value.is_null();
        match key.standing {
            Standing::Unsupported(instead) => {
                let kind = ProblemKind::Unsupported { instead };
                self.warn(entry.position, &entry.path, kind);
                return false;
            }
            // A key without a value is as if it were not there; the user is told.
            _ if !has_value => {
                // An author who left a list empty may have meant either.
                let taken_for = if matches!(key.shape, Shape::TextOrTexts) {
                    "if the key were not there; write `[]` for an empty list"
                } else {
                    "if the key were not there"
                };
                let kind = ProblemKind::Valueless { taken_for };
                self.warn(entry.position, &entry.path, kind);
            }
            Standing::Active => return true,
            Standing::Later(feature) => {
                self.check(entry.value, &entry.path, &key.shape);
                if !is_switched_off(entry.value) {
                    self.tell_of(feature, entry);
                }
            }
        }
        false
    }

    /// Notes that a feature is still to come, once for each server.
    pub(super) fn tell_of(&mut self, feature: &'static str, entry: &Named<'_>) {
        if self.told.insert(feature) {
            self.warn(entry.position, &entry.path, ProblemKind::NotActive);
        }
    }
}

/// Whether a mapping of settings says that none of it is wanted, which is so already.
fn is_switched_off(node: &Node) -> bool {
    let Value::Mapping(entries) = &node.value else {
        return false;
    };
    let enabled = entries
        .iter()
        .find(|entry| entry.key.text.as_deref() == Some("enabled"));
    let word = enabled.and_then(|entry| entry.value.as_scalar());
    word.is_some_and(|word| switch(&word.text) == Some(false))
}

/// A key of a mapping with its value.
pub(super) struct Named<'n> {
    pub(super) key: &'n str,
    pub(super) position: Position,
    pub(super) path: KeyPath,
    pub(super) value: &'n Node,
}
