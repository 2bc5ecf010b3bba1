//! What is wrong with a value, in words for a model.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::{Location, LocationSegment};
use serde_json::Value;

use super::expected::{self, expected};
use super::text::{DETAIL_LEN_MAX, excerpt, shorten};
use crate::nearest::nearest;

/// The most mismatches that are told: 5, as many as a model can put right at once.
pub const MISMATCHES_MAX: usize = 5;

/// One thing that is wrong with a value.
///
/// The texts quote the schema and the value: redact them before showing them.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Where in the value, as in `items[2].name`, at most 200 characters; empty for the value
    /// itself.
    pub path: String,
    /// What should be there, as in `a string or null`, at most 200 characters and what is put
    /// around them.
    pub expected: String,
    /// What is there, as JSON of at most 80 characters, or `nothing`.
    pub found: String,
}

/// What is wrong with a value: at least one thing.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Mismatches {
    /// The first of them, at most [`MISMATCHES_MAX`].
    pub first: Vec<Mismatch>,
    /// How many there are besides.
    pub left_out: usize,
}

impl Mismatches {
    /// Tells these errors, or returns nothing if there are none.
    pub(super) fn new<'e>(
        errors: impl Iterator<Item = ValidationError<'e>>,
        schema: &Value,
        value: &Value,
    ) -> Option<Self> {
        let mut telling = Telling {
            schema,
            value,
            found: Self {
                first: Vec::new(),
                left_out: 0,
            },
        };
        for error in errors {
            telling.tell(&error, "");
        }
        (!telling.found.first.is_empty()).then_some(telling.found)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl fmt::Display for Mismatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mismatch) in self.first.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            mismatch.fmt(f)?;
        }
        match self.left_out {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for Mismatches {}

struct Telling<'v> {
    schema: &'v Value,
    value: &'v Value,
    found: Mismatches,
}

impl Telling<'_> {
    /// Tells one error; `remark` is put behind what was expected.
    fn tell(&mut self, error: &ValidationError<'_>, remark: &str) {
        match error.kind() {
            // What the matcher gave up says nothing about the value.
            ValidationErrorKind::BacktrackLimitExceeded { .. }
            | ValidationErrorKind::RegexEngineFailure { .. } => {}
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    if self.has_room() {
                        let found = error.instance().get(name);
                        let found = found.map_or_else(String::new, excerpt);
                        let expected = self.no_member(error, name);
                        self.add(error, Some(name), expected + remark, found);
                    }
                }
            }
            _ if !self.has_room() => {}
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let expected = self.of_member(error, name);
                self.add(error, Some(name), expected + remark, "nothing".to_owned());
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => self.tell_union(error, context),
            kind => {
                let found = excerpt(error.instance());
                self.add(error, None, expected(kind) + remark, found);
            }
        }
    }

    /// Whether one more can be told; one that cannot is counted.
    ///
    /// Bound: a value with a million wrong items must not cost a million texts.
    fn has_room(&mut self) -> bool {
        let has_room = self.found.first.len() < MISMATCHES_MAX;
        self.found.left_out += usize::from(!has_room);
        has_room
    }

    /// Tells what would make the value fit the branch that it is nearest to.
    fn tell_union(
        &mut self,
        union: &ValidationError<'_>,
        branches: &[Vec<ValidationError<'static>>],
    ) {
        let refuses_type = |error: &&ValidationError<'_>| {
            matches!(error.kind(), ValidationErrorKind::Type { .. })
                && error.instance_path() == union.instance_path()
        };
        let types: Vec<Option<String>> = branches
            .iter()
            .map(|branch| Some(expected(branch.iter().find(refuses_type)?.kind())))
            .collect();
        let of_right_type = branches.iter().zip(&types);
        let of_right_type = of_right_type.filter(|(_, wrong)| wrong.is_none());
        let nearest = of_right_type.min_by_key(|(branch, _)| branch.len());
        match nearest {
            Some((branch, _)) => {
                let remark = match branches.len() {
                    0 | 1 => String::new(),
                    shapes => format!(" (for the nearest of {shapes} shapes)"),
                };
                for error in branch {
                    self.tell(error, &remark);
                }
            }
            None => {
                let words = types.iter().flatten().map(String::as_str);
                let expected = expected::any_of(words);
                self.add(union, None, expected, excerpt(union.instance()));
            }
        }
    }

    fn add(
        &mut self,
        error: &ValidationError<'_>,
        member: Option<&str>,
        expected: String,
        found: String,
    ) {
        let mut path = path(self.value, error.instance_path());
        if let Some(member) = member {
            push_member(&mut path, member);
        }
        self.found.first.push(Mismatch {
            path: shorten(&path, DETAIL_LEN_MAX),
            expected,
            found,
        });
    }

    /// What the schema beside a keyword that failed says of a member.
    fn of_member(&self, error: &ValidationError<'_>, name: &str) -> String {
        let known = self.beside(error).and_then(|schema| {
            let member = schema.get("properties")?.get(name)?;
            expected::described(member)
        });
        known.unwrap_or_else(|| "a value".to_owned())
    }

    fn no_member(&self, error: &ValidationError<'_>, name: &str) -> String {
        let known = self.beside(error).and_then(|schema| {
            let known = schema.get("properties")?.as_object()?;
            nearest(name, known.keys().map(String::as_str))
        });
        match known {
            Some(known) => format!("no such member (did you mean `{}`?)", shorten(known, 80)),
            None => "no such member".to_owned(),
        }
    }

    /// The schema that holds the keyword that failed.
    fn beside(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let (schema, _keyword) = error.schema_path().as_str().rsplit_once('/')?;
        self.schema.pointer(schema)
    }
}

/// The way to a place of `value`, as a program would write it.
fn path(value: &Value, location: &Location) -> String {
    let mut path = String::new();
    let mut at = Some(value);
    for segment in location.iter() {
        let name = match &segment {
            LocationSegment::Property(name) => name.to_string(),
            LocationSegment::Index(index) => index.to_string(),
        };
        // Only the value tells an item from a member that is called by a number.
        at = match at {
            Some(Value::Array(items)) => {
                path.extend(["[", &name, "]"]);
                name.parse::<usize>()
                    .ok()
                    .and_then(|index| items.get(index))
            }
            at => {
                push_member(&mut path, &name);
                at.and_then(|at| at.get(&name))
            }
        };
    }
    path
}

fn push_member(path: &mut String, name: &str) {
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '$');
    if name.is_empty() || !name.chars().all(is_plain) {
        path.extend(["[", &Value::from(name).to_string(), "]"]);
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}
