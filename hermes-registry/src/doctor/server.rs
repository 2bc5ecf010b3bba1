//! One server, step by step, from its entry in the file to the tools that it offers.

use std::time::Duration;

use mcp_client::{Cut, Error};
use mcp_types::decode::Effect;

use super::advice::{advice, place};
use super::{Case, Finding, NAMES_MAX, Severity, Topic, count, listed};
use crate::catalog::{Origin, Ready, ServerState, Told, drifted};
use crate::config::{Problem, ServerConfig, Trust};
use crate::life::{BreakerStatus, LifeStatus, State};

/// One thing that is wrong with the configuration.
pub(super) fn of_problem(problem: &Problem) -> Finding {
    let severity = if problem.is_error() {
        Severity::Error
    } else {
        Severity::Warning
    };
    let finding = Finding::new(severity, Topic::Configuration, problem.to_string());
    let finding = match problem.server() {
        Some(server) => finding.of_server(server),
        None => finding,
    };
    match problem.is_error() {
        true => finding.way_out("correct it; the server is not used until then"),
        false => finding,
    }
}

/// What is wrong with the entry of a server.
pub(super) fn of_problems(case: &Case<'_>, name: &str) -> impl Iterator<Item = Finding> {
    let own = case.problems.iter();
    own.filter(move |problem| problem.server() == Some(name))
        .map(of_problem)
}

/// Goes through a server whose entry is sound.
pub(super) fn examine(case: &Case<'_>, server: &ServerConfig) -> Vec<Finding> {
    let mut findings: Vec<Finding> = of_problems(case, server.name().as_str()).collect();
    if findings.is_empty() {
        let what = format!("its entry is sound{}", place(server));
        findings.push(Finding::new(Severity::Fine, Topic::Configuration, what));
    }
    if server.is_enabled() {
        let status = case.catalog.server(server.name().as_str());
        let life = case.life(server.name());
        match status.map(|status| &status.state) {
            Some(ServerState::Ready(ready)) => answered(server, ready, &mut findings),
            Some(ServerState::Failed(error)) => failed(server, error, &mut findings),
            _ => findings.push(unknown()),
        }
        findings.extend(life.into_iter().flat_map(of_life));
        if let Some(told) = status.and_then(|status| status.told.as_deref()) {
            tools(case, server, told, &mut findings);
        }
    } else {
        findings.push(disabled(server));
    }
    for finding in &mut findings {
        finding.server = Some(server.name().to_string());
    }
    findings
}

pub(super) fn disabled(server: &ServerConfig) -> Finding {
    Finding::new(Severity::Note, Topic::Enabled, "it is disabled")
        .way_out(format!("set `enabled: true`{}", place(server)))
        .of_server(server.name().as_str())
}

fn unknown() -> Finding {
    Finding::new(
        Severity::Note,
        Topic::Connection,
        "it has not been connected, so nobody knows its tools",
    )
    .way_out("connect it; a call does so too")
}

fn answered(server: &ServerConfig, ready: &Ready, findings: &mut Vec<Finding>) {
    findings.push(started(server));
    let says = match &ready.server {
        Some(info) => format!(", and says that it is {} {}", info.name, info.version),
        None => String::new(),
    };
    let (version, era) = (&ready.version, ready.era.as_str());
    let what = format!("it answered with MCP {version} ({era}){says}");
    findings.push(Finding::new(Severity::Fine, Topic::Connection, what));
}

fn started(server: &ServerConfig) -> Finding {
    let what = match server.command() {
        Some(command) => format!("its command `{}` was found and started", command.program()),
        None => "its `url` was reached".to_owned(),
    };
    Finding::new(Severity::Fine, Topic::Command, what)
}

/// Tells which step of connecting failed, and what is known of that.
pub(super) fn failed(server: &ServerConfig, error: &Error, findings: &mut Vec<Finding>) {
    let is_start = matches!(error, Error::Spawn(_));
    let has_begun = match error {
        Error::Closed(closure) => closure.obituary.is_some(),
        Error::Answered(_) | Error::PeerIncompatible(_) | Error::PeerMisbehaved(_) => true,
        Error::TimedOut(_) => server.command().is_some(),
        _ => false,
    };
    if has_begun {
        findings.push(started(server));
    }
    let (topic, what) = match is_start {
        true => (Topic::Command, error.to_string()),
        false => (
            Topic::Connection,
            format!("it could not be reached: {error}"),
        ),
    };
    let mut finding = Finding::new(Severity::Error, topic, what).way_out(advice(server, error));
    if let Some(obituary) = error.obituary() {
        let lines = format!("{obituary:#}");
        finding.details = lines.lines().map(str::to_owned).collect();
    }
    findings.push(finding.of_server(server.name().as_str()));
}

/// What its life tells beside that: when it is tried again, and whether calls are kept away.
fn of_life(life: &LifeStatus) -> Vec<Finding> {
    let note = |what: String| Finding::new(Severity::Note, Topic::Connection, what);
    let mut findings = Vec::new();
    let next = life.next_attempt_in.map(seconds);
    match (life.state, next) {
        (State::Parked, Some(next)) => findings.push(note(format!(
            "it was given up, and is tried again in {next} s"
        ))),
        (State::Parked, None) => findings.push(note(
            "it was given up, since trying again cannot help".to_owned(),
        )),
        (State::Waiting, Some(next)) => {
            findings.push(note(format!("it is tried again in {next} s")));
        }
        (State::Ready | State::Suspect, _) => findings.extend(life.fault.as_ref().map(|fault| {
            let what = format!("it works, but something went wrong before: {fault}");
            Finding::new(Severity::Warning, Topic::Connection, what)
        })),
        _ => {}
    }
    if let BreakerStatus::Open { retry_in } = life.breaker {
        let what = format!(
            "it failed calls in a row, and takes none for {} s",
            seconds(retry_in)
        );
        findings.push(Finding::new(Severity::Warning, Topic::Connection, what));
    }
    findings
}

/// Whole seconds, at least as long as the time itself.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// From what the server told of its tools to what is offered of them.
fn tools(case: &Case<'_>, server: &ServerConfig, told: &Told, findings: &mut Vec<Finding>) {
    findings.push(match told.tools.len() {
        0 => Finding::new(Severity::Warning, Topic::Tools, "it has no tools").way_out(
            "look into its documentation: it may need an argument or a login before it has any",
        ),
        number => {
            let what = format!("it told {}", count(number, "tool"));
            Finding::new(Severity::Fine, Topic::Tools, what)
        }
    });
    findings.extend(told.cut.map(cut));
    findings.extend(unreadable(told));
    findings.extend(filter(server, told));
    findings.extend(told.drift.iter().flat_map(|drift| {
        let notes = drifted(server.trust(), drift).into_iter();
        notes.map(|note| unapproved(server, note))
    }));
    findings.extend(renamed(case, server));
    findings.extend(told.suspicions.iter().map(|text| {
        Finding::new(Severity::Warning, Topic::Suspicion, text).way_out(
            "read what the tool says of itself before a model does; `tools.exclude` keeps it back",
        )
    }));
    findings.push(offered(case, server, told));
}

pub(super) fn cut(cut: Cut) -> Finding {
    let why = match cut {
        Cut::Items => "it has too many tools",
        Cut::RepeatedCursor => "it names the same next page again",
        _ => "it has too many pages",
    };
    let what = format!("its list of tools is not complete: {why}");
    Finding::new(Severity::Warning, Topic::Tools, what).way_out("report it to its authors")
}

/// Tools that could not be read, and parts of tools.
pub(super) fn unreadable(told: &Told) -> impl Iterator<Item = Finding> {
    told.diagnostics.iter().map(|diagnostic| {
        let is_lost = diagnostic.effect == Effect::Dropped;
        let severity = match is_lost {
            true => Severity::Warning,
            false => Severity::Note,
        };
        let finding = Finding::new(severity, Topic::Dropped, diagnostic.to_string());
        match is_lost {
            true => finding.way_out("report it to its authors; until it is mended, it is left out"),
            false => finding,
        }
    })
}

/// What is not as it was approved.
fn unapproved(server: &ServerConfig, note: String) -> Finding {
    match server.trust() {
        Trust::Full => Finding::new(Severity::Note, Topic::Trust, note),
        _ => Finding::new(Severity::Warning, Topic::Trust, note)
            .way_out("look at what it says now, and approve it if it is what you want"),
    }
}

/// Patterns without effect, and tools that are kept back.
fn filter(server: &ServerConfig, told: &Told) -> Vec<Finding> {
    let (filter, place) = (server.filter(), place(server));
    let names: Vec<&str> = told.names().collect();
    let unmatched = filter.unmatched(&names).into_iter();
    let unmatched = unmatched.map(|unmatched| unmatched.to_string());
    let idle = server
        .tool_timeouts()
        .filter(|(pattern, _)| !names.iter().any(|name| pattern.matches(name)));
    let idle = idle.map(|(pattern, _)| {
        let pattern = pattern.as_str();
        format!("`{pattern}` in its `tools.timeouts` matches no tool")
    });
    let without_effect = unmatched.chain(idle).map(|what| {
        let finding = Finding::new(Severity::Warning, Topic::Filter, what);
        finding.way_out(format!("correct it or take it out{place}"))
    });
    let mut findings: Vec<Finding> = without_effect.collect();
    let kept: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !filter.allows(name))
        .collect();
    if !kept.is_empty() {
        let (key, verb) = match filter.include() {
            Some(_) => ("tools.include", "does not name"),
            None => ("tools.exclude", "keeps back"),
        };
        let is_all = kept.len() == names.len();
        let severity = match is_all {
            true => Severity::Warning,
            false => Severity::Note,
        };
        let which = match is_all {
            true => "any of its tools".to_owned(),
            false => listed(kept),
        };
        let verb = match (is_all, filter.include()) {
            (true, None) => "keeps back all its tools".to_owned(),
            _ => format!("{verb} {which}"),
        };
        let what = format!("`{key}` {verb}");
        let finding = Finding::new(severity, Topic::Filter, what);
        findings.push(finding.way_out(format!("to offer more, change `{key}`{place}")));
    }
    findings
}

/// Tools whose names are not those that people expect.
fn renamed(case: &Case<'_>, server: &ServerConfig) -> Vec<Finding> {
    let own = |tool: &&crate::CatalogTool| tool.route.server == *server.name();
    let renamed = case.catalog.tools().iter().filter(own).filter_map(|tool| {
        let raw = &*tool.route.tool;
        let natural = case.natural_name(server, raw);
        (natural != tool.name.as_str()).then(|| {
            let why = case.why_renamed(server, raw);
            let what = format!("`{raw}` is offered as `{}`, since {why}", tool.name);
            Finding::new(Severity::Note, Topic::Name, what).of_tool(raw)
        })
    });
    // Bound: as many as names in a list.
    renamed.take(NAMES_MAX).collect()
}

fn offered(case: &Case<'_>, server: &ServerConfig, told: &Told) -> Finding {
    let tools = case.catalog.tools().iter();
    let own = tools.filter(|tool| tool.route.server == *server.name());
    let (offered, made): (Vec<_>, Vec<_>) = own.partition(|tool| tool.origin == Origin::Server);
    let of = count(told.tools.len(), "tool");
    let made = match made.len() {
        0 => String::new(),
        number => {
            let number = count(number, "tool");
            format!(", and {number} to reach what else it has")
        }
    };
    let severity = match offered.is_empty() && made.is_empty() {
        true => Severity::Note,
        false => Severity::Fine,
    };
    let what = match offered.len() {
        0 => format!("it offers no tool of its own{made}"),
        number => format!("it offers {number} of {of}{made}"),
    };
    Finding::new(severity, Topic::Offer, what)
}
