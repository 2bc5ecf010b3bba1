//! Every type at every revision in which it exists.
//!
//! A file of `tests/fixtures/<revision>/` holds `{"TypeName": [value, …], …}`. Each value is read
//! strictly and without diagnostics, and written back the same; the same holds with a member that
//! nobody knows in each of its objects.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mcp_types::Version;
use serde_json::{Map, Value};

use crate::table;

/// One value of the fixtures.
pub(crate) struct Fixture {
    pub(crate) version: Version,
    pub(crate) name: String,
    pub(crate) value: Value,
}

/// All values of all revisions.
pub(crate) fn all() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut fixtures = Vec::new();
    for version in Version::KNOWN {
        let folder = root.join(version.as_str());
        for file in fs::read_dir(&folder).expect("a folder for each revision") {
            let path = file.expect("a readable folder").path();
            let text = fs::read_to_string(&path).expect("a readable file");
            let types: Map<String, Value> = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            for (name, values) in types {
                let values = values
                    .as_array()
                    .expect("a list of values for each type")
                    .clone();
                fixtures.extend(values.into_iter().map(|value| Fixture {
                    version: version.clone(),
                    name: name.clone(),
                    value,
                }));
            }
        }
    }
    fixtures
}

fn assert_passes(fixture: &Fixture, value: &Value) {
    let Fixture { version, name, .. } = fixture;
    let json = value.to_string();
    let outcome = table::of(name)(&json)
        .unwrap_or_else(|error| panic!("{version} {name}: {error} in {json}"));
    assert_eq!(outcome.diagnostics, [], "{version} {name}: {json}");
    assert!(outcome.is_strict, "{version} {name}: {json}");
    let written: Value = serde_json::from_str(&outcome.json).expect("JSON");
    assert_eq!(written, *value, "{version} {name}");
}

#[test]
fn every_value_is_read_strictly_and_written_back_the_same() {
    let fixtures = all();
    assert!(fixtures.len() > 500, "only {} fixtures", fixtures.len());
    for fixture in &fixtures {
        assert_passes(fixture, &fixture.value);
    }
}

#[test]
fn unknown_members_survive_in_every_object() {
    for fixture in all() {
        let mut value = fixture.value.clone();
        let is_typed_map = matches!(fixture.name.as_str(), "InputRequests" | "InputResponses");
        add_unknown(&mut value, is_typed_map);
        assert_passes(&fixture, &value);
    }
}

#[test]
fn every_type_of_the_table_has_a_fixture() {
    let seen: BTreeSet<String> = all().into_iter().map(|fixture| fixture.name).collect();
    let known: BTreeSet<String> = table::TABLE
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(seen, known);
}

/// Adds a member to each object, but not to maps whose values have a type other than text.
fn add_unknown(value: &mut Value, is_typed_map: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| add_unknown(item, false)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                let holds_types = ["properties", "inputRequests", "inputResponses"];
                add_unknown(member, holds_types.contains(&name.as_str()));
            }
            if !is_typed_map {
                members.insert("x-\u{e9}\"unknown".to_owned(), Value::from("kept"));
            }
        }
        _ => {}
    }
}
