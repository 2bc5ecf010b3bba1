//! Unions that say the same as something simpler.
//!
//! Beside the union nothing may stand but what describes it: what also has to fit would have to be
//! put into each branch.

use super::walk::is_annotation;
use crate::json::{Json, Members};

const UNIONS: [&str; 2] = ["anyOf", "oneOf"];

/// Makes an `enum` of a union of constants of one type; a branch for `null` becomes `nullable`.
///
/// What the branches say of their constants is put behind the description.
pub(super) fn enumerate(members: &mut Members) -> bool {
    UNIONS.into_iter().any(|keyword| {
        let Some(found) = constants(members, keyword) else {
            return false;
        };
        let mut all = Vec::with_capacity(members.0.len() + 2);
        for (name, value) in std::mem::take(&mut members.0) {
            if name == keyword {
                all.push(("type".to_owned(), Json::text(found.kind)));
                all.push(("enum".to_owned(), Json::List(found.values.clone())));
            } else if name != "type" {
                all.push((name, value));
            }
        }
        members.0 = all;
        if !found.about.is_empty() {
            let before = members.get("description").and_then(Json::as_text);
            let lines = before.into_iter().map(str::to_owned).chain(found.about);
            let lines: Vec<String> = lines.collect();
            members.set("description", Json::Text(lines.join("\n")));
        }
        if found.is_nullable {
            members.set("nullable", Json::bool(true));
        }
        true
    })
}

/// Makes a union of one schema, or of one schema and `null`, that schema.
pub(super) fn collapse(members: &mut Members) -> bool {
    UNIONS.into_iter().any(|keyword| {
        let Some(Json::List(branches)) = members.get(keyword) else {
            return false;
        };
        let mut rest = branches.iter().filter(|branch| !is_null(branch));
        let (Some(Json::Object(only)), None) = (rest.next(), rest.next()) else {
            return false;
        };
        let mut others = members.0.iter();
        if !others.all(|(name, _)| name == keyword || is_around(name)) {
            return false;
        }
        let has_null = branches.iter().any(is_null);
        let only = only.clone();
        // What a schema refers to has its own default.
        if only.has("$ref") {
            members.remove("default");
        }
        let mut all = Vec::with_capacity(members.0.len() + only.0.len());
        let around = std::mem::take(members);
        for (name, value) in &around.0 {
            if name == keyword {
                let is_new = |name: &str| name == keyword || !around.has(name);
                all.extend(only.0.iter().filter(|(name, _)| is_new(name)).cloned());
            } else {
                all.push((name.clone(), value.clone()));
            }
        }
        members.0 = all;
        if has_null {
            members.set("nullable", Json::bool(true));
        }
        true
    })
}

/// The constants of a union.
struct Constants {
    kind: &'static str,
    values: Vec<Json>,
    /// What is said of single values.
    about: Vec<String>,
    is_nullable: bool,
}

fn constants(members: &Members, keyword: &str) -> Option<Constants> {
    let branches = members.get(keyword)?.as_list()?;
    let mut others = members.0.iter().map(|(name, _)| name.as_str());
    if !others.all(|name| name == keyword || name == "type" || is_around(name)) {
        return None;
    }
    let mut found: Option<Constants> = None;
    for branch in branches.iter().filter(|branch| !is_null(branch)) {
        let branch = branch.as_object()?;
        let values = listed(branch)?;
        let kind = kind_of(branch, &values)?;
        let found = found.get_or_insert_with(|| Constants {
            kind,
            values: Vec::new(),
            about: Vec::new(),
            is_nullable: branches.iter().any(is_null),
        });
        found.kind = common(found.kind, kind)?;
        found.about.extend(about(branch, &values));
        found.values.extend(values);
    }
    let mut found = found?;
    let mut seen = std::collections::HashSet::new();
    found.values.retain(|value| seen.insert(value.dense()));
    let outer = members.get("type");
    let is_said =
        outer.is_none_or(|outer| outer.as_text() == Some(found.kind) && !found.is_nullable);
    (found.values.len() > 1 && is_said).then_some(found)
}

/// The values of a branch that lists them, if it says nothing else.
fn listed(branch: &Members) -> Option<Vec<Json>> {
    let is_known = |name: &str| {
        matches!(
            name,
            "const" | "enum" | "type" | "title" | "description" | "$comment"
        )
    };
    if !branch.0.iter().all(|(name, _)| is_known(name)) {
        return None;
    }
    match (branch.get("const"), branch.get("enum")) {
        (Some(value), None) => Some(vec![value.clone()]),
        (None, Some(Json::List(values))) if !values.is_empty() => Some(values.clone()),
        _ => None,
    }
}

/// The type of all these values, which is what the branch says, if it says something.
fn kind_of(branch: &Members, values: &[Json]) -> Option<&'static str> {
    let mut kinds = values.iter().map(scalar_kind);
    let first = kinds.next()??;
    let kind = kinds.try_fold(first, |kind, next| common(kind, next?))?;
    match branch.get("type") {
        None => Some(kind),
        Some(said) if said.as_text() == Some(kind) => Some(kind),
        Some(said) if said.as_text() == Some("number") && kind == "integer" => Some("number"),
        Some(_) => None,
    }
}

fn scalar_kind(value: &Json) -> Option<&'static str> {
    match value {
        Json::Text(_) => Some("string"),
        Json::Plain(plain) if matches!(&**plain, "true" | "false") => Some("boolean"),
        Json::Plain(plain)
            if plain
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-') =>
        {
            Some("integer")
        }
        Json::Plain(plain)
            if plain.starts_with(|char: char| char.is_ascii_digit() || char == '-') =>
        {
            Some("number")
        }
        _ => None,
    }
}

fn common(one: &'static str, other: &'static str) -> Option<&'static str> {
    match (one, other) {
        _ if one == other => Some(one),
        ("integer" | "number", "integer" | "number") => Some("number"),
        _ => None,
    }
}

fn about(branch: &Members, values: &[Json]) -> Option<String> {
    let said = branch.get("description").or_else(|| branch.get("title"));
    let said = said.and_then(Json::as_text)?;
    let shown: Vec<String> = values
        .iter()
        .map(|value| value.as_text().map_or_else(|| value.dense(), str::to_owned))
        .collect();
    Some(format!("{}: {said}", shown.join(", ")))
}

/// Whether only `null` fits.
fn is_null(branch: &Json) -> bool {
    let Some(members) = branch.as_object() else {
        return false;
    };
    let mut others = members.0.iter().filter(|(name, _)| !is_annotation(name));
    let (Some((keyword, value)), None) = (others.next(), others.next()) else {
        return false;
    };
    let is_only = |is: fn(&Json) -> bool| match value {
        Json::List(items) => !items.is_empty() && items.iter().all(is),
        value => is(value),
    };
    match keyword.as_str() {
        "type" => is_only(|name| name.as_text() == Some("null")),
        "const" => value.is_plain("null"),
        "enum" => value.as_list().is_some() && is_only(|value| value.is_plain("null")),
        _ => false,
    }
}

/// Whether a member may stand around a union that is taken apart.
fn is_around(name: &str) -> bool {
    is_annotation(name) || matches!(name, "$schema" | "$id" | "$defs")
}
