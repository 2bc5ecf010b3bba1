//! Where schemas stand within a schema.
//!
//! Only these places are looked at: a property may be called like a keyword, and an example may
//! look like a schema.

use crate::json::{Json, Members};

/// What a keyword holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Holds {
    /// Schemas by names.
    Named,
    /// Nothing that is a schema.
    Other,
    /// A schema, or a list of them.
    Schemas,
}

/// What this keyword holds.
pub(super) fn holds(keyword: &str) -> Holds {
    match keyword {
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds::Named
        }
        "additionalItems"
        | "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "prefixItems"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schemas,
        _ => Holds::Other,
    }
}

/// Shows each schema to `visit`, what is inside of it first, the root last.
pub(super) fn each_schema(schema: &mut Json, visit: &mut dyn FnMut(&mut Json)) {
    if let Json::Object(members) = schema {
        for inner in inner_schemas(members) {
            each_schema(inner, visit);
        }
    }
    visit(schema);
}

/// What stands where a schema within this one should.
pub(super) fn inner_schemas(members: &mut Members) -> impl Iterator<Item = &mut Json> {
    members.0.iter_mut().flat_map(|(keyword, value)| {
        let mut inner: Vec<&mut Json> = Vec::new();
        match (holds(keyword), value) {
            (Holds::Named, Json::Object(named)) => {
                inner.extend(named.0.iter_mut().map(|(_, schema)| schema));
            }
            (Holds::Schemas, Json::List(list)) => inner.extend(list),
            (Holds::Schemas, schema) => inner.push(schema),
            _ => {}
        }
        inner
    })
}

/// Shows each `$ref` to `visit`.
pub(super) fn each_reference(root: &mut Json, visit: &mut dyn FnMut(&mut String)) {
    each_schema(root, &mut |schema| {
        if let Json::Object(members) = schema
            && let Some(Json::Text(reference)) = members.get_mut("$ref")
        {
            visit(reference);
        }
    });
}

/// The value to which these names and places lead.
pub(super) fn find<'j>(root: &'j Json, steps: &[String]) -> Option<&'j Json> {
    steps.iter().try_fold(root, |value, step| match value {
        Json::Object(members) => members.get(step),
        Json::List(items) => items.get(step.parse::<usize>().ok()?),
        Json::Plain(_) | Json::Text(_) => None,
    })
}

/// Whether a member only says something about a schema, and does not decide what fits it.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "$comment"
            | "default"
            | "deprecated"
            | "description"
            | "examples"
            | "nullable"
            | "readOnly"
            | "title"
            | "writeOnly"
    )
}
