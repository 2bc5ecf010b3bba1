//! Why an HTTP exchange failed below the protocol, and which setting may help.

use std::fmt;

/// Why a request got no response, or a response broke off.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// The particulars, for people; no credentials, no header values.
    pub detail: String,
    /// Whether the server may have received the request.
    pub may_have_arrived: bool,
}

/// What went wrong below the protocol.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The response broke off, or was no HTTP.
    Broken,
    /// The certificate of the server has expired, or is not valid yet.
    CertificateExpired,
    /// The certificate of the server is for other names.
    CertificateName,
    /// The certificate of the server comes from an authority that is not trusted.
    CertificateUntrusted,
    /// The server wants a certificate of us, or does not accept ours.
    ClientCertificate,
    /// Connecting took too long.
    ConnectTimeout,
    /// The body cannot be decoded as its `Content-Encoding` says.
    Encoding,
    /// The request cannot be made: its URL, a header, or the settings of TLS or of the proxy.
    Misused,
    /// The proxy could not be reached, or refused to connect to the server.
    Proxy,
    /// The proxy wants a name and a password.
    ProxyLogin,
    /// The server redirects to where the request cannot follow.
    Redirect,
    /// Nothing listens at the address.
    Refused,
    /// The name of the server has no address.
    Resolve,
    /// TLS failed in another way.
    Tls,
    /// The network has no way there.
    Unreachable,
}

impl Failure {
    /// A failure before anything of the request could have left.
    pub fn unsent(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            may_have_arrived: false,
        }
    }

    /// What may help, in the words of a configuration file; `None` if no setting can.
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self.kind {
            FailureKind::CertificateExpired => {
                "renew the certificate, or set the clock of this machine; \
                 `ssl_verify: false` turns the check off"
            }
            FailureKind::CertificateName => {
                "use a name of the certificate in `url`; `ssl_verify: false` turns the check off"
            }
            FailureKind::CertificateUntrusted => {
                "name a file with the certificate of the authority in `ca_bundle`; \
                 `ssl_verify: false` turns the check off"
            }
            FailureKind::ClientCertificate => {
                "name the files of the certificate and its key in `client_cert` and `client_key`"
            }
            FailureKind::ConnectTimeout | FailureKind::Unreachable => {
                "check host and port of `url`; if there is a proxy on the way, set `proxy`"
            }
            FailureKind::Proxy => {
                "check `proxy` or the variables HTTP_PROXY and HTTPS_PROXY; NO_PROXY lists hosts \
                 that need none"
            }
            FailureKind::ProxyLogin => {
                "put the login into the URL of the proxy, as in http://user:password@host:port"
            }
            FailureKind::Redirect => "set `url` to where the server redirects",
            FailureKind::Refused => "start the server, or check the port of `url`",
            FailureKind::Resolve => {
                "check the host name in `url`; if only a proxy can look it up, set `proxy`"
            }
            FailureKind::Tls => "check whether `url` should begin with http:// instead of https://",
            FailureKind::Broken | FailureKind::Encoding | FailureKind::Misused => return None,
        })
    }

    /// A failure after which the request may have arrived.
    pub fn maybe_sent(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            may_have_arrived: true,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Failure {}
