//! What a host offers to a server beside its calls, as the configuration says: folders to work in,
//! and an ear for its log.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::{Asker, Builder, Client, Era, Refusal, RootsHandler};
use mcp_transport::redact::Redactor;
use mcp_types::{ListRootsResult, LoggingLevel, LoggingMessageParams, Root};

use crate::config::ServerConfig;

/// The most bytes of a server's log message that are passed on.
// Bound: a log is read by people, and a message may be as long as a frame.
const LOG_LEN_MAX: usize = 2_000;
/// The most bytes of the name of its logger.
const LOGGER_LEN_MAX: usize = 200;

/// Adds what the configuration of a server offers.
pub(crate) fn offer(builder: Builder, server: &ServerConfig, redactor: &Redactor) -> Builder {
    let (name, redactor) = (Arc::<str>::from(server.name().as_str()), redactor.clone());
    let builder = builder.on_log(move |message| pass_on(&name, &redactor, &message));
    match server.roots() {
        Some(roots) => builder.roots(Arc::new(Roots::new(roots))),
        None => builder,
    }
}

/// Asks a legacy server for the log messages that are wanted. A modern one is asked with each call.
pub(crate) async fn ask_for_log(client: &Client, server: &ServerConfig) {
    let session = client.session();
    if session.era == Era::Legacy
        && session.capabilities.logging.is_some()
        && let Some(level) = server.log_level()
        && let Err(error) = client.set_log_level(level).timeout(PATIENCE).await
    {
        // Its tools work all the same.
        tracing::warn!(server = server.name().as_str(), %error, "the log level could not be set");
    }
}

/// How long a server may take to say that it has set its log level.
// Bound: connecting waits for it, and its tools work without.
const PATIENCE: Duration = Duration::from_secs(5);

/// The configured folders.
struct Roots(ListRootsResult);

impl Roots {
    fn new(uris: &[String]) -> Self {
        Self(ListRootsResult::new(uris.iter().map(Root::new).collect()))
    }
}

#[async_trait]
impl RootsHandler for Roots {
    async fn list_roots(&self, _asker: Asker) -> Result<ListRootsResult, Refusal> {
        Ok(self.0.clone())
    }
}

/// Passes a server's message on to our own log, with credentials hidden.
fn pass_on(server: &str, redactor: &Redactor, message: &LoggingMessageParams) {
    let data = message.data.as_ref().map_or("", |data| data.as_str());
    let said = redactor.redact_bytes_lossy(data.as_bytes(), LOG_LEN_MAX);
    let logger = message.logger.as_deref().unwrap_or_default();
    let logger = redactor.redact_bytes_lossy(logger.as_bytes(), LOGGER_LEN_MAX);
    match message.level {
        LoggingLevel::Debug => tracing::debug!(server, logger, "{said}"),
        LoggingLevel::Info | LoggingLevel::Notice => tracing::info!(server, logger, "{said}"),
        LoggingLevel::Warning => tracing::warn!(server, logger, "{said}"),
        _ => tracing::error!(server, logger, "{said}"),
    }
}
