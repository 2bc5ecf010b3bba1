//! Objects and arrays that leave out what is taken for granted, and names that mean nothing.

use std::collections::HashSet;

use crate::json::{Json, Members};

/// Gives a schema with properties the type `object`, and a schema of that type properties.
///
/// A schema that only requires something is part of a condition, and stays as it is.
pub(super) fn complete(members: &mut Members) -> bool {
    let has_properties = members
        .get("properties")
        .is_some_and(|named| named.as_object().is_some());
    let is_listed = ["$ref", "const", "enum"]
        .iter()
        .any(|keyword| members.has(keyword));
    match members.get("type") {
        None if has_properties && !is_listed => {
            members
                .0
                .insert(0, ("type".to_owned(), Json::text("object")));
            true
        }
        Some(name) if name.as_text() == Some("object") && !has_properties => {
            members.set("properties", Json::Object(Members::default()));
            true
        }
        _ => false,
    }
}

/// Gives a schema of the type `array` items of any sort, if it says nothing of them.
pub(super) fn complete_array(members: &mut Members) -> bool {
    let is_array = members.get("type").and_then(Json::as_text) == Some("array");
    let is_open = is_array && !members.has("items") && !members.has("prefixItems");
    if is_open {
        members.set("items", Json::Object(Members::default()));
    }
    is_open
}

/// Takes away required names that are no properties, or stand twice; and what is no list.
pub(super) fn prune_required(members: &mut Members) -> bool {
    let known = members.get("properties").and_then(Json::as_object);
    let known: Option<HashSet<String>> =
        known.map(|named| named.0.iter().map(|(name, _)| name.clone()).collect());
    match (members.get_mut("required"), known) {
        (Some(Json::List(required)), Some(mut known)) => {
            let len = required.len();
            // A name that was met is not known any more, so that it is kept once.
            required.retain(|name| name.as_text().is_some_and(|name| known.remove(name)));
            required.len() < len
        }
        (None | Some(Json::List(_)), _) => false,
        (Some(_), _) => {
            members.remove("required");
            true
        }
    }
}

/// Takes away a default beside a reference, which interfaces of models refuse.
pub(super) fn drop_default(members: &mut Members) -> bool {
    members.has("$ref") && members.remove("default").is_some()
}
