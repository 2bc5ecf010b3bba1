//! `hermes mcp status [SERVER]`: how servers are, with what went wrong and what comes next.

use hermes_registry::nearest::nearest_few;
use hermes_registry::{Origin, ServerConfig};
use serde::Deserialize;

use super::list::no_servers;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fault::Fault;
use crate::output::status::{ServerNow, Status};
use crate::output::{Report, Target, json, say};
use crate::session::{NEAREST_MAX, Session};
use crate::watch::control::{Places, Question, ask, unreadable};

pub(crate) async fn run(
    session: &Session,
    server: Option<&str>,
    target: Target,
) -> Result<Report, Failure> {
    let settings = &session.settings;
    let wanted: Vec<&ServerConfig> = match server {
        // One that is disabled can be told of as well.
        Some(name) => match settings.config.server(name) {
            Some(server) => vec![server],
            None => vec![session.server(name)?],
        },
        None => settings.config.servers().iter().collect(),
    };
    session.connect(&wanted).await;
    let mut status = now(session);
    status.servers.retain(|now| {
        wanted
            .iter()
            .any(|server| server.name().as_str() == now.name)
    });
    let mut report = Report::new(if settings.json {
        json::object(&status, &settings.problems)
    } else {
        status.text(target)
    });
    if wanted.is_empty() && !settings.json {
        report.notes.extend(no_servers(settings));
    }
    report.exit = status.exit();
    Ok(report)
}

/// What a running `watch` tells; `None` if there is none.
///
/// # Errors
///
/// If it does not know the server.
pub(crate) async fn of_watch(
    places: &Places,
    server: Option<&str>,
    is_json: bool,
    target: Target,
) -> Result<Option<Report>, Failure> {
    let text = match ask(places, Question::Status).await {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(failure) => {
            say(&format!(
                "{}; the servers are started here",
                failure.message
            ));
            return Ok(None);
        }
    };
    let answer: Answer = serde_json::from_str(&text).map_err(|error| unreadable(&error))?;
    let Answer {
        mut status,
        problems,
    } = answer;
    if let Some(name) = server {
        let names: Vec<&str> = status.servers.iter().map(|server| &*server.name).collect();
        if !names.contains(&name) {
            let nearest = nearest_few(name, names, NEAREST_MAX);
            let nearest: Vec<String> = nearest.into_iter().map(str::to_owned).collect();
            return Err(Failure::unknown_server(name, &nearest));
        }
        status.servers.retain(|server| server.name == name);
    }
    let mut report = Report::new(match is_json {
        true => json::object(&status, &problems),
        false => status.text(target),
    });
    report.notes = problems.iter().map(Fault::sentence).collect();
    report.exit = status.exit();
    if problems.iter().any(Fault::is_error) {
        report.exit = report.exit.worst(Exit::Usage);
    }
    Ok(Some(report))
}

/// What a `watch` answers.
#[derive(Deserialize)]
struct Answer {
    #[serde(flatten)]
    status: Status,
    problems: Vec<Fault>,
}

/// How all servers of a session are at this moment.
pub(crate) fn now(session: &Session) -> Status {
    let (config, catalog) = (session.registry.config(), session.registry.catalog());
    let reports = session.registry.status().into_iter();
    let servers = reports.filter_map(|report| {
        let server = config.server(report.name.as_str())?;
        let error = session.failure(&catalog, server);
        let tools = catalog.tools().iter();
        let own = tools.filter(|tool| tool.route.server == report.name);
        let made = own.filter(|tool| tool.origin != Origin::Server).count();
        Some(ServerNow::new(report, made, error))
    });
    Status {
        watch: None,
        servers: servers.collect(),
    }
}
