//! Which crate of the workspace may use which: the layers of ARCHITECTURE.md.

use serde_json::Value;

use super::{Finding, packages, text};

/// Each crate and the crates of the workspace that it may depend on.
///
/// A new edge is a change of the architecture, so it is written here first. Rows of crates that
/// do not exist yet are there so that the first commit of such a crate meets its limits.
const ALLOWED: &[(&str, &[&str])] = &[
    ("mcp-jsonrpc", &[]),
    ("mcp-types", &[]),
    ("mcp-transport", &[]),
    ("mcp-auth", &["mcp-transport"]),
    ("mcp-client", &["mcp-jsonrpc", "mcp-transport", "mcp-types"]),
    ("mcp-server", &["mcp-jsonrpc", "mcp-transport", "mcp-types"]),
    (
        "hermes-registry",
        &["mcp-client", "mcp-transport", "mcp-types"],
    ),
    (
        "hermes-sampling",
        &["mcp-client", "mcp-transport", "mcp-types"],
    ),
    ("hermes-bridge", &["mcp-server", "mcp-types"]),
    (
        "hermes-gateway",
        &[
            "hermes-registry",
            "hermes-sampling",
            "mcp-client",
            "mcp-server",
            "mcp-transport",
            "mcp-types",
        ],
    ),
    ("hermes-cli", LIBRARIES),
    ("mcp-tests", LIBRARIES),
    ("xtask", &[]),
];

const LIBRARIES: &[&str] = &[
    "hermes-bridge",
    "hermes-gateway",
    "hermes-registry",
    "hermes-sampling",
    "mcp-auth",
    "mcp-client",
    "mcp-jsonrpc",
    "mcp-server",
    "mcp-transport",
    "mcp-types",
];

/// Tests of a crate may also use these.
const ALLOWED_IN_TESTS: &[&str] = &["mcp-tests"];

pub(super) fn check(metadata: &Value) -> Vec<Finding> {
    let names: Vec<&str> = packages(metadata)
        .map(|package| text(package, "name"))
        .collect();
    let mut found = Vec::new();
    for package in packages(metadata) {
        let name = text(package, "name");
        let Some((_, allowed)) = ALLOWED.iter().find(|(from, _)| *from == name) else {
            found.push(format!(
                "{name}: no row in xtask/src/tidy/edges.rs says what it may use"
            ));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = text(dependency, "name");
            let in_tests = text(dependency, "kind") == "dev";
            let fine = allowed.contains(&to) || (in_tests && ALLOWED_IN_TESTS.contains(&to));
            if names.contains(&to) && !fine {
                found.push(format!(
                    "{name}/Cargo.toml: the edge {name} -> {to} is not in the crate graph"
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<Finding> {
        super::check(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn edge_upwards_is_named() {
        let found = check(
            r#"{"packages": [
                {"name": "mcp-types", "dependencies": [{"name": "mcp-client", "kind": null}]},
                {"name": "mcp-client", "dependencies": [{"name": "mcp-types", "kind": null}]}
            ]}"#,
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("mcp-types -> mcp-client"), "{found:?}");
    }

    #[test]
    fn tests_may_use_the_kit_and_libraries_may_not() {
        let graph = |kind: &str| {
            check(&format!(
                r#"{{"packages": [
                    {{"name": "mcp-types", "dependencies": [{{"name": "mcp-tests", "kind": {kind}}}]}},
                    {{"name": "mcp-tests", "dependencies": []}}
                ]}}"#
            ))
        };
        assert_eq!(graph(r#""dev""#), Vec::<Finding>::new());
        assert_eq!(graph("null").len(), 1);
    }

    #[test]
    fn unknown_crate_is_named() {
        let found = check(r#"{"packages": [{"name": "mcp-new", "dependencies": []}]}"#);
        assert!(found[0].starts_with("mcp-new: no row"), "{found:?}");
    }
}
