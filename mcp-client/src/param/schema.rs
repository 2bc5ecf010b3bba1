//! Which arguments of a tool are repeated as headers, as its schema says by `x-mcp-header`.
//!
//! Spec: section "custom headers" of Streamable HTTP, 2026-07-28; HTTP-17, HTTP-18.

use serde_json::{Map, Value};

const ANNOTATION: &str = "x-mcp-header";

/// Keywords whose value is a schema that no chain of `properties` leads to.
const SUBSCHEMAS: [&str; 11] = [
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
/// Keywords whose value is a list of schemas.
const LISTS: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords whose value maps names to schemas.
const MAPS: [&str; 4] = [
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
];

/// An argument that is repeated as a header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ParamHeader {
    /// The name of the header, without `Mcp-Param-`.
    pub(super) name: String,
    /// The way to the argument, name by name.
    pub(super) path: Vec<String>,
}

/// The annotated arguments of a tool with this schema, or why no request may follow it.
pub(crate) fn read(schema: &str) -> Result<Vec<ParamHeader>, String> {
    // Most schemas have none, and need not be read for that.
    if memchr::memmem::find(schema.as_bytes(), ANNOTATION.as_bytes()).is_none() {
        return Ok(Vec::new());
    }
    let Ok(Value::Object(root)) = serde_json::from_str(schema) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    walk(&root, &mut Vec::new(), &mut found)?;
    for (index, header) in found.iter().enumerate() {
        let mut earlier = found.iter().take(index);
        if earlier.any(|earlier| earlier.name.eq_ignore_ascii_case(&header.name)) {
            return Err(format!(
                "two arguments want the header {:?}; names of headers have no case",
                header.name
            ));
        }
    }
    Ok(found)
}

/// Takes the annotation of one schema and goes on to those within it.
///
/// Bound: the frame that the schema came in is at most 128 levels deep.
fn walk(
    schema: &Map<String, Value>,
    path: &mut Vec<String>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), String> {
    if let Some(annotation) = schema.get(ANNOTATION) {
        found.push(header(annotation, schema, path)?);
    }
    if let Some(Value::Object(properties)) = schema.get("properties") {
        for (name, property) in properties {
            if let Value::Object(property) = property {
                path.push(name.clone());
                walk(property, path, found)?;
                path.pop();
            }
        }
    }
    within(schema).try_for_each(refuse)
}

/// The schemas within a schema that no chain of `properties` leads to.
fn within(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let single = SUBSCHEMAS.iter().filter_map(|keyword| schema.get(*keyword));
    let listed = LISTS.iter().filter_map(|keyword| schema.get(*keyword));
    let listed = listed.filter_map(Value::as_array).flatten();
    let mapped = MAPS.iter().filter_map(|keyword| schema.get(*keyword));
    let mapped = mapped.filter_map(Value::as_object).flat_map(Map::values);
    single.chain(listed).chain(mapped)
}

/// Refuses a schema that holds an annotation anywhere, since its argument has no certain place.
fn refuse(schema: &Value) -> Result<(), String> {
    let Value::Object(schema) = schema else {
        return Ok(());
    };
    if schema.contains_key(ANNOTATION) {
        return Err(format!(
            "{ANNOTATION} stands where `properties` alone do not lead"
        ));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flat_map(Map::values);
    properties.chain(within(schema)).try_for_each(refuse)
}

fn header(
    annotation: &Value,
    schema: &Map<String, Value>,
    path: &[String],
) -> Result<ParamHeader, String> {
    let place = path.join(".");
    let Value::String(name) = annotation else {
        return Err(format!("{ANNOTATION} of {place:?} is no text"));
    };
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!(
            "{ANNOTATION} of {place:?} is {name:?}, which cannot be a part of a header's name"
        ));
    }
    if path.is_empty() || !has_plain_type(schema.get("type")) {
        return Err(format!(
            "{ANNOTATION} of {place:?} is not on a string, an integer or a boolean"
        ));
    }
    Ok(ParamHeader {
        name: name.clone(),
        path: path.to_vec(),
    })
}

/// Whether a type is one whose values have one way to be written.
fn has_plain_type(kind: Option<&Value>) -> bool {
    let is_plain = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    match kind {
        Some(Value::Array(kinds)) => {
            // A value that may be missing is written as `null` beside its type.
            let mut rest = kinds.iter().filter(|kind| *kind != "null").peekable();
            rest.peek().is_some() && rest.all(is_plain)
        }
        Some(kind) => is_plain(kind),
        None => false,
    }
}

/// Spec: RFC 9110, section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(property: &str) -> String {
        format!(r#"{{"type":"object","properties":{{"a":{property}}}}}"#)
    }

    #[test]
    fn annotated_arguments_are_found_at_any_depth_of_properties() {
        let text = r#"{"properties":{
            "region":{"type":"string","x-mcp-header":"Region"},
            "query":{"type":"string","default":{"x-mcp-header":"no"}},
            "x-mcp-header":{"type":"string"},
            "deep":{"properties":{"on":{"type":["boolean","null"],"x-mcp-header":"On"}}}}}"#;
        let found = read(text).unwrap();
        let mut found: Vec<_> = found
            .iter()
            .map(|header| (header.name.as_str(), header.path.join("/")))
            .collect();
        found.sort_unstable();
        assert_eq!(
            found,
            [
                ("On", "deep/on".to_owned()),
                ("Region", "region".to_owned())
            ]
        );
        assert_eq!(read("{}"), Ok(Vec::new()));
    }

    #[test]
    fn an_annotation_that_no_header_can_follow_is_refused() {
        for annotation in [
            r#""""#,
            "{}",
            "[]",
            "null",
            "7",
            r#""two words""#,
            r#""a:b""#,
            r#""é""#,
            r#""a\r\nHost""#,
            r#""a\tb""#,
        ] {
            let property = format!(r#"{{"type":"string","x-mcp-header":{annotation}}}"#);
            assert!(read(&schema(&property)).is_err(), "{annotation}");
        }
        for kind in [
            r#""object""#,
            r#""array""#,
            r#""null""#,
            r#""number""#,
            r#"["string","number"]"#,
            r#"["null"]"#,
        ] {
            let property = format!(r#"{{"type":{kind},"x-mcp-header":"A"}}"#);
            assert!(read(&schema(&property)).is_err(), "{kind}");
        }
        assert!(read(&schema(r#"{"x-mcp-header":"A"}"#)).is_err());
    }

    #[test]
    fn an_annotation_off_the_chain_of_properties_is_refused() {
        let annotated = r#"{"type":"string","x-mcp-header":"A"}"#;
        for property in [
            format!(r#"{{"items":{annotated}}}"#),
            format!(r#"{{"anyOf":[{{}},{annotated}]}}"#),
            format!(r#"{{"$defs":{{"d":{{"properties":{{"p":{annotated}}}}}}}}}"#),
            format!(r#"{{"additionalProperties":{annotated}}}"#),
        ] {
            assert!(read(&schema(&property)).is_err(), "{property}");
        }
        assert!(read(r#"{"type":"string","x-mcp-header":"A"}"#).is_err());
    }

    #[test]
    fn two_headers_of_one_name_are_refused_whatever_their_case() {
        for other in ["A", "a"] {
            let text = format!(
                r#"{{"properties":{{"p":{{"type":"string","x-mcp-header":"A"}},
                "q":{{"type":"string","x-mcp-header":"{other}"}}}}}}"#
            );
            assert!(read(&text).is_err(), "{other}");
        }
    }
}
