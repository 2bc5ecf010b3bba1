//! Where a server is and what every request to it carries.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::uri::Scheme;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use url::Url;

use super::Authorizer;
use crate::redact::Redactor;

/// Headers that the transport writes itself.
const OWN: [HeaderName; 6] = [
    header::ACCEPT,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::HOST,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
];

/// The address of a server, the headers of its requests, and who has its credentials.
#[derive(Clone)]
pub struct Target {
    pub(super) url: Uri,
    pub(super) headers: HeaderMap,
    /// The `Host` header, if it is the same over every connection.
    pub(super) host: Option<HeaderValue>,
    pub(super) authorizer: Option<Arc<dyn Authorizer>>,
    pub(super) redactor: Redactor,
}

/// Why an address or a header cannot be used.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TargetError {
    /// The text is no URL.
    NotAUrl(String),
    /// The URL is neither `http` nor `https`, or names no host.
    Scheme(String),
    /// The name of a header has characters that none may have.
    HeaderName(String),
    /// The value of the header of this name holds a line break or another control character.
    HeaderValue(String),
    /// The transport writes the header of this name itself.
    OwnHeader(String),
}

impl Target {
    /// The server at `url`; a user and a password in it become an `Authorization` header.
    ///
    /// # Errors
    ///
    /// If `url` is no absolute `http` or `https` URL.
    pub fn new(url: &str) -> Result<Self, TargetError> {
        let mut parsed =
            Url::parse(url.trim()).map_err(|error| TargetError::NotAUrl(error.to_string()))?;
        // What browsers guess of `http:name` is not what its writer meant.
        let rest = url.trim().get(parsed.scheme().len()..).unwrap_or_default();
        let is_http = matches!(parsed.scheme(), "http" | "https") && rest.starts_with("://");
        if !is_http || parsed.host_str().is_none() {
            return Err(TargetError::Scheme(parsed.scheme().to_owned()));
        }
        let mut headers = HeaderMap::new();
        if let Some(login) = login(&parsed) {
            headers.insert(header::AUTHORIZATION, login);
        }
        // Neither can fail for a URL with a host.
        let _: Result<(), ()> = parsed.set_username("");
        let _: Result<(), ()> = parsed.set_password(None);
        parsed.set_fragment(None);
        let url = parsed.as_str();
        let url = url
            .parse::<Uri>()
            .map_err(|error| TargetError::NotAUrl(error.to_string()))?;
        Ok(Self {
            host: host_header(&url),
            url,
            headers,
            authorizer: None,
            redactor: Redactor::new(),
        })
    }

    /// Adds a header to every request.
    ///
    /// # Errors
    ///
    /// If no request may carry it; the error names the header and never its value.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, TargetError> {
        let header: HeaderName = name
            .parse()
            .map_err(|_invalid| TargetError::HeaderName(name.to_owned()))?;
        if OWN.contains(&header) {
            return Err(TargetError::OwnHeader(name.to_owned()));
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_invalid| TargetError::HeaderValue(name.to_owned()))?;
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(self)
    }

    /// Names who has the credentials.
    #[must_use]
    pub fn with_authorizer(mut self, authorizer: Arc<dyn Authorizer>) -> Self {
        self.authorizer = Some(authorizer);
        self
    }

    /// Names the credentials that are hidden in what errors show of a reply. What looks like one
    /// is hidden by default.
    #[must_use]
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// The URL, without credentials.
    pub fn url(&self) -> &Uri {
        &self.url
    }
}

/// The `Host` header of a request in plain HTTP, where it is the authority as it stands.
///
/// The pool makes one for each request that has none. Over HTTP/2, which TLS may turn out to carry,
/// there should be none at all.
fn host_header(url: &Uri) -> Option<HeaderValue> {
    let authority = url.authority()?;
    let is_usable = url.scheme() == Some(&Scheme::HTTP) && authority.port_u16() != Some(80);
    let host = is_usable.then(|| HeaderValue::from_str(authority.as_str()));
    host.and_then(Result::ok)
}

/// Spec: RFC 7617. What stands in the URL is percent-encoded.
fn login(url: &Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let plain = |text: &str| percent_decode(text.as_bytes());
    let mut pair = plain(url.username());
    pair.push(b':');
    pair.extend(plain(url.password().unwrap_or_default()));
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn percent_decode(text: &[u8]) -> Vec<u8> {
    percent_encoding::percent_decode(text).collect()
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.keys().map(HeaderName::as_str).collect();
        f.debug_struct("Target")
            .field("url", &Shown(&self.url))
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

/// A URL for people: without a login and without its query, in which keys and sessions stand.
pub(super) struct Shown<'a>(pub(super) &'a Uri);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.0.scheme_str().unwrap_or_default();
        let host = self.0.host().unwrap_or_default();
        write!(f, "{scheme}://{host}")?;
        if let Some(port) = self.0.port() {
            write!(f, ":{port}")?;
        }
        let query = self.0.query().map_or("", |_query| "?…");
        write!(f, "{}{query}", self.0.path())
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAUrl(why) => write!(f, "the url cannot be read: {why}"),
            Self::Scheme(scheme) => write!(
                f,
                "the url has to begin with http:// or https:// and name a host, not {scheme}:"
            ),
            Self::HeaderName(name) => {
                write!(f, "{name:?} cannot be the name of a header")
            }
            Self::HeaderValue(name) => write!(
                f,
                "the value of the header {name} holds a line break or another control character"
            ),
            Self::OwnHeader(name) => {
                write!(f, "the header {name} is written by the transport itself")
            }
        }
    }
}

impl std::error::Error for TargetError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_stated_where_it_is_the_same_over_every_connection() {
        for (url, stated) in [
            ("http://example.test/mcp", Some("example.test")),
            ("http://example.test:8080", Some("example.test:8080")),
            ("http://[::1]:8080", Some("[::1]:8080")),
            ("http://user:secret@example.test", Some("example.test")),
            // The port that goes without saying is left out of the URL.
            ("http://example.test:80", Some("example.test")),
            ("https://example.test", None),
        ] {
            let host = Target::new(url).unwrap().host;
            assert_eq!(host.as_ref().map(|host| host.to_str().unwrap()), stated);
        }
    }

    #[test]
    fn a_login_in_the_url_becomes_a_header_and_is_shown_nowhere() {
        let target = Target::new("https://user:p%40ss@example.test/mcp#part").unwrap();
        assert_eq!(target.url(), "https://example.test/mcp");
        assert_eq!(target.headers["authorization"], "Basic dXNlcjpwQHNz");
        assert!(!format!("{target:?}").contains("dXNl"));
    }

    #[test]
    fn a_path_may_hold_what_separates_a_login_elsewhere() {
        let target = Target::new("HTTP://example.test/@scope/user:pw@place").unwrap();
        assert_eq!(target.url(), "http://example.test/@scope/user:pw@place");
        assert!(!target.headers.contains_key("authorization"));
    }

    #[test]
    fn the_query_of_a_url_is_not_shown() {
        let target = Target::new("https://[::1]:8443/mcp?api_key=hidden").unwrap();
        let shown = format!("{target:?}");
        assert!(shown.contains("https://[::1]:8443/mcp?…"), "{shown}");
        assert!(!shown.contains("hidden"), "{shown}");
    }

    #[test]
    fn what_is_no_url_of_http_is_refused() {
        for url in [
            "",
            "example.test",
            "ftp://example.test",
            "http:example.test",
            "http:9/user:pw@[::0]:80/mcp?a=b#c",
            "http:/example.test",
            "https:\\\\example.test",
            "file:///x",
            "http://",
        ] {
            assert!(Target::new(url).is_err(), "{url}");
        }
        assert!(Target::new(" http://[::1]:8080/mcp ").is_ok());
    }

    #[test]
    fn a_header_that_cannot_be_sent_is_named_without_its_value() {
        let target = Target::new("http://example.test").unwrap();
        let refused = |name: &str, value: &str| {
            let error = target.clone().with_header(name, value).unwrap_err();
            error.to_string()
        };
        assert!(refused("x-token", "secret\r\nHost: evil").contains("x-token"));
        assert!(!refused("x-token", "secret\r\nHost: evil").contains("secret"));
        assert!(refused("bad name", "v").contains("bad name"));
        assert!(refused("Content-Length", "4").contains("Content-Length"));
    }
}
