//! Ways through proxies, which here stand for the server behind them too.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::certificates::{Leaf, authority, file, serve};
use super::server::{Server, answer_all, exchange, read_request, refusing};
use crate::http::{FailureKind, HttpOptions, HyperBackend, Proxy};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";
const LOGIN_WANTED: &[u8] =
    b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";

fn through(proxy: &str) -> HttpOptions {
    // The variables of whoever runs the tests do not count.
    HttpOptions::new()
        .environment(|_name| None)
        .proxy(Proxy::Url(proxy.to_owned()))
}

/// A proxy that wants the login `user:p@ss` if it wants one, and answers as the server inside.
async fn proxy_with_tls(leaf: &Leaf, is_login_wanted: bool) -> Server {
    let acceptor = leaf.acceptor(None, &[]);
    Server::start(move |mut stream| {
        let acceptor = acceptor.clone();
        async move {
            let request = read_request(&mut stream).await.unwrap();
            assert!(request.starts_with("CONNECT far.test:443 HTTP/1.1\r\nHost: far.test:443\r\n"));
            let login = "Proxy-Authorization: Basic dXNlcjpwQHNz\r\n";
            if is_login_wanted && !request.contains(login) {
                stream.write_all(LOGIN_WANTED).await.unwrap();
                return;
            }
            stream
                .write_all(b"HTTP/1.1 200 Established\r\nx: y\r\n\r\n")
                .await
                .unwrap();
            serve(acceptor, stream, OK).await;
        }
    })
    .await
}

#[tokio::test]
async fn https_goes_through_a_proxy_as_a_tunnel() {
    let authority = authority();
    let leaf = Leaf::new(&authority, &["far.test"], |_| {});
    let bundle = file(&authority.pem());
    let server = proxy_with_tls(&leaf, false).await;
    let options = through(&format!("http://{}", server.address)).ca_bundle(bundle.path());
    let backend = HyperBackend::new(options).unwrap();
    for _ in 0..3 {
        let said = exchange(&backend, "https://far.test/mcp").await;
        assert_eq!(said.unwrap(), "hi");
    }
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn a_proxy_behind_tls_leads_to_a_server_behind_tls() {
    let authority = authority();
    let bundle = file(&authority.pem());
    let outer = Leaf::new(&authority, &["localhost"], |_| {}).acceptor(None, &["http/1.1"]);
    let inner = Leaf::new(&authority, &["far.test"], |_| {}).acceptor(None, &[]);
    let server = Server::start(move |stream| {
        let (outer, inner) = (outer.clone(), inner.clone());
        async move {
            let mut stream = outer.accept(stream).await.unwrap();
            read_request(&mut stream).await.unwrap();
            stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n").await.unwrap();
            stream.flush().await.unwrap();
            serve(inner, stream, OK).await;
        }
    })
    .await;
    let options = through(&format!("https://localhost:{}", server.port()));
    let backend = HyperBackend::new(options.ca_bundle(bundle.path())).unwrap();
    let said = exchange(&backend, "https://far.test/").await;
    assert_eq!(said.unwrap(), "hi");
}

#[tokio::test]
async fn a_proxy_gets_the_login_that_is_set_and_its_want_of_one_is_told() {
    let authority = authority();
    let leaf = Leaf::new(&authority, &["far.test"], |_| {});
    let bundle = file(&authority.pem());
    let server = proxy_with_tls(&leaf, true).await;
    let ask = async |login: &str| {
        let options = through(&format!("http://{login}{}", server.address));
        let backend = HyperBackend::new(options.ca_bundle(bundle.path())).unwrap();
        exchange(&backend, "https://far.test/mcp").await
    };
    assert_eq!(ask("user:p%40ss@").await.unwrap(), "hi");
    for (login, said) in [("", "none is set"), ("user:wrong@", "does not accept")] {
        let failure = ask(login).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::ProxyLogin, "{failure}");
        assert!(failure.detail.contains(said), "{failure}");
        assert!(!failure.detail.contains("wrong"), "{failure}");
        assert!(!failure.may_have_arrived);
    }
}

#[tokio::test]
async fn a_proxy_that_does_not_connect_is_told_from_one_that_is_not_there() {
    let server = Server::start(|stream| {
        answer_all(
            stream,
            b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n",
        )
    })
    .await;
    let backend = HyperBackend::new(through(&format!("{}", server.address))).unwrap();
    let failure = exchange(&backend, "https://far.test/").await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Proxy, "{failure}");
    assert!(
        failure.detail.contains("did not connect to far.test:443"),
        "{failure}"
    );
    assert!(failure.detail.contains("502"), "{failure}");

    let (_held, gone) = refusing("127.0.0.1:0").unwrap();
    let backend = HyperBackend::new(through(&gone.to_string())).unwrap();
    let closed = exchange(&backend, "https://far.test/").await.unwrap_err();
    assert_eq!(closed.kind, FailureKind::Proxy, "{closed}");
    assert!(
        closed.detail.contains("(set by `proxy`) cannot be reached"),
        "{closed}"
    );
    assert!(!closed.may_have_arrived);
}

#[tokio::test]
async fn http_is_sent_to_a_proxy_whole_and_to_this_machine_directly() {
    let (seen, mut requests) = mpsc::channel(9);
    let server = Server::start(move |mut stream| {
        let seen = seen.clone();
        async move {
            while let Some(request) = read_request(&mut stream).await {
                let is_known = request.contains("proxy-authorization: Basic dTpw\r\n");
                seen.send(request).await.unwrap();
                let answer = if is_known { OK } else { LOGIN_WANTED };
                stream.write_all(answer).await.unwrap();
            }
        }
    })
    .await;
    let address = server.address;
    let backend = HyperBackend::new(through(&format!("http://u:p@{address}"))).unwrap();
    let said = exchange(&backend, "http://far.test/mcp?a=b").await;
    assert_eq!(said.unwrap(), "hi");
    let request = requests.recv().await.unwrap();
    assert!(
        request.starts_with("POST http://far.test/mcp?a=b HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(request.contains("host: far.test\r\n"), "{request}");

    let own = Server::start(|stream| answer_all(stream, OK)).await;
    let url = format!("http://{}/", own.address);
    assert_eq!(exchange(&backend, &url).await.unwrap(), "hi");
    assert_eq!((own.accepted(), server.accepted()), (1, 1));

    let backend = HyperBackend::new(through(&format!("http://{address}"))).unwrap();
    let failure = exchange(&backend, "http://far.test/").await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::ProxyLogin, "{failure}");
    assert!(!failure.may_have_arrived);
}

/// Takes the part of a SOCKS 5 proxy, and of the server behind it.
async fn socks(mut stream: TcpStream, asked: &[u8], outcome: u8) {
    let mut greeting = [0; 3];
    stream.read_exact(&mut greeting).await.unwrap();
    let [_, _, method] = greeting;
    stream.write_all(&[5, 2]).await.unwrap();
    if method != 2 {
        return;
    }
    let mut login = [0; 5];
    stream.read_exact(&mut login).await.unwrap();
    assert_eq!(&login, b"\x01\x01u\x01p");
    stream.write_all(&[1, 0]).await.unwrap();
    let mut request = vec![0; asked.len()];
    stream.read_exact(&mut request).await.unwrap();
    assert_eq!(request, asked);
    stream
        .write_all(&[5, outcome, 0, 1, 0, 0, 0, 0, 0, 0])
        .await
        .unwrap();
    if outcome == 0 {
        answer_all(stream, OK).await;
    }
}

#[tokio::test]
async fn a_socks_proxy_looks_names_up_and_says_why_it_cannot() {
    const ASKED: &[u8] = b"\x05\x01\x00\x03\x08far.test\x00\x50";
    for (outcome, login, said) in [
        (0, "u:p@", None),
        (
            5,
            "u:p@",
            Some((FailureKind::Proxy, "nothing listens there")),
        ),
        (0, "", Some((FailureKind::ProxyLogin, "none is set"))),
    ] {
        let server = Server::start(move |stream| socks(stream, ASKED, outcome)).await;
        let url = format!("socks5h://{login}{}", server.address);
        let backend = HyperBackend::new(through(&url)).unwrap();
        match (exchange(&backend, "http://far.test/").await, said) {
            (Ok(body), None) => assert_eq!(body, "hi"),
            (Err(failure), Some((kind, said))) => {
                assert_eq!(failure.kind, kind, "{failure}");
                assert!(failure.detail.contains(said), "{failure}");
            }
            (result, said) => panic!("{result:?} {said:?}"),
        }
    }
}

#[tokio::test]
async fn a_socks_proxy_can_be_given_addresses() {
    const ASKED: &[u8] = b"\x05\x01\x00\x01\x0a\x00\x00\x07\x1f\x90";
    let server = Server::start(move |stream| socks(stream, ASKED, 0)).await;
    let backend = HyperBackend::new(through(&format!("socks5://u:p@{}", server.address))).unwrap();
    assert_eq!(
        exchange(&backend, "http://10.0.0.7:8080/").await.unwrap(),
        "hi"
    );
}
