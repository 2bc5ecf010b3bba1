//! `hermes mcp tools [SERVER]`: starts the servers and lists their tools.

use hermes_registry::{CatalogTool, ServerConfig, ServerStatus};

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
    let wanted: Vec<&ServerConfig> = match server {
        Some(name) => vec![session.server(name)?],
        None => settings.config.servers().iter().collect(),
    };
    let catalog = session.connect(&wanted).await;

    let is_wanted = |name| wanted.iter().any(|server| server.name() == name);
    let servers: Vec<&ServerStatus> = catalog
        .servers()
        .iter()
        .filter(|status| is_wanted(&status.name))
        .collect();
    let tools: Vec<&CatalogTool> = catalog
        .tools()
        .iter()
        .filter(|tool| is_wanted(&tool.route.server))
        .collect();
    let failures: Vec<Failure> = wanted
        .iter()
        .filter_map(|server| session.failure(&catalog, server))
        .collect();

    let printed = if settings.json {
        let failure_of = |status: &ServerStatus| {
            failures
                .iter()
                .find(|failure| failure.server.as_deref() == Some(status.name.as_str()))
        };
        let servers = servers
            .iter()
            .map(|status| Server::new(status, failure_of(status)))
            .collect();
        let tools = tools.iter().map(|tool| Tool::from(*tool)).collect();
        json::object(&json::Tools { servers, tools }, &settings.problems)
    } else {
        human::tools(&servers, &tools, target)
    };
    let mut report = Report::new(printed);
    if wanted.is_empty() && !settings.json {
        report.notes.extend(no_servers(settings));
    }
    for status in servers {
        let note = |note: &String| format!("server `{}`: {}", status.name, text::one_line(note));
        report.notes.extend(status.notes.iter().map(note));
    }
    Ok(failures.into_iter().fold(report, Report::with_failure))
}
