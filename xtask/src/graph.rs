//! `cargo xtask graph`: which crate of the workspace uses which, as ARCHITECTURE.md shows it.
//!
//! The lines come from the manifests; `tidy` compares them with the document.

use serde_json::Value;

use crate::shell::Outcome;
use crate::tidy::{metadata, packages, text};

pub(crate) fn run() -> Outcome {
    print!("{}", picture(&metadata(&["--no-deps"])?));
    Ok(())
}

/// One line for each crate: its name and the crates of the workspace that it is built from.
pub(crate) fn picture(metadata: &Value) -> String {
    let names: Vec<&str> = packages(metadata)
        .map(|package| text(package, "name"))
        .collect();
    let width = names
        .iter()
        .map(|name| name.len())
        .max()
        .unwrap_or_default();
    let mut lines = String::new();
    for package in packages(metadata) {
        let mut uses: Vec<&str> = package["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|dependency| dependency["kind"].is_null())
            .map(|dependency| text(dependency, "name"))
            .filter(|name| names.contains(name))
            .collect();
        uses.sort_unstable();
        let name = text(package, "name");
        let line = if uses.is_empty() {
            name.to_owned()
        } else {
            format!("{name:width$} -> {}", uses.join(", "))
        };
        lines.push_str(&line);
        lines.push('\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picture_shows_normal_edges_of_the_workspace_alone() {
        let metadata = serde_json::json!({"packages": [
            {"name": "low", "dependencies": [{"name": "serde", "kind": null}]},
            {"name": "higher", "dependencies": [
                {"name": "low", "kind": null},
                {"name": "kit", "kind": "dev"},
            ]},
            {"name": "kit", "dependencies": []},
        ]});
        assert_eq!(picture(&metadata), "low\nhigher -> low\nkit\n");
    }

    #[test]
    fn document_shows_the_graph_as_it_is() {
        let path = crate::shell::root().join("ARCHITECTURE.md");
        let document = std::fs::read_to_string(path).unwrap();
        let picture = picture(&metadata(&["--no-deps"]).unwrap());
        assert!(
            document.contains(&picture),
            "ARCHITECTURE.md does not hold:\n{picture}"
        );
    }
}
