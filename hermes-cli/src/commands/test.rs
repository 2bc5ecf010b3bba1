//! `hermes mcp test SERVER`: starts one server and tells how that went.

use hermes_registry::{CatalogTool, ServerState};
use tokio::time::Instant;

use crate::failure::Failure;
use crate::output::json::{self, ServerInfo};
use crate::output::{Report, human};
use crate::session::Session;

pub(crate) async fn run(session: &Session, name: &str) -> Result<Report, Failure> {
    let server = session.server(name)?;
    let began = Instant::now();
    let catalog = session.connect(&[server]).await;
    let took = began.elapsed();
    if let Some(failure) = session.failure(&catalog, server) {
        return Err(failure);
    }
    let Some((status, ready)) = catalog.server(name).and_then(|status| match &status.state {
        ServerState::Ready(ready) => Some((status, ready)),
        _ => None,
    }) else {
        let message = format!("server `{name}` was not connected");
        return Err(Failure::usage("server_unavailable", message, "try again"));
    };
    let is_own = |tool: &&CatalogTool| tool.route.server == *server.name();
    let tools: Vec<&CatalogTool> = catalog.tools().iter().filter(is_own).collect();
    Ok(Report::new(if session.settings.json {
        let test = json::Test {
            server: name,
            state: "ready",
            connect_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            era: ready.era.as_str(),
            protocol_version: ready.version.as_str(),
            server_info: ready.server.as_ref().map(ServerInfo::from),
            instructions: ready.instructions.as_deref(),
            ledger: ready.ledger.iter().map(ToString::to_string).collect(),
            tools_listed: ready.tools_listed,
            tools: tools.iter().map(|tool| tool.name.as_str()).collect(),
            notes: &status.notes,
        };
        json::object(&test, &session.settings.problems)
    } else {
        human::test(status, ready, &tools, took, session.settings.verbose)
    }))
}
