//! What a diagnosis found: as text for people, as lines for pipes, and as JSON.

use std::fmt::Write as _;

use hermes_registry::doctor::{Finding, Severity, Topic};
use serde::Serialize;

use super::Target;
use super::text::{count, one_line};
use crate::exit::Exit;
use crate::failure::more_details;

/// What stands above the findings that belong to no server.
const NO_SERVER: &str = "configuration";

#[derive(Serialize)]
pub(crate) struct Findings<'a> {
    findings: Vec<Shape<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shape<'a> {
    severity: &'static str,
    topic: &'static str,
    server: Option<&'a str>,
    tool: Option<&'a str>,
    message: &'a str,
    way_out: Option<&'a str>,
    details: &'a [String],
}

impl<'a> From<&'a [Finding]> for Findings<'a> {
    fn from(findings: &'a [Finding]) -> Self {
        let findings = findings.iter().map(|finding| Shape {
            severity: finding.severity.as_str(),
            topic: finding.topic.as_str(),
            server: finding.server.as_deref(),
            tool: finding.tool.as_deref(),
            message: &finding.what,
            way_out: finding.way_out.as_deref(),
            details: &finding.details,
        });
        Self {
            findings: findings.collect(),
        }
    }
}

/// What findings make of the exit status: errors count, by what they are about.
pub(crate) fn exit(findings: &[Finding]) -> Exit {
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let exits = errors.map(|finding| match finding.topic {
        Topic::Command | Topic::Connection => Exit::Unreachable,
        _ => Exit::Usage,
    });
    exits.fold(Exit::Done, Exit::worst)
}

/// For standard output: below the name of each server, or a line for each finding on a pipe.
pub(crate) fn text(findings: &[Finding], target: Target) -> String {
    let mut out = String::new();
    if target == Target::Pipe {
        findings
            .iter()
            .for_each(|finding| push_line(&mut out, finding));
        return out;
    }
    let mut last = None;
    for finding in findings {
        let server = finding.server.as_deref().unwrap_or(NO_SERVER);
        if last != Some(server) {
            let _ = writeln!(out, "{}", one_line(server));
            last = Some(server);
        }
        push_lines(&mut out, finding);
    }
    let _ = writeln!(out, "\n{}", totals(findings));
    out
}

fn push_line(out: &mut String, finding: &Finding) {
    let server = finding.server.as_deref().unwrap_or_default();
    let way_out = finding.way_out.as_deref().unwrap_or_default();
    let (severity, topic) = (finding.severity.as_str(), finding.topic.as_str());
    let [server, what, way_out] = [server, &finding.what, way_out].map(one_line);
    let _ = writeln!(out, "{severity}\t{topic}\t{server}\t{what}\t{way_out}");
}

fn push_lines(out: &mut String, finding: &Finding) {
    let severity = finding.severity.as_str();
    let _ = writeln!(out, "  {severity:<8} {}", one_line(&finding.what));
    for line in more_details(&finding.details) {
        let _ = writeln!(out, "           | {}", one_line(line));
    }
    if let Some(way_out) = &finding.way_out {
        let _ = writeln!(out, "           > {}", one_line(way_out));
    }
}

fn totals(findings: &[Finding]) -> String {
    let kinds = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Note, "note"),
    ];
    let parts = kinds.into_iter().filter_map(|(severity, noun)| {
        let number = findings.iter().filter(|one| one.severity == severity);
        match number.count() {
            0 => None,
            number => Some(count(number, noun)),
        }
    });
    let parts: Vec<String> = parts.collect();
    match parts.is_empty() {
        true => "nothing is wrong".to_owned(),
        false => parts.join(", "),
    }
}
