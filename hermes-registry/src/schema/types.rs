//! Several types at once.

use super::objects;
use crate::json::{Json, Members};

/// Makes one type with `nullable`, or a union of schemas of one type each, of several types.
///
/// What is only about one type goes into the schema of that type.
/// Where there is a union already, the types stay.
pub(super) fn split(members: &mut Members) -> bool {
    let Some(Json::List(listed)) = members.get("type") else {
        return false;
    };
    let mut types: Vec<String> = Vec::new();
    for name in listed.iter().filter_map(Json::as_text) {
        if !types.iter().any(|known| known == name) {
            types.push(name.to_owned());
        }
    }
    let is_null = |name: &String| name == "null";
    let has_null = types.iter().any(is_null) && types.len() > 1;
    if has_null {
        types.retain(|name| !is_null(name));
    }
    match types.as_slice() {
        [] => drop(members.remove("type")),
        [only] => members.set("type", Json::text(only)),
        _ if members.has("anyOf") => return false,
        several => distribute(members, several),
    }
    if has_null && lists_null(members) {
        members.set("nullable", Json::bool(true));
    }
    true
}

/// Puts a union of these types in the place of `type`.
fn distribute(members: &mut Members, types: &[String]) {
    let mut branches: Vec<Members> = types
        .iter()
        .map(|name| Members(vec![("type".to_owned(), Json::text(name))]))
        .collect();
    let mut all = Vec::with_capacity(members.0.len());
    for (keyword, value) in std::mem::take(&mut members.0) {
        let mut is_placed = false;
        for (name, branch) in types.iter().zip(&mut branches) {
            if is_about(&keyword, name) {
                branch.0.push((keyword.clone(), value.clone()));
                is_placed = true;
            }
        }
        if !is_placed {
            all.push((keyword, value));
        }
    }
    members.0 = all;
    for branch in &mut branches {
        objects::complete(branch);
        objects::complete_array(branch);
        objects::prune_required(branch);
    }
    let union = Json::List(branches.into_iter().map(Json::Object).collect());
    for (keyword, value) in &mut members.0 {
        if keyword == "type" {
            "anyOf".clone_into(keyword);
            *value = union;
            break;
        }
    }
}

/// Whether a keyword only decides about values of this type.
fn is_about(keyword: &str, name: &str) -> bool {
    match keyword {
        "contentEncoding" | "contentMediaType" | "contentSchema" | "format" | "maxLength"
        | "minLength" | "pattern" => name == "string",
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" | "multipleOf" => {
            matches!(name, "integer" | "number")
        }
        "additionalItems" | "contains" | "items" | "maxContains" | "maxItems" | "minContains"
        | "minItems" | "prefixItems" | "uniqueItems" => name == "array",
        "additionalProperties"
        | "dependencies"
        | "dependentRequired"
        | "dependentSchemas"
        | "maxProperties"
        | "minProperties"
        | "patternProperties"
        | "properties"
        | "propertyNames"
        | "required" => name == "object",
        _ => false,
    }
}

/// Whether `null` is among the values that are listed, if any are.
fn lists_null(members: &Members) -> bool {
    let is_null = |value: &Json| value.is_plain("null");
    let by_enum = members.get("enum").and_then(Json::as_list);
    by_enum.is_none_or(|values| values.iter().any(is_null))
        && members.get("const").is_none_or(is_null)
}
