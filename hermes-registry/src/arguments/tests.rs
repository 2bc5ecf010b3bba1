//! Schemas and values, and what is said of them.

use mcp_types::{CallToolResult, RawJson, Tool};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::generated;

fn raw(value: &Value) -> RawJson {
    RawJson::from_value(value).unwrap()
}

fn check(schema: &Value, value: &Value) -> Check {
    Checker::new(&raw(schema)).check(&raw(value))
}

/// What is wrong, as text.
fn wrong(schema: &Value, value: &Value) -> String {
    match check(schema, value) {
        Check::Differs(found) => found.to_string(),
        other => format!("{other:?}"),
    }
}

fn unchecked(schema: &Value, value: &Value) -> String {
    match check(schema, value) {
        Check::Unchecked(reason) => reason.to_string(),
        other => format!("{other:?}"),
    }
}

/// A schema in which each of `count` definitions refers to the next one `times` times.
fn chain(count: usize, times: usize) -> Value {
    let mut defs = serde_json::Map::new();
    for number in 0..count {
        let next = json!({"$ref": format!("#/$defs/{}", number + 1)});
        defs.insert(number.to_string(), json!({"allOf": vec![next; times]}));
    }
    defs.insert(count.to_string(), json!({"type": "object"}));
    json!({"$ref": "#/$defs/0", "$defs": defs})
}

#[test]
fn a_mismatch_tells_where_what_was_expected_and_what_came() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "mode": {"enum": ["read", "write"]},
            "limit": {"type": ["integer", "null"], "minimum": 1},
            "filters": {"type": "array", "items": {"type": "object", "properties": {
                "odd name": {"type": "boolean"}, "7": {"type": "number"}}}},
            "code": {"type": "string", "pattern": "^[a-z]+$"},
            "tags": {"uniqueItems": true, "maxItems": 2},
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    for (value, expected) in [
        (json!({}), "`path`: expected a string, found nothing"),
        (
            json!({"pth": "/tmp", "path": "x"}),
            "`pth`: expected no such member (did you mean `path`?), found \"/tmp\"",
        ),
        (
            json!({"path": "x", "verbose": {"a": [1]}}),
            "`verbose`: expected no such member, found {\"a\":[1]}",
        ),
        (
            json!({"path": 5, "mode": "append"}),
            "`mode`: expected one of \"read\", \"write\", found \"append\"; \
             `path`: expected a string, found 5",
        ),
        (
            json!({"path": "", "limit": "ten"}),
            "`limit`: expected an integer or null, found \"ten\"; \
             `path`: expected at least 1 character, found \"\"",
        ),
        (
            json!({"path": "x", "limit": 0, "code": "A1"}),
            "`code`: expected a text that matches `^[a-z]+$`, found \"A1\"; \
             `limit`: expected a number of at least 1, found 0",
        ),
        (
            json!({"path": "x", "filters": [{}, {"odd name": "yes", "7": null}]}),
            "`filters[1].7`: expected a number, found null; \
             `filters[1][\"odd name\"]`: expected a boolean, found \"yes\"",
        ),
        (
            json!({"path": "x", "tags": [1, 1, 2]}),
            "`tags`: expected at most 2 items, found [1,1,2]; \
             `tags`: expected items that differ from each other, found [1,1,2]",
        ),
        (json!(["x"]), "expected an object, found [\"x\"]"),
    ] {
        assert_eq!(wrong(&schema, &value), expected, "{value}");
    }
    assert_eq!(check(&schema, &json!({"path": "x"})), Check::Fits);
}

#[test]
fn a_union_tells_its_types_or_what_its_nearest_branch_lacks() {
    let schema = json!({"properties": {"to": {"anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id", "kind"]},
        {"type": "object", "required": ["name"]},
        {"type": "null"},
    ]}}});
    for (value, expected) in [
        (
            json!({"to": 5}),
            "`to`: expected a string or an object or null, found 5",
        ),
        (
            json!({"to": {"nam": "x"}}),
            "`to.name`: expected a value (for the nearest of 4 shapes), found nothing",
        ),
    ] {
        assert_eq!(wrong(&schema, &value), expected, "{value}");
    }
    let several = json!({"oneOf": [{"type": "number"}, {"minimum": 5}]});
    assert_eq!(
        wrong(&several, &json!(7)),
        "expected exactly one of the shapes of `oneOf`, not several at once, found 7"
    );
}

#[test]
fn five_mismatches_are_told_and_the_others_counted() {
    let schema = json!({"items": {"type": "string"}});
    let items = |count: usize| Value::from((0..count).collect::<Vec<_>>());
    let Check::Differs(found) = check(&schema, &items(MISMATCHES_MAX)) else {
        panic!("numbers are no strings");
    };
    assert_eq!((found.first.len(), found.left_out), (MISMATCHES_MAX, 0));
    let Check::Differs(found) = check(&schema, &items(MISMATCHES_MAX + 2)) else {
        panic!("numbers are no strings");
    };
    assert_eq!((found.first.len(), found.left_out), (MISMATCHES_MAX, 2));
    assert!(found.to_string().ends_with("; and 2 more"), "{found}");
}

#[test]
fn many_names_that_should_not_be_there_are_counted_and_not_compared() {
    let named: serde_json::Map<_, _> = (0..5_000).map(|n| (format!("name{n}"), json!(1))).collect();
    let schema = json!({"properties": named.iter().map(|(name, _)| (name.clone(), json!({})))
        .collect::<serde_json::Map<_, _>>(), "additionalProperties": false});
    let value: serde_json::Map<_, _> = (0..50_000)
        .map(|n| (format!("nmae{n}"), json!(1)))
        .collect();
    let Check::Differs(found) = check(&schema, &Value::Object(value)) else {
        panic!("no name is known");
    };
    assert_eq!((found.first.len(), found.left_out), (5, 49_995));
}

#[test]
fn every_text_of_a_mismatch_has_a_bound() {
    let long = "é".repeat(10_000);
    let schema = json!({
        "properties": {&long: {"enum": [&long, &long, &long]}},
        "propertyNames": {"maxLength": 3},
    });
    let Check::Differs(found) = check(&schema, &json!({&long: {"a": &long}})) else {
        panic!("the value is not in the list");
    };
    assert_eq!(found.first.len(), 2);
    for mismatch in &found.first {
        assert!(mismatch.path.chars().count() <= 201, "{mismatch:?}");
        assert!(mismatch.expected.chars().count() <= 201, "{mismatch:?}");
        assert!(mismatch.found.chars().count() <= 81, "{mismatch:?}");
    }
}

#[test]
fn a_schema_that_cannot_be_used_checks_nothing_and_says_why() {
    let patterns = |count: usize| -> Value {
        let named = (0..count).map(|number| (format!("^a{number}$"), json!({"pattern": "^b$"})));
        json!({"patternProperties": named.collect::<serde_json::Map<_, _>>()})
    };
    for (schema, expected) in [
        (
            json!({"type": 5}),
            "the schema cannot be used: at /type, 5 is not valid under any of the schemas",
        ),
        (
            json!({"properties": {"a": {"pattern": "("}}}),
            "the schema cannot be used: at /properties/a/pattern, \
             the pattern \"(\" cannot be matched in linear time",
        ),
        (
            json!({"properties": {"a": {"pattern": "(?=a)b"}}}),
            "at /properties/a/pattern, the pattern \"(?=a)b\" cannot be matched in linear time",
        ),
        (
            json!({"pattern": "(((a{100}){100}){100}){100}"}),
            "cannot be matched in linear time",
        ),
        (
            json!({"$ref": "https://example.com/other.json"}),
            "the schema refers to `https://example.com/other.json`, which is not followed",
        ),
        (
            json!({"$ref": "file:///etc/passwd"}),
            "the schema refers to `file:///etc/passwd`, which is not followed",
        ),
        (
            json!({"$ref": "#/$defs/absent"}),
            "the schema cannot be used: Pointer '/$defs/absent' does not exist",
        ),
        (
            json!({"properties": {"a": {"$id": "https://example.com/a", "$ref": "#/b"}}}),
            "the schema refers to `https://example.com/a`, which is not followed",
        ),
        (
            json!({"$ref": "#name", "$defs": {"a": {"$anchor": "name"}}}),
            "the schema refers to `#name`, which is not followed",
        ),
        (
            json!({"$dynamicRef": "#"}),
            "the schema refers to `#`, which is not followed",
        ),
        (
            json!({"$schema": "https://example.com/dialect"}),
            "the schema is written in `https://example.com/dialect`, which is not known",
        ),
        (
            json!({"title": "x".repeat(SCHEMA_LEN_MAX)}),
            "the schema is longer than 262144 bytes",
        ),
        (
            patterns(PATTERNS_MAX / 2 + 1),
            "the schema has more than 128 patterns",
        ),
    ] {
        let found = unchecked(&schema, &json!({"a": 1}));
        assert!(found.contains(expected), "{expected}\n{found}");
    }
    assert_eq!(check(&patterns(PATTERNS_MAX / 2), &json!({})), Check::Fits);
    let longest = json!({"title": "x".repeat(SCHEMA_LEN_MAX - r#"{"title":""}"#.len())});
    assert_eq!(check(&longest, &json!({})), Check::Fits);
}

#[test]
fn the_dialect_decides_what_a_keyword_means() {
    let tuple = json!({"items": [{"type": "string"}]});
    let with = |dialect: &str| {
        let mut schema = tuple.clone();
        schema["$schema"] = json!(dialect);
        schema
    };
    let draft_7 = with("http://json-schema.org/draft-07/schema#");
    assert_eq!(
        wrong(&draft_7, &json!([1])),
        "`[0]`: expected a string, found 1"
    );
    let newest = with("https://json-schema.org/draft/2020-12/schema");
    assert_eq!(
        unchecked(&newest, &json!([1])),
        unchecked(&tuple, &json!([1]))
    );
    assert!(unchecked(&tuple, &json!([1])).contains("the schema cannot be used"));
}

#[test]
fn a_format_is_not_checked() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"when": {"type": "string", "format": "date-time"}},
    });
    assert_eq!(check(&schema, &json!({"when": "tomorrow"})), Check::Fits);
}

#[test]
fn references_within_the_schema_are_followed_and_may_come_back() {
    let tree = json!({
        "$id": "https://example.com/tree",
        "$ref": "#/$defs/Node%3Cstring%3E",
        "$defs": {"Node<string>": {
            "type": "object",
            "properties": {"next": {"$ref": "#"}, "name": {"type": "string"}},
        }},
    });
    let value = json!({"next": {"next": {"name": 5}}});
    assert_eq!(
        wrong(&tree, &value),
        "`next.next.name`: expected a string, found 5"
    );
}

#[test]
fn a_value_that_cannot_be_read_is_not_checked() {
    let checker = Checker::new(&raw(&json!({"type": "object"})));
    for text in [r#"{"a":1e999}"#, r#"{"a":"\ud800"}"#] {
        let value = RawJson::parse(text).unwrap();
        let Check::Unchecked(Unchecked::UnreadableValue { .. }) = checker.check(&value) else {
            panic!("{text} was read");
        };
    }
}

#[test]
fn a_schema_that_doubles_at_each_step_is_given_up_and_not_waited_for() {
    assert_eq!(check(&chain(12, 2), &json!({})), Check::Fits);
    let given_up = Check::Unchecked(Unchecked::TooMuchWork);
    assert_eq!(check(&chain(60, 2), &json!({})), given_up);
}

#[test]
fn a_chain_of_references_is_followed_up_to_the_bound() {
    // Each definition is two schemas deep, and the root is one more.
    assert_eq!(
        check(&chain(VISITS_DEEP_MAX / 2 - 1, 1), &json!({})),
        Check::Fits
    );
    let too_deep = Check::Unchecked(Unchecked::TooDeep);
    assert_eq!(check(&chain(VISITS_DEEP_MAX / 2, 1), &json!({})), too_deep);
    assert_eq!(check(&chain(3_000, 1), &json!({})), too_deep);
    assert_eq!(check(&json!({"not": {"$ref": "#"}}), &json!({})), too_deep);
}

#[test]
fn copies_that_a_union_would_make_of_a_long_value_are_counted() {
    let branch = |number: usize| json!({"required": [format!("r{number}")]});
    let union = |count: usize| json!({"anyOf": (0..count).map(branch).collect::<Vec<_>>()});
    let long = json!({"a": vec![0; 10_000]});
    assert!(wrong(&union(20), &long).starts_with("`r0`: expected a value (for the nearest"));
    let given_up = Check::Unchecked(Unchecked::TooMuchWork);
    assert_eq!(check(&union(100), &long), given_up);
    let listed = json!({"enum": vec![json!([]); 100]});
    assert_eq!(check(&listed, &json!(vec![0; 10_000])), given_up);
    let unique = json!({"uniqueItems": true});
    assert_eq!(check(&unique, &json!(vec![0; 100_000])), given_up);
    let names = json!({"patternProperties": {"a": true, "b": true, "c": true}});
    let many: serde_json::Map<_, _> = (0..200_000).map(|n| (n.to_string(), json!(0))).collect();
    assert_eq!(check(&names, &Value::Object(many)), given_up);
}

#[test]
fn structured_content_that_is_odd_is_told_of() {
    let schema = |schema: Value| {
        let mut tool = Tool::new("t", raw(&json!({"type": "object"})));
        tool.output_schema = Some(raw(&schema));
        tool
    };
    let number = schema(json!({"type": "object", "properties": {"n": {"type": "number"}}}));
    let result = |structured: Option<Value>| {
        let mut result = CallToolResult::default();
        result.structured_content = structured.as_ref().map(raw);
        result
    };
    let checkers = Checkers::new();
    let told = |tool: &Tool, result: &CallToolResult| {
        let warning = checkers.check_output(tool, result);
        warning.map_or_else(String::new, |warning| warning.to_string())
    };
    assert_eq!(told(&number, &result(Some(json!({"n": 1})))), "");
    assert_eq!(
        told(&number, &result(Some(json!({"n": "1"})))),
        "the structured content is not what the tool's output schema says: \
         `n`: expected a number, found \"1\""
    );
    assert_eq!(
        told(&number, &result(None)),
        "the tool has an output schema, but its result has no structured content"
    );
    let mut failed = result(None);
    failed.is_error = Some(true);
    assert_eq!(told(&number, &failed), "");
    let array = schema(json!({"type": "array", "items": {"type": "string"}}));
    assert_eq!(told(&array, &result(Some(json!(["a"])))), "");
    let bad = schema(json!({"type": 5}));
    let found = told(&bad, &result(Some(json!({}))));
    assert!(
        found.starts_with("the structured content was not checked: "),
        "{found}"
    );
    assert_eq!(told(&schema(Value::Null), &result(None)), "");
}

#[test]
fn arguments_are_held_against_the_input_schema() {
    let checkers = Checkers::new();
    let tool = Tool::new("t", raw(&json!({"type": "object", "required": ["a"]})));
    let check = |value: Value| checkers.check_arguments(&tool, &raw(&value));
    assert_eq!(check(json!({"a": 1})), Check::Fits);
    assert!(matches!(check(json!({})), Check::Differs(_)));
}

proptest! {
    #[test]
    fn what_is_told_is_what_the_validator_says(
        schema in generated::schemas(true),
        value in generated::values(),
    ) {
        let expected = jsonschema::draft202012::new(&schema).unwrap().is_valid(&value);
        match check(&schema, &value) {
            Check::Fits => prop_assert!(expected),
            Check::Differs(found) => {
                prop_assert!(!expected);
                prop_assert!(!found.first.is_empty());
            }
            Check::Unchecked(reason) => prop_assert!(false, "{reason}"),
        }
    }
}
