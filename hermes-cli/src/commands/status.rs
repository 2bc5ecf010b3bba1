//! `hermes mcp status [SERVER]`: how servers are, with what went wrong and what comes next.

use hermes_registry::config::Endpoint;
use hermes_registry::life::{BreakerStatus, LifeStatus};
use hermes_registry::nearest::nearest_few;
use hermes_registry::{Catalog, Origin, Ready, ServerConfig, ServerState};
use mcp_client::HttpTransport;
use serde::Deserialize;

use super::list::no_servers;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fault::Fault;
use crate::output::status::{Breaker, Identity, ServerNow, Status};
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
    let lives = session.registry.lives();
    let servers = lives.iter().filter_map(|(name, life)| {
        let server = config.server(name.as_str())?;
        Some(server_now(session, server, &catalog, life))
    });
    Status {
        watch: None,
        servers: servers.collect(),
    }
}

fn server_now(
    session: &Session,
    server: &ServerConfig,
    catalog: &Catalog,
    life: &LifeStatus,
) -> ServerNow {
    let status = catalog.server(server.name().as_str());
    let ready = status.and_then(|status| match &status.state {
        ServerState::Ready(ready) => Some(&**ready),
        _ => None,
    });
    let info = ready.and_then(|ready| ready.server.as_ref());
    let tools = catalog.tools().iter();
    let tools = tools.filter(|tool| tool.route.server == *server.name());
    let (own, made): (Vec<_>, Vec<_>) = tools.partition(|tool| tool.origin == Origin::Server);
    ServerNow {
        name: server.name().to_string(),
        state: life.state.to_string(),
        state_seconds: life.state_for.as_secs_f64(),
        why: life.why.to_string(),
        era: ready.map(|ready| ready.era.as_str().to_owned()),
        protocol_version: ready.map(|ready| ready.version.as_str().to_owned()),
        transport: transport(server, ready).to_owned(),
        server_info: info.map(|info| Identity {
            name: info.name.clone(),
            title: info.title.clone(),
            version: info.version.clone(),
        }),
        tools_offered: own.len(),
        tools_listed: ready.map(|ready| ready.tools_listed),
        tools_made: made.len(),
        error: session.failure(catalog, server),
        fault: life.fault.as_ref().map(ToString::to_string),
        next_attempt_seconds: life.next_attempt_in.map(|time| time.as_secs_f64()),
        breaker: breaker(life.breaker),
        restarts: life.restarts,
        in_flight: life.in_flight,
        queued: life.queued,
        notes: status.map_or_else(Vec::new, |status| status.notes.clone()),
    }
}

/// What carries the messages: as was found out, or else as it is configured.
fn transport(server: &ServerConfig, ready: Option<&Ready>) -> &'static str {
    let Endpoint::Http(http) = server.endpoint() else {
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

fn breaker(status: BreakerStatus) -> Breaker {
    let (state, strikes, retry_in) = match status {
        BreakerStatus::Closed { strikes } => ("closed", strikes, None),
        BreakerStatus::Open { retry_in } => ("open", 0, Some(retry_in)),
        _ => ("half_open", 0, None),
    };
    Breaker {
        state: state.to_owned(),
        strikes,
        retry_seconds: retry_in.map(|time| time.as_secs_f64()),
    }
}
