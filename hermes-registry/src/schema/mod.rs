//! The schema of a tool's arguments as interfaces of models take it.
//!
//! Servers write schemas that are right and that models' interfaces refuse all the same, and one
//! refused tool costs the whole request.
//! Each repair is a step of its own, named by [`Step`], and a [`Flavor`] chooses which are taken.
//! First what is no schema becomes one, then references are made safe from what the others do, then
//! come the schema as a whole and, from the inside out, each schema within it.
//! So taking all steps a second time changes nothing.
//!
//! Members keep their order and numbers their digits; what no step is about stays as it is.
//!
//! The original schema stays the one that arguments are held against, so a step may leave out what
//! a model need not know.
//! A schema that is too large, or would become so, stays as it is, and that is told.

mod bare;
mod definitions;
mod objects;
mod references;
mod step;
mod top_level;
mod types;
mod unions;
mod walk;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use mcp_types::RawJson;

pub use step::Step;

use crate::json::{Json, ParseError};

/// The longest schema that is normalised, in bytes: 1 MiB.
///
/// Bound: time; nothing that a model can read is as long.
pub const NORMALISED_LEN_MAX: usize = 1 << 20;

/// The most values that a schema is made of to be normalised: 100,000.
///
/// Bound: memory and time.
pub const NODES_MAX: usize = 100_000;

/// How many times as long a schema may become: 4 times, and 1 KiB for the smallest.
///
/// Bound: memory, and the model's attention.
pub const GROWTH_MAX: usize = 4;

/// What growth is always allowed, in bytes.
const GROWTH_FREE: usize = 1 << 10;

/// Which schemas an interface of models takes.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Flavor {
    /// Every one; no step is taken.
    #[default]
    Plain,
    /// Those that most interfaces take; every step is taken.
    Strict,
}

/// A schema as an interface of models takes it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Normalised {
    /// The schema.
    pub schema: RawJson,
    /// The steps that changed something, in the order in which they are taken.
    pub steps: Vec<Step>,
    /// Why the schema is the original one, if it could not be normalised.
    pub kept: Option<Kept>,
}

/// Why a schema could not be normalised.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Kept {
    /// It has more values than [`NODES_MAX`], or putting together what it refers to has.
    ManyNodes,
    /// It is longer than [`NORMALISED_LEN_MAX`].
    TooLong,
    /// It would become longer than [`GROWTH_MAX`] allows, or nest more than 128 deep.
    TooLarge,
    /// The name of a member has half a character.
    Unreadable,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ManyNodes => write!(f, "the schema has more than {NODES_MAX} values"),
            Self::TooLong => write!(f, "the schema is longer than {NORMALISED_LEN_MAX} bytes"),
            Self::TooLarge => f.write_str("the schema would become too long or too deep"),
            Self::Unreadable => f.write_str("the name of a member has half a character"),
        }
    }
}

/// The schema of a tool's arguments as interfaces of this flavor take it.
#[must_use]
pub fn normalise(schema: &RawJson, flavor: Flavor) -> Normalised {
    let outcome = match flavor {
        Flavor::Plain => Ok((schema.clone(), Vec::new())),
        Flavor::Strict => strict(schema),
    };
    let (schema, steps, kept) = match outcome {
        Ok((schema, steps)) => (schema, steps, None),
        Err(kept) => (schema.clone(), Vec::new(), Some(kept)),
    };
    Normalised {
        schema,
        steps,
        kept,
    }
}

fn strict(schema: &RawJson) -> Result<(RawJson, Vec<Step>), Kept> {
    let text = schema.as_str();
    if text.len() > NORMALISED_LEN_MAX {
        return Err(Kept::TooLong);
    }
    let mut root = Json::parse(text, NODES_MAX).map_err(|error| match error {
        ParseError::TooMany => Kept::ManyNodes,
        ParseError::Bad => Kept::Unreadable,
    })?;
    let mut taken = Taken::default();
    taken.note(Step::Empty, bare::fill_empty(&mut root));
    walk::each_schema(&mut root, &mut |schema| {
        taken.note(Step::Bare, bare::repair(schema));
        taken.note(Step::AdditionalProperties, bare::repair_rest(schema));
    });
    taken.note(Step::Definitions, definitions::rename(&mut root));
    taken.note(Step::References, references::hoist(&mut root)?);
    taken.note(Step::TopLevel, top_level::flatten(&mut root)?);
    walk::each_schema(&mut root, &mut |schema| normalise_node(schema, &mut taken));
    if taken.0.is_empty() {
        // Not even white space is changed without need.
        return Ok((schema.clone(), Vec::new()));
    }
    let dense = root.dense();
    if dense.len() > GROWTH_MAX * text.len() + GROWTH_FREE {
        return Err(Kept::TooLarge);
    }
    let schema = RawJson::parse(dense).map_err(|_deep| Kept::TooLarge)?;
    Ok((schema, taken.0.into_iter().collect()))
}

/// Takes the steps that are about one schema, whose parts have taken them already.
fn normalise_node(schema: &mut Json, taken: &mut Taken) {
    let Json::Object(members) = schema else {
        return;
    };
    taken.note(Step::ConstUnions, unions::enumerate(members));
    taken.note(Step::NullUnions, unions::collapse(members));
    taken.note(Step::TypeArrays, types::split(members));
    taken.note(Step::ObjectTypes, objects::complete(members));
    taken.note(Step::ArrayItems, objects::complete_array(members));
    taken.note(Step::Required, objects::prune_required(members));
    taken.note(Step::DefaultBesideRef, objects::drop_default(members));
}

/// The steps that changed something.
#[derive(Default)]
struct Taken(BTreeSet<Step>);

impl Taken {
    fn note(&mut self, step: Step, has_changed: bool) {
        if has_changed {
            self.0.insert(step);
        }
    }
}
