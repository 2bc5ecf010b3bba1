//! The floor: a prebuilt message over a connection of hyper, the body read and thrown away.

use std::net::Ipv4Addr;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::{Caller, Server};

pub struct Floor {
    connection: SendRequest<Full<Bytes>>,
    path: String,
    host: HeaderValue,
    message: Bytes,
    /// Results or notices that a call brings.
    brought: u64,
}

pub async fn callers(
    server: &Server,
    path: &str,
    tool: &str,
    count: usize,
) -> Result<Vec<Floor>, String> {
    let mut callers = Vec::new();
    for _ in 0..count {
        callers.push(connect(server.port(0), path, tool).await?);
    }
    Ok(callers)
}

/// A connection to each of the servers, over which one call was made.
pub async fn many(server: &Server, ports: std::ops::Range<usize>) -> Result<Vec<Floor>, String> {
    let mut connections = Vec::new();
    for at in ports {
        let mut connection = connect(server.port(at), "/json", "t100").await?;
        connection.call().await?;
        connections.push(connection);
    }
    Ok(connections)
}

async fn connect(port: u16, path: &str, tool: &str) -> Result<Floor, String> {
    let host = format!("127.0.0.1:{port}");
    let host = HeaderValue::from_str(&host).map_err(|error| error.to_string())?;
    let message = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{{}}}}}}"
    );
    let message = Bytes::from(message);
    let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
    let socket = socket.map_err(|error| error.to_string())?;
    socket
        .set_nodelay(true)
        .map_err(|error| error.to_string())?;
    let (connection, driving) = handshake(TokioIo::new(socket))
        .await
        .map_err(|error| error.to_string())?;
    tokio::spawn(driving);
    Ok(Floor {
        connection,
        path: path.to_owned(),
        host,
        message,
        brought: if tool == "progress" { 100_000 } else { 1 },
    })
}

impl Floor {
    fn request(&self) -> Result<Request<Full<Bytes>>, String> {
        Request::builder()
            .method(Method::POST)
            .uri(self.path.as_str())
            .header(header::HOST, self.host.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .body(Full::new(self.message.clone()))
            .map_err(|error| error.to_string())
    }
}

impl Caller for Floor {
    async fn call(&mut self) -> Result<u64, String> {
        let request = self.request()?;
        let text = |error: hyper::Error| error.to_string();
        self.connection.ready().await.map_err(text)?;
        let response = self.connection.send_request(request).await.map_err(text)?;
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            std::hint::black_box(frame.map_err(text)?.data_ref().map(Bytes::len));
        }
        Ok(self.brought)
    }
}
