//! From a link to a client: options, negotiation, the budget of connecting.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{Limits, Timeouts};
use mcp_transport::Link;
use mcp_transport::redact::Redactor;
use mcp_types::{Implementation, LoggingMessageParams};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::connect::{HttpServer, attempt, connect_http};
use crate::handler::{ElicitationHandler, Handlers, RootsHandler, SamplingHandler};
use crate::negotiate::{OpenFailure, Way};
use crate::notice::LogSink;
use crate::page::PageLimits;
use crate::tap::FrameTap;
use crate::trace::{TraceContext, TraceSource};
use crate::{Client, Closure, Error, Sent};

/// What is known of a server's era before it is asked.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum EraHint {
    /// It needs the handshake; do not probe.
    Legacy,
    /// It speaks 2026-07-28 or later; do not fall back.
    Modern,
    /// Nothing: probe, and fall back to the handshake.
    #[default]
    Unknown,
}

/// The options of a client.
#[derive(Clone)]
#[must_use = "a builder does nothing until it connects"]
pub struct Builder {
    pub(crate) client: Implementation,
    pub(crate) server: Arc<str>,
    pub(crate) handlers: Handlers,
    pub(crate) log: Option<LogSink>,
    pub(crate) trace: Option<TraceSource>,
    pub(crate) hint: EraHint,
    pub(crate) limits: Limits,
    pub(crate) page_limits: PageLimits,
    pub(crate) redactor: Redactor,
    pub(crate) timeouts: Timeouts,
    pub(crate) connect_timeout: Duration,
    pub(crate) probe_timeout: Duration,
    pub(crate) tap: Option<FrameTap>,
    given_up: Option<watch::Receiver<bool>>,
}

impl Builder {
    pub(crate) fn new(client: Implementation) -> Self {
        Self {
            client,
            server: "".into(),
            handlers: Handlers::default(),
            log: None,
            trace: None,
            hint: EraHint::default(),
            limits: Limits::default(),
            page_limits: PageLimits::default(),
            redactor: Redactor::new(),
            timeouts: Timeouts::new(Duration::from_secs(120), Duration::from_secs(30 * 60)),
            connect_timeout: Duration::from_secs(60),
            probe_timeout: Duration::from_secs(5),
            tap: None,
            given_up: None,
        }
    }

    /// The name under which the application knows the server; for logs and handlers.
    pub fn server_name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.server = name.into();
        self
    }

    /// Lends a model to the server.
    pub fn sampling(mut self, handler: Arc<dyn SamplingHandler>) -> Self {
        self.handlers.sampling = Some(handler);
        self
    }

    /// Lets the server ask the user.
    pub fn elicitation(mut self, handler: Arc<dyn ElicitationHandler>) -> Self {
        self.handlers.elicitation = Some(handler);
        self
    }

    /// Tells the server which folders it may work in.
    pub fn roots(mut self, handler: Arc<dyn RootsHandler>) -> Self {
        self.handlers.roots = Some(handler);
        self
    }

    /// Hands the server's log messages to `sink`, in order.
    ///
    /// A modern server sends those alone that a call asks for by [`Call::log_level`].
    ///
    /// [`Call::log_level`]: crate::Call::log_level
    ///
    /// The function runs in the connection's reader: it must be quick and must not block.
    pub fn on_log(mut self, sink: impl Fn(LoggingMessageParams) + Send + Sync + 'static) -> Self {
        self.log = Some(Arc::new(sink));
        self
    }

    /// Asks `source` for the trace that a call belongs to, whenever a call is made.
    ///
    /// It runs where the call is made, before the call is sent or awaited, so it may look at what
    /// is current there; [`Call::trace`] says otherwise for one call. What belongs to no call of
    /// the application carries no trace: opening a session, `subscriptions/listen`, and legacy
    /// subscriptions.
    ///
    /// [`Call::trace`]: crate::Call::trace
    ///
    /// # Examples
    ///
    /// ```
    /// use mcp_client::{Client, TraceContext};
    /// use mcp_types::Implementation;
    ///
    /// /// Stands for a tracing library.
    /// fn current_traceparent() -> Option<String> {
    ///     Some("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01".to_owned())
    /// }
    ///
    /// let builder = Client::builder(Implementation::new("my-app", "1.0.0"))
    ///     .on_trace(|| Some(TraceContext::new().with_traceparent(current_traceparent()?)));
    /// ```
    pub fn on_trace(
        mut self,
        source: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.trace = Some(Arc::new(source));
        self
    }

    /// What is known of the server's era. Default: nothing.
    pub fn era_hint(mut self, hint: EraHint) -> Self {
        self.hint = hint;
        self
    }

    /// The bounds of the connection.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How far lists are followed. Default 50 pages and 10,000 items.
    pub fn page_limits(mut self, limits: PageLimits) -> Self {
        self.page_limits = limits;
        self
    }

    /// What hides secrets in errors and logs. Default: the patterns of well-known credentials.
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Has every frame copied that is sent and received, those that open the session included.
    /// Default: none, which costs nothing.
    pub fn tap(mut self, tap: FrameTap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// How long a call may stay without a sign of life, unless it says otherwise. Default 120 s.
    pub fn call_timeout(mut self, idle: Duration) -> Self {
        self.timeouts.idle = idle;
        self
    }

    /// How long a call may take as a whole, unless it says otherwise. Default 30 minutes.
    pub fn call_timeout_max(mut self, hard: Duration) -> Self {
        self.timeouts.hard = hard;
        self
    }

    /// How long connecting may take, starting the server included. Default 60 s: package runners
    /// download on a first start.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long a server may stay silent when asked for its era, before it is taken for a legacy
    /// one. Default 5 s.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.probe_timeout = timeout;
        self
    }

    /// Gives connecting up as soon as this is true: other than by dropping the future, what was
    /// started has been ended when the error is there. Default never.
    pub fn give_up(mut self, given_up: watch::Receiver<bool>) -> Self {
        self.given_up = Some(given_up);
        self
    }

    /// Completes when connecting is to be given up.
    pub(crate) async fn is_given_up(&self) {
        if let Some(mut given_up) = self.given_up.clone()
            && given_up.wait_for(|is_given_up| *is_given_up).await.is_ok()
        {
            return;
        }
        // Nobody is left who could want that.
        std::future::pending().await
    }

    /// Opens a session on a link.
    ///
    /// A server that goes away when probed (N-08) cannot be started again here;
    /// [`Builder::connect_with`] can.
    ///
    /// # Errors
    ///
    /// Why there is no session; what stood behind the link has been ended by then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the connection.
    pub async fn connect(self, link: Link) -> Result<Client, Error> {
        let mut link = Some(link);
        self.connect_with(|| match link.take() {
            Some(link) => Ok(link),
            None => Err(Error::Closed(Box::new(Closure {
                reason: "the server went away when it was asked for its revision".to_owned(),
                obituary: None,
                sent: Sent::No,
            }))),
        })
        .await
    }

    /// Opens a session with a server behind a URL, whatever it turns out to speak.
    ///
    /// # Errors
    ///
    /// Why there is no session. If nothing at the URL looks like MCP, the error tells each answer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the connection.
    pub async fn connect_http(self, server: HttpServer) -> Result<Client, Error> {
        connect_http(&self, server).await
    }

    /// Opens a session on a link made by `start`, which is called once more if the server goes
    /// away when it is asked for its era.
    ///
    /// # Errors
    ///
    /// Why there is no session; everything started has been ended by then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the connection.
    pub async fn connect_with(
        mut self,
        mut start: impl FnMut() -> Result<Link, Error>,
    ) -> Result<Client, Error> {
        let until = Instant::now() + self.connect_timeout;
        let ledger = Arc::default();
        match attempt(&self, start()?, Way::Pipe, &ledger, until).await {
            Ok(client) => Ok(client),
            Err(OpenFailure::Failed(error) | OpenFailure::OtherTransport(error)) => Err(error),
            Err(OpenFailure::Respawn(gone)) => {
                self.hint = EraHint::Legacy;
                // Without a second start, the end of the first one is what there is to tell.
                let Ok(link) = start() else { return Err(gone) };
                match attempt(&self, link, Way::Pipe, &ledger, until).await {
                    Ok(client) => Ok(client),
                    Err(failure) => Err(failure.into_error()),
                }
            }
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("server", &self.server)
            .field("handlers", &self.handlers)
            .field("hint", &self.hint)
            .finish_non_exhaustive()
    }
}
