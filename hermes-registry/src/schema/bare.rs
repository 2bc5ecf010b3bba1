//! What stands where a schema should, and is none.
//!
//! `additionalProperties` and its like may be `true` or `false`, which every interface takes.

use super::walk::{Holds, holds};
use crate::json::{Json, Members};

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Makes a schema without members that of an object without properties.
pub(super) fn fill_empty(root: &mut Json) -> bool {
    let is_empty = match root {
        Json::Object(members) => members.0.is_empty(),
        _ => true,
    };
    if is_empty {
        let none = Json::Object(Members::default());
        *root = Json::object([("type", Json::text("object")), ("properties", none)]);
    }
    is_empty
}

/// Makes schemas of what stands directly within this one.
pub(super) fn repair(schema: &mut Json) -> bool {
    let Json::Object(members) = schema else {
        return false;
    };
    let mut has_changed = false;
    let mut make = |value: &mut Json| {
        if let Some(schema) = made_of(value) {
            *value = schema;
            has_changed = true;
        }
    };
    for (keyword, value) in &mut members.0 {
        match (holds(keyword), value) {
            (Holds::Named, Json::Object(named)) => {
                named.0.iter_mut().for_each(|(_, value)| make(value));
            }
            (Holds::Schemas, _) if is_rest(keyword) => {}
            (Holds::Schemas, Json::List(list)) => list.iter_mut().for_each(&mut make),
            (Holds::Schemas, value) => make(value),
            _ => {}
        }
    }
    has_changed
}

/// Makes a schema, `true` or `false` of `additionalProperties`, or takes it away.
pub(super) fn repair_rest(schema: &mut Json) -> bool {
    let Json::Object(members) = schema else {
        return false;
    };
    let made = match members.get("additionalProperties") {
        Some(Json::Text(text)) => match text.trim() {
            "true" => Some(Json::bool(true)),
            "false" => Some(Json::bool(false)),
            name if TYPES.contains(&name) => Some(of_type(name)),
            _ => None,
        },
        Some(Json::Plain(plain)) if !matches!(&**plain, "true" | "false") => None,
        Some(Json::List(_)) => None,
        _ => return false,
    };
    match made {
        Some(made) => members.set("additionalProperties", made),
        None => drop(members.remove("additionalProperties")),
    }
    true
}

/// The schema that was probably meant, unless this is one.
fn made_of(value: &Json) -> Option<Json> {
    let nothing = || Json::Object(Members::default());
    match value {
        Json::Object(_) => None,
        Json::Text(text) if TYPES.contains(&text.trim()) => Some(of_type(text.trim())),
        Json::Text(text) => Some(Json::object([("description", Json::text(text))])),
        value if value.is_plain("false") => Some(Json::object([("not", nothing())])),
        Json::Plain(_) | Json::List(_) => Some(nothing()),
    }
}

fn of_type(name: &str) -> Json {
    Json::object([("type", Json::text(name))])
}

fn is_rest(keyword: &str) -> bool {
    matches!(
        keyword,
        "additionalItems" | "additionalProperties" | "unevaluatedItems" | "unevaluatedProperties"
    )
}
