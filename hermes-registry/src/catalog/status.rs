//! How each server is, as a catalog tells it.

use std::sync::Arc;

use mcp_client::{Cut, Era, Error, LedgerEntry};
use mcp_types::{Implementation, ServerCapabilities, Version};

use super::told::{Knowledge, Seen, Told};
use crate::config::{ServerConfig, Trust};
use crate::filter;
use crate::life::State;
use crate::name::ServerName;
use crate::pins::{Drift, Unapproved};

/// Names of new tools that a note tells.
// Bound: a note is a line that people read.
const NAMES_MAX: usize = 5;

/// What is known of one server at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The server.
    pub name: ServerName,
    /// What can be had of it.
    pub state: ServerState,
    /// Where it is in its life.
    pub life: State,
    /// What the user should know although the server works: parts of tools that could not be
    /// read, patterns of the filter that match nothing, a list cut short.
    pub notes: Vec<String>,
    /// What of its tools is not as it was approved, if somebody keeps what was.
    pub drift: Option<Arc<Drift>>,
    /// What it told when it was last asked for its tools, whatever became of it since.
    pub(crate) told: Option<Arc<Told>>,
}

/// How a server is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerState {
    /// Its configuration says `enabled: false`.
    Disabled,
    /// It could not be reached, or is gone.
    Failed(Arc<Error>),
    /// Nobody has asked for it yet, or it is being connected for the first time.
    Idle,
    /// It has told its tools, and a call reaches it: at once, or once it is connected again, which
    /// [`ServerStatus::life`] tells.
    Ready(Arc<Ready>),
}

/// A server that answers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ready {
    /// How MCP is spoken with it.
    pub era: Era,
    /// The revision.
    pub version: Version,
    /// Who it says it is.
    pub server: Option<Implementation>,
    /// How it wants to be used, for a model.
    pub instructions: Option<String>,
    /// What it says that it can do.
    pub capabilities: ServerCapabilities,
    /// How many tools it has before the filter.
    pub tools_listed: usize,
    /// The steps that were tried to open the session, and what came of each.
    pub ledger: Vec<LedgerEntry>,
}

impl ServerStatus {
    pub(super) fn new(server: &ServerConfig, seen: &Seen<'_>) -> Self {
        let Knowledge { told, error } = seen.known;
        let notes = told.as_deref().map(|told| notes(server, told));
        let state = match (told, error) {
            _ if !server.is_enabled() => ServerState::Disabled,
            (Some(told), _) if seen.life.is_callable() => {
                ServerState::Ready(Arc::clone(&told.ready))
            }
            (_, Some(error)) => ServerState::Failed(Arc::clone(error)),
            _ => ServerState::Idle,
        };
        Self {
            name: server.name().clone(),
            state,
            life: seen.life,
            notes: notes.unwrap_or_default(),
            drift: told.as_ref().and_then(|told| told.drift.clone()),
            told: told.clone(),
        }
    }
}

fn notes(server: &ServerConfig, told: &Told) -> Vec<String> {
    let mut notes: Vec<String> = told.diagnostics.iter().map(ToString::to_string).collect();
    match told.cut {
        None => {}
        Some(Cut::Items) => notes.push("its list of tools was cut: too many tools".to_owned()),
        Some(Cut::RepeatedCursor) => notes.push(
            "its list of tools may be incomplete: it names the same next page again".to_owned(),
        ),
        Some(_) => notes.push("its list of tools was cut: too many pages".to_owned()),
    }
    notes.extend(told.suspicions.iter().cloned());
    if let Some(drift) = &told.drift {
        notes.extend(drifted(server.trust(), drift));
    }
    let names: Vec<&str> = told.names().collect();
    let unmatched = server.filter().unmatched(&names);
    notes.extend(unmatched.iter().map(filter::Unmatched::to_string));
    let idle = server
        .tool_timeouts()
        .filter(|(pattern, _)| !names.iter().any(|name| pattern.matches(name)));
    notes.extend(idle.map(|(pattern, _)| {
        let pattern = pattern.as_str();
        format!("`{pattern}` in its `tools.timeouts` matches no tool")
    }));
    notes
}

/// What was not approved, in words for people.
pub(crate) fn drifted(trust: Trust, drift: &Drift) -> Vec<String> {
    let is_blocked = trust == Trust::Untrusted;
    let what_follows = match is_blocked {
        true => "; it cannot be used until it is approved",
        false => "",
    };
    let changed = drift.changed.iter().map(|change| {
        let fields = change.fields.clone();
        let why = Unapproved::Changed { fields };
        format!("tool `{}`: {why}{what_follows}", change.tool)
    });
    let mut notes: Vec<String> = changed.collect();
    let added = match drift.added.as_slice() {
        [] => return notes,
        // A trusted server begins with all its tools approved.
        _ if drift.is_first && !is_blocked => return notes,
        [one] => format!("tool `{one}`: it was never approved{what_follows}"),
        many => {
            let shown: Vec<String> = many
                .iter()
                .take(NAMES_MAX)
                .map(|name| format!("`{name}`"))
                .collect();
            let more = many.len().saturating_sub(shown.len());
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let follows = what_follows
                .replace("it ", "they ")
                .replace("is approved", "are approved");
            format!(
                "tools {}{more}: they were never approved{follows}",
                shown.join(", ")
            )
        }
    };
    notes.push(added);
    notes
}
