//! Values for schemas: what a form holds when it is sent as it stands, and arguments that a tool
//! takes.

use mcp_types::RawJson;
use mcp_types::elicitation::{ElicitSchema, ElicitValue, PrimitiveKind, PrimitiveSchema};
use mcp_types::map::OrderedMap;
use serde_json::{Map, Value, json};

use super::Outcome;

/// A form as a user sends it who changes nothing and fills in only what has to be: the defaults,
/// and something for each required field that has none.
pub(super) fn form(schema: &ElicitSchema) -> OrderedMap<ElicitValue> {
    let mut content = schema.defaults();
    for (name, field) in schema.properties.iter() {
        if schema.is_required(name)
            && !content.contains(name)
            && let Some(value) = something(field)
        {
            content.insert(name, value);
        }
    }
    content
}

/// A value that a field takes, if this crate knows what it is.
fn something(field: &PrimitiveSchema) -> Option<ElicitValue> {
    let choices = field.choices();
    let first = choices.first().map(|(value, _name)| (*value).to_owned());
    Some(match field.kind() {
        PrimitiveKind::Text => ElicitValue::from("text"),
        PrimitiveKind::Number => ElicitValue::Number(field.minimum.unwrap_or(1.5)),
        PrimitiveKind::Integer => ElicitValue::Integer(1),
        PrimitiveKind::Boolean => ElicitValue::Boolean(true),
        PrimitiveKind::Choice => ElicitValue::Text(first?),
        PrimitiveKind::MultipleChoice => ElicitValue::List(first.into_iter().collect()),
        _ => return None,
    })
}

/// Arguments for a tool: each required property, and nothing else.
pub(super) fn arguments(schema: Option<&RawJson>) -> Outcome<RawJson> {
    let schema = match schema {
        Some(schema) => schema.decode().map_err(|error| error.to_string())?,
        None => Value::Null,
    };
    let required = schema["required"].as_array().into_iter().flatten();
    let arguments: Map<String, Value> = required
        .filter_map(Value::as_str)
        .map(|name| (name.to_owned(), argument(&schema["properties"][name])))
        .collect();
    RawJson::from_value(&arguments).map_err(|error| error.to_string())
}

/// A value for a property, by the keywords that the suite's tools use.
fn argument(schema: &Value) -> Value {
    if let Some(value) = schema.get("default").or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    match schema["type"].as_str() {
        Some("number") => json!(1.5),
        Some("integer") => json!(2),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("null") => Value::Null,
        _ => json!("text"),
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::Decode as _;

    use super::*;

    #[test]
    fn a_form_holds_its_defaults_and_what_is_required() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "default": "Ada"},
                "age": {"type": "integer", "default": 30},
                "optional": {"type": "string"},
                "sure": {"type": "boolean"},
                "colour": {"type": "string", "enum": ["red", "blue"]},
                "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}},
            },
            "required": ["name", "sure", "colour", "tags"],
        });
        let schema = ElicitSchema::decode(&schema.to_string()).unwrap().value;
        let content = RawJson::from_value(&form(&schema)).unwrap();
        let content: Value = content.decode().unwrap();
        assert_eq!(
            content,
            json!({"name": "Ada", "age": 30, "sure": true, "colour": "red", "tags": ["x"]})
        );
    }

    #[test]
    fn a_tool_gets_what_it_requires_and_nothing_else() {
        let table = [
            (json!({"type": "object"}), json!({})),
            (
                json!({
                    "properties": {
                        "a": {"type": "number"}, "b": {"enum": ["x"]}, "c": {"type": "string"},
                    },
                    "required": ["a", "b"],
                }),
                json!({"a": 1.5, "b": "x"}),
            ),
        ];
        for (schema, expected) in table {
            let schema = RawJson::from_value(&schema).unwrap();
            let arguments: Value = arguments(Some(&schema)).unwrap().decode().unwrap();
            assert_eq!(arguments, expected);
        }
        assert_eq!(arguments(None).unwrap().as_str(), "{}");
    }
}
