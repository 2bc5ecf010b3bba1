//! Values of one sort each: times, numbers, switches, words, paths, lists.
//!
//! What is wrong with one is noted, and gives `None`; the server is not used then.

use std::borrow::Cow;
use std::time::Duration;

use super::keys::Shape;
use super::kind::ProblemKind;
use super::range::{Count, Seconds};
use super::read::{KeyPath, Reader, Text};
use super::tree::{Node, Value};
use crate::filter::Pattern;

impl Reader<'_> {
    /// A time in this range; zero is off, where the range has that.
    pub(super) fn seconds(
        &mut self,
        node: &Node,
        path: &KeyPath,
        range: &Seconds,
    ) -> Option<Duration> {
        let text = self.text(node, path, range.allowed())?;
        let word = text.text.trim();
        let is_off = range.has_off && switch(word) == Some(false);
        let time = if is_off {
            Some(Duration::ZERO)
        } else {
            duration(word).filter(|time| range.takes(*time))
        };
        if time.is_none() {
            self.wrong(node, path, range.allowed());
        } else if text.quoted && !is_off {
            self.warn(node.position, path, ProblemKind::QuotedNumber);
        }
        time
    }

    /// A time in this range, or `None` where it is off.
    pub(super) fn seconds_or_off(
        &mut self,
        node: &Node,
        path: &KeyPath,
        range: &Seconds,
    ) -> Option<Duration> {
        self.seconds(node, path, range)
            .filter(|time| !time.is_zero())
    }

    /// A whole number in this range.
    pub(super) fn count(&mut self, node: &Node, path: &KeyPath, range: &Count) -> Option<u32> {
        let text = self.text(node, path, range.allowed())?;
        let word = text.text.trim();
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let number = word.parse().ok().filter(|_| is_number);
        let number = number.filter(|number| range.takes(*number));
        if number.is_none() {
            self.wrong(node, path, range.allowed());
        } else if text.quoted {
            self.warn(node.position, path, ProblemKind::QuotedNumber);
        }
        number
    }

    /// A yes or no, in any of the words that YAML 1.1 and shells use.
    pub(super) fn switch(&mut self, node: &Node, path: &KeyPath) -> Option<bool> {
        const ALLOWED: &str = "true or false (or yes, no, on, off, 1, 0)";
        let text = self.text(node, path, ALLOWED)?;
        let found = switch(&text.text);
        if found.is_none() {
            self.wrong(node, path, ALLOWED);
        }
        found
    }

    /// One of several words, without regard to case.
    pub(super) fn choice<T: Clone>(
        &mut self,
        node: &Node,
        path: &KeyPath,
        allowed: impl Into<Cow<'static, str>>,
        words: &[(&str, T)],
    ) -> Option<T> {
        let allowed = allowed.into();
        let text = self.text(node, path, allowed.clone())?;
        let word = text.text.trim();
        let found = words
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(word));
        if found.is_none() {
            self.wrong(node, path, allowed);
        }
        found.map(|(_, value)| value.clone())
    }

    /// The path of something that exists, or its name: a text that is not empty, with `~` at its
    /// beginning replaced by the home folder.
    pub(super) fn path(
        &mut self,
        node: &Node,
        path: &KeyPath,
        allowed: &'static str,
    ) -> Option<String> {
        let text = self.process_text(node, path, allowed)?.text;
        if text.is_empty() {
            let found = "empty".to_owned();
            let allowed = allowed.into();
            let kind = ProblemKind::WrongValue { allowed, found };
            self.error(node.position, path, kind);
            return None;
        }
        self.warn_of_space(node, path, &text);
        Some(self.with_home(text))
    }

    /// The path with a leading `~` replaced by the home folder, if that is known.
    pub(super) fn with_home(&self, path: String) -> String {
        let rest = path
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match (rest, self.expander.context().home()) {
            (Some(rest), Some(home)) => format!("{home}{rest}"),
            _ => path,
        }
    }

    /// The items of a list, each with its path.
    pub(super) fn items<'n>(
        &mut self,
        node: &'n Node,
        path: &KeyPath,
        allowed: &'static str,
    ) -> Option<Vec<(&'n Node, KeyPath)>> {
        self.check_tag(node, path);
        let Value::List(items) = &node.value else {
            self.wrong_sort(node, path, allowed);
            return None;
        };
        let items = items.iter().enumerate();
        Some(
            items
                .map(|(index, item)| (item, path.item(index)))
                .collect(),
        )
    }

    /// Patterns of tool names: one, or a list of them.
    pub(super) fn patterns(&mut self, node: &Node, path: &KeyPath) -> Option<Vec<Pattern>> {
        const ALLOWED: &str = "a tool name or glob, or a list of them";
        if !matches!(node.value, Value::List(_)) {
            return Some(vec![Pattern::new(self.text(node, path, ALLOWED)?.text)]);
        }
        let items = self.items(node, path, ALLOWED)?;
        let mut patterns = Vec::with_capacity(items.len());
        for (item, path) in &items {
            let text = self.text(item, path, "a tool name or glob");
            patterns.extend(text.map(|text| Pattern::new(text.text)));
        }
        (patterns.len() == items.len()).then_some(patterns)
    }

    /// Checks a value whose feature is still to come.
    pub(super) fn check(&mut self, node: &Node, path: &KeyPath, shape: &Shape) {
        match shape {
            Shape::Count(range) => {
                let _: Option<u32> = self.count(node, path, range);
            }
            Shape::Seconds(range) => {
                let _: Option<Duration> = self.seconds(node, path, range);
            }
            Shape::Switch => {
                let _: Option<bool> = self.switch(node, path);
            }
            Shape::Words(words) => {
                let known: Vec<(&str, ())> = words.iter().map(|word| (*word, ())).collect();
                let allowed = format!("one of {}", words.join(", "));
                let _: Option<()> = self.choice(node, path, allowed, &known);
            }
            Shape::Mapping(keys) => {
                for entry in self.known_entries(node, path, keys) {
                    if let Some(key) = keys.find(entry.key) {
                        self.check(entry.value, &entry.path, &key.shape);
                    }
                }
            }
            Shape::Texts => {
                let allowed = "a list of texts";
                for (item, path) in self.items(node, path, allowed).unwrap_or_default() {
                    let _: Option<Text> = self.text(item, &path, "a text");
                }
            }
            // Features that are still to come have no keys of other shapes than a text.
            _ => {
                let _: Option<Text> = self.text(node, path, "a text");
            }
        }
    }
}

/// What a word of YAML 1.1 or of shells says.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// The time of a number of seconds; none for a number that is too small to be told from zero.
fn duration(number: &str) -> Option<Duration> {
    // Rust also reads words such as `inf`; none of them is a time.
    let is_number = number.starts_with(|char: char| char.is_ascii_digit() || ".+-".contains(char));
    let seconds: f64 = number.parse().ok().filter(|_| is_number)?;
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    (!time.is_zero() || seconds == 0.0).then_some(time)
}
