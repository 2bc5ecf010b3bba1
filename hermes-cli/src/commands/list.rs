//! `hermes mcp list`: the configured servers, without starting them.

use crate::output::json::{self, Configured};
use crate::output::{Report, Target, human};
use crate::settings::Settings;

pub(crate) fn run(settings: &Settings, target: Target) -> Report {
    let servers = settings.config.servers();
    if settings.json {
        let servers = servers.iter().map(Configured::from).collect();
        return Report::new(json::object(&json::List { servers }, &settings.problems));
    }
    let faulty: Vec<&str> = settings.faulty().collect();
    let mut report = Report::new(human::list(servers, &faulty, target));
    if servers.is_empty() && faulty.is_empty() {
        report.notes.extend(no_servers(settings));
    }
    report
}

/// What to tell people whose configuration has no servers.
pub(crate) fn no_servers(settings: &Settings) -> Option<String> {
    let file = settings.file.as_deref()?;
    Some(format!(
        "No MCP servers configured in {file}; `hermes mcp add` adds one, and --demo shows what one does"
    ))
}
