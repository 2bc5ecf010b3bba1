//! A host and a port, as they are written for people.

use std::fmt;

use http::Uri;
use http::uri::{Authority, Scheme};

/// Where a request goes.
#[derive(Clone, Debug)]
pub(super) struct Place {
    authority: Authority,
    pub(super) port: u16,
    pub(super) is_https: bool,
}

impl Place {
    /// `None` if the URL is not one of `http` or `https`.
    pub(super) fn of(uri: &Uri) -> Option<Self> {
        let is_https = uri.scheme() == Some(&Scheme::HTTPS);
        if !is_https && uri.scheme() != Some(&Scheme::HTTP) {
            return None;
        }
        let authority = uri.authority()?.clone();
        let port = authority
            .port_u16()
            .unwrap_or(if is_https { 443 } else { 80 });
        (!authority.host().is_empty()).then_some(Self {
            authority,
            port,
            is_https,
        })
    }

    /// The host as it stands in the URL: an IPv6 address in brackets.
    pub(super) fn host(&self) -> &str {
        self.authority.host()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the authority itself, which may hold a login.
        write!(f, "{}:{}", self.host(), self.port)
    }
}

/// The host without the brackets of an IPv6 address.
pub(super) fn bare(host: &str) -> &str {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}
