//! Servers that were configured for another agent, as our configuration has them.
//!
//! ```text
//! text ── json, toml ──> tree ── editors, codex ──> servers + report ── yaml ──> lines
//! ```
//!
//! Nothing is read or written but texts: where the files are, and what becomes of the lines, is for
//! the caller to say.
//!
//! What users may rely on:
//!
//! - Every key of every server is in the report, as carried over or not, with the reason.
//! - The lines that a server becomes are read by [`crate::Config`] as exactly the texts of the file.
//! - A server of which a value is of the wrong sort, or that cannot be reached, is left out as a
//!   whole: it would be another server without that.
//! - A `${…}` means what it meant. What has no meaning here stays as it is and is told of, and the
//!   configuration is an error until it is replaced, so that nothing runs with half of its values.
//! - No text of the report holds a value.

mod codex;
mod draft;
mod editors;
mod error;
mod existing;
mod format;
mod json;
mod lines;
mod reference;
mod report;
mod source;
mod toml;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, btree_map};

pub use error::{ImportError, ImportErrorKind};
pub use existing::Existing;
pub use format::Format;
pub use report::{Carried, Conflict, ConflictKind, NotCarried};

use draft::Draft;
use reference::Dialect;
use report::Report;

use crate::config::tree::{Entry, Node, Value};
use crate::config::{SERVERS, ServerEntry};
use crate::name::ServerName;

/// The longest file that is read, in bytes: 16 MiB.
///
/// Bound: memory; some agents keep their history in the same file as their servers.
pub const IMPORT_LEN_MAX: usize = 16 << 20;

/// What a file of another agent holds.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// Whose file it is.
    pub format: Format,
    /// The servers, in the order of the file, those with a conflict included.
    pub servers: Vec<ServerEntry>,
    /// Every key that was carried over.
    pub carried: Vec<Carried>,
    /// Every name that stands more than once, or in our configuration too.
    pub conflicts: Vec<Conflict>,
    /// Every key that was not carried over, and every server.
    pub not_carried: Vec<NotCarried>,
}

impl Imported {
    /// All servers as a configuration of their own.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        if self.servers.is_empty() {
            return format!("{SERVERS}: {{}}\n");
        }
        let lines: String = self.servers.iter().map(ServerEntry::to_yaml).collect();
        format!("{SERVERS}:\n{lines}")
    }

    /// The servers whose name is not in our configuration yet.
    pub fn new_servers(&self) -> impl Iterator<Item = &ServerEntry> {
        let here = |one: &&Conflict| !matches!(one.kind, ConflictKind::Twice { .. });
        let known = self.conflicts.iter().filter(here);
        let known: BTreeSet<&str> = known.map(|one| &*one.server).collect();
        let servers = self.servers.iter();
        servers.filter(move |server| !known.contains(server.name()))
    }
}

/// Reads the servers of another agent.
///
/// `file_name` is how errors name the file, and tells whose it is where its name and folder do;
/// else its content does.
/// `format` is whose it is, if the caller knows.
/// `existing` is what is configured here already.
///
/// # Errors
///
/// [`ImportError`] if the text is too long, is neither JSON nor TOML, or has no servers where such
/// a file has them.
/// What is wrong with a single server is in [`Imported::not_carried`].
pub fn import(
    text: &str,
    file_name: &str,
    format: Option<Format>,
    existing: &Existing,
) -> Result<Imported, ImportError> {
    let fail = |kind, position| ImportError {
        file: file_name.to_owned(),
        position,
        kind,
    };
    if text.len() > IMPORT_LEN_MAX {
        let bytes_max = IMPORT_LEN_MAX;
        return Err(fail(ImportErrorKind::TooLong { bytes_max }, None));
    }
    // Interop: editors on Windows begin UTF-8 files with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let known = format.or_else(|| format::by_name(file_name));
    let is_toml = known.map_or_else(|| format::looks_like_toml(text), Format::is_toml);
    let parsed = if is_toml {
        toml::parse(text)
    } else {
        json::parse(text)
    };
    let root = parsed.map_err(|(kind, position)| fail(kind, Some(position)))?;
    let by_content = || match is_toml {
        true => Format::Codex,
        false => format::by_content(&root, text),
    };
    let format = known.unwrap_or_else(by_content);
    let servers = format::servers(format, &root).map(|servers| &servers.value);
    let Some(Value::Mapping(entries)) = servers else {
        let expected = format.expected();
        return Err(fail(ImportErrorKind::NoServers { expected }, None));
    };
    Ok(read_servers(format, &root, entries, existing))
}

fn read_servers(format: Format, root: &Node, entries: &[Entry], existing: &Existing) -> Imported {
    let dialect = Dialect::new(format, &editors::questions(root));
    let mut report = Report::default();
    note_projects(root, &mut report);
    report.conflicts.extend(twice(entries));
    let mut servers: Vec<ServerEntry> = Vec::new();
    // Of two with one name the last counts, with these agents as here.
    for entry in source::last_ones(entries) {
        let line = entry.key.position.line;
        match read_server(format, &dialect, &mut report, entry) {
            Ok(server) => {
                report.conflicts.extend(existing.meet(&server, line));
                servers.push(server);
            }
            Err(reason) => report.not_carried.push(NotCarried {
                server: Some(source::name(entry).to_owned()),
                key: None,
                line,
                reason,
            }),
        }
    }
    report.conflicts.sort_by_key(|conflict| conflict.line);
    report.not_carried.sort_by_key(|one| one.line);
    let Report {
        carried,
        conflicts,
        not_carried,
    } = report;
    Imported {
        format,
        servers,
        carried,
        conflicts,
        not_carried,
    }
}

/// The servers whose name stands earlier in the file too.
fn twice(entries: &[Entry]) -> Vec<Conflict> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for entry in entries {
        let (server, line) = (source::name(entry), entry.key.position.line);
        match first.entry(server) {
            btree_map::Entry::Occupied(first) => found.push(Conflict {
                server: server.to_owned(),
                line,
                kind: ConflictKind::Twice {
                    first: *first.get(),
                },
            }),
            btree_map::Entry::Vacant(place) => {
                place.insert(line);
            }
        }
    }
    found
}

/// Reads one server, or tells why it cannot be carried over.
fn read_server(
    format: Format,
    dialect: &Dialect,
    report: &mut Report,
    entry: &Entry,
) -> Result<ServerEntry, String> {
    let name = source::name(entry);
    ServerName::new(name).map_err(|error| error.to_string())?;
    if !matches!(entry.value.value, Value::Mapping(_)) {
        return Err(draft::wrong(&entry.value, "a mapping of keys"));
    }
    let carried_before = report.carried.len();
    let mut draft = Draft::new(name, dialect, report);
    let read = match format {
        Format::Codex => codex::read(&mut draft, &entry.value),
        _ => editors::read(&mut draft, format, &entry.value),
    };
    let (settings, fault) = (draft.settings, draft.fault);
    match fault.map_or(read, Err) {
        Ok(()) => Ok(ServerEntry {
            name: name.to_owned(),
            settings,
        }),
        Err(reason) => {
            // Nothing of a server is carried over that is not carried over itself.
            report.carried.truncate(carried_before);
            Err(reason)
        }
    }
}

/// Notes servers that stand in a file of Claude Code for one project alone.
fn note_projects(root: &Node, report: &mut Report) {
    let Some(Value::Mapping(projects)) = format::find(root, &["projects"]).map(|node| &node.value)
    else {
        return;
    };
    for project in projects {
        let servers = format::find(&project.value, &["mcpServers"]);
        if let Some(Value::Mapping(entries)) = servers.map(|servers| &servers.value) {
            for entry in entries {
                report.not_carried.push(NotCarried {
                    server: Some(source::name(entry).to_owned()),
                    key: None,
                    line: entry.key.position.line,
                    reason: "is for one project alone; put it into a file of its own to import it"
                        .to_owned(),
                });
            }
        }
    }
}
