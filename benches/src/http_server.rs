//! The HTTP server that every client is measured against: one thread, HTTP/1.1, connections kept.
//!
//! `bench-http-server PORTS` listens on as many ports, prints them as one line, and ends when its
//! input does. The path decides how it answers: `/json` with a length, `/sse` with one chunk of
//! events. `GET /connections` says how many connections there have been, its own included.

mod canned;

use std::convert::Infallible;
use std::io::{self, Read as _};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use canned::{Framing, Results, answer};
use futures_util::stream;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

const BARE: Framing = Framing {
    before: b"",
    after: b"",
};
const EVENT: Framing = Framing {
    before: b"event: message\ndata: ",
    after: b"\n\n",
};
/// What a chunk of a stream holds at most, so that notices come in many.
const CHUNK_LEN: usize = 16 * 1024;

static ACCEPTED: AtomicU64 = AtomicU64::new(0);

type Body = UnsyncBoxBody<Bytes, Infallible>;

fn main() -> io::Result<()> {
    let ports = std::env::args().nth(1).and_then(|word| word.parse().ok());
    std::thread::spawn(|| {
        let end = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(i32::from(end.is_err()));
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let results = Rc::new(Results::new(1_000));
    runtime.block_on(tokio::task::LocalSet::new().run_until(listen(ports.unwrap_or(1), results)))
}

async fn listen(ports: usize, results: Rc<Results>) -> io::Result<()> {
    let mut line = Vec::new();
    for _ in 0..ports {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        line.push(listener.local_addr()?.port().to_string());
        tokio::task::spawn_local(accept(listener, Rc::clone(&results)));
    }
    println!("{}", line.join(" "));
    std::future::pending().await
}

async fn accept(listener: TcpListener, results: Rc<Results>) {
    while let Ok((socket, _peer)) = listener.accept().await {
        ACCEPTED.fetch_add(1, Ordering::Relaxed);
        tokio::task::spawn_local(serve(socket, Rc::clone(&results)));
    }
}

async fn serve(socket: TcpStream, results: Rc<Results>) {
    if socket.set_nodelay(true).is_err() {
        return;
    }
    let service = service_fn(|request| respond(request, Rc::clone(&results)));
    // A client that goes away is no fault.
    let _: hyper::Result<()> = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(socket), service)
        .await;
}

async fn respond(
    request: Request<Incoming>,
    results: Rc<Results>,
) -> hyper::Result<Response<Body>> {
    let is_sse = match (request.method(), request.uri().path()) {
        (&Method::POST, "/json") => false,
        (&Method::POST, "/sse") => true,
        (&Method::GET, "/connections") => {
            let accepted = ACCEPTED.load(Ordering::Relaxed).to_string();
            return Ok(Response::new(whole(accepted.into())));
        }
        _ => return Ok(bodyless(StatusCode::METHOD_NOT_ALLOWED)),
    };
    let message = request.into_body().collect().await?.to_bytes();
    let framing = if is_sse { &EVENT } else { &BARE };
    let mut out = Vec::new();
    if !answer(&message, &results, framing, &mut out) {
        return Ok(bodyless(StatusCode::ACCEPTED));
    }
    let (kind, body) = if is_sse {
        ("text/event-stream", chunked(out.into()))
    } else {
        ("application/json", whole(out.into()))
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

fn whole(body: Bytes) -> Body {
    Full::new(body).boxed_unsync()
}

fn chunked(mut body: Bytes) -> Body {
    let chunks = std::iter::from_fn(move || {
        let chunk = body.split_to(body.len().min(CHUNK_LEN));
        (!chunk.is_empty()).then(|| Ok(Frame::data(chunk)))
    });
    StreamBody::new(stream::iter(chunks)).boxed_unsync()
}

fn bodyless(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(whole(Bytes::new()));
    *response.status_mut() = status;
    response
}
