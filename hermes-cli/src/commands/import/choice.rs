//! Which of the servers that were found are written, and which are not, and why.

use std::collections::BTreeMap;

use hermes_registry::config::edit::Change;
use hermes_registry::import::{Conflict, ConflictKind, Imported};

/// A file of another agent and what is in it.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) file: String,
    pub(super) imported: Imported,
}

/// What becomes of a server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fate {
    Added,
    /// Another file that was read before has a server of this name.
    ElsewhereToo,
    /// The configuration has another server of this name.
    Kept,
    Replaced,
    /// The configuration has this very server.
    Same,
}

impl Fate {
    /// A word for programs; it never changes.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::ElsewhereToo => "elsewhere_too",
            Self::Kept => "kept",
            Self::Replaced => "replaced",
            Self::Same => "same",
        }
    }
}

/// The servers of all files, each with what becomes of it.
#[derive(Debug)]
pub(super) struct Choice {
    /// The number of the file and of the server in it, with its fate.
    pub(super) fates: BTreeMap<(usize, usize), Fate>,
    pub(super) changes: Vec<Change>,
}

/// Decides about each server: of those with one name, the first that is found counts, and what is
/// configured already stays unless it is to be replaced.
pub(super) fn choose(
    sources: &[Source],
    is_wanted: &dyn Fn(&str) -> bool,
    replace: bool,
) -> Choice {
    let (mut fates, mut changes) = (BTreeMap::new(), Vec::new());
    let mut seen: Vec<&str> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let conflicts = &source.imported.conflicts;
        for (number, server) in source.imported.servers.iter().enumerate() {
            let name = server.name();
            if !is_wanted(name) {
                continue;
            }
            let fate = if seen.contains(&name) {
                Fate::ElsewhereToo
            } else {
                fate(name, conflicts, replace)
            };
            match fate {
                Fate::Added => changes.push(Change::Add(server.clone())),
                Fate::Replaced => changes.push(Change::Put(server.clone())),
                Fate::ElsewhereToo | Fate::Kept | Fate::Same => {}
            }
            seen.push(name);
            fates.insert((at, number), fate);
        }
    }
    Choice { fates, changes }
}

fn fate(name: &str, conflicts: &[Conflict], replace: bool) -> Fate {
    let mut own = conflicts.iter().filter(|conflict| conflict.server == name);
    own.find_map(|conflict| match conflict.kind {
        ConflictKind::Same { .. } => Some(Fate::Same),
        ConflictKind::Differs { .. } if replace => Some(Fate::Replaced),
        ConflictKind::Differs { .. } => Some(Fate::Kept),
        _ => None,
    })
    .unwrap_or(Fate::Added)
}

#[cfg(test)]
mod tests {
    use hermes_registry::import::{Existing, import};

    use super::*;

    fn source(text: &str) -> Source {
        let existing = "mcp_servers:\n  same: {command: x}\n  other: {command: y}\n";
        let existing = Existing::parse(existing, "c.yaml").unwrap();
        Source {
            file: "f".to_owned(),
            imported: import(text, "f", None, &existing).unwrap(),
        }
    }

    #[test]
    fn the_first_of_one_name_counts_and_what_is_configured_stays() {
        let sources = [
            source(
                r#"{"mcpServers": {"same": {"command": "x"}, "other": {"command": "x"}, "new": {"command": "x"}}}"#,
            ),
            source(r#"{"mcpServers": {"new": {"command": "z"}, "last": {"command": "x"}}}"#),
        ];
        for (replace, other) in [(false, Fate::Kept), (true, Fate::Replaced)] {
            let choice = choose(&sources, &|name| name != "last", replace);
            let fates: Vec<Fate> = choice.fates.into_values().collect();
            assert_eq!(fates, [Fate::Same, other, Fate::Added, Fate::ElsewhereToo]);
            assert_eq!(choice.changes.len(), if replace { 2 } else { 1 });
        }
    }
}
