//! What a schema asks for, in words.

use std::fmt;

use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::text::{DETAIL_LEN_MAX, excerpt, shorten};

/// What would have been right where this went wrong.
pub(super) fn expected(kind: &Kind) -> String {
    let words = match kind {
        Kind::AdditionalItems { limit } => count("at most", limit, "item"),
        Kind::Constant { expected_value } => excerpt(expected_value),
        Kind::Contains => "an item that `contains` describes".to_owned(),
        Kind::Enum { options } => one_of(options),
        Kind::ExclusiveMaximum { limit } => format!("a number below {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("a number above {limit}"),
        Kind::FalseSchema => "nothing".to_owned(),
        Kind::MaxItems { limit } => count("at most", limit, "item"),
        Kind::MaxLength { limit } => count("at most", limit, "character"),
        Kind::MaxProperties { limit } => count("at most", limit, "member"),
        Kind::Maximum { limit } => format!("a number of at most {limit}"),
        Kind::MinItems { limit } => count("at least", limit, "item"),
        Kind::MinLength { limit } => count("at least", limit, "character"),
        Kind::MinProperties { limit } => count("at least", limit, "member"),
        Kind::Minimum { limit } => format!("a number of at least {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::Not { schema } => format!("anything but {}", excerpt(schema)),
        Kind::OneOfMultipleValid { .. } => {
            "exactly one of the shapes of `oneOf`, not several at once".to_owned()
        }
        Kind::Pattern { pattern } => format!("a text that matches `{pattern}`"),
        Kind::PropertyNames { error } => {
            format!("names of members that are {}", expected(error.kind()))
        }
        Kind::Type { kind } => any_of(types(kind).into_iter().map(of_type)),
        Kind::UnevaluatedItems { .. } => "no further items".to_owned(),
        Kind::UniqueItems => "items that differ from each other".to_owned(),
        other => format!("what `{}` asks for", other.keyword()),
    };
    shorten(&words, DETAIL_LEN_MAX)
}

/// What a schema says of its values, if that is simple.
pub(super) fn described(schema: &Value) -> Option<String> {
    let words = match (schema.get("const"), schema.get("enum"), schema.get("type")) {
        (Some(value), ..) => excerpt(value),
        (_, Some(options), _) => one_of(options),
        (.., Some(Value::String(name))) => any_of([of_type(name.parse().ok()?)]),
        (.., Some(Value::Array(names))) => {
            let types = names.iter().map(|name| name.as_str()?.parse().ok());
            any_of(types.collect::<Option<Vec<_>>>()?.into_iter().map(of_type))
        }
        _ => return None,
    };
    Some(shorten(&words, DETAIL_LEN_MAX))
}

/// The alternatives as one phrase, each once, `null` last.
pub(super) fn any_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for word in words {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all.sort_by_key(|word| *word == of_type(JsonType::Null));
    shorten(&all.join(" or "), DETAIL_LEN_MAX)
}

fn count(relation: &str, limit: impl fmt::Display, noun: &str) -> String {
    let limit = limit.to_string();
    let plural = if limit == "1" { "" } else { "s" };
    format!("{relation} {limit} {noun}{plural}")
}

fn one_of(options: &Value) -> String {
    match options {
        Value::Array(options) => {
            // Bound: more than these do not fit into the text.
            let shown: Vec<String> = options.iter().take(50).map(excerpt).collect();
            match shown.as_slice() {
                [only] => only.clone(),
                shown => format!("one of {}", shown.join(", ")),
            }
        }
        other => excerpt(other),
    }
}

fn types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(only) => vec![*only],
        TypeKind::Multiple(several) => several.iter().collect(),
    }
}

fn of_type(json_type: JsonType) -> &'static str {
    match json_type {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}
