//! How much work it is to hold a value against a schema, counted before any of it is done.
//!
//! A schema of a few lines can ask for more steps than there is time: a definition that refers to
//! the next one twice, thirty times over, is a thousand million visits.
//! What does the checking cannot be stopped half-way, and a chain of references that is long enough
//! overruns its stack.
//! So this walk goes the same ways first, without asking what is true, and gives up at a bound.
//! It counts no less than checking costs, so that a value may be given up that could be checked.

use serde_json::{Map, Value};

use super::reason::Unchecked;
use super::text::{DETAIL_LEN_MAX, shorten};
use crate::pointer;

/// The most steps that checking one value may take: 500,000.
///
/// Bound: time and memory; a step takes less than a microsecond, and what is wrong is remembered in
/// a few hundred bytes.
pub const STEPS_MAX: usize = 500_000;

/// The most schemas that may lie within each other on the way to one place of a value, references
/// counted: 512.
///
/// Bound: the stack of a thread of two megabytes.
pub const VISITS_DEEP_MAX: usize = 512;

/// Bytes of a text that are read in one step.
const TEXT_STEP: usize = 256;

/// Items up to this many are compared in pairs to tell whether they differ.
const PAIRED_MAX: usize = 15;

/// Whether checking `value` stays within the bounds.
pub(super) fn afford(schema: &Value, value: &Value) -> Result<(), Unchecked> {
    let mut walk = Walk {
        root: schema,
        left: STEPS_MAX,
    };
    walk.visit(schema, value, At::default())
}

struct Walk<'s> {
    root: &'s Value,
    left: usize,
}

/// What lies around a visit.
#[derive(Clone, Copy, Default)]
struct At {
    /// The schemas around it.
    depth: usize,
    /// The unions around it; what is wrong within a union is looked at once more for each of them.
    unions: usize,
}

impl<'s> Walk<'s> {
    fn visit(&mut self, schema: &'s Value, value: &Value, at: At) -> Result<(), Unchecked> {
        let Value::Object(schema) = schema else {
            return self.charge(1, at);
        };
        if at.depth >= VISITS_DEEP_MAX {
            return Err(Unchecked::TooDeep);
        }
        let at = At {
            depth: at.depth + 1,
            ..at
        };
        self.charge(
            1 + schema.len() + value.as_str().map_or(0, str::len) / TEXT_STEP,
            at,
        )?;
        // What is left over is found by asking the branches again what they took.
        let is_asked_again =
            schema.contains_key("unevaluatedProperties") || schema.contains_key("unevaluatedItems");
        for _ in 0..=usize::from(is_asked_again) {
            self.visit_here(schema, value, at)?;
        }
        match value {
            Value::Object(members) => self.visit_members(schema, members, at),
            Value::Array(items) => self.visit_items(schema, items, at),
            _ => Ok(()),
        }
    }

    /// The schemas that are asked about the same value.
    fn visit_here(
        &mut self,
        schema: &'s Map<String, Value>,
        value: &Value,
        at: At,
    ) -> Result<(), Unchecked> {
        for (keyword, inner) in schema {
            match (keyword.as_str(), inner) {
                ("$ref", Value::String(reference)) => {
                    self.visit(self.target(reference)?, value, at)?;
                }
                ("allOf", Value::Array(branches)) => {
                    for branch in branches {
                        self.visit(branch, value, at)?;
                    }
                }
                ("anyOf" | "oneOf", Value::Array(branches)) => {
                    let unions = at.unions + 1;
                    for branch in branches {
                        // What a branch says is wrong holds a copy of the value.
                        self.weigh(value, at)?;
                        self.visit(branch, value, At { unions, ..at })?;
                    }
                }
                ("not" | "if" | "then" | "else", inner) => self.visit(inner, value, at)?,
                ("dependentSchemas" | "dependencies", Value::Object(named)) => {
                    let members = value.as_object();
                    for (_, inner) in named.iter().filter(|(name, _)| {
                        members.is_some_and(|members| members.contains_key(*name))
                    }) {
                        self.visit(inner, value, at)?;
                    }
                }
                ("enum", Value::Array(options)) => {
                    for _ in options {
                        self.weigh(value, at)?;
                    }
                }
                ("required", Value::Array(names)) => self.charge(names.len(), at)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn visit_members(
        &mut self,
        schema: &'s Map<String, Value>,
        members: &Map<String, Value>,
        at: At,
    ) -> Result<(), Unchecked> {
        let known = schema.get("properties").and_then(Value::as_object);
        for (keyword, inner) in schema {
            match (keyword.as_str(), inner) {
                ("properties", Value::Object(named)) => {
                    self.charge(named.len(), at)?;
                    for (name, member) in members {
                        if let Some(inner) = named.get(name) {
                            self.visit(inner, member, at)?;
                        }
                    }
                }
                ("patternProperties", Value::Object(patterns)) => {
                    for inner in patterns.values() {
                        for member in members.values() {
                            self.visit(inner, member, at)?;
                        }
                    }
                }
                ("additionalProperties", inner) => {
                    let is_known = |name| known.is_some_and(|known| known.contains_key(name));
                    for (_, member) in members.iter().filter(|(name, _)| !is_known(*name)) {
                        self.visit(inner, member, at)?;
                    }
                }
                ("unevaluatedProperties", inner) => {
                    for member in members.values() {
                        self.visit(inner, member, at)?;
                    }
                }
                ("propertyNames", inner) => {
                    for name in members.keys() {
                        self.visit(inner, &Value::String(name.clone()), at)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn visit_items(
        &mut self,
        schema: &'s Map<String, Value>,
        items: &[Value],
        at: At,
    ) -> Result<(), Unchecked> {
        for (keyword, inner) in schema {
            match (keyword.as_str(), inner) {
                ("items" | "prefixItems", Value::Array(schemas)) => {
                    for (inner, item) in schemas.iter().zip(items) {
                        self.visit(inner, item, at)?;
                    }
                }
                ("items" | "additionalItems" | "contains" | "unevaluatedItems", inner) => {
                    for item in items {
                        self.visit(inner, item, at)?;
                    }
                }
                ("uniqueItems", Value::Bool(true)) => {
                    // Few items are compared in pairs, many by a hash and about one comparison.
                    for _ in 0..=items.len().min(PAIRED_MAX) {
                        items.iter().try_for_each(|item| self.weigh(item, at))?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Counts every part of a value.
    fn weigh(&mut self, value: &Value, at: At) -> Result<(), Unchecked> {
        self.charge(1 + value.as_str().map_or(0, str::len) / TEXT_STEP, at)?;
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.weigh(item, at)),
            Value::Object(members) => members
                .values()
                .try_for_each(|member| self.weigh(member, at)),
            _ => Ok(()),
        }
    }

    fn charge(&mut self, steps: usize, at: At) -> Result<(), Unchecked> {
        let steps = steps.saturating_mul(1 + at.unions);
        self.left = self.left.checked_sub(steps).ok_or(Unchecked::TooMuchWork)?;
        Ok(())
    }

    fn target(&self, reference: &str) -> Result<&'s Value, Unchecked> {
        let steps = pointer::local(reference).ok_or_else(|| foreign(reference))?;
        let step_into = |value: &'s Value, step: &String| match value {
            Value::Object(members) => members.get(step),
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        };
        let found = steps.iter().try_fold(self.root, step_into);
        found.ok_or_else(|| foreign(reference))
    }
}

pub(super) fn foreign(reference: &str) -> Unchecked {
    Unchecked::ForeignReference {
        reference: shorten(reference, DETAIL_LEN_MAX),
    }
}
