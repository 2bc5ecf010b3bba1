//! Which certificates are believed.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::sign::SingleCertAndKey;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use super::tls::{Configs, Settings, misused};
use crate::http::Failure;

/// Whether a certificate can serve as an authority.
pub(super) fn usable(certificate: &CertificateDer<'static>) -> Result<(), Error> {
    RootCertStore::empty().add(certificate.clone())
}

/// Makes the configurations that settings ask for; reads the system's authorities, and blocks
/// meanwhile.
pub(super) fn configs(settings: &Settings) -> Result<Configs, Failure> {
    let provider = Arc::new(ring::default_provider());
    let verifier = verifier(settings, &provider)
        .map_err(|error| misused(format!("no authority can be trusted: {error}")))?;
    let builder = || {
        ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map(|builder| {
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::clone(&verifier))
            })
            .map_err(|error| misused(format!("TLS could not be set up: {error}")))
    };
    let mut server = match settings.certified()? {
        Some(certified) => {
            let only = SingleCertAndKey::from(certified);
            builder()?.with_client_cert_resolver(Arc::new(only))
        }
        None => builder()?.with_no_client_auth(),
    };
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut proxy = builder()?.with_no_client_auth();
    proxy.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Configs {
        server: Arc::new(server),
        proxy: Arc::new(proxy),
    })
}

fn verifier(
    settings: &Settings,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, rustls::client::VerifierBuilderError> {
    let schemes = provider
        .signature_verification_algorithms
        .supported_schemes();
    if settings.is_anyone_trusted {
        return Ok(Arc::new(Anyone(schemes)));
    }
    let mut roots = RootCertStore::empty();
    // What the system has and we cannot read is of no use to us, and no reason to give up.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots.add_parsable_certificates(settings.authorities.iter().cloned());
    let by_authority =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
            .build()?;
    Ok(Arc::new(Known {
        by_authority,
        named: settings.authorities.clone(),
    }))
}

/// Believes the authorities, and certificates that the user named themselves.
#[derive(Debug)]
struct Known {
    by_authority: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Known {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = self.by_authority.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verdict {
            // Interop: what `openssl req -x509` makes calls itself an authority and serves as the
            // certificate of a server too; its dates were looked at before that is objected to.
            // `a_self_signed_authority_serves_if_it_is_named` holds it to that.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if self.named.iter().any(|named| named == end_entity) =>
            {
                let parsed = ParsedCertificate::try_from(end_entity)?;
                rustls::client::verify_server_name(&parsed, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_authority.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_authority.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_authority.supported_verify_schemes()
    }
}

/// Believes whoever answers, as the user asked.
///
/// Signatures are not looked at either: whoever can come between can make a certificate of their
/// own, and certificates too odd to be parsed are one reason to ask for this.
#[derive(Debug)]
struct Anyone(Vec<SignatureScheme>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.clone()
    }
}
