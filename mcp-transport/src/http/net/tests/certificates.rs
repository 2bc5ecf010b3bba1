//! Certificates, good and bad ones, and servers that show them.

use std::io::Write as _;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tempfile::NamedTempFile;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio_rustls::TlsAcceptor;

use super::server::answer_all;

pub(super) type Authority = CertifiedIssuer<'static, KeyPair>;

pub(super) fn authority() -> Authority {
    authority_with(|_| {})
}

pub(super) fn authority_with(edit: impl FnOnce(&mut CertificateParams)) -> Authority {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    edit(&mut params);
    Authority::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate and its key.
pub(super) struct Leaf {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    pub(super) cert_pem: String,
    pub(super) key_pem: String,
}

impl Leaf {
    pub(super) fn new(
        authority: &Authority,
        names: &[&str],
        edit: impl FnOnce(&mut CertificateParams),
    ) -> Self {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        edit(&mut params);
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, authority).unwrap();
        Self::of(cert.der().clone(), &key)
    }

    /// The certificate of an authority, shown as that of a server.
    pub(super) fn of_authority(authority: &Authority) -> Self {
        Self::of(authority.der().clone(), authority.key())
    }

    fn of(der: CertificateDer<'static>, key: &KeyPair) -> Self {
        let pem = pem(&der);
        Self {
            chain: vec![der],
            key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            cert_pem: pem,
            key_pem: key.serialize_pem(),
        }
    }

    /// A server with this certificate, which may want one of an authority from its clients.
    pub(super) fn acceptor(&self, clients: Option<&Authority>, alpn: &[&str]) -> TlsAcceptor {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(authority.der().clone()).unwrap();
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let mut config = builder
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .unwrap();
        config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

fn pem(der: &CertificateDer<'_>) -> String {
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

pub(super) fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// Answers all requests inside TLS; where there is no TLS, waits until the client goes, since
/// closing first could cost it the alert.
pub(super) async fn serve(
    acceptor: TlsAcceptor,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: &[u8],
) {
    match acceptor.accept(stream).into_fallible().await {
        Ok(stream) => answer_all(stream, answer).await,
        Err((_error, mut stream)) => {
            let _: std::io::Result<usize> = stream.read_to_end(&mut Vec::new()).await;
        }
    }
}
