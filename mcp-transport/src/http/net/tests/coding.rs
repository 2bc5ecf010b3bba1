//! Bodies that come compressed.

use async_compression::tokio::write::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder};
use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH};
use http_body_util::BodyExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;

use super::server::{Server, exchange, post, read_request, text};
use crate::http::{Backend as _, FailureKind, HttpOptions, HyperBackend};

fn backend() -> HyperBackend {
    HyperBackend::new(HttpOptions::new()).unwrap()
}

/// A server that answers once on each connection, with a coding and a body.
async fn serve(coding: &'static str, body: Vec<u8>) -> Server {
    let len = body.len();
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ncontent-length: {len}\r\n\r\n");
    let answer = Bytes::from([head.as_bytes(), &body[..]].concat());
    Server::start(move |mut stream| {
        let answer = answer.clone();
        async move {
            read_request(&mut stream).await.unwrap();
            stream.write_all(&answer).await.unwrap();
        }
    })
    .await
}

macro_rules! encode {
    ($encoder:ident, $plain:expr) => {{
        let mut encoder = $encoder::new(Vec::new());
        encoder.write_all($plain).await.unwrap();
        encoder.shutdown().await.unwrap();
        encoder.into_inner()
    }};
}

#[tokio::test]
async fn every_coding_is_undone_and_leaves_no_trace_in_the_headers() {
    let plain = "{\"jsonrpc\":\"2.0\"}".repeat(5000);
    let bytes = plain.as_bytes();
    let twice = [encode!(GzipEncoder, bytes), encode!(GzipEncoder, b"end")].concat();
    let cases = [
        ("gzip", encode!(GzipEncoder, bytes), plain.clone()),
        ("x-gzip", twice, plain.clone() + "end"),
        ("BR", encode!(BrotliEncoder, bytes), plain.clone()),
        ("deflate", encode!(ZlibEncoder, bytes), plain.clone()),
        ("deflate", encode!(DeflateEncoder, bytes), plain.clone()),
        ("identity", bytes.to_vec(), plain.clone()),
        ("gzip", Vec::new(), String::new()),
    ];
    for (coding, body, expected) in cases {
        let is_coded = coding != "identity" && !body.is_empty();
        let server = serve(coding, body).await;
        let url = format!("http://{}/", server.address);
        let response = backend().send(post(&url)).await.unwrap();
        if is_coded {
            assert!(!response.headers().contains_key(CONTENT_ENCODING));
            assert!(!response.headers().contains_key(CONTENT_LENGTH));
        }
        assert_eq!(text(response).await.unwrap(), expected, "{coding}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_what_it_says_fails() {
    let whole = encode!(GzipEncoder, b"a body that is long enough to be cut");
    let cut = whole[..whole.len() - 12].to_vec();
    for (coding, body, said) in [
        (
            "gzip",
            b"{\"plain\":true}".to_vec(),
            "not in the content coding",
        ),
        ("gzip", cut, "ends before"),
        ("zstd", b"x".to_vec(), "not asked for"),
        ("gzip, br", b"x".to_vec(), "not asked for"),
    ] {
        let server = serve(coding, body).await;
        let url = format!("http://{}/", server.address);
        let failure = exchange(&backend(), &url).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Encoding, "{failure}");
        assert!(failure.detail.contains(said), "{failure}");
        assert!(failure.may_have_arrived);
    }
}

#[tokio::test]
async fn a_connection_that_breaks_within_a_coded_body_is_what_is_told() {
    let server = Server::start(|mut stream| async move {
        read_request(&mut stream).await.unwrap();
        let head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 99\r\n\r\n\x1f";
        stream.write_all(head).await.unwrap();
    })
    .await;
    let url = format!("http://{}/", server.address);
    let failure = exchange(&backend(), &url).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Broken, "{failure}");
}

macro_rules! streams_events {
    ($name:ident, $encoder:ident, $coding:literal) => {
        /// The server sends an event only when the one before it has arrived.
        #[tokio::test]
        async fn $name() {
            let (arrived, arrivals) = mpsc::channel::<()>(1);
            let arrivals = std::sync::Mutex::new(Some(arrivals));
            let server = Server::start(move |mut stream| {
                let mut arrivals = arrivals.lock().unwrap().take().unwrap();
                async move {
                    read_request(&mut stream).await.unwrap();
                    let head = concat!(
                        "HTTP/1.1 200 OK\r\ncontent-encoding: ",
                        $coding,
                        "\r\ntransfer-encoding: chunked\r\n\r\n"
                    );
                    stream.write_all(head.as_bytes()).await.unwrap();
                    let mut encoder = $encoder::new(Vec::new());
                    while arrivals.recv().await.is_some() {
                        encoder.write_all(b"data: event\n\n").await.unwrap();
                        encoder.flush().await.unwrap();
                        let piece = std::mem::take(encoder.get_mut());
                        let size = format!("{:x}\r\n", piece.len());
                        let chunk = [size.as_bytes(), &piece, b"\r\n"].concat();
                        stream.write_all(&chunk).await.unwrap();
                    }
                }
            })
            .await;
            let url = format!("http://{}/", server.address);
            let mut body = backend().send(post(&url)).await.unwrap().into_body();
            for _ in 0..20 {
                arrived.send(()).await.unwrap();
                let mut event = Vec::new();
                while !event.ends_with(b"\n\n") {
                    let frame = body.frame().await.unwrap().unwrap();
                    event.extend_from_slice(&frame.into_data().unwrap());
                }
                assert_eq!(event, b"data: event\n\n");
            }
        }
    };
}

streams_events!(an_event_in_a_gzip_stream_is_not_late, GzipEncoder, "gzip");
streams_events!(an_event_in_a_brotli_stream_is_not_late, BrotliEncoder, "br");
streams_events!(
    an_event_in_a_deflate_stream_is_not_late,
    ZlibEncoder,
    "deflate"
);

#[tokio::test]
async fn a_body_that_swells_comes_in_small_pieces() {
    let server = serve("gzip", encode!(GzipEncoder, &[b'x'; 8 << 20])).await;
    let url = format!("http://{}/", server.address);
    let mut body = backend().send(post(&url)).await.unwrap().into_body();
    for _ in 0..50 {
        let data = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(data.len() <= 16 * 1024);
    }
}

#[tokio::test]
async fn what_the_caller_accepts_is_left_alone() {
    let (seen, mut requests) = mpsc::channel(2);
    let server = Server::start(move |mut stream| {
        let seen = seen.clone();
        async move {
            let request = read_request(&mut stream).await.unwrap();
            seen.send(request).await.unwrap();
            let answer = b"HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n";
            stream.write_all(answer).await.unwrap();
        }
    })
    .await;
    let url = format!("http://{}/", server.address);
    let own = Request::post(&url).header(ACCEPT_ENCODING, "identity");
    let own = own.body(Bytes::new()).unwrap();
    for (request, line) in [
        (post(&url), "accept-encoding: gzip, br\r\n"),
        (own, "accept-encoding: identity\r\n"),
    ] {
        let response = backend().send(request).await.unwrap();
        assert_eq!(text(response).await.unwrap(), "");
        assert!(requests.recv().await.unwrap().contains(line));
    }
}
