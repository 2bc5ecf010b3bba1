//! What can be set about HTTP connections, and what holds if nothing is.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Idle connections that are kept to one origin.
// Bound: each costs a file descriptor here and there, of which a process may have as few as 256;
// each one less costs a handshake when as many calls run at once again, which few clients do.
const IDLE_MAX: usize = 32;

/// How connections to servers are made.
///
/// ```
/// use std::time::Duration;
/// use mcp_transport::http::{HttpOptions, HyperBackend};
///
/// let options = HttpOptions::new().connect_timeout(Duration::from_secs(5));
/// let backend = HyperBackend::new(options)?;
/// # Ok::<(), mcp_transport::http::Failure>(())
/// ```
#[derive(Clone)]
#[must_use = "options do nothing until a backend is made of them"]
pub struct HttpOptions {
    pub(super) ca_bundle: Option<PathBuf>,
    pub(super) client_cert: Option<PathBuf>,
    pub(super) client_key: Option<PathBuf>,
    pub(super) is_verifying: bool,
    pub(super) proxy: Proxy,
    pub(super) connect_timeout: Duration,
    pub(super) pool_idle_timeout: Duration,
    pub(super) idle_max: usize,
}

/// Whether requests go through a proxy.
///
/// This machine itself (`localhost`, names below it, 127.0.0.0/8 and `::1`) is never asked for
/// through a proxy, whatever is set here.
#[derive(Clone, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Proxy {
    /// As the environment says.
    #[default]
    FromEnvironment,
    /// Never.
    None,
    /// Through this one.
    Url(String),
}

impl HttpOptions {
    /// The defaults, as each method names them.
    pub fn new() -> Self {
        Self {
            ca_bundle: None,
            client_cert: None,
            client_key: None,
            is_verifying: true,
            proxy: Proxy::FromEnvironment,
            connect_timeout: Duration::from_secs(10),
            pool_idle_timeout: Duration::from_secs(90),
            idle_max: IDLE_MAX,
        }
    }

    /// Whether requests go through a proxy. Default [`Proxy::FromEnvironment`].
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// How long it may take to open a connection: looking the name up, TCP, the proxy and TLS
    /// together. Default 10 s.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long a connection is kept that nobody uses. Default 90 s; servers and the boxes on the
    /// way to them close theirs after 5 s to some minutes, and that is noticed.
    pub fn pool_idle_timeout(mut self, timeout: Duration) -> Self {
        self.pool_idle_timeout = timeout;
        self
    }

    /// How many unused connections to one origin are kept. Default 32; over HTTP/1.1 each call
    /// that is under way has a connection of its own, so as many calls at once need no new ones.
    /// 0 means that no connection is used twice.
    pub fn idle_max(mut self, count: usize) -> Self {
        self.idle_max = count;
        self
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("ca_bundle", &self.ca_bundle)
            .field("client_cert", &self.client_cert)
            .field("client_key", &self.client_key)
            .field("ssl_verify", &self.is_verifying)
            .field("proxy", &self.proxy)
            .field("connect_timeout", &self.connect_timeout)
            .field("pool_idle_timeout", &self.pool_idle_timeout)
            .field("idle_max", &self.idle_max)
            .finish()
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FromEnvironment => f.write_str("FromEnvironment"),
            Self::None => f.write_str("None"),
            // It may hold a password.
            Self::Url(_url) => f.write_str("Url(..)"),
        }
    }
}
