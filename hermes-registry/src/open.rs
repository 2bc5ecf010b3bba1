//! From the configuration of a server to a client that has told its tools.

use std::sync::Arc;

use mcp_client::{Changes, Client, EraHint, Error, Listing};
use mcp_transport::redact::Redactor;
use mcp_types::{Implementation, Tool};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::catalog::{Ready, Told};
use crate::config::{Protocol, ServerConfig};
use crate::connect::Connect;
use crate::frames::FrameLog;
use crate::guard::Report;
use crate::offer;
use crate::registry::{Teller, TraceSource};
use crate::utility;

/// A server that has just been connected, or why it was not.
pub(crate) type Connected = Result<(Client, Changes, Told), Error>;

/// Those on our side of every connection.
#[derive(Clone, Copy)]
pub(crate) struct Host<'a> {
    pub(crate) connector: &'a dyn Connect,
    /// Who we say we are.
    pub(crate) client: &'a Implementation,
    /// Who hears what servers log.
    pub(crate) teller: &'a Teller,
    /// Who gives the trace that requests belong to.
    pub(crate) trace: Option<&'a TraceSource>,
    /// Where frames are kept.
    pub(crate) frame_log: Option<&'a FrameLog>,
}

/// Connects a server and asks for its tools, all within its `connect_timeout`; what was started is
/// ended before a failure is told, also if it is given up.
pub(crate) async fn open(
    host: Host<'_>,
    server: &ServerConfig,
    redactor: &Redactor,
    mut given_up: watch::Receiver<bool>,
) -> Connected {
    if *given_up.borrow() {
        return Err(Error::not_started("connecting was given up".to_owned()));
    }
    let until = Instant::now() + server.connect_timeout();
    let builder = Client::builder(host.client.clone())
        .server_name(server.name().as_str())
        .redactor(redactor.clone())
        .connect_timeout(server.connect_timeout())
        .call_timeout(server.timeout())
        .give_up(given_up.clone())
        .era_hint(match server.protocol() {
            Protocol::Auto => EraHint::Unknown,
            Protocol::Legacy => EraHint::Legacy,
            Protocol::Modern => EraHint::Modern,
        });
    let builder = offer::offer(builder, server, redactor, host.teller);
    let builder = match host.trace.cloned() {
        Some(source) => builder.on_trace(move || source()),
        None => builder,
    };
    let builder = match host.frame_log {
        Some(log) => builder.tap(log.tap()),
        None => builder,
    };
    let client = match server.http() {
        Some(endpoint) => {
            let http = host.connector.http(server, endpoint)?;
            builder.connect_http(http).await?
        }
        None => {
            let start = || host.connector.link(server, redactor);
            builder.connect_with(start).await?
        }
    };
    // Before the list is read, so that no change after it is missed.
    let changes = client.changes();
    let told = tokio::select! {
        told = timeout_at(until, async {
            offer::ask_for_log(&client, server).await;
            ask(&client, server, redactor).await
        }) => told,
        _given_up = given_up.wait_for(|is_given_up| *is_given_up) => {
            Ok(Err(Error::not_started("connecting was given up".to_owned())))
        }
    };
    let failure = match told {
        Ok(Ok(told)) => return Ok((client, changes, told)),
        Ok(Err(error)) => error,
        Err(_elapsed) => {
            let waiting_for = "the server did not list its tools";
            Error::not_connected_in_time(waiting_for, server.connect_timeout())
        }
    };
    client.close().await;
    Err(failure)
}

/// The most suspicions of one server that are told.
// Bound: whoever reads more than these has stopped trusting the server.
const SUSPICIONS_MAX: usize = 20;

/// What looks suspicious in the texts of tools, in words for people.
pub(crate) fn suspicions<'t>(
    tools: impl IntoIterator<Item = &'t Tool>,
    redactor: &Redactor,
) -> Vec<String> {
    let mut told = Vec::new();
    let mut left_out = 0;
    for tool in tools {
        let report = Report::of_tool(tool);
        left_out += report.left_out;
        for finding in &report.findings {
            if told.len() < SUSPICIONS_MAX {
                let text = format!("tool `{}`: {finding}", tool.name);
                told.push(redactor.redact(&text).into_owned());
            } else {
                left_out += 1;
            }
        }
    }
    if left_out > 0 {
        told.push(format!("{left_out} more suspicious texts of tools"));
    }
    told
}

/// Asks a server for its tools.
pub(crate) async fn ask(
    client: &Client,
    server: &ServerConfig,
    redactor: &Redactor,
) -> Result<Told, Error> {
    let session = client.session();
    let listing = match client.offers_tools() {
        true => client.list_tools().await?,
        // It has resources or prompts only.
        false => Listing::default(),
    };
    let names = listing.items.iter().map(|tool| tool.name.as_str());
    let utilities = utility::offered(server, &session.capabilities, &session.version, names);
    let suspicions = suspicions(&listing.items, redactor);
    let ready = Ready {
        era: session.era,
        version: session.version.clone(),
        server: session.server.clone(),
        instructions: session.instructions.clone(),
        capabilities: session.capabilities.clone(),
        tools_listed: listing.items.len(),
        ledger: client.ledger(),
    };
    Ok(Told {
        ready: Arc::new(ready),
        suspicions,
        utilities: utilities
            .into_iter()
            .map(|(kind, tool)| (kind, tool.into()))
            .collect(),
        diagnostics: listing.diagnostics,
        cut: listing.cut,
        ..Told::new(listing.items)
    })
}
