//! The schema by itself, against examples, and against what reading says of the same values.

use jsonschema::Validator;

use super::super::keys::tests::TABLES;
use super::super::kind::ProblemKind;
use super::super::tree::{Node, Scalar};
use super::super::{Config, Context, Loaded, tree, yaml};
use super::*;

fn validator() -> Validator {
    let schema = serde_json::from_str(&Config::json_schema()).expect("the schema is JSON");
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    jsonschema::draft202012::new(&schema).expect("the schema is one")
}

/// A file as the editors see it, by the rules of YAML 1.2.
fn json(text: &str) -> Value {
    let root = yaml::parse(text).unwrap_or_else(|(kind, _)| panic!("{kind}\n{text}"));
    root.map_or(Value::Null, |root| value_of(&root))
}

fn value_of(node: &Node) -> Value {
    match &node.value {
        tree::Value::Scalar(scalar) => scalar_of(scalar),
        tree::Value::List(items) => items.iter().map(value_of).collect(),
        tree::Value::Mapping(entries) => {
            let entries = entries.iter().map(|entry| {
                let key = entry.key.text.as_deref().unwrap_or_default();
                (key.to_owned(), value_of(&entry.value))
            });
            Value::Object(entries.collect())
        }
    }
}

fn scalar_of(scalar: &Scalar) -> Value {
    let text = &*scalar.text;
    match text {
        _ if scalar.is_null() => Value::Null,
        _ if scalar.quoted => text.into(),
        "true" => true.into(),
        "false" => false.into(),
        _ => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(whole), _) => whole.into(),
            (_, Ok(number)) if number.is_finite() => number.into(),
            _ => text.into(),
        },
    }
}

fn read(text: &str) -> Loaded {
    let vars = |name: &str| (name == "SET").then(|| "30".to_owned());
    let context = Context::new(&vars).with_workspace_folder("/srv/app");
    Config::parse_in(text, "c", &context).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A file whose one server is reached as it has to be for this key to have an effect.
fn file(key: &Key, line: &str) -> String {
    let is_stdio = line.ends_with(": stdio");
    let reached = match (key.name, key.needs) {
        ("command" | "url", _) => "",
        ("transport" | "type", _) if !is_stdio => "    url: https://x/mcp\n",
        (_, Some("url")) => "    url: https://x/mcp\n",
        _ => "    command: x\n",
    };
    format!("mcp_servers:\n  s:\n{reached}    {line}\n")
}

/// Values of every sort, and those at the bounds of this key and just beyond them.
fn samples(shape: &Shape) -> Vec<String> {
    let mut samples: Vec<String> = [
        "5",
        "30",
        "0",
        "-1",
        "0.5",
        "1e-9",
        "true",
        "off",
        "word",
        "''",
        "[]",
        "[a]",
        "[a, b]",
        "[a, b, c, d]",
        "[[a]]",
        "{}",
        "{a: b}",
        "{a: 1}",
        "{a: [b]}",
        "{bogus: 1}",
        "https://x/",
    ]
    .map(str::to_owned)
    .into();
    match shape {
        Shape::Words(words) => samples.extend(words.iter().map(|word| (*word).to_owned())),
        Shape::Count(range) => {
            let (min, max) = (i64::from(range.min), i64::from(range.max));
            samples.extend([min - 1, min, max, max + 1].map(|number| number.to_string()));
        }
        Shape::Seconds(range) => {
            let (min, max) = (range.min.as_secs_f64(), range.max.as_secs_f64());
            let numbers = [min * 0.9, min, max, max + 1.0, 0.0];
            samples.extend(numbers.map(|number| number.to_string()));
        }
        _ => {}
    }
    samples
}

/// Checks that reading and the schema say the same of this line; whether both took it.
fn is_taken(validator: &Validator, key: &Key, line: &str) -> bool {
    let text = file(key, line);
    let loaded = read(&text);
    let is_valid = validator.is_valid(&json(&text));
    let of_value =
        |kind: &ProblemKind| !matches!(kind, ProblemKind::NotActive | ProblemKind::NeedsKey { .. });
    if loaded.has_errors() {
        assert!(
            !is_valid,
            "reading refuses what the schema takes: {:?}\n{text}",
            loaded.problems
        );
    } else if !loaded
        .problems
        .iter()
        .any(|problem| of_value(problem.kind()))
    {
        assert!(is_valid, "the schema refuses what reading takes\n{text}");
        return true;
    }
    false
}

#[test]
fn reading_and_the_schema_say_the_same_of_every_value() {
    let validator = validator();
    for key in SERVER.rows {
        let supported = !matches!(key.standing, Standing::Unsupported(_));
        let samples = samples(&key.shape);
        let lines = samples
            .iter()
            .map(|sample| format!("{}: {sample}", key.name));
        let taken = lines.filter(|line| is_taken(&validator, key, line)).count();
        assert!(taken > 0 || !supported, "{} takes no sample", key.name);
        let (Shape::Mapping(nested) | Shape::MappingOrTexts(nested)) = key.shape else {
            continue;
        };
        for inner in nested.rows {
            let supported = !matches!(inner.standing, Standing::Unsupported(_));
            // The first wait must not be longer than the longest.
            let beside = match inner.name {
                "backoff_first" => "backoff_max: 86400, ",
                _ => "",
            };
            let samples = self::samples(&inner.shape);
            let line = |sample| format!("{}: {{{beside}{}: {sample}}}", key.name, inner.name);
            let lines = samples.iter().map(line);
            let taken = lines.filter(|line| is_taken(&validator, key, line)).count();
            assert!(taken > 0 || !supported, "{} takes no sample", inner.name);
        }
    }
}

#[test]
fn a_reference_is_taken_for_any_single_value() {
    let validator = validator();
    for key in SERVER.rows {
        let text = file(key, &format!("{}: '${{SET}}'", key.name));
        let is_single = !matches!(
            key.shape,
            Shape::Mapping(_) | Shape::Texts | Shape::TextsLike(_) | Shape::TextMap
        );
        assert_eq!(validator.is_valid(&json(&text)), is_single, "{text}");
    }
}

#[test]
fn every_key_has_its_meaning_and_every_default_is_one_of_its_values() {
    let schema = document();
    let server = &schema["$defs"]["server"];
    for (heading, keys) in TABLES {
        let nested = heading
            .strip_prefix("Under `")
            .map(|rest| rest.trim_end_matches('`'));
        let properties = match nested.map(|name| &server["properties"][name]) {
            None => &server["properties"],
            Some(schema) if schema["anyOf"].is_array() => &schema["anyOf"][0]["properties"],
            Some(schema) => &schema["properties"],
        };
        for key in keys.rows {
            let property = &properties[key.name];
            assert_eq!(property["description"], key.meaning(), "{}", key.name);
            let mut alone = property.clone();
            alone["$defs"] = schema["$defs"].clone();
            let validator = jsonschema::draft202012::new(&alone).expect("it is a schema");
            let default = property.get("default");
            assert!(
                default.is_none_or(|default| validator.is_valid(default)),
                "{}",
                key.name
            );
        }
    }
}

#[test]
fn the_examples_of_the_documentation_are_read_and_meet_the_schema() {
    let validator = validator();
    let documents = [
        include_str!("../../../../README.md"),
        include_str!("../../../../docs/configuration.md"),
    ];
    let mut count = 0;
    for document in documents {
        for block in document.split("```yaml\n").skip(1) {
            let text = block.split("```").next().unwrap_or_default();
            let all = |_name: &str| Some("/x".to_owned());
            let loaded = Config::parse(text, "example", &all).expect("the example is a file");
            assert_eq!(loaded.problems, [], "{text}");
            let errors: Vec<String> = validator
                .iter_errors(&json(text))
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert_eq!(errors, Vec::<String>::new(), "{text}");
            count += 1;
        }
    }
    assert!(count >= 2, "the documents have examples");
}

#[test]
fn what_no_server_can_be_is_refused() {
    let validator = validator();
    for text in [
        "mcp_servers: [a]",
        "[a]",
        "mcp_servers: {a: x}",
        "mcp_servers: {a: {}}",
        "mcp_servers: {a: {command: x, url: 'https://x/'}}",
        "mcp_servers: {a: {command: x, timeuot: 5}}",
        "mcp_servers: {a: {command: x, tools: {inclde: a}}}",
        "mcp_servers: {'': {command: x}}",
    ] {
        assert!(!validator.is_valid(&json(text)), "{text}");
    }
    for text in [
        "",
        "a: 1",
        "mcp_servers:",
        "mcp_servers: {}",
        "mcp_servers: {a: {command: 5}}",
    ] {
        assert!(validator.is_valid(&json(text)), "{text}");
    }
}
