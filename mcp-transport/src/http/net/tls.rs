//! The settings of TLS: files read and checked, configurations shared and made when first needed.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use tokio::sync::OnceCell;

use super::HttpOptions;
use super::trust;
use crate::http::{Failure, FailureKind};

/// What sets one configuration of TLS apart from another: contents of files, not their names, so
/// that changed files make another configuration.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Settings {
    /// Authorities that are trusted beside those of the system.
    pub(super) authorities: Vec<CertificateDer<'static>>,
    /// Who we are, if servers want to know.
    identity: Option<Identity>,
    /// Whether any certificate will do.
    pub(super) is_anyone_trusted: bool,
}

#[derive(Debug, Eq, PartialEq)]
struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

/// TLS as one set of settings has it.
#[derive(Debug)]
pub(super) struct Tls {
    settings: Arc<Settings>,
    configs: OnceCell<Configs>,
}

/// The same trust for two sorts of peers.
#[derive(Clone, Debug)]
pub(super) struct Configs {
    /// For servers: HTTP/2 or HTTP/1.1, and they may see who we are.
    pub(super) server: Arc<ClientConfig>,
    /// For proxies: HTTP/1.1 only, since that is how they are asked.
    pub(super) proxy: Arc<ClientConfig>,
}

/// The configurations in use, so that backends with the same settings share one.
// Bound: what no backend holds is cleared out with each new one.
static SHARED: Mutex<Vec<Weak<Tls>>> = Mutex::new(Vec::new());

impl Tls {
    /// Reads the files that the options name.
    pub(super) fn new(options: &HttpOptions) -> Result<Arc<Self>, Failure> {
        let settings = Settings::read(options)?;
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.retain(|tls| tls.strong_count() > 0);
        let same = shared
            .iter()
            .filter_map(Weak::upgrade)
            .find(|tls| *tls.settings == settings);
        Ok(same.unwrap_or_else(|| {
            let tls = Arc::new(Self {
                settings: Arc::new(settings),
                configs: OnceCell::new(),
            });
            shared.push(Arc::downgrade(&tls));
            tls
        }))
    }

    /// The configurations; made at first use, since the authorities of the system take some
    /// milliseconds to read, which a process without servers behind TLS need not spend.
    pub(super) async fn configs(&self) -> Result<&Configs, Failure> {
        let make = || async {
            let settings = Arc::clone(&self.settings);
            let made = tokio::task::spawn_blocking(move || trust::configs(&settings)).await;
            made.unwrap_or_else(|error| Err(misused(format!("TLS could not be set up: {error}"))))
        };
        self.configs.get_or_try_init(make).await
    }
}

impl Settings {
    fn read(options: &HttpOptions) -> Result<Self, Failure> {
        let authorities = match &options.ca_bundle {
            Some(path) => certificates("ssl_verify", path)?,
            None => Vec::new(),
        };
        for authority in &authorities {
            trust::usable(authority).map_err(|error| {
                let path = options
                    .ca_bundle
                    .as_deref()
                    .unwrap_or_else(|| Path::new(""));
                misused(format!(
                    "a certificate in the file `{}` of `ssl_verify` cannot be used: {error}",
                    path.display()
                ))
            })?;
        }
        let settings = Self {
            authorities,
            identity: identity(options)?,
            is_anyone_trusted: !options.is_verifying,
        };
        // Whether certificate and key belong together shows now and not at the first connection.
        settings.certified()?;
        Ok(settings)
    }

    /// Our certificate with its key, ready to sign.
    pub(super) fn certified(&self) -> Result<Option<CertifiedKey>, Failure> {
        let Some(identity) = &self.identity else {
            return Ok(None);
        };
        let key = identity.key.clone_key();
        CertifiedKey::from_der(identity.chain.clone(), key, &ring::default_provider())
            .map(Some)
            .map_err(|error| {
                misused(format!(
                    "the certificate of `client_cert` and its key cannot be used: {error}"
                ))
            })
    }
}

fn identity(options: &HttpOptions) -> Result<Option<Identity>, Failure> {
    let (cert, key) = match (&options.client_cert, &options.client_key) {
        (None, None) => return Ok(None),
        (None, Some(_key)) => {
            return Err(misused("`client_key` is set without `client_cert`"));
        }
        // The key may stand in the same file.
        (Some(cert), None) => (cert, cert),
        (Some(cert), Some(key)) => (cert, key),
    };
    let chain = certificates("client_cert", cert)?;
    let setting = if cert == key {
        "client_cert"
    } else {
        "client_key"
    };
    let key = PrivateKeyDer::from_pem_slice(&read(setting, key)?).map_err(|_no_key| {
        misused(format!(
            "the file `{}` of `{setting}` holds no private key in PEM",
            key.display()
        ))
    })?;
    Ok(Some(Identity { chain, key }))
}

fn certificates(setting: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let pem = read(setting, path)?;
    let parsed: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match parsed {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(misused(format!(
            "the file `{}` of `{setting}` holds no certificate in PEM",
            path.display()
        ))),
    }
}

fn read(setting: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| {
        misused(format!(
            "the file `{}` of `{setting}` cannot be read: {error}",
            path.display()
        ))
    })
}

pub(super) fn misused(detail: impl Into<String>) -> Failure {
    Failure::unsent(FailureKind::Misused, detail)
}
