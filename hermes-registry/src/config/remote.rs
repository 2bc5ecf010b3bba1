//! Reading what reaches a server behind a URL.

use std::path::PathBuf;

use mcp_client::HttpTransport;
use mcp_transport::http::Target;

use super::http::{HttpEndpoint, ProxyConfig, TlsConfig};
use super::kind::ProblemKind;
use super::problem::Position;
use super::read::{KeyPath, Named, Reader};
use super::tree::{Node, Value};

/// What was found of an HTTP server so far.
#[derive(Default)]
pub(super) struct HttpDraft {
    pub(super) url: Option<(Position, Option<String>)>,
    headers: Vec<(String, String)>,
    tls: TlsConfig,
    proxy: ProxyConfig,
}

impl HttpDraft {
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) {
        let (value, path) = (entry.value, &entry.path);
        match entry.key {
            "url" => self.read_url(reader, entry),
            "headers" => self.read_headers(reader, value, path),
            "ssl_verify" => self.read_ssl_verify(reader, value, path),
            "client_cert" => self.read_client_cert(reader, value, path),
            "client_key" => self.read_client_key(reader, value, path),
            _ => self.read_proxy(reader, value, path),
        }
    }

    fn read_url(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) {
        let (node, path) = (entry.value, &entry.path);
        let text = reader
            .process_text(node, path, "a URL")
            .map(|text| text.text);
        let sound = text.filter(|text| match Target::new(text) {
            Ok(_target) => true,
            Err(error) => {
                let kind = ProblemKind::BadEndpoint(error.to_string());
                reader.error(node.position, path, kind);
                false
            }
        });
        self.url = Some((entry.position, sound));
    }

    fn read_headers(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) {
        let allowed = "a mapping of names to values";
        for entry in reader.entries(node, path, allowed).unwrap_or_default() {
            let allowed = "a text or a number";
            let Some(value) = reader.process_text(entry.value, &entry.path, allowed) else {
                continue;
            };
            // Interop: a token read from a file often ends in a line break.
            let value = value.text.trim_matches([' ', '\t', '\r', '\n']).to_owned();
            let header = (entry.key.to_owned(), value);
            self.add_header(reader, entry.position, &entry.path, header);
        }
    }

    /// Takes a header, if a request may carry it.
    fn add_header(
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
    fn read_ssl_verify(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) {
        const ALLOWED: &str = "true, false, or the path of a PEM file of authorities";
        let Some(text) = reader.text(node, path, ALLOWED) else {
            return;
        };
        match text.text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => {}
            "false" | "no" | "off" | "0" => self.tls.accepts_anything = true,
            "" => reader.wrong(node, path, ALLOWED),
            _ => self.tls.ca_bundle = Some(PathBuf::from(reader.with_home(text.text))),
        }
    }

    /// Reads `client_cert`: a file, or a list of the certificate's and the key's.
    fn read_client_cert(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) {
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
    fn read_client_key(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) {
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

    /// Reads `proxy`: none, the environment's, or a URL.
    fn read_proxy(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) {
        const SCHEMES: [&str; 4] = ["http://", "https://", "socks5://", "socks5h://"];
        let allowed = "none, environment, or the URL of a proxy";
        let Some(text) = reader.process_text(node, path, allowed) else {
            return;
        };
        self.proxy = match text.text.trim() {
            "none" | "false" | "no" | "off" | "direct" => ProxyConfig::None,
            "environment" | "env" => ProxyConfig::Environment,
            url if SCHEMES.iter().any(|scheme| url.starts_with(scheme)) => {
                ProxyConfig::Url(url.to_owned())
            }
            _ => {
                // Not quoted, as it may hold a login.
                let why = "must be none, environment, or a URL that begins with http://, \
                           https://, socks5:// or socks5h://";
                let kind = ProblemKind::BadEndpoint(why.to_owned());
                return reader.error(node.position, path, kind);
            }
        };
    }

    /// The endpoint, now that all keys are known.
    pub(super) fn finish(&mut self, transport: HttpTransport) -> Option<HttpEndpoint> {
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
    reader.path(node, path, allowed).map(PathBuf::from)
}
