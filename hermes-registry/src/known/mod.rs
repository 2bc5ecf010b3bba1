//! Well-known servers, each with what it needs to be used.
//!
//! A manifest in `optional-mcps/` has the title, the description and the homepage of a server, its
//! entry as a configuration has it, and under `needs` each variable that the entry refers to, with
//! what it is and where to get it.
//! The name of the file is the name of the server.
//!
//! Whoever installs a server fills in what it needs, or leaves the references to variables of the
//! environment; nothing is downloaded or started here.

mod manifest;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::config::ServerEntry;

/// The manifests, by their names.
const MANIFESTS: [(&str, &str); 15] = [
    (
        "brave-search",
        include_str!("../../optional-mcps/brave-search.yaml"),
    ),
    (
        "chrome-devtools",
        include_str!("../../optional-mcps/chrome-devtools.yaml"),
    ),
    ("codex", include_str!("../../optional-mcps/codex.yaml")),
    (
        "context7",
        include_str!("../../optional-mcps/context7.yaml"),
    ),
    (
        "everything",
        include_str!("../../optional-mcps/everything.yaml"),
    ),
    ("fetch", include_str!("../../optional-mcps/fetch.yaml")),
    (
        "filesystem",
        include_str!("../../optional-mcps/filesystem.yaml"),
    ),
    ("git", include_str!("../../optional-mcps/git.yaml")),
    ("github", include_str!("../../optional-mcps/github.yaml")),
    ("memory", include_str!("../../optional-mcps/memory.yaml")),
    (
        "playwright",
        include_str!("../../optional-mcps/playwright.yaml"),
    ),
    (
        "postgres",
        include_str!("../../optional-mcps/postgres.yaml"),
    ),
    (
        "sequential-thinking",
        include_str!("../../optional-mcps/sequential-thinking.yaml"),
    ),
    ("sqlite", include_str!("../../optional-mcps/sqlite.yaml")),
    ("time", include_str!("../../optional-mcps/time.yaml")),
];

/// A well-known server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KnownServer {
    /// Its name, here and in a configuration unless it is given another one.
    pub name: &'static str,
    /// What people call it.
    pub title: String,
    /// What it is for, in a sentence.
    pub description: String,
    /// Where its authors tell more.
    pub homepage: String,
    /// What it cannot be used without, in the order of the manifest.
    pub needs: Vec<Need>,
    entry: ServerEntry,
}

/// A value that a server needs.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Need {
    /// The variable that holds it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Where to get it.
    pub from: Option<String>,
    /// Whether it is a secret, by its name or because the manifest says so.
    pub is_secret: bool,
}

/// All well-known servers, by their names.
///
/// # Panics
///
/// Never, since tests read every manifest.
#[must_use]
pub fn all() -> Vec<KnownServer> {
    let read = |(name, text): &(&'static str, &str)| {
        manifest::parse(name, text).expect("a test reads every manifest")
    };
    MANIFESTS.iter().map(read).collect()
}

/// The well-known server of this name.
#[must_use]
pub fn find(name: &str) -> Option<KnownServer> {
    all().into_iter().find(|known| known.name == name)
}

impl KnownServer {
    /// Its entry with these values, by the names of variables, in the place of references; other
    /// references stay.
    #[must_use]
    pub fn entry(&self, values: &BTreeMap<String, String>) -> ServerEntry {
        self.entry.clone().with_values(values)
    }
}
