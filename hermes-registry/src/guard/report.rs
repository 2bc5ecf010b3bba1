//! What looks suspicious in the texts of a tool, a prompt, or anything else of a server.

use std::fmt;

use mcp_types::{Prompt, RawJson, Tool};
use serde_json::Value;

use super::hidden;
use super::rules::RULES;

/// The most findings of one report: 50.
///
/// Bound: memory; a list of a thousand parameters that are all bad says no more than fifty.
pub const FINDINGS_MAX: usize = 50;

/// The most text that one report looks at, in bytes: 256 KiB.
///
/// Bound: time; no honest description is as long, and what is longer is told of.
pub const SCANNED_LEN_MAX: usize = 256 << 10;

/// Invisible characters in a row from which on they are told of: writing and emoji need fewer.
const INVISIBLE_RUN: usize = 4;

/// Characters that are shown before and behind a phrase.
const AROUND: usize = 30;

/// The most characters of a phrase that are shown.
const EXCERPT_LEN_MAX: usize = 120;

/// The most characters of a place that are shown.
const PLACE_LEN_MAX: usize = 200;

/// Something suspicious in a text of a server.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is, as a word for programs that never changes, such as `ignore_instructions`.
    pub rule: &'static str,
    /// What such a text may be after, as in `keeps something from the user`.
    pub about: &'static str,
    /// Where it stands, as in `inputSchema.properties.path.description`, at most 200 characters.
    pub place: String,
    /// The phrase and a little around it, at most 120 characters and two marks of omission, without
    /// control characters. It is a server's text: redact it before showing it.
    pub excerpt: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} ({}): \"{}\"",
            self.place, self.about, self.rule, self.excerpt
        )
    }
}

/// What looks suspicious in the texts of one thing of a server.
///
/// Each rule is told once for each text.
/// Nothing here is proof of anything, so nothing should be blocked by it alone.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// What was found, in the order of the texts, at most [`FINDINGS_MAX`].
    pub findings: Vec<Finding>,
    /// How many findings there are besides.
    pub left_out: usize,
    /// Bytes that were looked at.
    scanned: usize,
}

impl Report {
    /// Nothing found yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is in a tool: its names, its description, and every text of its schemas, names of
    /// parameters and listed values included.
    #[must_use]
    pub fn of_tool(tool: &Tool) -> Self {
        let mut report = Self::new();
        report.scan("name", &tool.name);
        report.scan_optional("title", tool.title.as_deref());
        report.scan_optional("description", tool.description.as_deref());
        let annotations = tool.annotations.as_ref();
        report.scan_optional(
            "annotations.title",
            annotations.and_then(|hints| hints.title.as_deref()),
        );
        report.scan_schema("inputSchema", tool.input_schema.as_ref());
        report.scan_schema("outputSchema", tool.output_schema.as_ref());
        report
    }

    /// What is in a prompt: its names, its description, and those of its arguments.
    #[must_use]
    pub fn of_prompt(prompt: &Prompt) -> Self {
        let mut report = Self::new();
        report.scan("name", &prompt.name);
        report.scan_optional("title", prompt.title.as_deref());
        report.scan_optional("description", prompt.description.as_deref());
        for (index, argument) in prompt.arguments.iter().flatten().enumerate() {
            let place = |member: &str| format!("arguments[{index}].{member}");
            report.scan(&place("name"), &argument.name);
            report.scan_optional(&place("title"), argument.title.as_deref());
            report.scan_optional(&place("description"), argument.description.as_deref());
        }
        report
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Looks at one more text; `place` is how findings call it.
    pub fn scan(&mut self, place: &str, text: &str) {
        self.scan_at(&|| place.to_owned(), text);
    }

    /// Looks at one more text, at a place that is only put into words where it is needed.
    fn scan_at(&mut self, place: Place<'_>, text: &str) {
        if self.scanned > SCANNED_LEN_MAX {
            return;
        }
        self.scanned = self.scanned.saturating_add(text.len());
        if self.scanned > SCANNED_LEN_MAX {
            let about = "is too long to be looked at, as is all that follows";
            self.add("long_text", about, place, start(text));
            return;
        }
        self.scan_characters(place, text);
        let (visible, hidden) = hidden::split(text);
        if !hidden.is_empty() {
            self.add(
                "hidden_text",
                "hides text from people",
                place,
                start(&hidden),
            );
        }
        self.scan_phrases(place, &visible);
        self.scan_phrases(place, &hidden);
    }

    fn scan_optional(&mut self, place: &str, text: Option<&str>) {
        self.scan(place, text.unwrap_or_default());
    }

    fn scan_schema(&mut self, place: &str, schema: Option<&RawJson>) {
        let Some(schema) = schema else { return };
        match serde_json::from_str::<Value>(schema.as_str()) {
            Ok(value) => self.scan_json(&mut vec![place], &value),
            // Half a character keeps a text from being decoded, and not from being read.
            Err(_undecodable) => self.scan(place, schema.as_str()),
        }
    }

    fn scan_json<'v>(&mut self, way: &mut Vec<&'v str>, value: &'v Value) {
        match value {
            Value::String(text) => self.scan_at(&|| way.join("."), text),
            Value::Array(items) => items.iter().for_each(|item| self.scan_json(way, item)),
            Value::Object(members) => {
                for (name, member) in members {
                    way.push(name);
                    self.scan_at(&|| way.join("."), name);
                    self.scan_json(way, member);
                    way.pop();
                }
            }
            _ => {}
        }
    }

    fn scan_characters(&mut self, place: Place<'_>, text: &str) {
        if let Some(at) = text.find(hidden::turns_text) {
            let about = "changes the direction of its text";
            self.add("text_direction", about, place, around(text, at, at));
        }
        let mut run = 0;
        for (at, char) in text.char_indices() {
            run = if hidden::is_invisible(char) {
                run + 1
            } else {
                0
            };
            if run == INVISIBLE_RUN {
                let about = "has a row of invisible characters";
                self.add("invisible_row", about, place, around(text, at, at));
                break;
            }
        }
    }

    fn scan_phrases(&mut self, place: Place<'_>, text: &str) {
        let plain: String = text
            .chars()
            .filter(|char| !hidden::is_invisible(*char))
            .collect();
        let folded = plain.to_ascii_lowercase();
        for rule in RULES.iter() {
            if let Some(found) = rule.regex.find(&folded) {
                let excerpt = around(&plain, found.start(), found.end());
                self.add(rule.name, rule.about, place, excerpt);
            }
        }
    }

    fn add(&mut self, rule: &'static str, about: &'static str, place: Place<'_>, excerpt: String) {
        if self.findings.len() >= FINDINGS_MAX {
            self.left_out += 1;
            return;
        }
        let place = place().chars().take(PLACE_LEN_MAX).collect();
        self.findings.push(Finding {
            rule,
            about,
            place,
            excerpt,
        });
    }
}

/// Puts into words where a text stands.
type Place<'p> = &'p dyn Fn() -> String;

/// How a text begins.
fn start(text: &str) -> String {
    around(text, 0, text.len())
}

/// The text from `begin` to `end` and a little around it, on one line.
fn around(text: &str, begin: usize, end: usize) -> String {
    let before = text.get(..begin).unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(AROUND);
    let found = text.get(begin..end).unwrap_or_default().chars().count();
    let len = (before.chars().count() - skipped + found + AROUND).min(EXCERPT_LEN_MAX);
    let mut rest = text.chars().skip(skipped);
    let mut excerpt = String::from(if skipped > 0 { "…" } else { "" });
    let shown = rest.by_ref().take(len);
    excerpt.extend(shown.map(|char| {
        let is_plain = !char.is_control() && !hidden::is_invisible(char);
        if is_plain { char } else { ' ' }
    }));
    if rest.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}
