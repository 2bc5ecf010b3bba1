//! One schema, ready to hold values against.

use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use mcp_types::RawJson;
use serde_json::Value;

use super::budget::{self, foreign};
use super::mismatch::Mismatches;
use super::reason::Unchecked;
use super::text::{DETAIL_LEN_MAX, excerpt, shorten};
use crate::pointer;

/// The longest schema that values are held against, in bytes: 256 KiB.
///
/// Bound: memory and time; what a schema is compiled to is many times as large.
pub const SCHEMA_LEN_MAX: usize = 256 << 10;

/// The most patterns of a schema that values are held against: 128.
///
/// Bound: memory; a pattern of twenty bytes can be compiled to a quarter of a megabyte.
pub const PATTERNS_MAX: usize = 128;

/// What one pattern may be compiled to, in bytes.
const PATTERN_SIZE_MAX: usize = 256 << 10;

/// A schema, ready to hold values against.
///
/// A schema that cannot be used makes one too, which checks nothing and says why.
#[derive(Debug)]
pub struct Checker {
    compiled: Result<Compiled, Unchecked>,
}

#[derive(Debug)]
struct Compiled {
    schema: Value,
    validator: Validator,
}

/// What came of holding a value against a schema.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Check {
    /// The value is what the schema asks for.
    Fits,
    /// It is not.
    Differs(Mismatches),
    /// It was not checked.
    Unchecked(Unchecked),
}

impl Checker {
    /// Compiles a schema; nothing that it refers to is fetched.
    #[must_use]
    pub fn new(schema: &RawJson) -> Self {
        Self {
            compiled: compile(schema),
        }
    }

    /// Why this checks nothing, if it does not.
    #[must_use]
    pub fn unchecked(&self) -> Option<&Unchecked> {
        self.compiled.as_ref().err()
    }

    /// Holds a value against the schema.
    #[must_use]
    pub fn check(&self, value: &RawJson) -> Check {
        let compiled = match &self.compiled {
            Ok(compiled) => compiled,
            Err(reason) => return Check::Unchecked(reason.clone()),
        };
        let value: Value = match serde_json::from_str(value.as_str()) {
            Ok(value) => value,
            Err(error) => return Check::Unchecked(unreadable(&error)),
        };
        if let Err(reason) = budget::afford(&compiled.schema, &value) {
            return Check::Unchecked(reason);
        }
        let errors = compiled.validator.iter_errors(&value);
        match Mismatches::new(errors, &compiled.schema, &value) {
            None => Check::Fits,
            Some(found) => Check::Differs(found),
        }
    }
}

fn compile(schema: &RawJson) -> Result<Compiled, Unchecked> {
    if schema.as_str().len() > SCHEMA_LEN_MAX {
        return Err(Unchecked::LongSchema);
    }
    let schema: Value = serde_json::from_str(schema.as_str()).map_err(|error| bad(&error))?;
    let draft = Draft::Draft202012.detect(&schema);
    if draft == Draft::Unknown {
        let dialect = schema.get("$schema").and_then(Value::as_str);
        let dialect = shorten(dialect.unwrap_or_default(), DETAIL_LEN_MAX);
        return Err(Unchecked::UnknownDialect { dialect });
    }
    let mut patterns_left = PATTERNS_MAX;
    if let Value::Object(members) = &schema {
        for (name, inner) in members {
            survey(name, inner, &mut patterns_left)?;
        }
    }
    let options = jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE_MAX));
    let validator = options.build(&schema).map_err(|error| refused(&error))?;
    Ok(Compiled { schema, validator })
}

/// Counts patterns, and looks for references that are not followed here.
///
/// What only looks like one of these, as in an example, counts as well.
fn survey(name: &str, value: &Value, patterns_left: &mut usize) -> Result<(), Unchecked> {
    let patterns = match (name, value) {
        ("$ref", Value::String(reference)) if pointer::local(reference).is_none() => {
            return Err(foreign(reference));
        }
        ("$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
            return Err(foreign(reference));
        }
        ("pattern", Value::String(_)) => 1,
        ("patternProperties", Value::Object(patterns)) => patterns.len(),
        _ => 0,
    };
    *patterns_left = patterns_left
        .checked_sub(patterns)
        .ok_or(Unchecked::ManyPatterns)?;
    match value {
        Value::Object(members) => {
            // A reference within a part that has an address is relative to that.
            if let Some(Value::String(id)) = members.get("$id") {
                return Err(foreign(id));
            }
            let mut members = members.iter();
            members.try_for_each(|(name, inner)| survey(name, inner, patterns_left))
        }
        Value::Array(items) => {
            let mut items = items.iter();
            items.try_for_each(|inner| survey("", inner, patterns_left))
        }
        _ => Ok(()),
    }
}

fn refused(error: &ValidationError<'_>) -> Unchecked {
    let reason = match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => {
            let pattern = excerpt(error.instance());
            format!("the pattern {pattern} cannot be matched in linear time")
        }
        _ => error.to_string(),
    };
    let place = error.instance_path();
    if place.is_empty() {
        bad(&reason)
    } else {
        bad(&format_args!("at {place}, {reason}"))
    }
}

fn bad(reason: &dyn fmt::Display) -> Unchecked {
    Unchecked::BadSchema {
        reason: shorten(&reason.to_string(), DETAIL_LEN_MAX),
    }
}

fn unreadable(error: &serde_json::Error) -> Unchecked {
    Unchecked::UnreadableValue {
        reason: shorten(&error.to_string(), DETAIL_LEN_MAX),
    }
}
