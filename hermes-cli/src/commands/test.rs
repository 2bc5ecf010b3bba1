//! `hermes mcp test SERVER`: starts one server and tells how that went.

use std::sync::Arc;
use std::time::Duration;

use hermes_registry::{Catalog, CatalogTool, Origin, Ready, ServerState, ServerStatus};
use tokio::time::Instant;

use crate::failure::Failure;
use crate::output::json::{self, ServerInfo};
use crate::output::{Report, human};
use crate::session::Session;

pub(crate) async fn run(session: &Session, name: &str) -> Result<Report, Failure> {
    let checked = check(session, name).await?;
    Ok(Report::new(if session.settings.json {
        json::object(&checked.json(), &session.settings.problems)
    } else {
        checked.text(session.settings.verbose)
    }))
}

/// A server that has answered.
pub(super) struct Checked {
    status: ServerStatus,
    ready: Ready,
    catalog: Arc<Catalog>,
    took: Duration,
}

/// Connects a server and lists its tools.
///
/// # Errors
///
/// Why it does not answer.
pub(super) async fn check(session: &Session, name: &str) -> Result<Checked, Failure> {
    let server = session.server(name)?;
    let began = Instant::now();
    let catalog = session.connect(&[server]).await;
    let took = began.elapsed();
    if let Some(failure) = session.failure(&catalog, server) {
        return Err(failure);
    }
    let status = catalog.server(name).cloned();
    match status.map(|status| (status.state.clone(), status)) {
        Some((ServerState::Ready(ready), status)) => Ok(Checked {
            status,
            ready: Arc::unwrap_or_clone(ready),
            catalog,
            took,
        }),
        _ => {
            let message = format!("server `{name}` was not connected");
            Err(Failure::usage("server_unavailable", message, "try again"))
        }
    }
}

impl Checked {
    /// Its own tools that are offered.
    pub(super) fn tools(&self) -> Vec<&CatalogTool> {
        let tools = self.offered().into_iter();
        tools.filter(|tool| tool.origin == Origin::Server).collect()
    }

    /// The tools that are offered, its own and those that are made of what else it has.
    fn offered(&self) -> Vec<&CatalogTool> {
        let tools = self.catalog.tools().iter();
        tools
            .filter(|tool| tool.route.server == self.status.name)
            .collect()
    }

    /// What is told of it, for people.
    pub(super) fn text(&self, verbose: bool) -> String {
        human::test(
            &self.status,
            &self.ready,
            &self.offered(),
            self.took,
            verbose,
        )
    }

    /// What is told of it, for programs.
    pub(super) fn json(&self) -> json::Test<'_> {
        let ready = &self.ready;
        json::Test {
            server: self.status.name.as_str(),
            state: "ready",
            connect_ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            era: ready.era.as_str(),
            protocol_version: ready.version.as_str(),
            server_info: ready.server.as_ref().map(ServerInfo::from),
            instructions: ready.instructions.as_deref(),
            ledger: ready.ledger.iter().map(ToString::to_string).collect(),
            tools_listed: ready.tools_listed,
            tools: self
                .offered()
                .into_iter()
                .map(|tool| tool.name.as_str())
                .collect(),
            notes: &self.status.notes,
        }
    }
}
