//! How dependencies are declared: each once, with a reason, with a version, in one version.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Finding, packages, text};

/// `duplicates.txt` has a line `name: reason` for each package that is built in two versions.
pub(super) fn duplicates(metadata: &Value, listed: &str) -> Vec<Finding> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for id in metadata["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let package = packages(metadata).find(|package| package["id"] == id["id"]);
        if let Some(package) = package {
            versions
                .entry(text(package, "name"))
                .or_default()
                .push(text(package, "version"));
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    let (reasons, mut found) = listing("xtask/duplicates.txt", listed);
    for (name, versions) in &versions {
        if !reasons.contains_key(name) {
            found.push(format!(
                "{name}: built in versions {}; align them, or add `{name}: reason` to \
                 xtask/duplicates.txt",
                versions.join(" and ")
            ));
        }
    }
    for name in reasons.keys().filter(|name| !versions.contains_key(*name)) {
        found.push(format!(
            "xtask/duplicates.txt: {name} is built once, so its line can go"
        ));
    }
    found
}

/// A file of lines `name: reason`, with `#` before remarks; lines without a reason are findings.
pub(super) fn listing<'a>(file: &str, text: &'a str) -> (BTreeMap<&'a str, &'a str>, Vec<Finding>) {
    let mut reasons = BTreeMap::new();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.split_once(':') {
            Some((name, reason)) if !reason.trim().is_empty() => {
                reasons.insert(name.trim(), reason.trim());
            }
            _ => found.push(format!("{file}:{}: `{line}` has no reason", number + 1)),
        }
    }
    (reasons, found)
}

/// A version of `*` from a registry builds something else every day.
pub(super) fn wildcards(metadata: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    for package in packages(metadata) {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            if !dependency["source"].is_null() && text(dependency, "req") == "*" {
                let (from, to) = (text(package, "name"), text(dependency, "name"));
                found.push(format!("{from}/Cargo.toml: {to} has the version `*`"));
            }
        }
    }
    found
}

/// Each line of `[workspace.dependencies]` says at its end why the dependency is there.
/// Crates of the workspace need no reason.
pub(super) fn reasons(manifest: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, line) in section(manifest, |title| title == "[workspace.dependencies]") {
        let ours = line.contains("path = ");
        let reasoned = line
            .rsplit_once(" # ")
            .is_some_and(|(_, reason)| !reason.trim().is_empty());
        if !ours && !reasoned {
            let name = line.split(['=', '.']).next().unwrap_or_default().trim();
            found.push(format!(
                "Cargo.toml:{number}: {name} has no `# reason` at the end of its line"
            ));
        }
    }
    found
}

/// Members name no versions themselves.
pub(super) fn through_workspace(name: &str, manifest: &str) -> Vec<Finding> {
    // The excluded workspaces pin what they compare with, apart from ours.
    let apart = [
        "Cargo.toml",
        "benches/Cargo.toml",
        "fuzz/Cargo.toml",
        "peers/rmcp/Cargo.toml",
    ];
    if apart.contains(&name) {
        return Vec::new();
    }
    section(manifest, |title| title.ends_with("dependencies]"))
        .filter(|(_, line)| !line.contains("workspace = true"))
        .map(|(number, line)| {
            format!("{name}:{number}: `{line}` does not go through [workspace.dependencies]")
        })
        .collect()
}

/// Numbered lines of the sections whose title is wanted, without blank lines and remarks.
fn section<'a>(
    manifest: &'a str,
    wanted: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = (usize, &'a str)> + 'a {
    let mut inside = false;
    manifest
        .lines()
        .enumerate()
        .filter_map(move |(number, line)| {
            let line = line.trim();
            if line.starts_with('[') {
                inside = wanted(line);
                return None;
            }
            (inside && !line.is_empty() && !line.starts_with('#')).then_some((number + 1, line))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_versions() -> Value {
        serde_json::json!({
            "packages": [
                {"id": "a1", "name": "alpha", "version": "1.0.0"},
                {"id": "a2", "name": "alpha", "version": "2.0.0"},
                {"id": "b1", "name": "beta", "version": "1.0.0"},
                {"id": "b2", "name": "beta", "version": "2.0.0"},
            ],
            "resolve": {"nodes": [{"id": "a1"}, {"id": "a2"}, {"id": "b1"}]},
        })
    }

    #[test]
    fn second_version_needs_a_reason() {
        let found = duplicates(&two_versions(), "# remark\n");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("alpha: built in versions 1.0.0 and 2.0.0"),
            "{found:?}"
        );
        assert_eq!(
            duplicates(&two_versions(), "alpha: until beta moves\n"),
            Vec::<Finding>::new()
        );
    }

    #[test]
    fn listed_duplicate_that_is_gone_or_has_no_reason_is_named() {
        let found = duplicates(&two_versions(), "alpha: reason\nbeta: reason\n");
        assert!(found[0].contains("beta is built once"), "{found:?}");
        let found = duplicates(&two_versions(), "alpha:\n");
        assert!(
            found[0].contains("duplicates.txt:1: `alpha:` has no reason"),
            "{found:?}"
        );
    }

    #[test]
    fn wildcard_from_a_registry_is_named_and_a_path_is_not() {
        let metadata = serde_json::json!({"packages": [{"name": "ours", "dependencies": [
            {"name": "theirs", "req": "*", "source": "registry"},
            {"name": "tests", "req": "*", "source": null},
            {"name": "fine", "req": "^1", "source": "registry"},
        ]}]});
        assert_eq!(
            wildcards(&metadata),
            ["ours/Cargo.toml: theirs has the version `*`"]
        );
    }

    #[test]
    fn dependency_without_a_reason_is_named() {
        let manifest = "[workspace.dependencies]\n\
                        ours = { path = \"ours\" }\n\
                        a = \"1\" # Why.\n\
                        b = \"1\"\n\
                        [profile.dev]\n\
                        c = 1\n";
        let found = reasons(manifest);
        assert_eq!(
            found,
            ["Cargo.toml:4: b has no `# reason` at the end of its line"]
        );
    }

    #[test]
    fn version_in_a_member_is_named() {
        let manifest = "[dependencies]\na = { workspace = true }\n[dev-dependencies]\nb = \"1\"\n";
        let found = through_workspace("ours/Cargo.toml", manifest);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("ours/Cargo.toml:4: `b = \"1\"`"),
            "{found:?}"
        );
    }
}
