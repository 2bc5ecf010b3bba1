//! How each server is, in one value that can be shown and written as JSON.
//!
//! It is put together from the server's life, from what it told and from what was counted; whoever
//! shows it decides what of it people want to see.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_client::{Era, HttpTransport};
use mcp_transport::redact::Redactor;
use mcp_types::decode::Effect;
use serde::{Serialize, Serializer};

use super::Registry;
use super::inner::clock;
use super::slot::{Server, Slot};
use crate::catalog::{Catalog, Ready, Told};
use crate::config::ServerConfig;
use crate::life::{BreakerStatus, FaultKind, LifeStatus, State, Transition};
use crate::name::ServerName;
use crate::pins::Verdict;
use crate::usage::{ToolUsage, Usage, seconds, seconds_if_known};

/// Tools of one server that are told as left out.
// Bound: whoever has kept back more than these knows it; the rest is counted.
const LEFT_OUT_MAX: usize = 500;

/// The most of a text of a server that is told, in bytes.
// Bound: a server may call itself anything, at any length.
const TEXT_MAX: usize = 1_024;

/// Everything that is known of one server at one moment.
///
/// Credentials are hidden in all its texts. As JSON its members have these names; those that end in
/// `_seconds` are numbers of seconds to the microsecond, those in `_bytes` numbers of bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ServerReport {
    /// The server.
    #[serde(serialize_with = "name")]
    pub name: ServerName,
    /// How it is reached: `stdio`, `http` or `sse`.
    pub transport: &'static str,
    /// How it is.
    #[serde(serialize_with = "state")]
    pub state: State,
    /// For how long it has been so.
    #[serde(rename = "state_seconds", serialize_with = "seconds")]
    pub state_for: Duration,
    /// Why it is so.
    pub why: String,
    /// What was last wrong, until the server proves that it works.
    pub last_error: Option<LastError>,
    /// When the next attempt to connect is made, if it has its time.
    #[serde(rename = "next_attempt_seconds", serialize_with = "seconds_if_known")]
    pub next_attempt_in: Option<Duration>,
    /// Retries since the server last proved that it works.
    pub retries_used: u32,
    /// How many there may be before it is parked.
    pub retries_max: u32,
    /// How often it was connected after the first time.
    pub restarts: u64,
    /// What keeps calls away from it while it fails them.
    pub breaker: BreakerReport,
    /// How MCP is spoken with it, `legacy` or `modern`, as of the last connection.
    pub era: Option<&'static str>,
    /// The revision, such as `2025-11-25`, as of the last connection.
    pub protocol_version: Option<String>,
    /// Who it says it is, as of the last connection.
    pub server_info: Option<ServerInfo>,
    /// How many tools are on offer, those made here of its resources and prompts included.
    pub tools_offered: usize,
    /// How many tools it has told, before its filter.
    pub tools_listed: usize,
    /// The tools that it has told and that are not on offer, 500 at most.
    pub left_out: Vec<LeftOut>,
    /// How many there are of them in all.
    pub left_out_count: usize,
    /// What the user should know although the server works.
    pub notes: Vec<String>,
    /// Calls that run.
    pub in_flight: usize,
    /// Calls that wait.
    pub queued: usize,
    /// Its calls since the registry was opened, those of a server of the same name that was
    /// configured otherwise included.
    pub usage: Usage,
    /// The calls of each of its tools that was called; 256 at most are counted one by one.
    pub tools: Vec<ToolUsage>,
    /// The last 32 changes of its state, oldest first.
    pub ledger: Vec<StateChange>,
}

/// What was last wrong with a server.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LastError {
    /// What can help: `configuration` and `login` need a person, `transient` may pass.
    pub kind: &'static str,
    /// What went wrong.
    pub text: String,
}

/// What keeps calls away from a server while it fails them.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BreakerReport {
    /// `closed`: calls are let through; `open`: none is; `half_open`: one is, to see whether the
    /// server works again.
    pub state: &'static str,
    /// How many calls have failed in a row while it was closed.
    pub strikes: u32,
    /// When the next call is let through, if it is open.
    #[serde(rename = "retry_seconds", serialize_with = "seconds_if_known")]
    pub retry_in: Option<Duration>,
}

/// Who a server says it is; nothing is decided by it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ServerInfo {
    /// Its name for programs.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// Its version.
    pub version: String,
}

/// A tool that a server has told and that is not on offer.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The tool, by the name that the server uses, or its place in the list if it has none.
    pub tool: String,
    /// A word for programs: `filter`, `not_approved` or `unreadable`.
    pub reason: &'static str,
    /// What that means here.
    pub detail: String,
}

/// A change of a server's state.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StateChange {
    /// How long ago it was.
    #[serde(rename = "ago_seconds", serialize_with = "seconds")]
    pub ago: Duration,
    /// The state that it came into.
    #[serde(serialize_with = "state")]
    pub state: State,
    /// Why.
    pub why: String,
}

/// What is read of a server while the registry is locked.
struct Seen {
    server: Arc<Server>,
    life: LifeStatus,
    has_connected: bool,
    ledger: Vec<Transition>,
    told: Option<Arc<Told>>,
}

impl Registry {
    /// Everything that is known of each server at this moment, in the order of the configuration;
    /// it asks nobody.
    #[must_use]
    pub fn status(&self) -> Vec<ServerReport> {
        let (now, catalog) = (clock(), self.catalog());
        let seen = |slot: &Slot| Seen {
            server: Arc::clone(slot.server()),
            life: slot.life().status(now),
            has_connected: slot.life().has_connected(),
            ledger: slot.life().ledger().cloned().collect(),
            told: slot.known().told().cloned(),
        };
        let servers = self.inner.servers().into_iter();
        servers
            .filter_map(|server| self.inner.with(server, seen))
            .map(|seen| report(now, &catalog, seen))
            .collect()
    }
}

fn report(now: Instant, catalog: &Catalog, seen: Seen) -> ServerReport {
    let Seen {
        server,
        life,
        has_connected,
        ledger,
        told,
    } = seen;
    let (config, redactor) = (&server.config, &server.redactor);
    let status = catalog.server(config.name().as_str());
    let offered = catalog.tools().iter();
    let offered = offered.filter(|tool| tool.route.server == *config.name());
    let mut left_out = told
        .as_ref()
        .map_or_else(Vec::new, |told| left_out(&server, told));
    let left_out_count = left_out.len();
    left_out.truncate(LEFT_OUT_MAX);
    let ready = told.as_ref().map(|told| &told.ready);
    // Of tools that are known from an earlier run nothing else is known.
    let ready = ready.filter(|_| has_connected);
    let (usage, tools) = {
        let meter = server.meter();
        (meter.usage(), meter.tools(redactor))
    };
    let info = ready.and_then(|ready| ready.server.as_ref());
    ServerReport {
        name: config.name().clone(),
        transport: transport(config, ready.map(|ready| &**ready)),
        state: life.state,
        state_for: life.state_for,
        why: hidden(&life.why.to_string(), redactor),
        last_error: life.fault.as_ref().map(|fault| LastError {
            kind: kind(fault.kind()),
            text: hidden(fault.text(), redactor),
        }),
        next_attempt_in: life.next_attempt_in,
        retries_used: life.retries_used,
        retries_max: life.retries_max,
        restarts: life.restarts,
        breaker: life.breaker.into(),
        era: ready.map(|ready| ready.era).map(Era::as_str),
        protocol_version: ready.map(|ready| ready.version.as_str().to_owned()),
        server_info: info.map(|info| ServerInfo {
            name: hidden(&info.name, redactor),
            title: info.title.as_ref().map(|title| hidden(title, redactor)),
            version: hidden(&info.version, redactor),
        }),
        tools_offered: offered.count(),
        tools_listed: told.as_ref().map_or(0, |told| told.tools.len()),
        left_out,
        left_out_count,
        notes: status.map_or_else(Vec::new, |status| {
            let notes = status.notes.iter();
            notes.map(|note| hidden(note, redactor)).collect()
        }),
        in_flight: life.in_flight,
        queued: life.queued,
        usage,
        tools,
        ledger: ledger
            .iter()
            .map(|change| StateChange {
                ago: now.saturating_duration_since(change.at),
                state: change.state,
                why: hidden(&change.why.to_string(), redactor),
            })
            .collect(),
    }
}

/// The tools that a server has told and that are not on offer.
fn left_out(server: &Server, told: &Told) -> Vec<LeftOut> {
    let Server {
        config, redactor, ..
    } = server;
    let dropped = told.diagnostics.iter();
    let dropped = dropped.filter(|diagnostic| diagnostic.effect == Effect::Dropped);
    let unreadable = dropped.filter_map(|diagnostic| {
        Some(LeftOut {
            tool: hidden(place_of_tool(&diagnostic.path)?, redactor),
            reason: "unreadable",
            detail: hidden(&diagnostic.to_string(), redactor),
        })
    });
    let kept_back = told.names().filter_map(|tool| {
        let (reason, detail) = match told.verdict(config.trust(), tool) {
            _ if !config.filter().allows(tool) => {
                let key = match config.filter().include() {
                    Some(_) => "matches nothing in `tools.include`",
                    None => "matches `tools.exclude`",
                };
                ("filter", key.to_owned())
            }
            Verdict::Blocked { why } => ("not_approved", why.to_string()),
            Verdict::Allowed => return None,
        };
        Some(LeftOut {
            tool: hidden(tool, redactor),
            reason,
            detail,
        })
    });
    unreadable.chain(kept_back).collect()
}

/// The place of a tool that was dropped, if the path leads to what cost it its place: one without a
/// name, say, or `tools["x"]` if no request could follow its schema. A part of a list within a tool
/// costs only that part.
fn place_of_tool(path: &str) -> Option<&str> {
    let item = path.strip_prefix("tools[")?;
    let end = match item.starts_with('"') {
        true => item.rfind("\"]")? + 1,
        false => item.find(']')?,
    };
    let rest = item.get(end + 1..)?;
    let place = path.get(.."tools[".len() + end + 1);
    place.filter(|_| !rest.contains('['))
}

fn hidden(text: &str, redactor: &Redactor) -> String {
    redactor.redact_bytes_lossy(text.as_bytes(), TEXT_MAX)
}

/// What carries the messages: as was found out, or else as it is configured.
fn transport(config: &ServerConfig, ready: Option<&Ready>) -> &'static str {
    let Some(http) = config.http() else {
        return "stdio";
    };
    // The stream of HTTP+SSE is opened by a step of its own.
    let has_stream = |ready: &Ready| ready.ledger.iter().any(|entry| entry.step == "GET");
    if ready.is_some_and(has_stream) || http.transport() == HttpTransport::Sse {
        "sse"
    } else {
        "http"
    }
}

fn kind(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Configuration => "configuration",
        FaultKind::Login => "login",
        FaultKind::Transient => "transient",
    }
}

impl From<BreakerStatus> for BreakerReport {
    fn from(status: BreakerStatus) -> Self {
        let (state, strikes, retry_in) = match status {
            BreakerStatus::Closed { strikes } => ("closed", strikes, None),
            BreakerStatus::HalfOpen { .. } => ("half_open", 0, None),
            BreakerStatus::Open { retry_in } => ("open", 0, Some(retry_in)),
        };
        Self {
            state,
            strikes,
            retry_in,
        }
    }
}

fn name<S: Serializer>(name: &ServerName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name.as_str())
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is that of serde"
)]
fn state<S: Serializer>(state: &State, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(state.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_tool_is_told_from_a_dropped_part_of_one() {
        for (path, place) in [
            ("tools[2]", Some("tools[2]")),
            ("tools[12].name", Some("tools[12]")),
            ("tools[2].icons[0].src", None),
            (r#"tools["a\"]b"].inputSchema"#, Some(r#"tools["a\"]b"]"#)),
            ("", None),
            ("nextCursor", None),
        ] {
            assert_eq!(place_of_tool(path), place, "{path}");
        }
    }
}
