//! JSON Schemas and values by chance, for properties: few names and few values, so that a value
//! often fits a schema.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "b", "c", "definitions"];

const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

const REFERENCES: [&str; 4] = ["#", "#/$defs/one", "#/$defs/two", "#/definitions/one"];

/// Valid schemas of 2020-12, with definitions that they may refer to and that may refer to
/// themselves.
///
/// With `has_reversals` there are `not` and `oneOf`, within which a looser schema is a stricter
/// one.
pub(crate) fn schemas(has_reversals: bool) -> impl Strategy<Value = Value> {
    let inner = || schema(has_reversals);
    (inner(), inner(), inner(), inner()).prop_map(|(mut root, one, two, old)| {
        if let Value::Object(members) = &mut root {
            members.insert("$defs".to_owned(), json!({"one": one, "two": two}));
            members.insert("definitions".to_owned(), json!({"one": old}));
        }
        root
    })
}

/// Values that the schemas are about.
pub(crate) fn values() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            members(inner, 0..4).prop_map(Value::Object),
        ]
    })
}

fn scalar() -> impl Strategy<Value = Value> {
    select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2.5),
        json!("x"),
        json!("xyz"),
    ])
}

fn members<V: std::fmt::Debug>(
    inner: impl Strategy<Value = V>,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Map<String, Value>>
where
    Value: From<V>,
{
    vec((select(NAMES.to_vec()), inner), count).prop_map(|members| {
        let members = members.into_iter();
        members
            .map(|(name, value)| (name.to_owned(), Value::from(value)))
            .collect()
    })
}

fn schema(has_reversals: bool) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        select(TYPES.to_vec()).prop_map(|name| json!({"type": name})),
        subsequence(TYPES.to_vec(), 1..4).prop_map(|names| json!({"type": names})),
        scalar().prop_map(|value| json!({"const": value})),
        vec(scalar(), 1..4).prop_map(|mut options| {
            options.dedup();
            json!({"enum": options, "default": options[0]})
        }),
        Just(json!({"type": "string", "minLength": 2, "pattern": "^x"})),
        Just(json!({"type": "number", "exclusiveMinimum": 0, "maximum": 2})),
    ];
    let union = if has_reversals { "oneOf" } else { "anyOf" };
    leaf.prop_recursive(4, 32, 4, move |inner| {
        let branches = vec(inner.clone(), 1..4);
        prop_oneof![
            4 => object(inner.clone()),
            2 => branches.clone().prop_map(|branches| json!({"anyOf": branches, "title": "t"})),
            1 => branches.clone().prop_map(move |branches| json!({union: branches})),
            1 => branches.clone().prop_map(|branches| json!({"allOf": branches})),
            1 => inner.clone().prop_map(move |inner| {
                if has_reversals { json!({"not": inner}) } else { inner }
            }),
            2 => inner.clone().prop_map(|inner| json!({"anyOf": [inner, {"type": "null"}]})),
            2 => inner.clone().prop_map(|inner| json!({"type": "array", "items": inner})),
            1 => branches.prop_map(|branches| json!({"prefixItems": branches, "maxItems": 3})),
            1 => inner.clone().prop_map(|inner| json!({"contains": inner, "uniqueItems": true})),
            2 => vec(scalar(), 1..4).prop_map(|values| {
                let branches = values.into_iter().map(|value| json!({"const": value}));
                json!({"anyOf": branches.collect::<Vec<_>>(), "description": "d"})
            }),
            2 => (select(REFERENCES.to_vec()), inner).prop_map(
                // Only within a property, as a reference that comes back to itself at the same
                // place has no meaning.
                |(reference, inner)| json!({"properties": {"a": {"$ref": reference}, "b": inner}})
            ),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let rest = prop_oneof![
        Just(None),
        any::<bool>().prop_map(|is_open| Some(json!(is_open))),
        inner.clone().prop_map(Some),
    ];
    let required = subsequence(vec!["a", "b", "c", "d"], 0..3);
    let has_type = any::<bool>();
    (members(inner, 0..4), rest, required, has_type).prop_map(|(named, rest, required, typed)| {
        let mut schema = json!({"properties": named, "required": required});
        if typed {
            schema["type"] = json!("object");
        }
        if let Some(rest) = rest {
            schema["additionalProperties"] = rest;
        }
        schema
    })
}
