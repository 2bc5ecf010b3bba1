//! How servers are at one moment: as text for people, as lines for pipes, and as JSON.
//!
//! The shape owns what it holds, since a running `watch` tells it to other commands as JSON, which
//! read it again.

use std::fmt::Write as _;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Target;
use super::text::{count, one_line, span};
use crate::exit::Exit;
use crate::failure::Failure;

/// How servers are.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    /// The `watch` that tells this.
    pub(crate) watch: Option<Teller>,
    pub(crate) servers: Vec<ServerNow>,
}

/// A `watch`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Teller {
    pid: u32,
    seconds: f64,
}

/// How one server is.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerNow {
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) state_seconds: f64,
    pub(crate) why: String,
    pub(crate) era: Option<String>,
    pub(crate) protocol_version: Option<String>,
    pub(crate) transport: String,
    pub(crate) server_info: Option<Identity>,
    pub(crate) tools_offered: usize,
    pub(crate) tools_listed: Option<usize>,
    pub(crate) tools_made: usize,
    pub(crate) error: Option<Failure>,
    pub(crate) fault: Option<String>,
    pub(crate) next_attempt_seconds: Option<f64>,
    pub(crate) breaker: Breaker,
    pub(crate) restarts: u64,
    pub(crate) in_flight: usize,
    pub(crate) queued: usize,
    pub(crate) notes: Vec<String>,
}

/// Who a server says it is.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) version: String,
}

/// Whether calls are kept away from a server that fails them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Breaker {
    /// `closed`, `half_open` or `open`.
    pub(crate) state: String,
    /// Failures in a row.
    pub(crate) strikes: u32,
    pub(crate) retry_seconds: Option<f64>,
}

impl Status {
    /// The same, as this process has it, which has watched for so long.
    #[must_use]
    pub(crate) fn watched_for(mut self, time: Duration) -> Self {
        self.watch = Some(Teller {
            pid: std::process::id(),
            seconds: time.as_secs_f64(),
        });
        self
    }

    /// What it makes of the exit status.
    pub(crate) fn exit(&self) -> Exit {
        if self.servers.iter().any(|server| server.error.is_some()) {
            Exit::Unreachable
        } else {
            Exit::Done
        }
    }

    /// For standard output: an account of each server, or a line for each on a pipe.
    pub(crate) fn text(&self, target: Target) -> String {
        let mut out = String::new();
        if let (Some(watch), Target::Terminal { .. }) = (&self.watch, target) {
            let (pid, time) = (watch.pid, span(seconds(watch.seconds)));
            let _ = writeln!(out, "watched by process {pid} for {time}");
        }
        for server in &self.servers {
            match target {
                Target::Pipe => server.push_line(&mut out),
                Target::Terminal { .. } => server.push_account(&mut out),
            }
        }
        out
    }
}

impl ServerNow {
    fn push_line(&self, out: &mut String) {
        let error = self.error.as_ref().map(|error| error.message.as_str());
        let error = error.or(self.fault.as_deref()).unwrap_or_default();
        let (name, state, offered) = (&self.name, &self.state, self.tools_offered);
        let _ = writeln!(out, "{name}\t{state}\t{offered}\t{}", one_line(error));
    }

    fn push_account(&self, out: &mut String) {
        let time = span(seconds(self.state_seconds));
        let why = match (&self.error, &self.fault) {
            (None, None) => format!(" ({})", one_line(&self.why)),
            // It is told below.
            _ => String::new(),
        };
        let _ = writeln!(out, "{}: {} for {time}{why}", self.name, self.state);
        for (title, text) in self.rows() {
            let _ = writeln!(out, "  {title:<9} {}", one_line(&text));
        }
    }

    /// What there is to say, each with its title.
    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let Some(info) = &self.server_info {
            rows.push(("server", format!("{} {}", info.name, info.version)));
        }
        if let (Some(version), Some(era)) = (&self.protocol_version, &self.era) {
            let transport = &self.transport;
            rows.push((
                "protocol",
                format!("MCP {version} ({era}) over {transport}"),
            ));
        }
        if let Some(listed) = self.tools_listed {
            let offered = self.tools_offered;
            let made = match self.tools_made {
                0 => String::new(),
                made => format!(", and {made} to reach what else it has"),
            };
            rows.push(("tools", format!("{offered} of {listed} offered{made}")));
        }
        if self.in_flight > 0 || self.queued > 0 {
            let (running, waiting) = (self.in_flight, self.queued);
            rows.push(("calls", format!("{running} running, {waiting} waiting")));
        }
        if self.restarts > 0 {
            rows.push(("restarts", self.restarts.to_string()));
        }
        match (&self.error, &self.fault) {
            (Some(error), _) => rows.push(("error", error.sentence())),
            (None, Some(fault)) => rows.push(("fault", fault.clone())),
            (None, None) => {}
        }
        if let Some(time) = self.next_attempt_seconds {
            rows.push(("next try", format!("in {}", span(seconds(time)))));
        }
        rows.extend(self.breaker.row().map(|text| ("breaker", text)));
        rows.extend(self.notes.iter().map(|note| ("note", note.clone())));
        rows
    }
}

impl Breaker {
    fn row(&self) -> Option<String> {
        let strikes = self.strikes;
        match (self.state.as_str(), self.retry_seconds) {
            ("open", Some(time)) => Some(format!("takes no call for {}", span(seconds(time)))),
            ("half_open", _) => Some("lets one call through, to see".to_owned()),
            _ if strikes > 0 => Some(format!("{} in a row", count_of(strikes))),
            _ => None,
        }
    }
}

fn count_of(strikes: u32) -> String {
    count(
        usize::try_from(strikes).unwrap_or(usize::MAX),
        "failed call",
    )
}

/// A time that may come from another process, which may say anything.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
