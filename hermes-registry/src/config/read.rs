//! Values of one sort each, read from the tree, with everything wrong noted.
//!
//! A reader never stops at the first fault: it notes the problem, gives `None`, and goes on with
//! the next key.

use std::sync::Arc;
use std::time::Duration;

use super::expand::{EXPANDED_LEN_MAX, ExpandError, Expander};
use super::kind::ProblemKind;
use super::problem::{Position, Problem, Severity};
use super::server::TIMEOUT_MAX;
use super::tree::{Node, Value};
use crate::filter::Pattern;

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
    /// What variables of ours gave.
    pub(super) substituted: Vec<String>,
    /// Whether it is a text by its quotes, and not by a reference.
    quoted: bool,
}

/// Reads values and collects what is wrong with them.
pub(super) struct Reader<'a> {
    file: Arc<str>,
    pub(super) expander: Expander<'a>,
    /// The server that is read, for the problems to name.
    pub(super) server: Option<Arc<str>>,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: Arc<str>, expander: Expander<'a>) -> Self {
        Self {
            file,
            expander,
            server: None,
            problems: Vec::new(),
        }
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
    pub(super) fn wrong(&mut self, node: &Node, path: &KeyPath, allowed: &'static str) {
        let found = node.quote();
        self.error(
            node.position,
            path,
            ProblemKind::WrongValue { allowed, found },
        );
    }

    /// Notes the same without quoting, for what may be a secret.
    pub(super) fn wrong_sort(&mut self, node: &Node, path: &KeyPath, allowed: &'static str) {
        let found = node.sort().to_owned();
        self.error(
            node.position,
            path,
            ProblemKind::WrongValue { allowed, found },
        );
    }

    /// Notes a tag that means nothing, if there is one.
    fn check_tag(&mut self, node: &Node, path: &KeyPath) {
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
        allowed: &'static str,
    ) -> Option<Text> {
        self.check_tag(node, path);
        let Some(scalar) = node.as_scalar() else {
            self.wrong_sort(node, path, allowed);
            return None;
        };
        let kind = match self.expander.expand(&scalar.text) {
            Ok(expanded) => {
                let quoted = scalar.quoted && !expanded.interpolated;
                let (text, substituted) = (expanded.text, expanded.substituted);
                return Some(Text {
                    text,
                    substituted,
                    quoted,
                });
            }
            Err(ExpandError::BadName { name }) => ProblemKind::BadReference { name },
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

    /// A time in seconds, above zero and at most one day; fractions are allowed.
    pub(super) fn seconds(&mut self, node: &Node, path: &KeyPath) -> Option<Duration> {
        const ALLOWED: &str = "a number of seconds above 0 and at most 86400";
        let text = self.text(node, path, ALLOWED)?;
        let number = text.text.trim();
        // Rust also reads words such as `inf`; none of them is a time.
        let is_number =
            number.starts_with(|char: char| char.is_ascii_digit() || ".+-".contains(char));
        let seconds = number.parse::<f64>().ok().filter(|_| is_number);
        let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let duration = duration.filter(|duration| !duration.is_zero() && *duration <= TIMEOUT_MAX);
        if duration.is_none() {
            self.wrong(node, path, ALLOWED);
        } else if text.quoted {
            self.warn(node.position, path, ProblemKind::QuotedNumber);
        }
        duration
    }

    /// A yes or no, in any of the words that YAML 1.1 and shells use.
    pub(super) fn switch(&mut self, node: &Node, path: &KeyPath) -> Option<bool> {
        const ALLOWED: &str = "true or false (or yes, no, on, off, 1, 0)";
        let text = self.text(node, path, ALLOWED)?;
        match text.text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => {
                self.wrong(node, path, ALLOWED);
                None
            }
        }
    }

    /// One of several words, without regard to case.
    pub(super) fn choice<T: Copy>(
        &mut self,
        node: &Node,
        path: &KeyPath,
        allowed: &'static str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(node, path, allowed)?;
        let word = text.text.trim();
        let found = words
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(word));
        if found.is_none() {
            self.wrong(node, path, allowed);
        }
        found.map(|(_, value)| *value)
    }

    /// Patterns of tool names: one, or a list of them.
    pub(super) fn patterns(&mut self, node: &Node, path: &KeyPath) -> Option<Vec<Pattern>> {
        const ALLOWED: &str = "a tool name or glob, or a list of them";
        let Value::List(items) = &node.value else {
            return Some(vec![Pattern::new(self.text(node, path, ALLOWED)?.text)]);
        };
        self.check_tag(node, path);
        let mut patterns = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let text = self.text(item, &path.item(index), "a tool name or glob");
            patterns.extend(text.map(|text| Pattern::new(text.text)));
        }
        (patterns.len() == items.len()).then_some(patterns)
    }

    /// The entries of a mapping whose keys are plain and stand once, each with its path.
    pub(super) fn entries<'n>(
        &mut self,
        node: &'n Node,
        path: &KeyPath,
        allowed: &'static str,
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

    /// Checks the references of a value that is not used yet.
    pub(super) fn check_references(&mut self, node: &Node, path: &KeyPath) {
        match &node.value {
            Value::Scalar(_) if node.is_null() => {}
            Value::Scalar(_) => {
                let _: Option<Text> = self.text(node, path, "a text");
            }
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.check_references(item, &path.item(index));
                }
            }
            Value::Mapping(_) => {
                for entry in self.entries(node, path, "a mapping").unwrap_or_default() {
                    self.check_references(entry.value, &entry.path);
                }
            }
        }
    }
}

/// A key of a mapping with its value.
pub(super) struct Named<'n> {
    pub(super) key: &'n str,
    pub(super) position: Position,
    pub(super) path: KeyPath,
    pub(super) value: &'n Node,
}
