//! `cargo xtask tidy`: the rules of this repository that no compiler checks.
//!
//! Each rule is a plain function from text to findings, so that its test can show it failing.
//! This module only reads the files and `cargo metadata`, and adds the findings up.

mod deps;
mod docs;
mod edges;
mod licence;
mod source;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::shell::{Cmd, Outcome, root};

/// Something that a rule does not allow: `path:line: what`, or `path: what`.
pub(crate) type Finding = String;

/// Folders that hold no source of ours.
const SKIPPED: &[&str] = &[
    ".git",
    "target",
    "node_modules",
    "corpus",
    "artifacts",
    "coverage",
];

pub(crate) fn run() -> Outcome {
    let findings = findings()?;
    if findings.is_empty() {
        println!("tidy: nothing found");
        return Ok(());
    }
    for finding in &findings {
        println!("{finding}");
    }
    Err(format!(
        "tidy found {} thing(s), listed above",
        findings.len()
    ))
}

fn findings() -> Outcome<Vec<Finding>> {
    let mut found = Vec::new();
    let bare = metadata(&["--no-deps"])?;
    found.extend(edges::check(&bare));
    found.extend(deps::wildcards(&bare));

    // Duplicates and licences are judged for what is built on Linux, as the gate is.
    let full = metadata(&["--filter-platform", "x86_64-unknown-linux-gnu"])?;
    found.extend(licence::check(&full));
    found.extend(deps::duplicates(&full, &read("xtask/duplicates.txt")?));

    found.extend(deps::reasons(&read("Cargo.toml")?));
    found.extend(docs::architecture(
        &read("ARCHITECTURE.md")?,
        &folders(&bare),
    ));
    found.extend(docs::graph(
        &read("ARCHITECTURE.md")?,
        &crate::graph::picture(&bare),
    ));

    let exceptions = read("xtask/tidy-exceptions.txt")?;
    let mut long = Vec::new();
    for path in files(&root())? {
        let name = relative(&path);
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue; // Not text, so not source.
        };
        found.extend(source::check(&name, &text));
        if name.ends_with("Cargo.toml") {
            found.extend(deps::through_workspace(&name, &text));
        }
        if source::is_long(&name, &text) {
            long.push((name, text.lines().count()));
        }
    }
    found.extend(source::lengths(&long, &exceptions));
    Ok(found)
}

/// What `cargo metadata` says, as JSON.
pub(crate) fn metadata(args: &[&str]) -> Outcome<Value> {
    let cmd = args
        .iter()
        .fold(Cmd::new("cargo metadata --format-version 1"), |cmd, arg| {
            cmd.arg(*arg)
        });
    serde_json::from_str(&cmd.read()?).map_err(|error| format!("cargo metadata: {error}"))
}

/// The packages of the workspace, as the objects of `cargo metadata --no-deps`.
pub(crate) fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// A text member of a JSON object, empty where there is none.
pub(crate) fn text<'a>(object: &'a Value, member: &str) -> &'a str {
    object[member].as_str().unwrap_or_default()
}

/// Folders of the packages, relative to the root.
fn folders(metadata: &Value) -> Vec<String> {
    packages(metadata)
        .filter_map(|package| Path::new(text(package, "manifest_path")).parent())
        .map(relative)
        .collect()
}

fn read(name: &str) -> Outcome<String> {
    std::fs::read_to_string(root().join(name)).map_err(|error| format!("{name}: {error}"))
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// All files below `folder`, in a stable order.
fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let fault = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries = std::fs::read_dir(folder)
        .map_err(fault)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(fault)?;
    entries.sort();
    let mut all = Vec::new();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_symlink() || SKIPPED.contains(&name.as_ref()) {
            continue;
        }
        if path.is_dir() {
            all.extend(files(&path)?);
        } else {
            all.push(path);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_are_found_and_build_output_is_not() {
        let names: Vec<String> = files(&root())
            .unwrap()
            .iter()
            .map(|path| relative(path))
            .collect();
        assert!(names.contains(&"xtask/src/tidy/mod.rs".to_owned()));
        assert!(!names.iter().any(|name| name.starts_with("target/")));
    }
}
