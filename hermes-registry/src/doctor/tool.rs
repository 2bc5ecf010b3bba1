//! One tool that somebody misses: where it is, or what keeps it away.

use std::sync::Arc;

use mcp_types::decode::Effect;

use super::advice::place;
use super::server::{cut, disabled, failed, of_problems, unreadable};
use super::{Case, Finding, NAMES_MAX, Severity, Topic, count, listed};
use crate::catalog::{Origin, ServerState, ServerStatus, Told};
use crate::config::ServerConfig;
use crate::filter::Pattern;
use crate::nearest::{nearest, nearest_few};
use crate::pins::{Unapproved, Verdict};
use crate::utility::Utility;

/// Names that are proposed in place of an unknown one.
const NEAREST_MAX: usize = 3;

/// Why this tool is offered, or is not.
pub(super) fn examine(case: &Case<'_>, asked: &str) -> Vec<Finding> {
    if let Some(tool) = case.catalog.tool(asked) {
        if tool.origin == Origin::Host {
            let what = format!("`{asked}` is a tool of the host itself, and is offered");
            return vec![Finding::new(Severity::Fine, Topic::Offer, what)];
        }
        let (server, raw) = (tool.route.server.as_str(), &*tool.route.tool);
        return in_server(case, server, raw);
    }
    let known: Vec<(&str, String)> = slashed(case, asked).into_iter().collect();
    let known = match known.is_empty() {
        true => told_as(case, asked),
        false => known,
    };
    if known.is_empty() {
        return unknown(case, asked);
    }
    let found = known.iter().take(NAMES_MAX);
    found
        .flat_map(|(server, tool)| in_server(case, server, tool))
        .collect()
}

/// The server and the tool of `server/tool`, if there is such a server. Both may hold slashes.
fn slashed<'c>(case: &Case<'c>, asked: &str) -> Option<(&'c str, String)> {
    asked.match_indices('/').find_map(|(at, _)| {
        let (server, tool) = (asked.get(..at)?, asked.get(at + 1..)?);
        let server = case.servers().find(|name| *name == server)?;
        Some((server, tool.to_owned()))
    })
}

/// The tools that somebody may mean by a name that is not offered: those that their servers call so,
/// else those that people expect to be called so.
fn told_as<'c>(case: &Case<'c>, asked: &str) -> Vec<(&'c str, String)> {
    let mut raw = Vec::new();
    let mut natural = Vec::new();
    for server in case.config.servers() {
        let name = server.name().as_str();
        for tool in told(case, server)
            .into_iter()
            .flat_map(|told| all_names(told))
        {
            if tool == asked {
                raw.push((name, tool.to_owned()));
            } else if case.natural_name(server, tool) == asked {
                natural.push((name, tool.to_owned()));
            }
        }
    }
    match raw.is_empty() {
        true => natural,
        false => raw,
    }
}

/// The tools of a server, and those that are made here of what else it has.
fn all_names(told: &Told) -> impl Iterator<Item = &str> {
    let made = told.utilities.iter();
    told.names().chain(made.map(|(kind, _)| kind.name()))
}

fn told<'c>(case: &Case<'c>, server: &ServerConfig) -> Option<&'c Arc<Told>> {
    let status = case.catalog.server(server.name().as_str())?;
    status.told.as_ref()
}

/// What became of a tool of this server.
fn in_server(case: &Case<'_>, name: &str, tool: &str) -> Vec<Finding> {
    let mut findings = match case.config.server(name) {
        None => faulty(case, name),
        Some(server) if !server.is_enabled() => vec![Finding {
            severity: Severity::Error,
            what: format!("server `{name}` is disabled, so none of its tools is offered"),
            ..disabled(server)
        }],
        Some(server) => in_enabled(case, server, tool),
    };
    for finding in &mut findings {
        finding.server = Some(name.to_owned());
        finding.tool = Some(tool.to_owned());
    }
    findings
}

fn faulty(case: &Case<'_>, name: &str) -> Vec<Finding> {
    let what = format!("server `{name}` is not used, since its entry has faults");
    let mut findings = vec![Finding::new(Severity::Error, Topic::Configuration, what)];
    findings.extend(of_problems(case, name).filter(|one| one.severity == Severity::Error));
    findings
}

fn in_enabled(case: &Case<'_>, server: &ServerConfig, tool: &str) -> Vec<Finding> {
    let Some(status) = case.catalog.server(server.name().as_str()) else {
        return Vec::new();
    };
    let Some(told) = status.told.as_deref() else {
        return vec![not_asked(server, status)];
    };
    if !all_names(told).any(|known| known == tool) {
        return not_told(server, told, tool);
    }
    let is_own = told.names().any(|known| known == tool);
    if is_own && !server.filter().allows(tool) {
        return vec![filtered(server, tool)];
    }
    if let (true, Verdict::Blocked { why }) = (is_own, told.verdict(server.trust(), tool)) {
        return vec![unapproved(server, tool, &why)];
    }
    let mut tools = case.catalog.tools().iter();
    let offered =
        tools.find(|known| known.route.server == *server.name() && &*known.route.tool == tool);
    let Some(offered) = offered else {
        // It was given up: its tools left the catalog.
        return vec![not_asked(server, status)];
    };
    let public = &offered.name;
    let what = format!(
        "`{tool}` of server `{}` is offered as `{public}`",
        server.name()
    );
    let what = match case.natural_name(server, tool) == public.as_str() {
        true => what,
        false => format!("{what}, since {}", case.why_renamed(server, tool)),
    };
    vec![Finding::new(Severity::Fine, Topic::Offer, what)]
}

/// Nobody approved it as it is, and its server is not trusted.
fn unapproved(server: &ServerConfig, tool: &str, why: &Unapproved) -> Finding {
    let (name, place) = (server.name(), place(server));
    let what = format!("server `{name}` has `{tool}`, but it is not trusted, and {why}");
    Finding::new(Severity::Error, Topic::Trust, what).way_out(format!(
        "look at what it says now and approve it, or set `trust: full`{place}"
    ))
}

/// Its server could not be asked.
fn not_asked(server: &ServerConfig, status: &ServerStatus) -> Finding {
    let name = server.name();
    if let ServerState::Failed(error) = &status.state {
        let mut findings = Vec::new();
        failed(server, error, &mut findings);
        if let Some(last) = findings.pop() {
            let what = format!("server `{name}` offers nothing: {}", last.what);
            return Finding { what, ..last };
        }
    }
    let what = format!("server `{name}` has not been connected, so nobody knows its tools");
    Finding::new(Severity::Error, Topic::Connection, what).way_out("connect it")
}

/// Its server was asked, and did not tell of it.
fn not_told(server: &ServerConfig, told: &Told, tool: &str) -> Vec<Finding> {
    let name = server.name();
    let quoted = format!("{tool:?}");
    let lost = |finding: &Finding| finding.severity == Severity::Warning;
    let is_it = |text: &str| text.contains(&quoted) || text == tool;
    let named = told
        .diagnostics
        .iter()
        .find(|one| one.effect == Effect::Dropped && (is_it(&one.path) || is_it(&one.excerpt)));
    if let Some(diagnostic) = named {
        let what =
            format!("server `{name}` tells of `{tool}` in a way that cannot be used: {diagnostic}");
        let finding = Finding::new(Severity::Error, Topic::Dropped, what);
        return vec![
            finding.way_out("report it to its authors; until it is mended, it is left out"),
        ];
    }
    if let Some(utility) = Utility::ALL
        .into_iter()
        .find(|utility| utility.name() == tool)
    {
        return vec![not_made(server, utility)];
    }
    let names = told.names();
    let what = format!("server `{name}` has no tool that it calls `{tool}`");
    let finding = Finding::new(Severity::Error, Topic::Tools, what);
    let mut findings = vec![match nearest_few(tool, names.clone(), NEAREST_MAX) {
        near if near.is_empty() => finding.way_out(format!("it has {}", listed_or_none(names))),
        near => finding.way_out(format!("did you mean {}?", near_names(&near))),
    }];
    findings.extend(told.cut.map(cut));
    // One of these may be it.
    findings.extend(unreadable(told).filter(lost));
    findings
}

/// A tool that would be made here if the server had something to make it of.
fn not_made(server: &ServerConfig, utility: Utility) -> Finding {
    let (name, place) = (server.name(), place(server));
    let (things, is_wanted, key) = match utility {
        Utility::GetPrompt | Utility::ListPrompts => {
            ("prompts", server.offers_prompts(), "tools.prompts")
        }
        Utility::Complete => ("completions", true, "tools.prompts"),
        _ => ("resources", server.offers_resources(), "tools.resources"),
    };
    let finding = |what| Finding::new(Severity::Error, Topic::Offer, what);
    match is_wanted {
        true => finding(format!(
            "`{utility}` is made for servers that have {things}, and server `{name}` does not say \
             that it has any"
        )),
        false => finding(format!(
            "`{utility}` is made for servers that have {things}, and `{key}` of server `{name}` \
             keeps it back"
        ))
        .way_out(format!("take `{key}` out{place}")),
    }
}

fn listed_or_none<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.is_empty() {
        true => "no tool at all".to_owned(),
        false => listed(names),
    }
}

fn near_names(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}

/// The configuration keeps it back.
fn filtered(server: &ServerConfig, tool: &str) -> Finding {
    let (name, place) = (server.name(), place(server));
    let (why, way_out) = match server.filter().include() {
        Some([]) => (
            "`tools.include` is empty".to_owned(),
            format!("add it to `tools.include`{place}"),
        ),
        Some(patterns) => (
            format!(
                "`tools.include` has only {}",
                listed(patterns.iter().map(Pattern::as_str))
            ),
            format!("add it to `tools.include`{place}"),
        ),
        None => {
            let mut patterns = server.filter().exclude().iter();
            let pattern = patterns.find(|pattern| pattern.matches(tool));
            let pattern = pattern.map_or(tool, Pattern::as_str);
            (
                format!("`{pattern}` in `tools.exclude` keeps it back"),
                format!("take `{pattern}` out of `tools.exclude`{place}"),
            )
        }
    };
    let what = format!("server `{name}` has `{tool}`, but {why}");
    Finding::new(Severity::Error, Topic::Filter, what).way_out(way_out)
}

/// Nobody tells of a tool by this name.
fn unknown(case: &Case<'_>, asked: &str) -> Vec<Finding> {
    let begins_so = |name: &&str| case.naming.may_belong(asked, name);
    let owners: Vec<&str> = case.servers().filter(begins_so).collect();
    let away = |name: &&str| is_away(case, name);
    if owners.is_empty() {
        let mut findings = vec![unknown_tool(case, asked)];
        let names: Vec<&str> = case.servers().filter(away).collect();
        findings.extend((!names.is_empty()).then(|| not_asked_at_all(&names)));
        return findings;
    }
    let mut findings = Vec::new();
    if !owners.iter().all(&away) {
        findings.push(unknown_tool(case, asked));
    }
    for name in owners.iter().filter(|name| away(name)) {
        let reasons = in_server(case, name, asked).into_iter();
        findings.extend(reasons.map(|finding| Finding {
            tool: None,
            ..finding
        }));
    }
    findings
}

/// Whether nobody knows the tools of a server.
fn is_away(case: &Case<'_>, name: &str) -> bool {
    let server = case.config.server(name);
    server.is_none_or(|server| !server.is_enabled() || told(case, server).is_none())
}

fn not_asked_at_all(names: &[&str]) -> Finding {
    let number = count(names.len(), "server");
    let what = format!(
        "{number} could not be asked, and may have it: {}",
        listed(names.iter().copied())
    );
    let finding = Finding::new(Severity::Note, Topic::Connection, what);
    finding.way_out("see what keeps each of them away")
}

fn unknown_tool(case: &Case<'_>, asked: &str) -> Finding {
    let mut told_names = Vec::new();
    for server in case.config.servers() {
        for tool in told(case, server)
            .into_iter()
            .flat_map(|told| all_names(told))
        {
            told_names.push(format!("{}/{tool}", server.name()));
            told_names.push(tool.to_owned());
        }
    }
    let public = case.catalog.tools().iter().map(|tool| tool.name.as_str());
    let names = public.chain(told_names.iter().map(String::as_str));
    let mut near = nearest_few(asked, names, NEAREST_MAX);
    near.extend(nearest(asked, case.servers()));
    match asked.split_once('/') {
        Some((server, _)) if near.is_empty() => unknown_server(case, server),
        _ => {
            let what = format!("no server and no tool of any server is called `{asked}`");
            let finding = Finding::new(Severity::Error, Topic::Tools, what);
            match near.is_empty() {
                true => finding,
                false => finding.way_out(format!("did you mean {}?", near_names(&near))),
            }
        }
    }
}

/// No server of this name is configured.
pub(super) fn unknown_server(case: &Case<'_>, name: &str) -> Finding {
    let names: Vec<&str> = case.servers().collect();
    let near = nearest_few(name, names.iter().copied(), NEAREST_MAX);
    let what = format!("no server is called `{name}`");
    let finding = Finding::new(Severity::Error, Topic::Configuration, what);
    match (near.is_empty(), names.is_empty()) {
        (false, _) => finding.way_out(format!("did you mean {}?", near_names(&near))),
        (true, false) => finding.way_out(format!("the configured ones are {}", listed(names))),
        (true, true) => finding.way_out("none is configured; add it below `mcp_servers`"),
    }
}
