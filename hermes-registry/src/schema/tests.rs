//! A table of schemas before and after, and what holds for every schema.

use jsonschema::Validator;
use mcp_types::RawJson;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;
use crate::generated;

#[derive(Deserialize)]
struct Case<'c> {
    name: &'c str,
    #[serde(borrow)]
    before: &'c RawValue,
    after: &'c RawValue,
    steps: Vec<&'c str>,
}

fn cases() -> Vec<Case<'static>> {
    serde_json::from_str(include_str!("cases.json")).unwrap()
}

fn strictly(schema: &Value) -> Normalised {
    normalise(&RawJson::from_value(schema).unwrap(), Flavor::Strict)
}

fn decoded(found: &Normalised) -> Value {
    found.schema.decode().unwrap()
}

fn dense(text: &str) -> String {
    Json::parse(text, NODES_MAX).unwrap().dense()
}

fn names(steps: &[Step]) -> Vec<&'static str> {
    steps.iter().map(|step| step.name()).collect()
}

/// The schema without `nullable`, which JSON Schema does not know.
fn without_nullable(schema: &mut Json) {
    walk::each_schema(schema, &mut |schema| {
        let Json::Object(members) = schema else {
            return;
        };
        if members.remove("nullable").is_some() {
            let null = Json::object([("type", Json::text("null"))]);
            let inner = std::mem::replace(schema, Json::bool(true));
            *schema = Json::object([("anyOf", Json::List(vec![inner, null]))]);
        }
    });
}

fn validator(schema: &Json) -> Validator {
    let mut schema = schema.clone();
    without_nullable(&mut schema);
    let schema: Value = serde_json::from_str(&schema.dense()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn each_case_of_the_table_becomes_what_it_says() {
    for case in cases() {
        let before = RawJson::from(case.before);
        let found = normalise(&before, Flavor::Strict);
        assert_eq!(
            dense(found.schema.as_str()),
            dense(case.after.get()),
            "{}",
            case.name
        );
        assert_eq!(names(&found.steps), case.steps, "{}", case.name);
        assert_eq!(found.kept, None, "{}", case.name);
        if case.steps.is_empty() {
            assert_eq!(found.schema, before, "{}", case.name);
        }
        assert_eq!(
            normalise(&before, Flavor::Plain).schema,
            before,
            "{}",
            case.name
        );
    }
}

#[test]
fn each_step_is_in_the_table() {
    let cases = cases();
    for step in Step::ALL {
        let is_there = cases.iter().any(|case| case.steps.contains(&step.name()));
        assert!(is_there, "{step:?}");
    }
}

#[test]
fn a_schema_past_a_bound_stays_as_it_is_and_says_why() {
    let kept = |schema: &Value| {
        let found = strictly(schema);
        assert_eq!(decoded(&found), *schema);
        assert_eq!(found.steps, []);
        found.kept
    };
    let long = |len: usize| json!({"title": "x".repeat(len - r#"{"title":""}"#.len())});
    assert_eq!(kept(&long(NORMALISED_LEN_MAX + 1)), Some(Kept::TooLong));
    assert_eq!(strictly(&long(NORMALISED_LEN_MAX)).kept, None);
    // The object, the type and the list are three values more.
    let wide = |count: usize| json!({"type": "object", "examples": vec![0; count - 3]});
    assert_eq!(kept(&wide(NODES_MAX + 1)), Some(Kept::ManyNodes));
    assert_eq!(strictly(&wide(NODES_MAX)).kept, None);
    // Each level becomes three: the union, its list, and the branch that has the items.
    let nested = |depth: usize| {
        let inner = (0..depth).fold(
            json!({"type": "string"}),
            |inner, _| json!({"type": ["string", "array"], "items": inner}),
        );
        json!({"type": "object", "properties": {"a": inner}})
    };
    assert_eq!(strictly(&nested(41)).kept, None);
    assert_eq!(kept(&nested(42)), Some(Kept::TooLarge));
    let odd = RawJson::parse(r#"{"\ud800":1}"#).unwrap();
    assert_eq!(normalise(&odd, Flavor::Strict).kept, Some(Kept::Unreadable));
}

#[test]
fn copies_cannot_make_a_schema_many_times_as_long() {
    let large = json!({"enum": (0..5_000).collect::<Vec<_>>()});
    let reference = |depth: usize| format!("#/properties/a{}", "/items".repeat(depth));
    let nested = |depth: usize| (0..depth).fold(large.clone(), |inner, _| json!({"items": inner}));
    let schema = |copies: usize| {
        let mut schema = json!({"type": "object", "properties": {"a": nested(copies)}});
        for depth in 0..copies {
            schema["properties"][format!("r{depth}")] = json!({"$ref": reference(depth)});
        }
        schema
    };
    assert_eq!(strictly(&schema(2)).steps, [Step::References]);
    assert_eq!(strictly(&schema(10)).kept, Some(Kept::TooLarge));
    assert_eq!(strictly(&schema(40)).kept, Some(Kept::ManyNodes));
}

#[test]
fn branches_that_double_at_each_step_are_given_up() {
    let mut defs = serde_json::Map::new();
    for number in 0..25 {
        let next = json!({"$ref": format!("#/$defs/{}", number + 1)});
        defs.insert(number.to_string(), json!({"allOf": [next, next]}));
    }
    defs.insert(
        "25".to_owned(),
        json!({"type": "object", "properties": {"a": {}}}),
    );
    let schema = json!({"$ref": "#/$defs/0", "$defs": defs});
    assert_eq!(strictly(&schema).kept, Some(Kept::ManyNodes));
    let chain: serde_json::Map<String, Value> = (0..5_000)
        .map(|number| {
            let next = json!({"$ref": format!("#/$defs/{}", number + 1)});
            (number.to_string(), next)
        })
        .collect();
    let schema = json!({"$ref": "#/$defs/0", "$defs": chain});
    assert_eq!(strictly(&schema).kept, Some(Kept::TooLarge));
}

proptest! {
    #[test]
    fn normalising_twice_changes_nothing(schema in generated::schemas(true)) {
        let once = strictly(&schema);
        prop_assert_eq!(&once.kept, &None);
        let twice = normalise(&once.schema, Flavor::Strict);
        prop_assert_eq!(twice.schema.as_str(), once.schema.as_str());
        prop_assert_eq!(twice.steps, []);
    }

    #[test]
    fn what_comes_out_is_a_schema_of_an_object(schema in generated::schemas(true)) {
        let found = decoded(&strictly(&schema));
        prop_assert!(jsonschema::draft202012::meta::is_valid(&found));
        prop_assert_eq!(&found["type"], "object");
        for refused in ["anyOf", "allOf", "oneOf", "enum", "not", "$ref"] {
            prop_assert!(found.get(refused).is_none(), "{}", found);
        }
        prop_assert!(jsonschema::draft202012::new(&found).is_ok());
    }

    #[test]
    fn a_step_that_keeps_values_keeps_them(
        schema in generated::schemas(false),
        values in proptest::collection::vec(generated::values(), 8),
    ) {
        let before = Json::parse(&schema.to_string(), NODES_MAX).unwrap();
        let original = validator(&before);
        type Apply = fn(&mut Json) -> bool;
        fn each(schema: &mut Json, apply: fn(&mut crate::json::Members) -> bool) -> bool {
            let mut has_changed = false;
            walk::each_schema(schema, &mut |schema| {
                if let Json::Object(members) = schema {
                    has_changed |= apply(members);
                }
            });
            has_changed
        }
        let steps: [(Step, bool, Apply); 8] = [
            (Step::Bare, true, |root| {
                let mut has_changed = false;
                walk::each_schema(root, &mut |schema| has_changed |= bare::repair(schema));
                has_changed
            }),
            (Step::Definitions, true, definitions::rename),
            (Step::References, true, |root| references::hoist(root).unwrap()),
            (Step::ConstUnions, true, |root| each(root, unions::enumerate)),
            (Step::NullUnions, true, |root| each(root, unions::collapse)),
            (Step::TypeArrays, false, |root| each(root, types::split)),
            (Step::ArrayItems, true, |root| each(root, objects::complete_array)),
            (Step::Required, false, |root| each(root, objects::prune_required)),
        ];
        for (step, is_exact, apply) in steps {
            prop_assert!(step.keeps_values());
            let mut after = before.clone();
            if !apply(&mut after) {
                continue;
            }
            let normalised = validator(&after);
            for value in &values {
                let (fitted, fits) = (original.is_valid(value), normalised.is_valid(value));
                let is_kept = if is_exact { fits == fitted } else { fits || !fitted };
                prop_assert!(is_kept, "{step:?}: {value}\n{}\n{}", schema, after.dense());
            }
        }
    }

    #[test]
    fn all_of_what_has_to_fit_still_fits_the_whole(
        branches in proptest::collection::vec(generated::schemas(false), 1..4),
        value in generated::values(),
    ) {
        let schema = json!({"allOf": branches});
        let mut after = Json::parse(&schema.to_string(), NODES_MAX).unwrap();
        references::hoist(&mut after).unwrap();
        let before = validator(&after);
        top_level::flatten(&mut after).unwrap();
        // Unions within the branches take properties together that only one of them describes.
        let has_union = schema.to_string().contains("anyOf");
        if value.is_object() && !has_union && before.is_valid(&value) {
            prop_assert!(validator(&after).is_valid(&value), "{value}\n{}", after.dense());
        }
    }
}
