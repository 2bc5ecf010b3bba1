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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_without_logins_and_with_their_port() {
        for (url, written) in [
            ("http://example.test/mcp", "example.test:80"),
            ("http://[::1]:8080", "[::1]:8080"),
            ("http://user:secret@example.test", "example.test:80"),
            ("https://example.test", "example.test:443"),
        ] {
            let place = Place::of(&url.parse().unwrap()).unwrap();
            assert_eq!(place.to_string(), written);
        }
        for url in ["/mcp", "ftp://x/", "*"] {
            assert!(Place::of(&url.parse().unwrap()).is_none(), "{url}");
        }
    }
}
