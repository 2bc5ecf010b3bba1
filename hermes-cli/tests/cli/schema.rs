//! The schema for editors, as it is printed and written.

use serde_json::Value;

use crate::support::Home;

#[test]
fn the_schema_is_json_that_names_the_keys_of_a_server() {
    let home = Home::new();
    let run = home.run(&["mcp", "schema"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let schema: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert!(run.stdout.contains("\"connect_timeout\""), "{run:?}");

    let json = home.run(&["mcp", "schema", "--json"]);
    let told: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.code, &told["version"]), (0, &Value::from(1)));
    assert_eq!(told["schema"], schema);
}

#[test]
fn the_schema_is_written_where_one_asks_for_it() {
    let home = Home::new();
    let file = home.file("schema.json");
    let run = home.run(&["mcp", "schema", "--output", &file]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
    assert_eq!(
        home.read("schema.json"),
        home.run(&["mcp", "schema"]).stdout
    );

    let nowhere = home.file("nowhere/schema.json");
    let run = home.run(&["mcp", "schema", "--output", &nowhere]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    let start = format!("hermes: {nowhere}: cannot be written: ");
    assert!(run.stderr.starts_with(&start), "{run:?}");
}
