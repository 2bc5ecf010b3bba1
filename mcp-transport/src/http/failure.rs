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

    /// What may help; see [`FailureKind::advice`].
    pub fn advice(&self) -> Option<&'static str> {
        self.kind.advice()
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

impl FailureKind {
    /// What may help, in the words of a configuration file; `None` if no setting can.
    pub fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::CertificateExpired => {
                "renew the certificate, or set the clock of this machine; \
                 `ssl_verify: false` turns the check off"
            }
            Self::CertificateName => {
                "use a name of the certificate in `url`; `ssl_verify: false` turns the check off"
            }
            Self::CertificateUntrusted => {
                "name a PEM file with the certificate of the authority in `ssl_verify`; \
                 `ssl_verify: false` turns the check off"
            }
            Self::ClientCertificate => {
                "name the files of the certificate and its key in `client_cert` and `client_key`"
            }
            Self::ConnectTimeout | Self::Unreachable => {
                "check host and port of `url`; if there is a proxy on the way, set `proxy`"
            }
            Self::Proxy => {
                "check `proxy` or the variables HTTP_PROXY and HTTPS_PROXY; NO_PROXY lists hosts \
                 that need none"
            }
            Self::ProxyLogin => {
                "put the login into the URL of the proxy, as in http://user:password@host:port"
            }
            Self::Redirect => "set `url` to where the server redirects",
            Self::Refused => "start the server, or check the port of `url`",
            Self::Resolve => {
                "check the host name in `url`; if only a proxy can look it up, set `proxy`"
            }
            Self::Tls => "check whether `url` should begin with http:// instead of https://",
            Self::Broken | Self::Encoding | Self::Misused => return None,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_the_setting_that_may_help() {
        for (kind, setting) in [
            (FailureKind::CertificateExpired, "ssl_verify"),
            (FailureKind::CertificateName, "url"),
            (FailureKind::CertificateUntrusted, "PEM"),
            (FailureKind::ClientCertificate, "client_cert"),
            (FailureKind::Proxy, "NO_PROXY"),
            (FailureKind::ProxyLogin, "user:password@"),
            (FailureKind::Refused, "url"),
            (FailureKind::Resolve, "proxy"),
            (FailureKind::Tls, "http://"),
        ] {
            let advice = kind.advice().unwrap();
            assert!(advice.contains(setting), "{advice}");
        }
        assert_eq!(FailureKind::Broken.advice(), None);
    }
}
