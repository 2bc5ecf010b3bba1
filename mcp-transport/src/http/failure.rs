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
    /// The response broke off.
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
    /// What answers does not speak HTTP.
    NotHttp,
    /// What answers does not speak TLS.
    NotTls,
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
    /// TLS is spoken and failed in another way.
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
    /// A word for programs; it never changes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::CertificateExpired => "certificate_expired",
            Self::CertificateName => "certificate_name",
            Self::CertificateUntrusted => "certificate_untrusted",
            Self::ClientCertificate => "client_certificate",
            Self::ConnectTimeout => "connect_timeout",
            Self::Encoding => "encoding",
            Self::Misused => "misused",
            Self::NotHttp => "not_http",
            Self::NotTls => "not_tls",
            Self::Proxy => "proxy",
            Self::ProxyLogin => "proxy_login",
            Self::Redirect => "redirect",
            Self::Refused => "refused",
            Self::Resolve => "resolve",
            Self::Tls => "tls",
            Self::Unreachable => "unreachable",
        }
    }

    /// What may help, in the words of a configuration file; `None` if no setting can.
    pub fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::CertificateExpired => {
                "renew the certificate, or correct the clock of this machine; \
                 `ssl_verify: false` turns the check off"
            }
            Self::CertificateName => {
                "use a name of the certificate in `url`; `ssl_verify: false` turns the check off"
            }
            Self::CertificateUntrusted => {
                "name a PEM file with that certificate, or with its authority's, in `ssl_verify`; \
                 `ssl_verify: false` turns the check off"
            }
            Self::ClientCertificate => {
                "name the files of the certificate and its key in `client_cert` and `client_key`"
            }
            Self::ConnectTimeout | Self::Unreachable => {
                "check host and port of `url`; if there is a proxy on the way, set `proxy`"
            }
            Self::NotHttp => {
                "check the port of `url`, and whether it should begin with https:// instead of \
                 http://"
            }
            Self::NotTls => "check whether `url` should begin with http:// instead of https://",
            Self::Proxy => {
                "check the proxy where it is set; NO_PROXY lists hosts that need none, and \
                 `proxy: none` does without"
            }
            Self::ProxyLogin => {
                "put the right login into the URL of the proxy, as in \
                 http://user:password@host:port"
            }
            Self::Redirect => "set `url` to where the server redirects",
            Self::Refused => "start the server, or check the port of `url`",
            Self::Resolve => {
                "check the host name in `url`; if only a proxy can look it up, set `proxy`"
            }
            Self::Tls => {
                "check which versions of TLS the server speaks, and name a certificate in \
                 `client_cert` if it wants one"
            }
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
            (FailureKind::NotHttp, "https://"),
            (FailureKind::NotTls, "http://"),
            (FailureKind::Tls, "client_cert"),
        ] {
            let advice = kind.advice().unwrap();
            assert!(advice.contains(setting), "{advice}");
        }
        assert_eq!(FailureKind::Broken.advice(), None);
    }
}
