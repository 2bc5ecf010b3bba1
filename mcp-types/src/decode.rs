//! `Decode`: from JSON text to a typed value, and what is said about the parts that were bad.
//!
//! ```text
//!   text --strict--> value, no diagnostics            (one pass, nothing extra allocated)
//!     |
//!     +--refused--> member by member --> value + diagnostics
//!                          |
//!                          +--> DecodeError  (not JSON, or a required member is bad)
//! ```
//!
//! The member-by-member work itself is done in `wire::salvage`.

use std::error::Error;
use std::fmt;

/// A value that can be read from JSON text, with bad parts reported instead of fatal.
pub trait Decode: Sized {
    /// Decodes one JSON value.
    ///
    /// A well-formed value takes one pass and yields no diagnostics. Otherwise the value is taken
    /// apart: a bad optional member is left out (its text stays in `extra`), a bad item of a list
    /// is dropped, and each becomes a [`Diagnostic`].
    ///
    /// # Errors
    ///
    /// If the text is not one JSON value, or if a member without which the value makes no sense
    /// is missing or bad.
    fn decode(json: &str) -> Result<Decoded<Self>, DecodeError>;
}

/// A decoded value and what was wrong with its parts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decoded<T> {
    /// The value, without the parts that could not be read.
    pub value: T,
    /// What was wrong, in the order of the text; at most [`Diagnostic::MAX`] and one that counts
    /// the rest.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Decoded<T> {
    pub(crate) const fn new(value: T, diagnostics: Vec<Diagnostic>) -> Self {
        Self { value, diagnostics }
    }

    /// Whether nothing was wrong.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The same diagnostics around another value.
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Decoded<U> {
        Decoded {
            value: with(self.value),
            diagnostics: self.diagnostics,
        }
    }
}

/// What became of a bad part.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Effect {
    /// An item of a list or an entry of a map was left out.
    Dropped,
    /// An optional member was treated as absent; its text stays in `extra`.
    Ignored,
    /// The part stays, as text that nobody interpreted.
    KeptRaw,
    /// The part was read after a small repair.
    Repaired,
}

/// One bad part of a value that was decoded all the same.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Where, from the decoded value on, as in `tools[3].annotations`; empty for the value itself.
    pub path: String,
    /// What is wrong, at most 200 bytes and a mark of omission.
    pub reason: String,
    /// How the bad part begins, at most 80 bytes and a mark of omission. It is a server's text:
    /// redact it before showing it.
    pub excerpt: String,
    /// What became of the part.
    pub effect: Effect,
}

impl Diagnostic {
    /// How many diagnostics one decoding can yield.
    // Bound: a list of a million bad items must not cost a million reports.
    pub const MAX: usize = 256;

    pub(crate) fn new(effect: Effect, path: &str, reason: &str, excerpt: &str) -> Self {
        Self {
            path: path.to_owned(),
            reason: shorten(reason, REASON_LEN_MAX),
            excerpt: shorten(excerpt, EXCERPT_LEN_MAX),
            effect,
        }
    }

    /// A part that could be read and is left out all the same, by a layer above.
    #[must_use]
    pub fn dropped(path: &str, reason: &str) -> Self {
        Self::new(Effect::Dropped, path, reason, "")
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effect = match self.effect {
            Effect::Dropped => "dropped",
            Effect::Ignored => "ignored",
            Effect::KeptRaw => "kept as it is",
            Effect::Repaired => "repaired",
        };
        write!(f, "{}: {} ({effect})", Place(&self.path), self.reason)
    }
}

/// Why a value could not be decoded at all.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct DecodeError {
    /// Where, as in [`Diagnostic::path`].
    pub path: String,
    /// What is wrong, at most 200 bytes and a mark of omission.
    pub reason: String,
    /// The text around the place where decoding stopped, at most 80 bytes and a mark of omission.
    /// It is a server's text: redact it before showing it.
    pub excerpt: String,
}

impl DecodeError {
    pub(crate) fn new(path: &str, reason: &str, excerpt: &str) -> Self {
        Self {
            path: path.to_owned(),
            reason: shorten(reason, REASON_LEN_MAX),
            excerpt: shorten(excerpt, EXCERPT_LEN_MAX),
        }
    }

    /// An error at the place that `serde_json` names by line and column.
    pub(crate) fn syntax(json: &str, error: &serde_json::Error) -> Self {
        Self::new(
            "",
            &error.to_string(),
            around(json, error.line(), error.column()),
        )
    }

    pub(crate) fn into_diagnostic(self, effect: Effect) -> Diagnostic {
        let Self {
            path,
            reason,
            excerpt,
        } = self;
        Diagnostic {
            path,
            reason,
            excerpt,
            effect,
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Place(&self.path), self.reason)
    }
}

impl Error for DecodeError {}

/// A path for readers; the value itself has a name too.
struct Place<'a>(&'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "value" } else { self.0 })
    }
}

/// The beginning of a text, with a mark if something is left out.
fn shorten(text: &str, len_max: usize) -> String {
    match text.get(..text.floor_char_boundary(len_max)) {
        Some(head) if head.len() < text.len() => format!("{head}…"),
        _ => text.to_owned(),
    }
}

/// The text shortly before a place, and what follows it. Line and column count from 1, the column
/// in bytes.
fn around(json: &str, line: usize, column: usize) -> &str {
    let skipped = line.saturating_sub(1);
    let line_start = json
        .split_inclusive('\n')
        .take(skipped)
        .map(str::len)
        .sum::<usize>();
    let from = line_start
        .saturating_add(column)
        .saturating_sub(EXCERPT_LEN_MAX / 2);
    json.get(json.floor_char_boundary(from)..).unwrap_or(json)
}

const REASON_LEN_MAX: usize = 200;
const EXCERPT_LEN_MAX: usize = 80;
