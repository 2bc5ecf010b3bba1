//! How each server is, as a catalog tells it.

use std::sync::Arc;

use mcp_client::{Cut, Era, Error, LedgerEntry};
use mcp_types::{Implementation, ServerCapabilities, Version};

use super::told::{Knowledge, Seen, Told};
use crate::config::ServerConfig;
use crate::filter;
use crate::life::State;
use crate::name::ServerName;

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
