//! The published JSON Schema of a configuration, made of the table of keys.
//!
//! What it refuses, reading refuses or warns of, and what reading refuses because of one value
//! alone, it refuses; the exceptions are words in another case, which reading takes too, and whole
//! numbers written as `5.0`, which it does not.
//! A text with a reference is taken for any value, since its variable is not known here.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use super::SERVERS;
use super::keys::{Key, Keys, SERVER, Shape, Standing};
use super::range::Seconds;
use crate::name::SERVER_NAME_LEN_MAX;

/// The whole schema.
pub(super) fn document() -> Value {
    let mut server = mapping(&SERVER);
    server["oneOf"] = json!([{"required": ["command"]}, {"required": ["url"]}]);
    let servers = json!({
        "description": "The servers, each by its name.",
        "type": ["object", "null"],
        "propertyNames": {"minLength": 1, "maxLength": SERVER_NAME_LEN_MAX},
        "additionalProperties": {"$ref": "#/$defs/server"},
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of hermes",
        "description": "Servers of the Model Context Protocol; other keys belong to others.",
        "type": ["object", "null"],
        "properties": {SERVERS: servers},
        "$defs": {
            "server": server,
            "reference": {
                "description": "A text with `${NAME}` or `${NAME:-default}` in it.",
                "type": "string",
                "pattern": "\\$\\{",
            },
            "scalar": {"type": ["string", "number", "boolean"]},
            "switch": {
                "anyOf": [
                    {"enum": [true, false, "true", "false", "yes", "no", "on", "off", 1, 0]},
                    {"$ref": "#/$defs/reference"},
                ],
            },
        },
    })
}

fn mapping(keys: &Keys) -> Value {
    let rows = keys.rows.iter();
    let properties: Map<String, Value> = rows
        .map(|row| (row.name.to_owned(), property(row)))
        .collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn property(key: &Key) -> Value {
    let mut schema = value(&key.shape);
    schema["description"] = key.meaning().into();
    if let Some(default) = key.default {
        schema["default"] = serde_json::from_str(default).expect("a test reads every default");
    }
    if matches!(key.standing, Standing::Unsupported(_)) {
        schema["deprecated"] = true.into();
    }
    schema
}

fn value(shape: &Shape) -> Value {
    let scalar = json!({"$ref": "#/$defs/scalar"});
    let path = json!({"type": ["string", "number", "boolean"], "minLength": 1});
    match shape {
        Shape::Any => json!({}),
        Shape::Count(range) => or_reference(vec![
            json!({"type": "integer", "minimum": range.min, "maximum": range.max}),
        ]),
        Shape::Mapping(keys) => mapping(keys),
        Shape::MappingOrTexts(keys) => {
            // A switch or a number is no name of a tool.
            let name = "^(?!(true|false|yes|no|on|off|[-+.0-9]+)$).";
            let text = json!({"type": "string", "pattern": name});
            json!({"anyOf": [mapping(keys), {"type": "array", "items": scalar}, text]})
        }
        Shape::Path | Shape::SwitchOrPath => path,
        Shape::PathOrPair => {
            let pair = json!({"type": "array", "items": path, "minItems": 2, "maxItems": 2});
            json!({"anyOf": [path, pair]})
        }
        Shape::Seconds(range) => seconds(range),
        Shape::Switch => json!({"$ref": "#/$defs/switch"}),
        Shape::Text => scalar,
        Shape::TextMap => json!({"type": "object", "additionalProperties": scalar}),
        Shape::Texts => json!({"type": "array", "items": scalar}),
        Shape::TextsLike(pattern) => {
            json!({"type": "array", "items": {"type": "string", "pattern": pattern}})
        }
        Shape::TextOrTexts => json!({"anyOf": [scalar, {"type": "array", "items": scalar}]}),
        Shape::TimeMap(range) => {
            json!({"type": "object", "additionalProperties": seconds(range)})
        }
        Shape::Url(pattern) => or_reference(vec![json!({"type": "string", "pattern": pattern})]),
        Shape::Words(words) => or_reference(vec![json!({"enum": words})]),
    }
}

fn seconds(range: &Seconds) -> Value {
    let (min, max) = (range.min.as_secs_f64(), range.max.as_secs());
    let minimum = if range.min.is_zero() {
        "exclusiveMinimum"
    } else {
        "minimum"
    };
    let mut allowed = vec![json!({"type": "number", minimum: min, "maximum": max})];
    if range.has_off {
        allowed.push(json!({"enum": [0, false, "off", "no", "false"]}));
    }
    or_reference(allowed)
}

fn or_reference(mut allowed: Vec<Value>) -> Value {
    allowed.push(json!({"$ref": "#/$defs/reference"}));
    json!({"anyOf": allowed})
}
