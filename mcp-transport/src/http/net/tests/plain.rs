//! HTTP without TLS and without proxies.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{Barrier, mpsc};

use super::server::{Server, answer_all, exchange, post, read_request, refusing};
use crate::http::{Backend as _, FailureKind, HttpOptions, HyperBackend, Proxy};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";

fn backend() -> HyperBackend {
    HyperBackend::new(HttpOptions::new()).unwrap()
}

#[tokio::test]
async fn requests_one_after_another_share_a_connection() {
    let server = Server::start(|stream| answer_all(stream, OK)).await;
    let backend = backend();
    for _ in 0..100 {
        let url = format!("http://{}/mcp", server.address);
        assert_eq!(exchange(&backend, &url).await.unwrap(), "hi");
    }
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
#[expect(
    clippy::print_stderr,
    reason = "a part that is left out should be seen"
)]
async fn localhost_is_found_on_either_family() {
    let has_v6 = refusing("[::1]:0").is_ok();
    for (own, other) in [("127.0.0.1", "[::1]"), ("[::1]", "127.0.0.1")] {
        if own == "[::1]" && !has_v6 {
            eprintln!("not tested: this machine has no IPv6 loopback");
            continue;
        }
        // Nobody else may answer at the same port of the other family.
        let (server, _held) = loop {
            let address = format!("{own}:0");
            let server = Server::start_at(&address, |stream| answer_all(stream, OK)).await;
            let server = server.unwrap();
            match refusing(&format!("{other}:{}", server.port())) {
                Ok(held) => break (server, Some(held)),
                Err(_missing) if !has_v6 => break (server, None),
                Err(_taken) => {}
            }
        };
        let url = format!("http://localhost:{}/", server.port());
        assert_eq!(exchange(&backend(), &url).await.unwrap(), "hi", "{own}");
    }
}

#[tokio::test]
async fn what_goes_wrong_before_a_connection_is_told_apart() {
    let (_held, unused) = refusing("127.0.0.1:0").unwrap();
    let cases = [
        (
            format!("http://{unused}/"),
            FailureKind::Refused,
            unused.to_string(),
        ),
        (
            "http://nowhere.invalid/".to_owned(),
            FailureKind::Resolve,
            "nowhere.invalid".to_owned(),
        ),
        (
            "/mcp".to_owned(),
            FailureKind::Misused,
            "http://".to_owned(),
        ),
        (
            "ftp://x/".to_owned(),
            FailureKind::Misused,
            "http://".to_owned(),
        ),
    ];
    for (url, kind, named) in cases {
        let failure = exchange(&backend(), &url).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{failure}");
        assert!(failure.detail.contains(&named), "{failure}");
        assert!(!failure.may_have_arrived, "{failure}");
    }
}

/// A way in which a server fails to answer, and a part of what is said about it.
const BROKEN: [(&[u8], FailureKind, &str); 4] = [
    (b"", FailureKind::Broken, "closed the connection before"),
    (
        b"HTTP/1.1 200 OK\r\ncontent-le",
        FailureKind::Broken,
        "closed the connection before",
    ),
    (
        b"\x00\x01garbage\r\n\r\n",
        FailureKind::NotHttp,
        "no HTTP (invalid HTTP version parsed); it may speak TLS",
    ),
    (
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf",
        FailureKind::Broken,
        "broke off",
    ),
];

#[tokio::test]
async fn a_response_that_breaks_off_may_belong_to_a_request_that_arrived() {
    for (answer, kind, said) in BROKEN {
        let server = Server::start(move |mut stream| async move {
            read_request(&mut stream).await;
            let _: std::io::Result<()> = stream.write_all(answer).await;
        })
        .await;
        let url = format!("http://user:secret@{}/?key=secret", server.address);
        let failure = exchange(&backend(), &url).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{failure}");
        assert!(failure.may_have_arrived, "{failure}");
        assert!(failure.detail.contains(said), "{failure}");
        assert!(
            failure.detail.contains(&server.address.to_string()),
            "{failure}"
        );
        assert!(!failure.detail.contains("secret"), "{failure}");
    }
}

#[tokio::test]
async fn a_reset_before_the_response_is_a_broken_exchange() {
    let server = Server::start(|mut stream| async move {
        read_request(&mut stream).await;
        // Closing with this set sends a reset.
        rustix::net::sockopt::set_socket_linger(&stream, Some(std::time::Duration::ZERO)).unwrap();
    })
    .await;
    let url = format!("http://{}/", server.address);
    let failure = exchange(&backend(), &url).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Broken, "{failure}");
    assert!(failure.may_have_arrived);
    assert!(failure.detail.contains("reset"), "{failure}");
}

/// A server that says when it got a request and when the client went away.
async fn watcher(answer: &'static [u8]) -> (Server, mpsc::Receiver<&'static str>) {
    let (tell, told) = mpsc::channel(2);
    let server = Server::start(move |mut stream| {
        let tell = tell.clone();
        async move {
            read_request(&mut stream).await.unwrap();
            stream.write_all(answer).await.unwrap();
            tell.send("request").await.unwrap();
            // Ends with an error if the client goes without reading everything.
            let _: std::io::Result<usize> = stream.read_to_end(&mut Vec::new()).await;
            tell.send("gone").await.unwrap();
        }
    })
    .await;
    (server, told)
}

#[tokio::test]
async fn an_exchange_that_is_given_up_closes_its_connection() {
    let backend = backend();
    let (server, mut told) = watcher(b"").await;
    let url = format!("http://{}/", server.address);
    tokio::select! {
        _ = exchange(&backend, &url) => panic!("there is no answer"),
        said = told.recv() => assert_eq!(said, Some("request")),
    }
    assert_eq!(told.recv().await, Some("gone"));

    let (server, mut told) = watcher(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx").await;
    let url = format!("http://{}/", server.address);
    drop(backend.send(post(&url)).await.unwrap());
    assert_eq!(told.recv().await, Some("request"));
    assert_eq!(told.recv().await, Some("gone"));
}

#[tokio::test]
async fn idle_connections_end_with_the_last_clone() {
    let backend = backend();
    let other = backend.clone();
    let (server, mut told) = watcher(OK).await;
    let url = format!("http://{}/", server.address);
    assert_eq!(exchange(&backend, &url).await.unwrap(), "hi");
    assert_eq!(told.recv().await, Some("request"));
    drop(backend);
    assert!(told.try_recv().is_err());
    drop(other);
    assert_eq!(told.recv().await, Some("gone"));
}

#[tokio::test]
async fn no_more_idle_connections_are_kept_than_allowed() {
    let backend = HyperBackend::new(HttpOptions::new().idle_max(2)).unwrap();
    let together = Arc::new(Barrier::new(5));
    let (tell, mut told) = mpsc::channel(5);
    let server = Server::start(move |mut stream| {
        let (together, tell) = (Arc::clone(&together), tell.clone());
        async move {
            read_request(&mut stream).await.unwrap();
            together.wait().await;
            stream.write_all(OK).await.unwrap();
            stream.read_to_end(&mut Vec::new()).await.unwrap();
            tell.send(()).await.unwrap();
        }
    })
    .await;
    let url = format!("http://{}/", server.address);
    let burst = (0..5).map(|_| exchange(&backend, &url));
    for said in futures_util::future::join_all(burst).await {
        assert_eq!(said.unwrap(), "hi");
    }
    for _ in 0..3 {
        assert_eq!(told.recv().await, Some(()));
    }
    assert!(told.try_recv().is_err());
    drop(backend);
    for _ in 0..2 {
        assert_eq!(told.recv().await, Some(()));
    }
}

#[test]
fn options_show_no_password() {
    let options = HttpOptions::new().proxy(Proxy::Url("http://u:hidden@p:1".to_owned()));
    assert!(!format!("{options:?}").contains("hidden"));
}
