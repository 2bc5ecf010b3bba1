//! What is told of an import: text for people, and the shapes for programs.

use std::fmt::Write as _;

use hermes_registry::import::{Carried, Conflict, ConflictKind, Imported, NotCarried};
use serde::Serialize;

use super::choice::{Choice, Fate, Source};
use crate::output::text::{count, one_line};

/// Whether a report about this server is wanted.
type IsWanted<'a> = &'a dyn Fn(&str) -> bool;

/// Everything that was found, for people.
pub(super) fn text(sources: &[Source], choice: &Choice, is_wanted: IsWanted<'_>) -> String {
    let mut out = String::new();
    for (at, Source { file, imported }) in sources.iter().enumerate() {
        let number = count(imported.servers.len(), "server");
        let _ = writeln!(out, "{file} ({}): {number}", imported.format);
        for (number, server) in imported.servers.iter().enumerate() {
            let Some(fate) = choice.fates.get(&(at, number)) else {
                continue;
            };
            let keys: Vec<&str> = server.keys().collect();
            let name = one_line(server.name());
            let _ = writeln!(out, "  {name}: {} ({})", keys.join(", "), about(*fate));
        }
        let noteworthy = |one: &&Carried| one.note.is_some() || one.key != one.to;
        let carried = imported.carried.iter().filter(noteworthy);
        let carried = carried.filter(|one| is_wanted(&one.server));
        let carried = carried.map(|one| (one.line, one.to_string()));
        section(&mut out, "carried over", carried);
        let conflicts = imported.conflicts.iter();
        let conflicts = conflicts.filter(|one| is_wanted(&one.server));
        section(
            &mut out,
            "conflicts",
            conflicts.map(|one| (one.line, one.to_string())),
        );
        let not_carried = imported.not_carried.iter();
        let not_carried = not_carried.filter(|one| is_about(one, is_wanted));
        let not_carried = not_carried.map(|one| (one.line, one.to_string()));
        section(&mut out, "not carried over", not_carried);
    }
    out
}

fn section(out: &mut String, title: &str, lines: impl Iterator<Item = (usize, String)>) {
    for (index, (line, text)) in lines.enumerate() {
        if index == 0 {
            let _ = writeln!(out, "  {title}:");
        }
        let _ = writeln!(out, "    line {line}: {}", one_line(&text));
    }
}

fn about(fate: Fate) -> &'static str {
    match fate {
        Fate::Added => "new",
        Fate::ElsewhereToo => "left out, since a file above has one of this name",
        Fate::Kept => "left out, since another one has its name; --replace puts it in its place",
        Fate::Replaced => "in the place of the one that has its name",
        Fate::Same => "configured already, just so",
    }
}

fn is_about(one: &NotCarried, is_wanted: IsWanted<'_>) -> bool {
    one.server.as_deref().is_none_or(is_wanted)
}

/// What an import prints for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Told<'a> {
    pub(super) file: Option<&'a str>,
    pub(super) sources: Vec<ToldSource<'a>>,
    pub(super) written: bool,
    pub(super) dry_run: bool,
    pub(super) hints: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToldSource<'a> {
    file: &'a str,
    format: &'static str,
    servers: Vec<ToldServer<'a>>,
    carried: Vec<ToldKey<'a>>,
    conflicts: Vec<ToldConflict<'a>>,
    not_carried: Vec<ToldLoss<'a>>,
}

#[derive(Serialize)]
struct ToldServer<'a> {
    name: &'a str,
    keys: Vec<&'static str>,
    action: &'static str,
}

#[derive(Serialize)]
struct ToldKey<'a> {
    server: &'a str,
    key: &'a str,
    line: usize,
    to: &'static str,
    note: Option<&'a str>,
}

#[derive(Serialize)]
struct ToldConflict<'a> {
    server: &'a str,
    line: usize,
    kind: &'static str,
    with: Option<usize>,
}

#[derive(Serialize)]
struct ToldLoss<'a> {
    server: Option<&'a str>,
    key: Option<&'a str>,
    line: usize,
    reason: &'a str,
}

impl<'a> ToldSource<'a> {
    /// What is told of the file of this number.
    pub(super) fn new(
        at: usize,
        source: &'a Source,
        choice: &Choice,
        is_wanted: IsWanted<'_>,
    ) -> Self {
        let Source { file, imported } = source;
        let Imported {
            servers,
            carried,
            conflicts,
            not_carried,
            ..
        } = imported;
        let server = |(number, server): (usize, &'a hermes_registry::config::ServerEntry)| {
            Some(ToldServer {
                name: server.name(),
                keys: server.keys().collect(),
                action: choice.fates.get(&(at, number))?.as_str(),
            })
        };
        let carried = carried.iter().filter(|one| is_wanted(&one.server));
        let conflicts = conflicts.iter().filter(|one| is_wanted(&one.server));
        let not_carried = not_carried.iter().filter(|one| is_about(one, is_wanted));
        Self {
            file,
            format: imported.format.as_str(),
            servers: servers.iter().enumerate().filter_map(server).collect(),
            carried: carried.map(ToldKey::from).collect(),
            conflicts: conflicts.map(ToldConflict::from).collect(),
            not_carried: not_carried.map(ToldLoss::from).collect(),
        }
    }
}

impl<'a> From<&'a Carried> for ToldKey<'a> {
    fn from(one: &'a Carried) -> Self {
        Self {
            server: &one.server,
            key: &one.key,
            line: one.line,
            to: one.to,
            note: one.note.as_deref(),
        }
    }
}

impl<'a> From<&'a Conflict> for ToldConflict<'a> {
    fn from(one: &'a Conflict) -> Self {
        let (kind, with) = match one.kind {
            ConflictKind::Differs { line } => ("differs", Some(line)),
            ConflictKind::Same { line } => ("same", Some(line)),
            ConflictKind::Twice { first } => ("twice", Some(first)),
            _ => ("other", None),
        };
        Self {
            server: &one.server,
            line: one.line,
            kind,
            with,
        }
    }
}

impl<'a> From<&'a NotCarried> for ToldLoss<'a> {
    fn from(one: &'a NotCarried) -> Self {
        Self {
            server: one.server.as_deref(),
            key: one.key.as_deref(),
            line: one.line,
            reason: &one.reason,
        }
    }
}
