//! Certificates, names, and what is said when they do not fit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Response, Version};
use rcgen::{DnType, date_time_ymd};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt as _;

use super::super::tls::Tls;
use super::certificates::{Authority, Leaf, authority, authority_with, file, serve};
use super::server::{Server, exchange, post, text};
use crate::http::{Backend as _, Failure, FailureKind, HttpOptions, HyperBackend};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";

fn bundle(authority: &Authority) -> NamedTempFile {
    file(&authority.pem())
}

/// Serves a certificate once and asks for it as `localhost`.
async fn ask(leaf: &Leaf, options: HttpOptions) -> Result<String, Failure> {
    let acceptor = leaf.acceptor(None, &[]);
    let server = Server::start(move |stream| serve(acceptor.clone(), stream, OK)).await;
    let backend = HyperBackend::new(options).unwrap();
    exchange(&backend, &format!("https://localhost:{}/", server.port())).await
}

async fn refusal(leaf: &Leaf, options: HttpOptions) -> FailureKind {
    let failure = ask(leaf, options).await.unwrap_err();
    assert!(!failure.may_have_arrived, "{failure}");
    assert!(failure.detail.contains("localhost:"), "{failure}");
    assert!(
        failure
            .advice()
            .is_some_and(|advice| advice.contains("ssl_verify"))
    );
    failure.kind
}

#[tokio::test]
async fn a_named_authority_is_trusted_and_others_are_not() {
    let authority = authority();
    let leaf = Leaf::new(&authority, &["localhost"], |_| {});
    let file = bundle(&authority);
    let options = HttpOptions::new().ca_bundle(file.path());
    assert_eq!(ask(&leaf, options).await.unwrap(), "hi");
    let kind = refusal(&leaf, HttpOptions::new()).await;
    assert_eq!(kind, FailureKind::CertificateUntrusted);
}

#[tokio::test]
async fn dates_and_names_are_told_apart() {
    let authority = authority();
    let file = bundle(&authority);
    let options = || HttpOptions::new().ca_bundle(file.path());
    let expired = Leaf::new(&authority, &["localhost"], |params| {
        params.not_after = date_time_ymd(2001, 1, 1);
    });
    assert_eq!(
        refusal(&expired, options()).await,
        FailureKind::CertificateExpired
    );
    let early = Leaf::new(&authority, &["localhost"], |params| {
        params.not_before = date_time_ymd(4000, 1, 1);
    });
    assert_eq!(
        refusal(&early, options()).await,
        FailureKind::CertificateExpired
    );
    let other = Leaf::new(&authority, &["other.test"], |_| {});
    assert_eq!(
        refusal(&other, options()).await,
        FailureKind::CertificateName
    );
    for leaf in [expired, early, other] {
        let unchecked = HttpOptions::new().verify(false);
        assert_eq!(ask(&leaf, unchecked).await.unwrap(), "hi");
    }
}

#[tokio::test]
async fn a_self_signed_authority_serves_if_it_is_named() {
    let authority = authority();
    let leaf = Leaf::of_authority(&authority);
    let kind = refusal(&leaf, HttpOptions::new()).await;
    assert_eq!(kind, FailureKind::CertificateUntrusted);
    let file = bundle(&authority);
    let options = HttpOptions::new().ca_bundle(file.path());
    assert_eq!(ask(&leaf, options.clone()).await.unwrap(), "hi");
    // Within its dates only.
    let late = authority_with(|params| params.not_after = date_time_ymd(2001, 1, 1));
    let late_bundle = bundle(&late);
    let late_options = HttpOptions::new().ca_bundle(late_bundle.path());
    let kind = refusal(&Leaf::of_authority(&late), late_options).await;
    assert_eq!(kind, FailureKind::CertificateExpired);
    // For its names only.
    let acceptor = leaf.acceptor(None, &[]);
    let server = Server::start(move |stream| serve(acceptor.clone(), stream, OK)).await;
    let backend = HyperBackend::new(options).unwrap();
    let failure = exchange(&backend, &format!("https://{}/", server.address)).await;
    assert_eq!(failure.unwrap_err().kind, FailureKind::CertificateName);
}

#[tokio::test]
async fn a_client_certificate_is_shown_to_a_server_that_wants_one() {
    let authority = authority();
    let leaf = Leaf::new(&authority, &["localhost"], |_| {});
    let acceptor = leaf.acceptor(Some(&authority), &[]);
    let server = Server::start(move |stream| serve(acceptor.clone(), stream, OK)).await;
    let url = format!("https://localhost:{}/", server.port());
    let bundle = bundle(&authority);
    let options = || HttpOptions::new().ca_bundle(bundle.path());

    let us = Leaf::new(&authority, &["client"], |_| {});
    let (cert, key) = (file(&us.cert_pem), file(&us.key_pem));
    let both = file(&format!("{}{}", us.key_pem, us.cert_pem));
    for options in [
        options().client_cert(cert.path()).client_key(key.path()),
        options().client_cert(both.path()),
    ] {
        let backend = HyperBackend::new(options).unwrap();
        assert_eq!(exchange(&backend, &url).await.unwrap(), "hi");
    }

    let backend = HyperBackend::new(options()).unwrap();
    let failure = exchange(&backend, &url).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::ClientCertificate, "{failure}");
    assert!(!failure.may_have_arrived);
    assert!(failure.detail.contains("none is set"), "{failure}");

    let strangers = authority_with(|params| {
        params
            .distinguished_name
            .push(DnType::CommonName, "strangers");
    });
    let stranger = Leaf::new(&strangers, &["client"], |_| {});
    let both = file(&format!("{}{}", stranger.key_pem, stranger.cert_pem));
    let backend = HyperBackend::new(options().client_cert(both.path())).unwrap();
    let failure = exchange(&backend, &url).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::ClientCertificate, "{failure}");
    assert!(failure.detail.contains("does not accept"), "{failure}");
}

#[test]
fn files_that_cannot_be_used_are_named_with_their_setting() {
    let authority = authority();
    let leaf = Leaf::new(&authority, &["client"], |_| {});
    let other = Leaf::new(&authority, &["client"], |_| {});
    let (cert, key, empty) = (file(&leaf.cert_pem), file(&other.key_pem), file(""));
    let options = HttpOptions::new;
    let cases = [
        (
            options().ca_bundle("/nonexistent/ca.pem"),
            "of `ssl_verify` cannot be read",
        ),
        (
            options().ca_bundle(empty.path()),
            "of `ssl_verify` holds no certificate",
        ),
        (options().client_key(key.path()), "without `client_cert`"),
        (
            options().client_cert(cert.path()),
            "of `client_cert` holds no private key",
        ),
        (
            options().client_cert(cert.path()).client_key(empty.path()),
            "of `client_key` holds no private key",
        ),
        (
            options().client_cert(cert.path()).client_key(key.path()),
            "and its key",
        ),
    ];
    for (options, said) in cases {
        let failure = HyperBackend::new(options).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Misused);
        assert!(failure.detail.contains(said), "{failure}");
    }
}

#[tokio::test]
async fn what_is_no_tls_is_said_to_be_none() {
    let server = Server::start(|mut stream| async move {
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .await
            .unwrap();
        std::future::pending().await
    })
    .await;
    let backend = HyperBackend::new(HttpOptions::new()).unwrap();
    let url = format!("https://{}/", server.address);
    let failure = exchange(&backend, &url).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotTls, "{failure}");
    assert!(failure.detail.contains("plain http"), "{failure}");
    assert!(!failure.may_have_arrived);
}

#[tokio::test]
async fn a_server_that_never_shakes_hands_is_given_up() {
    let server = Server::start(|stream| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let options = HttpOptions::new().connect_timeout(Duration::from_millis(300));
    let backend = HyperBackend::new(options).unwrap();
    let url = format!("https://{}/", server.address);
    let failure = exchange(&backend, &url).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::ConnectTimeout, "{failure}");
    assert!(failure.detail.contains("300ms"), "{failure}");
    assert!(failure.detail.contains("plain http"), "{failure}");
    assert!(!failure.may_have_arrived);
}

/// Speaks HTTP/2 and refuses what is sent to `/refuse`.
async fn h2_server(leaf: &Leaf) -> Server {
    let acceptor = leaf.acceptor(None, &["h2", "http/1.1"]);
    Server::start(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let Ok(mut connection) = h2::server::handshake(stream).await else {
                return;
            };
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                if request.uri().path() == "/refuse" {
                    respond.send_reset(h2::Reason::REFUSED_STREAM);
                    continue;
                }
                let mut stream = respond.send_response(Response::new(()), false).unwrap();
                stream.send_data(Bytes::from_static(b"hi"), true).unwrap();
            }
        }
    })
    .await
}

#[tokio::test]
async fn http_2_is_spoken_where_the_server_can_and_a_refused_stream_has_not_arrived() {
    let authority = authority();
    let leaf = Leaf::new(&authority, &["localhost"], |_| {});
    let server = h2_server(&leaf).await;
    let file = bundle(&authority);
    let backend = HyperBackend::new(HttpOptions::new().ca_bundle(file.path())).unwrap();
    let url = format!("https://localhost:{}", server.port());
    for _ in 0..10 {
        let response = backend.send(post(&url)).await.unwrap();
        assert_eq!(response.version(), Version::HTTP_2);
        assert_eq!(text(response).await.unwrap(), "hi");
    }
    let burst = (0..50).map(|_| exchange(&backend, &url));
    for said in futures_util::future::join_all(burst).await {
        assert_eq!(said.unwrap(), "hi");
    }
    let failure = exchange(&backend, &format!("{url}/refuse"))
        .await
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::Broken, "{failure}");
    assert!(!failure.may_have_arrived, "{failure}");
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn requests_that_all_come_first_share_the_connection_that_wins() {
    let authority = authority();
    let leaf = Leaf::new(&authority, &["localhost"], |_| {});
    let server = h2_server(&leaf).await;
    let file = bundle(&authority);
    let backend = HyperBackend::new(HttpOptions::new().ca_bundle(file.path())).unwrap();
    let url = format!("https://localhost:{}", server.port());
    let burst = (0..50).map(|_| exchange(&backend, &url));
    for said in futures_util::future::join_all(burst).await {
        assert_eq!(said.unwrap(), "hi");
    }
}

#[test]
fn backends_with_the_same_settings_share_their_tls() {
    let authority = authority();
    let file = bundle(&authority);
    let options = HttpOptions::new().ca_bundle(file.path());
    let (one, two) = (Tls::new(&options).unwrap(), Tls::new(&options).unwrap());
    assert!(Arc::ptr_eq(&one, &two));
    std::fs::write(file.path(), authority_pem()).unwrap();
    assert!(!Arc::ptr_eq(&one, &Tls::new(&options).unwrap()));
}

fn authority_pem() -> String {
    authority().pem()
}
