//! What a host offers to a server beside its calls, as the configuration says: folders to work in,
//! and an ear for its log.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::{Asker, Builder, Client, Era, Refusal, RootsHandler};
use mcp_transport::redact::Redactor;
use mcp_types::{ListRootsResult, LoggingLevel, LoggingMessageParams, RawJson, Root};

use crate::config::ServerConfig;
use crate::name::ServerName;
use crate::registry::{Event, Teller};

/// The most bytes of a server's log message that are passed on.
// Bound: a log is read by people, and a message may be as long as a frame.
const LOG_LEN_MAX: usize = 2_000;
/// The most bytes of the name of its logger.
const LOGGER_LEN_MAX: usize = 200;

/// Adds what the configuration of a server offers.
pub(crate) fn offer(
    builder: Builder,
    server: &ServerConfig,
    redactor: &Redactor,
    teller: &Teller,
) -> Builder {
    let ear = Ear {
        server: server.name().clone(),
        redactor: redactor.clone(),
        teller: teller.clone(),
    };
    let builder = builder.on_log(move |message| ear.hear(message));
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

/// Who hears what a server logs.
struct Ear {
    server: ServerName,
    redactor: Redactor,
    teller: Teller,
}

impl Ear {
    /// Passes a message on to our own log and to whoever listens, with credentials hidden.
    fn hear(&self, message: LoggingMessageParams) {
        let said = message.data.as_ref().map_or(Cow::Borrowed(""), said);
        let text = self
            .redactor
            .redact_bytes_lossy(said.as_bytes(), LOG_LEN_MAX);
        let hidden = |logger: String| {
            self.redactor
                .redact_bytes_lossy(logger.as_bytes(), LOGGER_LEN_MAX)
        };
        let logger = message.logger.map(hidden);
        log(
            self.server.as_str(),
            &message.level,
            logger.as_deref(),
            &text,
        );
        self.teller.tell(|| {
            Some(Event::Log {
                server: self.server.clone(),
                level: message.level,
                logger,
                text,
            })
        });
    }
}

/// What a message says: a short text as a text, and anything else as JSON.
fn said(data: &RawJson) -> Cow<'_, str> {
    let is_short = data.as_str().len() <= 2 * LOG_LEN_MAX;
    let text = is_short.then(|| data.decode::<String>().ok()).flatten();
    text.map_or_else(|| Cow::Borrowed(data.as_str()), Cow::Owned)
}

fn log(server: &str, level: &LoggingLevel, logger: Option<&str>, said: &str) {
    let logger = logger.unwrap_or_default();
    match level {
        LoggingLevel::Debug => tracing::debug!(server, logger, "{said}"),
        LoggingLevel::Info | LoggingLevel::Notice => tracing::info!(server, logger, "{said}"),
        LoggingLevel::Warning => tracing::warn!(server, logger, "{said}"),
        _ => tracing::error!(server, logger, "{said}"),
    }
}
