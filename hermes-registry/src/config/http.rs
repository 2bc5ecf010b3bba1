//! A server behind a URL: what is configured of it.

use std::fmt;
use std::path::PathBuf;

use mcp_client::HttpTransport;
use mcp_transport::http::{Target, TargetError};

/// A server behind a URL.
///
/// `Debug` shows neither values of headers nor what stands behind the path of the URL.
#[derive(Clone, Eq, PartialEq)]
pub struct HttpEndpoint {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) transport: HttpTransport,
    pub(super) tls: TlsConfig,
    pub(super) proxy: ProxyConfig,
}

/// How the certificates of both sides are chosen and checked.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct TlsConfig {
    /// Whether nothing is checked at all; written `ssl_verify: false`.
    pub accepts_anything: bool,
    /// Further authorities, a PEM file; written `ssl_verify: PATH`.
    pub ca_bundle: Option<PathBuf>,
    /// Our certificate, a PEM file that may hold the key too.
    pub client_cert: Option<PathBuf>,
    /// The key of our certificate, a PEM file.
    pub client_key: Option<PathBuf>,
}

/// Whether there is a proxy between us and the server.
#[derive(Clone, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ProxyConfig {
    /// As the variables `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    #[default]
    Environment,
    /// None, whatever they say; written `proxy: none`.
    None,
    /// This one.
    Url(String),
}

impl HttpEndpoint {
    /// A server behind this URL.
    ///
    /// # Errors
    ///
    /// If it is no absolute `http` or `https` URL.
    pub fn new(url: impl Into<String>) -> Result<Self, TargetError> {
        let url = url.into();
        Target::new(&url)?;
        Ok(Self {
            url,
            headers: Vec::new(),
            transport: HttpTransport::Auto,
            tls: TlsConfig::default(),
            proxy: ProxyConfig::default(),
        })
    }

    /// The same server, with a header on every request.
    ///
    /// # Errors
    ///
    /// If no request may carry it.
    pub fn with_header(
        mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, TargetError> {
        let (name, value) = (name.into(), value.into());
        Target::new(&self.url)?.with_header(&name, &value)?;
        self.headers.push((name, value));
        Ok(self)
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The headers of every request, in the order of the file.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Which transport is spoken; found out by default.
    #[must_use]
    pub fn transport(&self) -> HttpTransport {
        self.transport
    }

    /// How certificates are chosen and checked.
    #[must_use]
    pub fn tls(&self) -> &TlsConfig {
        &self.tls
    }

    /// Whether there is a proxy.
    #[must_use]
    pub fn proxy(&self) -> &ProxyConfig {
        &self.proxy
    }

    /// The address and the headers, ready to be sent to.
    ///
    /// # Errors
    ///
    /// None for an endpoint that was read from a configuration.
    pub fn target(&self) -> Result<Target, TargetError> {
        let mut target = Target::new(&self.url)?;
        for (name, value) in &self.headers {
            target = target.with_header(name, value)?;
        }
        Ok(target)
    }
}

impl fmt::Debug for HttpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        let url = Target::new(&self.url).map(|target| target.url().path().to_owned());
        f.debug_struct("HttpEndpoint")
            .field("path", &url.unwrap_or_default())
            .field("headers", &names)
            .field("transport", &self.transport)
            .field("tls", &self.tls)
            .field("proxy", &self.proxy)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ProxyConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its URL may hold a login.
        f.write_str(match self {
            Self::Environment => "Environment",
            Self::None => "None",
            Self::Url(_) => "Url(…)",
        })
    }
}
