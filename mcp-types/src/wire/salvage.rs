//! The slow path: a value that was refused is split into members or items, each is read alone,
//! and what stays unreadable is reported with its place.
//!
//! The pieces are slices of the one text, so the only allocations are the index of the pieces,
//! the good values, and a bounded number of reports.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::decode::{DecodeError, Diagnostic, Effect};
use crate::map::Extra;
use crate::raw::RawJson;
use crate::wire::{Kind, text};

/// Why a piece could not be read. It becomes a diagnostic at the place that can do without the
/// piece, or the error of the whole.
pub(crate) type Failure = DecodeError;

/// Where the work is, and what was found so far.
pub(crate) struct Salvage {
    // Invariant: as long as the nesting of the piece in work, which bounds the recursion.
    path: Vec<Step>,
    diagnostics: Vec<Diagnostic>,
    suppressed: usize,
}

enum Step {
    Member(String),
    Item(usize),
}

/// Bound: how deep typed values are taken apart. Typed nesting without end exists only in tool
/// results inside tool results, which no revision allows; real values need eight steps.
const DEPTH_MAX: usize = 64;

/// What a value that does not nest in itself needs at most.
const DEPTH_RESERVE: usize = 16;

impl Salvage {
    pub(crate) const fn new() -> Self {
        Self {
            path: Vec::new(),
            diagnostics: Vec::new(),
            suppressed: 0,
        }
    }

    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.suppressed > 0 {
            let reason = format!("{} more of the kind are not listed", self.suppressed);
            self.diagnostics
                .push(Diagnostic::new(Effect::Dropped, "", &reason, ""));
        }
        self.diagnostics
    }

    /// Whether a value that can nest in itself may be taken apart here.
    pub(crate) const fn has_room(&self) -> bool {
        self.path.len() + DEPTH_RESERVE <= DEPTH_MAX
    }

    /// The failure of the piece in work.
    pub(crate) fn failure(&self, reason: &str, raw: &str) -> Failure {
        DecodeError::new(&self.place(), reason, raw)
    }

    /// Records that a failed piece was done without.
    pub(crate) fn report(&mut self, failure: Failure, effect: Effect) {
        if self.diagnostics.len() < Diagnostic::MAX {
            self.diagnostics.push(failure.into_diagnostic(effect));
        } else {
            self.suppressed = self.suppressed.saturating_add(1);
        }
    }

    /// Records something about the piece in work that did not fail.
    pub(crate) fn note(&mut self, effect: Effect, reason: &str, raw: &str) {
        let failure = self.failure(reason, raw);
        self.report(failure, effect);
    }

    /// Works on a member.
    pub(crate) fn within_member<T>(
        &mut self,
        name: &str,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.within(Step::Member(name.to_owned()), work)
    }

    /// Works on an item.
    pub(crate) fn within_item<T>(
        &mut self,
        index: usize,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.within(Step::Item(index), work)
    }

    fn within<T>(
        &mut self,
        step: Step,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.path.push(step);
        let done = if self.path.len() > DEPTH_MAX {
            Err(self.failure("nested too deep", ""))
        } else {
            work(self)
        };
        self.path.pop();
        done
    }

    /// Reads a member of an object. A bad one that the object can do without is reported and
    /// moves to `extra`.
    pub(crate) fn member<K: Kind<F>, F>(
        &mut self,
        name: &'static str,
        raw: &RawValue,
        extra: &mut Extra,
    ) -> Result<Option<F>, Failure> {
        match self.within_member(name, |salvage| K::salvage(raw.get(), salvage)) {
            Ok(field) => Ok(Some(field)),
            Err(failure) if K::absent().is_some() => {
                self.report(failure, Effect::Ignored);
                extra.push(name.to_owned(), RawJson::from(raw));
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// The value of a member, or what its absence means.
    pub(crate) fn settle<K: Kind<F>, F>(
        &mut self,
        found: Option<F>,
        name: &'static str,
        raw: &str,
    ) -> Result<F, Failure> {
        found.or_else(K::absent).map_or_else(
            || self.within_member(name, |salvage| Err(salvage.failure("missing", raw))),
            Ok,
        )
    }

    /// Splits an object into its members.
    pub(crate) fn entries<'a>(&mut self, raw: &'a str) -> Result<Vec<Entry<'a>>, Failure> {
        let mut deserializer = serde_json::Deserializer::from_str(raw);
        let split = deserializer.deserialize_map(Split);
        let Ok(pieces) = split else {
            return Err(self.failure("expected an object", raw));
        };
        let mut entries = Vec::with_capacity(pieces.len());
        for (name, value) in pieces {
            let Some((name, replaced)) = text::decode(name.get()) else {
                return Err(self.failure("a member name is not a string", name.get()));
            };
            if replaced > 0 {
                self.note(Effect::Repaired, LONE_SURROGATE, &name);
            }
            entries.push((name, value));
        }
        Ok(entries)
    }

    /// Splits a list into its items.
    pub(crate) fn items<'a>(&self, raw: &'a str) -> Result<Vec<&'a RawValue>, Failure> {
        serde_json::from_str(raw)
            .ok()
            .ok_or_else(|| self.failure("expected a list", raw))
    }

    /// Reads a string. Each half of a surrogate pair that stands alone becomes U+FFFD.
    pub(crate) fn text(&mut self, raw: &str) -> Result<String, Failure> {
        let Some((text, replaced)) = text::decode(raw) else {
            return Err(self.failure("expected a string", raw));
        };
        if replaced > 0 {
            self.note(Effect::Repaired, LONE_SURROGATE, raw);
        }
        Ok(text.into_owned())
    }

    fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            let dot = if place.is_empty() { "" } else { "." };
            // Writing to a string cannot fail.
            let _: fmt::Result = match step {
                Step::Member(name) => write!(place, "{dot}{}", Short(name)),
                Step::Item(index) => write!(place, "[{index}]"),
            };
        }
        place
    }
}

/// A member of an object: its decoded name and its raw value.
pub(crate) type Entry<'a> = (Cow<'a, str>, &'a RawValue);

/// Bound: a hostile member name must not make every path long.
struct Short<'a>(&'a str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAME_LEN_MAX: usize = 64;
        match self.0.get(..self.0.floor_char_boundary(NAME_LEN_MAX)) {
            Some(head) if head.len() < self.0.len() => write!(f, "{head}…"),
            _ => f.write_str(self.0),
        }
    }
}

/// Splits an object without decoding anything.
struct Split;

impl<'de> Visitor<'de> for Split {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pieces = Vec::new();
        while let Some(piece) = map.next_entry()? {
            pieces.push(piece);
        }
        Ok(pieces)
    }
}

const LONE_SURROGATE: &str = "half of a surrogate pair stands alone";

impl Salvage {
    /// Reads a member that may have one value only.
    pub(crate) fn tag(
        &mut self,
        name: &'static str,
        tag: &'static str,
        raw: &RawValue,
    ) -> Result<(), Failure> {
        self.within_member(name, |salvage| {
            if salvage.text(raw.get())? == tag {
                Ok(())
            } else {
                Err(salvage.failure(&format!("expected {tag:?}"), raw.get()))
            }
        })
    }
}

impl Salvage {
    /// The text of an object's member `type`; the last one if there are several.
    pub(crate) fn kind(&mut self, raw: &str) -> Result<String, Failure> {
        let reported = self.diagnostics.len();
        let entries = self.entries(raw)?;
        // The members are read a second time, by the kind, which reports odd names itself.
        self.diagnostics.truncate(reported);
        let value = entries.into_iter().rev().find(|(name, _)| name == "type");
        self.within_member("type", |salvage| match value {
            Some((_, value)) => match text::decode(value.get()) {
                Some((kind, _)) => Ok(kind.into_owned()),
                None => Err(salvage.failure("expected a string", value.get())),
            },
            None => Err(salvage.failure("missing", raw)),
        })
    }
}
