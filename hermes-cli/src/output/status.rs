//! How servers are at one moment: as text for people, as lines for pipes, and as JSON.
//!
//! The shape owns what it holds, since a running `watch` tells it to other commands as JSON, which
//! read it again.

use std::fmt::Write as _;
use std::time::Duration;

use hermes_registry::ServerReport;
use hermes_registry::usage::{Latency, Usage};
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
    state: String,
    state_seconds: f64,
    why: String,
    era: Option<String>,
    protocol_version: Option<String>,
    transport: String,
    server_info: Option<Identity>,
    tools_offered: usize,
    tools_listed: usize,
    tools_made: usize,
    left_out: Vec<LeftOut>,
    left_out_count: usize,
    error: Option<Failure>,
    fault: Option<String>,
    next_attempt_seconds: Option<f64>,
    retries_used: u32,
    retries_max: u32,
    breaker: Breaker,
    restarts: u64,
    in_flight: usize,
    queued: usize,
    usage: Calls,
    notes: Vec<String>,
    ledger: Vec<Step>,
}

/// Who a server says it is.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Identity {
    name: String,
    title: Option<String>,
    version: String,
}

/// A tool that is not on offer.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct LeftOut {
    tool: String,
    /// `filter`, `not_approved` or `unreadable`.
    reason: String,
    detail: String,
}

/// Whether calls are kept away from a server that fails them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Breaker {
    /// `closed`, `half_open` or `open`.
    state: String,
    /// Failures in a row.
    strikes: u32,
    retry_seconds: Option<f64>,
}

/// The calls of a server that have ended.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Calls {
    calls: u64,
    answered: u64,
    tool_errors: u64,
    failed: u64,
    refused: u64,
    abandoned: u64,
    error_rate: Option<f64>,
    p50_seconds: Option<f64>,
    p90_seconds: Option<f64>,
    p99_seconds: Option<f64>,
    max_seconds: Option<f64>,
    sent_bytes: u64,
    received_bytes: u64,
}

/// A change of state.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Step {
    ago_seconds: f64,
    state: String,
    why: String,
}

impl From<Usage> for Calls {
    fn from(usage: Usage) -> Self {
        let seconds = |pick: fn(Latency) -> Duration| {
            let latency = usage.latency.map(pick);
            latency.map(|time| time.as_secs_f64())
        };
        Self {
            calls: usage.calls,
            answered: usage.answered,
            tool_errors: usage.tool_errors,
            failed: usage.failed,
            refused: usage.refused,
            abandoned: usage.abandoned,
            error_rate: usage.error_rate,
            p50_seconds: seconds(|latency| latency.p50),
            p90_seconds: seconds(|latency| latency.p90),
            p99_seconds: seconds(|latency| latency.p99),
            max_seconds: seconds(|latency| latency.max),
            sent_bytes: usage.sent,
            received_bytes: usage.received,
        }
    }
}

impl ServerNow {
    /// What is known of a server; `made` of the tools on offer are made of what else it has.
    pub(crate) fn new(report: ServerReport, made: usize, error: Option<Failure>) -> Self {
        let left_out = report.left_out.into_iter().map(|tool| LeftOut {
            tool: tool.tool,
            reason: tool.reason.to_owned(),
            detail: tool.detail,
        });
        let ledger = report.ledger.into_iter().map(|change| Step {
            ago_seconds: change.ago.as_secs_f64(),
            state: change.state.to_string(),
            why: change.why,
        });
        let retry_in = report.breaker.retry_in;
        Self {
            name: report.name.to_string(),
            state: report.state.to_string(),
            state_seconds: report.state_for.as_secs_f64(),
            why: report.why,
            era: report.era.map(str::to_owned),
            protocol_version: report.protocol_version,
            transport: report.transport.to_owned(),
            server_info: report.server_info.map(|info| Identity {
                name: info.name,
                title: info.title,
                version: info.version,
            }),
            tools_offered: report.tools_offered.saturating_sub(made),
            tools_listed: report.tools_listed,
            tools_made: made,
            left_out: left_out.collect(),
            left_out_count: report.left_out_count,
            error,
            fault: report.last_error.map(|error| error.text),
            next_attempt_seconds: report.next_attempt_in.map(|time| time.as_secs_f64()),
            retries_used: report.retries_used,
            retries_max: report.retries_max,
            breaker: Breaker {
                state: report.breaker.state.to_owned(),
                strikes: report.breaker.strikes,
                retry_seconds: retry_in.map(|time| time.as_secs_f64()),
            },
            restarts: report.restarts,
            in_flight: report.in_flight,
            queued: report.queued,
            usage: report.usage.into(),
            notes: report.notes,
            ledger: ledger.collect(),
        }
    }
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
        if self.era.is_some() || self.tools_listed > 0 {
            let (offered, listed) = (self.tools_offered, self.tools_listed);
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
        rows.extend(self.usage.row().map(|text| ("so far", text)));
        if self.restarts > 0 {
            rows.push(("restarts", self.restarts.to_string()));
        }
        match (&self.error, &self.fault) {
            (Some(error), _) => rows.push(("error", error.sentence())),
            (None, Some(fault)) => rows.push(("fault", fault.clone())),
            (None, None) => {}
        }
        if let Some(time) = self.next_attempt_seconds {
            let (used, max) = (self.retries_used, self.retries_max);
            let time = span(seconds(time));
            rows.push((
                "next try",
                format!("in {time}, after {used} of {max} retries"),
            ));
        }
        rows.extend(self.breaker.row().map(|text| ("breaker", text)));
        rows.extend(self.notes.iter().map(|note| ("note", note.clone())));
        rows
    }
}

impl Calls {
    fn row(&self) -> Option<String> {
        let bad = self.tool_errors + self.failed;
        let mut text = format!("{} answered, {bad} failed", self.answered);
        if self.refused > 0 {
            let _ = write!(text, ", {} refused", self.refused);
        }
        if let (Some(p50), Some(p99)) = (self.p50_seconds, self.p99_seconds) {
            let [p50, p99] = [p50, p99].map(|time| span(seconds(time)));
            let _ = write!(text, "; half of them within {p50}, 99 of 100 within {p99}");
        }
        (self.calls > 0).then_some(text)
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
