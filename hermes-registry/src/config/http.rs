//! A server behind a URL: what is configured of it, and how its keys are read.

use std::fmt;
use std::path::PathBuf;

use mcp_client::HttpTransport;
use mcp_transport::http::{Target, TargetError};

use super::kind::ProblemKind;
use super::problem::Position;
use super::read::{KeyPath, Reader};
use super::tree::{Node, Value};
use super::validate::with_home;

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

/// What was found of an HTTP server so far.
#[derive(Default)]
pub(super) struct HttpDraft {
    pub(super) url: Option<(Position, Option<String>)>,
    headers: Vec<(String, String)>,
    tls: TlsConfig,
    proxy: ProxyConfig,
    /// The first key that means something to HTTP servers only.
    pub(super) first_key: Option<(Position, KeyPath)>,
}

impl HttpDraft {
    /// Reads `url`, a key at `position`; `text` is what stands there, with its references replaced.
    pub(super) fn read_url(
        &mut self,
        reader: &mut Reader<'_>,
        position: Position,
        node: &Node,
        path: &KeyPath,
        text: Option<String>,
    ) {
        let sound = text.filter(|text| match Target::new(text) {
            Ok(_target) => true,
            Err(error) => {
                let kind = ProblemKind::BadEndpoint(error.to_string());
                reader.error(node.position, path, kind);
                false
            }
        });
        self.url = Some((position, sound));
    }

    /// Takes a header, if a request may carry it.
    pub(super) fn add_header(
        &mut self,
        reader: &mut Reader<'_>,
        position: Position,
        path: &KeyPath,
        header: (String, String),
    ) {
        let (name, value) = header;
        let known = self.headers.iter();
        if known
            .map(|(name, _)| name)
            .any(|known| known.eq_ignore_ascii_case(&name))
        {
            let why = format!("the header {name} stands there twice; names have no case");
            return reader.error(position, path, ProblemKind::BadEndpoint(why));
        }
        // Any URL does to check a header.
        let checked = Target::new("http://localhost")
            .and_then(|target| target.with_header(&name, &value).map(drop));
        match checked {
            Ok(()) => self.headers.push((name, value)),
            Err(error) => {
                reader.error(position, path, ProblemKind::BadEndpoint(error.to_string()));
            }
        }
    }

    /// Reads `ssl_verify`: a switch, or the path of a file of authorities.
    pub(super) fn read_ssl_verify(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) {
        const ALLOWED: &str = "true, false, or the path of a PEM file of authorities";
        let Some(text) = reader.text(node, path, ALLOWED) else {
            return;
        };
        match text.text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => {}
            "false" | "no" | "off" | "0" => self.tls.accepts_anything = true,
            "" => reader.wrong(node, path, ALLOWED),
            _ => self.tls.ca_bundle = Some(PathBuf::from(with_home(reader, text.text))),
        }
    }

    /// Reads `client_cert`: a file, or a list of the certificate's and the key's.
    pub(super) fn read_client_cert(
        &mut self,
        reader: &mut Reader<'_>,
        node: &Node,
        path: &KeyPath,
    ) {
        const ALLOWED: &str = "the path of a PEM file, or a list of a certificate's and a key's";
        let Value::List(items) = &node.value else {
            self.tls.client_cert = read_path(reader, node, path, ALLOWED);
            return;
        };
        match items.as_slice() {
            [cert, key] => {
                self.tls.client_cert = read_path(reader, cert, &path.item(0), ALLOWED);
                self.tls.client_key = read_path(reader, key, &path.item(1), ALLOWED);
            }
            [_, _, _passphrase] => {
                let why =
                    "a key with a passphrase cannot be read; decrypt it into a file of its own";
                reader.error(
                    node.position,
                    path,
                    ProblemKind::BadEndpoint(why.to_owned()),
                );
            }
            _ => reader.wrong_sort(node, path, ALLOWED),
        }
    }

    /// Reads `client_key`.
    pub(super) fn read_client_key(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) {
        if self.tls.client_key.is_some() {
            let why = "the list in `client_cert` names the key already; remove one of the two";
            reader.error(
                node.position,
                path,
                ProblemKind::BadEndpoint(why.to_owned()),
            );
        }
        self.tls.client_key = read_path(reader, node, path, "the path of a PEM file");
    }

    /// Reads `proxy`; `text` is what stands there, with its references replaced.
    pub(super) fn read_proxy(
        &mut self,
        reader: &mut Reader<'_>,
        node: &Node,
        path: &KeyPath,
        text: String,
    ) {
        const SCHEMES: [&str; 4] = ["http://", "https://", "socks5://", "socks5h://"];
        self.proxy = match text.trim() {
            "none" | "false" | "no" | "off" | "direct" => ProxyConfig::None,
            "environment" | "env" => ProxyConfig::Environment,
            url if SCHEMES.iter().any(|scheme| url.starts_with(scheme)) => {
                ProxyConfig::Url(url.to_owned())
            }
            _ => {
                let why = "must be none, environment, or a URL that begins with http://, \
                           https://, socks5:// or socks5h://";
                return reader.error(
                    node.position,
                    path,
                    ProblemKind::BadEndpoint(why.to_owned()),
                );
            }
        };
    }

    /// The endpoint, now that all keys are known.
    pub(super) fn endpoint(&mut self, transport: HttpTransport) -> Option<HttpEndpoint> {
        let (_position, url) = self.url.take()?;
        Some(HttpEndpoint {
            url: url?,
            headers: std::mem::take(&mut self.headers),
            transport,
            tls: std::mem::take(&mut self.tls),
            proxy: std::mem::take(&mut self.proxy),
        })
    }
}

fn read_path(
    reader: &mut Reader<'_>,
    node: &Node,
    path: &KeyPath,
    allowed: &'static str,
) -> Option<PathBuf> {
    let text = reader.process_text(node, path, allowed)?.text;
    if text.is_empty() {
        reader.wrong(node, path, allowed);
        return None;
    }
    reader.warn_of_space(node, path, &text);
    Some(PathBuf::from(with_home(reader, text)))
}
