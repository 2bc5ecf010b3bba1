//! From a link, or an address, to an open session within the time for connecting.

use std::sync::Arc;

use mcp_jsonrpc::{Peer, Timeouts};
use mcp_transport::http::{Backend, Target, legacy_sse, streamable};
use mcp_transport::{Limits, Link};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::builder::Builder;
use crate::client::Connection;
use crate::driver::{Driver, Host, Shared, Sinks};
use crate::error::Incompatible;
use crate::ledger::Ledger;
use crate::negotiate::{OpenFailure, Opening, STREAM_STEP, Way, is_no_endpoint, open};
use crate::notice::ChangeCounts;
use crate::tap::Tap;
use crate::{Client, EraHint, Error};

/// A server behind a URL.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpServer {
    /// What does HTTP.
    pub backend: Arc<dyn Backend>,
    /// Where the server is.
    pub target: Target,
    /// Which transport it speaks. Default: found out.
    pub transport: HttpTransport,
    /// The bounds of the link.
    pub limits: Limits,
}

/// How MCP is carried over HTTP.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HttpTransport {
    /// Streamable HTTP in either era, and HTTP+SSE if there is none.
    #[default]
    Auto,
    /// HTTP+SSE, the transport of 2024-11-05.
    Sse,
    /// Streamable HTTP.
    Streamable,
}

impl HttpServer {
    /// A server at `target`, reached through `backend`.
    pub fn new(backend: Arc<dyn Backend>, target: Target) -> Self {
        Self {
            backend,
            target,
            transport: HttpTransport::Auto,
            limits: Limits::default(),
        }
    }

    /// Sets which transport it speaks.
    #[must_use]
    pub fn with_transport(mut self, transport: HttpTransport) -> Self {
        self.transport = transport;
        self
    }

    /// Sets the bounds of the link.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// Finds out what stands behind a URL and opens a session with it.
pub(crate) async fn connect_http(builder: &Builder, server: HttpServer) -> Result<Client, Error> {
    let until = Instant::now() + builder.connect_timeout;
    let ledger = Arc::new(Ledger::default());
    let HttpServer {
        backend,
        target,
        transport,
        limits,
    } = server;
    let target = target.with_redactor(builder.redactor.clone());
    if transport != HttpTransport::Sse {
        let link = streamable(Arc::clone(&backend), target.clone(), limits);
        match attempt(builder, link, Way::Http, &ledger, until).await {
            Err(OpenFailure::OtherTransport(_)) if transport == HttpTransport::Auto => {}
            opened => return opened.map_err(OpenFailure::into_error),
        }
    }
    let link = legacy_sse(backend, target, limits);
    let opened = attempt(builder, link, Way::Sse, &ledger, until).await;
    opened.map_err(|failure| match failure.into_error() {
        // Each answer alone could mislead; outages and missing credentials tell enough.
        error if transport == HttpTransport::Auto && is_no_endpoint(&error) => {
            let tried = ledger.entries();
            Error::PeerIncompatible(Box::new(Incompatible::NoTransport { tried }))
        }
        error => error,
    })
}

/// Opens a session on one link, by the time `until`.
pub(crate) async fn attempt(
    builder: &Builder,
    link: Link,
    way: Way,
    ledger: &Arc<Ledger>,
    until: Instant,
) -> Result<Client, OpenFailure> {
    let (sender, receiver) = link.split();
    let peer = Peer::new(builder.limits);
    let changes = Arc::new(ChangeCounts::default());
    let host = Host {
        handlers: builder.handlers.clone(),
        server: Arc::clone(&builder.server),
        redactor: builder.redactor.clone(),
        changes: Arc::clone(&changes),
        trace: builder.trace.clone(),
        timeouts: builder.timeouts,
    };
    let tap = builder.tap.as_ref();
    let tap = tap.map(|tap| Tap::new(tap, &builder.server, &builder.redactor));
    let shared = Arc::new(Shared::new(peer, sender, host, tap));
    let (ended, ending) = watch::channel(None);
    let sinks = Sinks {
        changes: Arc::clone(&changes),
        log: builder.log.clone(),
    };
    let driver = Driver::new(Arc::clone(&shared), receiver, sinks, ended);
    #[expect(
        clippy::disallowed_methods,
        reason = "the one task of a connection, which ends with the last Client and is waited \
                  for by Client::close"
    )]
    let task = tokio::spawn(driver.run());
    // From here on, dropping the connection ends the driver and what it drives.
    let connection = Connection::new(Arc::clone(&shared), changes, ending, task);
    let opening = Opening {
        client: builder.client.clone(),
        capabilities: builder.handlers.capabilities(),
        hint: match way {
            // The modern era has no such transport.
            Way::Sse => EraHint::Legacy,
            Way::Http | Way::Pipe => builder.hint,
        },
        way,
        ledger: Arc::clone(ledger),
        probe_timeout: builder.probe_timeout,
        timeouts: Timeouts::new(builder.connect_timeout, builder.connect_timeout),
    };
    let opened = tokio::select! {
        biased;
        () = builder.is_given_up() => None,
        opened = timeout_at(until, open(&shared, &opening)) => Some(opened),
    };
    let Some(opened) = opened else {
        let why = "connecting was given up";
        connection.close(why).await;
        return Err(Error::not_started(why.to_owned()).into());
    };
    let session = match opened {
        Ok(Ok(session)) => session,
        Ok(Err(failure)) => {
            connection.close("no session could be opened").await;
            return Err(failure);
        }
        Err(_elapsed) => {
            connection.close("the time for connecting ran out").await;
            let waiting_for = still_missing(&shared, way, ledger);
            return Err(Error::not_connected_in_time(waiting_for, builder.connect_timeout).into());
        }
    };
    shared.sessions.opened(opening);
    Ok(Client::new(
        connection,
        session,
        Arc::clone(ledger),
        builder.timeouts,
        builder.page_limits,
    ))
}

/// What had not happened when the time for connecting ran out.
fn still_missing(shared: &Shared, way: Way, ledger: &Ledger) -> String {
    let before = ledger.entries();
    let mut missing = if way == Way::Sse && !shared.is_ready() {
        let missing = "the server did not tell where to post".to_owned();
        ledger.note(STREAM_STEP, None, missing.clone());
        missing
    } else {
        ledger.current().map_or_else(
            || "the server did not open a session".to_owned(),
            |step| format!("no answer to {step}"),
        )
    };
    for entry in before {
        missing.push_str("; before that, ");
        missing.push_str(&entry.to_string());
    }
    // Interop: some servers frame with Content-Length headers, others print banners
    // (test `content_length_headers`).
    if let Some(stray) = shared.first_stray() {
        missing.push_str("; it wrote what is no message: ");
        missing.push_str(&stray);
    }
    missing
}
