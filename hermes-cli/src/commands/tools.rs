//! `hermes mcp tools [SERVER]`: starts the servers and lists their tools.

use hermes_registry::CatalogTool;

use super::list::no_servers;
use crate::failure::Failure;
use crate::output::json::{self, Server, Tool};
use crate::output::{Report, Target, human, text};
use crate::session::Session;

pub(crate) async fn run(
    session: &Session,
    server: Option<&str>,
    target: Target,
) -> Result<Report, Failure> {
    let settings = &session.settings;
    let reached = session.reach(server).await?;
    let statuses = reached.statuses();
    let tools = reached.catalog.tools().iter();
    let tools: Vec<&CatalogTool> = tools
        .filter(|tool| reached.is_wanted(&tool.route.server))
        .collect();
    let printed = if settings.json {
        let servers = statuses
            .iter()
            .map(|status| Server::new(status, reached.failure(&status.name)));
        let servers = servers.collect();
        let tools = tools.iter().map(|tool| Tool::from(*tool)).collect();
        json::object(&json::Tools { servers, tools }, &settings.problems)
    } else {
        human::tools(&statuses, &tools, target)
    };
    let mut report = Report::new(printed);
    if reached.wanted.is_empty() && !settings.json {
        report.notes.extend(no_servers(settings));
    }
    for status in &statuses {
        let note = |note: &String| format!("server `{}`: {}", status.name, text::one_line(note));
        report.notes.extend(status.notes.iter().map(note));
    }
    let failures = reached.failures.iter().cloned();
    Ok(failures.fold(report, Report::with_failure))
}
