//! Servers and proxies on this machine, with certificates good and bad.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// Variables that lead to a proxy, which whoever runs the tests may have set.
const VARIABLES: [&str; 8] = [
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Takes them out of the environment of a command.
pub(crate) fn without_proxies(command: &mut Command) {
    for name in VARIABLES {
        command.env_remove(name);
    }
}

/// Whatever listens; it ends with this value.
pub(crate) struct Network(Runtime);

impl Network {
    pub(crate) fn new() -> Self {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build();
        Self(runtime.expect("a runtime can be started"))
    }

    /// Handles every connection to the port that is returned.
    pub(crate) fn serve<F>(&self, handle: impl Fn(TcpStream) -> F + Send + 'static) -> u16
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.serve_at("127.0.0.1:0", handle)
            .expect("a port is free")
    }

    /// The same at this address; `None` if there is no such address here.
    fn serve_at<F>(
        &self,
        address: &str,
        handle: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> Option<u16>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = self.0.block_on(TcpListener::bind(address)).ok()?;
        let address = listener.local_addr().expect("it listens");
        self.0.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _from)) = listener.accept().await {
                connections.spawn(handle(stream));
            }
        });
        Some(address.port())
    }

    /// An MCP server without TLS at this address; `None` if there is no such address here.
    pub(crate) fn mcp_at(&self, address: &str) -> Option<u16> {
        self.serve_at(address, answer)
    }

    /// A server that answers every request with its line of credentials, which it also tells.
    pub(crate) fn mirror(&self) -> (u16, Receiver<String>) {
        let (told, lines) = mpsc::channel();
        let port = self.serve(move |mut stream| {
            let told = told.clone();
            async move {
                while let Some((head, _body)) = read_request(&mut stream).await {
                    let mut lines = head.split("\r\n");
                    let line = lines.find(|line| line.starts_with("authorization: "));
                    let line = line.unwrap_or_default();
                    let answer = format!(
                        "HTTP/1.1 500 Internal Server Error\r\ncontent-type: text/plain\r\n\
                         content-length: {}\r\n\r\n{line}",
                        line.len()
                    );
                    let is_told = told.send(line.to_owned()).is_ok();
                    if !is_told || stream.write_all(answer.as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        });
        (port, lines)
    }

    /// A proxy that refuses everything, and counts who comes.
    pub(crate) fn counting_proxy(&self) -> CountingProxy {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let port = self.serve(move |mut stream| {
            counter.fetch_add(1, Ordering::Relaxed);
            async move {
                while read_request(&mut stream).await.is_some() {
                    let answer = b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n";
                    if stream.write_all(answer).await.is_err() {
                        return;
                    }
                }
            }
        });
        CountingProxy { port, count }
    }

    /// A server without TLS, which answers what is no HTTP as most do.
    pub(crate) fn plain(&self) -> u16 {
        self.serve(|mut stream| async move {
            let _: std::io::Result<u8> = stream.read_u8().await;
            let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            let _: std::io::Result<()> = stream.write_all(answer).await;
            let _: std::io::Result<usize> = stream.read_to_end(&mut Vec::new()).await;
        })
    }

    /// An MCP server behind TLS.
    pub(crate) fn tls(&self, acceptor: TlsAcceptor) -> u16 {
        self.serve(move |stream| {
            let acceptor = acceptor.clone();
            async move {
                match acceptor.accept(stream).into_fallible().await {
                    Ok(stream) => answer(stream).await,
                    // To close first could cost the client the alert.
                    Err((_error, mut stream)) => {
                        let _: std::io::Result<usize> = stream.read_to_end(&mut Vec::new()).await;
                    }
                }
            }
        })
    }

    /// A proxy that gives every request this answer.
    pub(crate) fn proxy(&self, status: &'static str) -> u16 {
        self.serve(move |mut stream| async move {
            while read_request(&mut stream).await.is_some() {
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
                if stream.write_all(answer.as_bytes()).await.is_err() {
                    return;
                }
            }
        })
    }
}

/// A proxy, and how many connections it had.
pub(crate) struct CountingProxy {
    pub(crate) port: u16,
    count: Arc<AtomicUsize>,
}

impl CountingProxy {
    pub(crate) fn connections(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

/// A port that is taken without anything listening, so that connecting to it is refused.
pub(crate) struct Held(TcpSocket);

impl Held {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket can be made");
        let any = "127.0.0.1:0".parse().expect("it is an address");
        socket.bind(any).expect("a port is free");
        Self(socket)
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().expect("it is bound").port()
    }
}

/// Reads a request; `None` at the end. The body is empty if no length is named.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let len = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; len.map_or(Some(0), |len| len.parse().ok())?];
    stream.read_exact(&mut body).await.ok()?;
    Some((head, body))
}

/// Is an MCP server of the legacy era with one tool.
async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    while let Some((head, body)) = read_request(&mut stream).await {
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let said = match message["id"] {
            Value::Null if head.starts_with("POST") => {
                "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned()
            }
            Value::Null => {
                "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n".to_owned()
            }
            _ => {
                let body = reply(&message).to_string();
                let len = body.len();
                format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                     content-length: {len}\r\n\r\n{body}"
                )
            }
        };
        let written = stream.write_all(said.as_bytes()).await;
        if written.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

fn reply(request: &Value) -> Value {
    let id = &request["id"];
    let result = match request["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
        }),
        Some("tools/list") => {
            json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]})
        }
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return json!({"jsonrpc": "2.0", "id": id, "error": error});
        }
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Who signs certificates.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no name is a bad one");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key can be made");
        let issuer = CertifiedIssuer::self_signed(params, key);
        Self(issuer.expect("a certificate can be made"))
    }

    /// Its certificate.
    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// A server with a certificate for `localhost`.
    pub(crate) fn server(&self) -> TlsAcceptor {
        self.server_with(|_| {}, false)
    }

    /// A server with another certificate, which may want one of its clients.
    pub(crate) fn server_with(
        &self,
        edit: impl FnOnce(&mut CertificateParams),
        wants_clients: bool,
    ) -> TlsAcceptor {
        let names = ["localhost".to_owned()];
        let mut params = CertificateParams::new(names).expect("the name is a good one");
        edit(&mut params);
        let key = KeyPair::generate().expect("a key can be made");
        let cert = params
            .signed_by(&key, &self.0)
            .expect("a certificate can be made");
        self.acceptor(cert.der().to_vec(), &key, wants_clients)
    }

    /// A server whose certificate is signed by itself.
    pub(crate) fn self_signed() -> (TlsAcceptor, String) {
        let names = ["localhost".to_owned()];
        let params = CertificateParams::new(names).expect("the name is a good one");
        let key = KeyPair::generate().expect("a key can be made");
        let cert = params.self_signed(&key).expect("a certificate can be made");
        let acceptor = Self::new().acceptor(cert.der().to_vec(), &key, false);
        (acceptor, cert.pem())
    }

    /// A certificate for a client with its key, as one file.
    pub(crate) fn client(&self) -> String {
        let names = ["client".to_owned()];
        let params = CertificateParams::new(names).expect("the name is a good one");
        let key = KeyPair::generate().expect("a key can be made");
        let cert = params.signed_by(&key, &self.0);
        let cert = cert.expect("a certificate can be made");
        format!("{}{}", key.serialize_pem(), cert.pem())
    }

    fn acceptor(&self, der: Vec<u8>, key: &KeyPair, wants_clients: bool) -> TlsAcceptor {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .expect("the versions fit the provider");
        let builder = if wants_clients {
            let mut roots = RootCertStore::empty();
            roots.add(self.0.der().clone()).expect("it is an authority");
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().expect("there is an authority"))
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("it is a key");
        let config = builder
            .with_single_cert(vec![der.into()], key)
            .expect("key and certificate fit");
        TlsAcceptor::from(Arc::new(config))
    }
}
