//! What can be set about HTTP connections, and what holds if nothing is.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::proxy::Rules;
use crate::http::Failure;

/// Idle connections that are kept to one origin.
// Bound: no more can be idle than calls were in flight at once, of which one server has at most as
// many; those that are not used again go after `pool_idle_timeout`. Each one less would cost a
// handshake when as many calls run at once again.
const IDLE_MAX: usize = 1_024;

/// The variables that say which proxy to use.
const VARIABLES: [&str; 9] = [
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "REQUEST_METHOD",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

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
    environment: Option<Vec<(&'static str, String)>>,
    pub(super) connect_timeout: Duration,
    pub(super) pool_idle_timeout: Duration,
    pub(super) idle_max: usize,
}

/// Whether requests go through a proxy.
///
/// `https` goes through it by CONNECT; `http` is sent to it whole. A proxy is
/// `http://[user:password@]host:port`, where `http://` may be missing, or `https://`, or SOCKS 5 as
/// `socks5://`, which looks names up here, or `socks5h://`, which has the proxy do so. User and
/// password are percent-encoded.
///
/// Hosts in `no_proxy` or `NO_PROXY` are asked for directly: a list with commas of names, which
/// stand for all names below them too, addresses, networks such as `10.0.0.0/8`, each with a port
/// if it is for that one only, or `*` for all hosts. This machine itself (`localhost`, names below it, 127.0.0.0/8 and `::1`) is never asked for
/// through a proxy, whatever is set here.
#[derive(Clone, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Proxy {
    /// As the environment says: `http_proxy`, `https_proxy`, and `all_proxy` where the other one is
    /// not set, each in lower or upper case, lower case first. `HTTP_PROXY` does not count where
    /// `REQUEST_METHOD` is set, since there it may come from a header of somebody's request.
    #[default]
    FromEnvironment,
    /// Never.
    None,
    /// Through this one, except for hosts in `no_proxy` or `NO_PROXY`.
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
            environment: None,
            connect_timeout: Duration::from_secs(10),
            pool_idle_timeout: Duration::from_secs(90),
            idle_max: IDLE_MAX,
        }
    }

    /// A file of certificates in PEM whose authorities are trusted beside the others. Default none;
    /// `ssl_verify: PATH` in a configuration file.
    ///
    /// The others are those of the system, where `SSL_CERT_FILE` and `SSL_CERT_DIR` name files
    /// instead if they are set, or those that Mozilla trusts if the system has none. The
    /// certificate of a server that signed itself can be named here too.
    pub fn ca_bundle(mut self, path: impl Into<PathBuf>) -> Self {
        self.ca_bundle = Some(path.into());
        self
    }

    /// A file in PEM with the certificate by which servers know us, followed by those of its
    /// authorities except the last. Default none.
    pub fn client_cert(mut self, path: impl Into<PathBuf>) -> Self {
        self.client_cert = Some(path.into());
        self
    }

    /// A file in PEM with the key of [`HttpOptions::client_cert`], not encrypted. Default: it
    /// stands in the same file as the certificate.
    pub fn client_key(mut self, path: impl Into<PathBuf>) -> Self {
        self.client_key = Some(path.into());
        self
    }

    /// Whether servers have to prove who they are. Default yes.
    ///
    /// Without it anybody on the way can read and change everything, credentials included; there
    /// is no warning beside this one. Naming the server's own certificate in
    /// [`HttpOptions::ca_bundle`] does for most purposes and gives nothing away.
    pub fn verify(mut self, is_verifying: bool) -> Self {
        self.is_verifying = is_verifying;
        self
    }

    /// Whether requests go through a proxy. Default [`Proxy::FromEnvironment`].
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// Where [`Proxy`] finds its variables, asked once for each of them. Default: the environment
    /// of the process when a backend is made.
    pub fn environment(mut self, look_up: impl Fn(&str) -> Option<String>) -> Self {
        let found = VARIABLES
            .iter()
            .filter_map(|name| Some((*name, look_up(name)?)));
        self.environment = Some(found.collect());
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

    /// How many unused connections to one origin are kept. Default 1,024; over HTTP/1.1 each call
    /// that is under way has a connection of its own, so as many calls at once need no new ones.
    /// 0 means that no connection is used twice.
    pub fn idle_max(mut self, count: usize) -> Self {
        self.idle_max = count;
        self
    }

    /// Which proxy to use for what.
    pub(super) fn rules(&self) -> Result<Rules, Failure> {
        match &self.environment {
            Some(found) => Rules::new(&self.proxy, &|name| {
                let mut of_name = found.iter().filter(|(key, _value)| *key == name);
                of_name.next().map(|(_key, value)| value.clone())
            }),
            None => Rules::new(&self.proxy, &|name| std::env::var(name).ok()),
        }
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
