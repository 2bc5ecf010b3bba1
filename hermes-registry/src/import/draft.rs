//! A server as it is gathered key by key, with a report of each.
//!
//! Which key becomes which is left to the readers of the formats.

use std::collections::BTreeSet;
use std::time::Duration;

use super::reference::{Dialect, Translation};
use super::report::{Carried, NotCarried, Report};
use super::source::{Source, last_ones};
use crate::config::entry::Setting;
use crate::config::tree::{Node, Value};
use crate::config::{Position, TIMEOUT_MAX};

/// The longest name of a variable or header that is carried over.
///
/// Bound: YAML takes a key on one line of at most 1,024 characters, with every one of them escaped.
const NAME_LEN_MAX: usize = 200;

/// Something that was read, with what is to be said of it.
pub(super) type Noted<T> = (T, BTreeSet<String>);

/// What was gathered of a server so far.
pub(super) struct Draft<'a> {
    server: &'a str,
    dialect: &'a Dialect,
    pub(super) settings: Vec<(&'static str, Setting)>,
    /// Why the server would not be what it was: a value that it cannot do without is not one.
    pub(super) fault: Option<String>,
    report: &'a mut Report,
}

impl<'a> Draft<'a> {
    pub(super) fn new(server: &'a str, dialect: &'a Dialect, report: &'a mut Report) -> Self {
        Self {
            server,
            dialect,
            settings: Vec::new(),
            fault: None,
            report,
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.settings.iter().any(|(known, _)| *known == key)
    }

    /// Sets a key of ours, and says which key it comes from.
    pub(super) fn set(
        &mut self,
        source: &Source<'_>,
        to: &'static str,
        setting: Setting,
        notes: BTreeSet<String>,
    ) {
        self.settings.retain(|(known, _)| *known != to);
        self.settings.push((to, setting));
        self.carried(source, to, notes);
    }

    /// Says which key of ours one comes to.
    pub(super) fn carried(
        &mut self,
        source: &Source<'_>,
        to: &'static str,
        notes: BTreeSet<String>,
    ) {
        let notes: Vec<String> = notes.into_iter().collect();
        self.report.carried.push(Carried {
            server: self.server.to_owned(),
            key: source.key.clone(),
            line: source.position.line,
            to,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        });
    }

    /// Whether nothing else says the same as this key, which is told of.
    fn is_free(&mut self, source: &Source<'_>, to: &str) -> bool {
        let is_free = !self.has(to);
        if !is_free {
            self.refuse(source, format!("another key is `{to}` here already"));
        }
        is_free
    }

    /// Says that a key is not carried over.
    pub(super) fn refuse(&mut self, source: &Source<'_>, reason: impl Into<String>) {
        self.refuse_part(&source.key, source.position, reason);
    }

    fn refuse_part(&mut self, key: &str, position: Position, reason: impl Into<String>) {
        self.report.not_carried.push(NotCarried {
            server: Some(self.server.to_owned()),
            key: Some(key.to_owned()),
            line: position.line,
            reason: reason.into(),
        });
    }

    /// Notes a value without which the server would be another one.
    fn break_off(&mut self, key: &str, node: &Node, expected: &str) {
        let reason = format!("`{key}` {}", wrong(node, expected));
        self.fault.get_or_insert(reason);
    }

    /// Carries a text.
    pub(super) fn text(&mut self, source: &Source<'_>, to: &'static str) {
        match self.scalar(source) {
            Some(text) if self.is_free(source, to) => {
                let (text, notes) = self.translated(source, &text);
                self.set(source, to, Setting::Text(text), notes);
            }
            _ => {}
        }
    }

    /// Carries a list of texts.
    pub(super) fn texts(&mut self, source: &Source<'_>, to: &'static str) {
        match self.list(source) {
            Some((texts, notes)) if self.is_free(source, to) => {
                self.set(source, to, Setting::Texts(texts), notes);
            }
            _ => {}
        }
    }

    /// The texts of a list, with what is to be said of them.
    pub(super) fn list(&mut self, source: &Source<'_>) -> Option<Noted<Vec<String>>> {
        let Value::List(items) = &source.node.value else {
            self.break_off(&source.key, source.node, "a list of texts");
            return None;
        };
        let (mut texts, mut notes) = (Vec::with_capacity(items.len()), BTreeSet::new());
        for (index, item) in items.iter().enumerate() {
            let Some(scalar) = item.as_scalar() else {
                self.break_off(&format!("{}[{index}]", source.key), item, "a text");
                return None;
            };
            let (text, more) = self.translated(source, &scalar.text);
            texts.push(text);
            notes.extend(more);
        }
        Some((texts, notes))
    }

    /// Carries a mapping of names to texts.
    pub(super) fn map(&mut self, source: &Source<'_>, to: &'static str) {
        match self.pairs(source) {
            Some((pairs, notes)) if self.is_free(source, to) => {
                self.set(source, to, Setting::Map(pairs), notes);
            }
            _ => {}
        }
    }

    /// The pairs of a mapping, with what is to be said of them.
    pub(super) fn pairs(&mut self, source: &Source<'_>) -> Option<Noted<Vec<(String, String)>>> {
        let Value::Mapping(entries) = &source.node.value else {
            self.break_off(&source.key, source.node, "a mapping of names to texts");
            return None;
        };
        let (mut pairs, mut notes) = (Vec::new(), BTreeSet::new());
        for below in last_ones(entries).map(Source::new) {
            let key = format!("{}.{}", source.key, below.key);
            if below.key.is_empty() || below.key.chars().count() > NAME_LEN_MAX {
                let reason = format!("a name has no or more than {NAME_LEN_MAX} characters");
                let reason = format!("`{}`: {reason}", source.key);
                self.fault.get_or_insert(reason);
            } else if below.node.is_null() {
                self.refuse_part(&key, below.position, "is null, so nothing is set");
            } else if let Some(scalar) = below.node.as_scalar() {
                let (text, more) = self.translated(source, &scalar.text);
                pairs.push((below.key, text));
                notes.extend(more);
            } else {
                self.break_off(&key, below.node, "a text");
            }
        }
        Some((pairs, notes))
    }

    /// Carries a switch, turned round if it says the opposite here.
    pub(super) fn switch(&mut self, source: &Source<'_>, to: &'static str, is_opposite: bool) {
        let found = match source.node.as_scalar().map(|scalar| &*scalar.text) {
            Some("true") => true,
            Some("false") => false,
            _ => return self.break_off(&source.key, source.node, "true or false"),
        };
        if self.is_free(source, to) {
            let setting = Setting::Plain((found != is_opposite).to_string());
            self.set(source, to, setting, BTreeSet::new());
        }
    }

    /// Carries a time that is written in units of which a second has this many.
    pub(super) fn time(&mut self, source: &Source<'_>, to: &'static str, per_second: f64) {
        let number = source
            .node
            .as_scalar()
            .and_then(|scalar| scalar.text.parse().ok());
        let seconds = number.map(|number: f64| number / per_second);
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match time.filter(|time| !time.is_zero() && *time <= TIMEOUT_MAX) {
            Some(time) if self.is_free(source, to) => {
                let setting = Setting::Plain(time.as_secs_f64().to_string());
                self.set(source, to, setting, BTreeSet::new());
            }
            Some(_) => {}
            None => self.refuse(source, "is not a time above zero and of at most a day"),
        }
    }

    /// The text of a scalar.
    pub(super) fn scalar(&mut self, source: &Source<'_>) -> Option<String> {
        let scalar = source.node.as_scalar();
        if scalar.is_none() {
            self.break_off(&source.key, source.node, "a text");
        }
        scalar.map(|scalar| scalar.text.to_string())
    }

    /// A text with its references as they are here, and what is to be said of that.
    fn translated(&mut self, source: &Source<'_>, text: &str) -> Noted<String> {
        let Translation {
            text,
            foreign,
            asked,
            has_plain,
        } = self.dialect.translate(text);
        for (body, reason) in foreign {
            let reason = format!("`${{{body}}}` stays as it is: {reason}");
            self.refuse(source, reason);
        }
        let mut notes = BTreeSet::new();
        for (id, variable) in asked {
            let note = format!("the question `{id}` is the variable `{variable}` here; set it");
            notes.insert(note);
        }
        if has_plain {
            notes.insert("`${` is plain text there and stays that, written `$${`".to_owned());
        }
        (text, notes)
    }
}

/// Why a value cannot be carried that is not of the right sort.
pub(super) fn wrong(node: &Node, expected: &str) -> String {
    format!("is {}, and not {expected}", node.sort())
}
