//! A server that says what it is told to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::http::{Backend as _, Body, Failure, HyperBackend};

/// A listening socket whose connections are handled by a function until it is dropped.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl Server {
    /// Handles each connection with `handle`.
    pub(super) async fn start<F>(handle: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::start_at("127.0.0.1:0", handle).await.unwrap()
    }

    pub(super) async fn start_at<F>(
        address: &str,
        handle: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> std::io::Result<Self>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let accepted = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&accepted);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _from)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                connections.spawn(handle(stream));
            }
        });
        Ok(Self {
            address,
            accepted,
            _tasks: tasks,
        })
    }

    /// How many connections there were.
    pub(super) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }
}

/// A socket that holds a port without listening, so that connecting to it is refused.
pub(super) fn refusing(address: &str) -> std::io::Result<(TcpSocket, SocketAddr)> {
    let address: SocketAddr = address.parse().unwrap();
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.bind(address)?;
    let address = socket.local_addr()?;
    Ok((socket, address))
}

/// Reads the head of a request, and its body if it has a length; `None` at the end.
pub(super) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n\r\n") {
        read.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(read).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(head + &String::from_utf8(body).unwrap())
}

/// Answers every request of a connection with the same bytes.
pub(super) async fn answer_all(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &[u8]) {
    while read_request(&mut stream).await.is_some() {
        if stream.write_all(answer).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

pub(super) fn post(url: &str) -> Request<Bytes> {
    Request::post(url).body(Bytes::from_static(b"{}")).unwrap()
}

pub(super) async fn text(response: Response<Body>) -> Result<String, Failure> {
    let body = response.into_body().collect().await?.to_bytes();
    Ok(String::from_utf8(body.to_vec()).unwrap())
}

/// Posts to a URL and reads the response.
pub(super) async fn exchange(backend: &HyperBackend, url: &str) -> Result<String, Failure> {
    text(backend.send(post(url)).await?).await
}
