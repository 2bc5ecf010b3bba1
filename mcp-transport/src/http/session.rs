//! What one link knows of its session: the id, the revision, where the server has moved to.
//!
//! Whether there is a session, and which revision it has, is decided above.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue, Uri};

use super::target::Shown;
use super::value::header_value;
use crate::{Labels, Step};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const PARAM_PREFIX: &str = "mcp-param-";

/// The longest session id that is taken; more would not fit into the headers of many servers.
const ID_LEN_MAX: usize = 1024;
/// The first revision whose messages state it in a header; revisions are dates.
const STATED_SINCE: &str = "2025-06-18";

/// The session of a link.
#[derive(Default)]
pub(super) struct Session {
    id: Option<HeaderValue>,
    /// The id of a session that is being opened. It counts once the session is open, so that
    /// nothing is sent in one that may never be.
    opening: Option<Option<HeaderValue>>,
    is_open: bool,
    /// The revision, if it is one that is stated.
    version: Option<HeaderValue>,
    /// Where a redirect has led to, so that it is not followed for each request anew, or where the
    /// older transport posts to.
    pub(super) moved_to: Option<Uri>,
}

impl Session {
    /// Notes the revision that was negotiated.
    ///
    /// Spec: HTTP-10. Older revisions do not know the header, and strict servers refuse it.
    pub(super) fn set_version(&mut self, version: &str) {
        self.is_open = true;
        if let Some(id) = self.opening.take() {
            self.id = id;
        }
        let stated = (version >= STATED_SINCE).then_some(version);
        self.version = stated.and_then(|version| HeaderValue::from_str(version).ok());
    }

    /// Whether a revision has been negotiated.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The id, for the end of the session.
    pub(super) fn id(&self) -> Option<&HeaderValue> {
        self.id.as_ref()
    }

    /// The id of the session that a request of this step belongs to, as far as it has one yet.
    pub(super) fn id_for(&self, step: Step) -> Option<&HeaderValue> {
        match step {
            Step::Opening => self.opening.as_ref()?.as_ref(),
            _ => self.id(),
        }
    }

    /// Takes the id from the answer that opened the session, and from no other.
    ///
    /// Spec: HTTP-06, T-26. An id is visible ASCII; a session without one has none.
    pub(super) fn opened(&mut self, headers: &HeaderMap) {
        let is_sound = |id: &&HeaderValue| {
            let bytes = id.as_bytes();
            (1..=ID_LEN_MAX).contains(&bytes.len())
                && bytes.iter().all(|byte| matches!(byte, 0x21..=0x7E))
        };
        let mut id = headers.get(SESSION_ID).filter(is_sound).cloned();
        if let Some(id) = &mut id {
            // Spec: HTTP-09. It is a secret.
            id.set_sensitive(true);
        }
        self.opening = Some(id);
    }

    /// Takes a session whose opening came to nothing for the one to be ended.
    pub(super) fn end(&mut self) {
        if let Some(Some(id)) = self.opening.take()
            && self.id.is_none()
        {
            self.id = Some(id);
        }
    }

    /// Adds what the protocol wants in the headers of a message.
    pub(super) fn write_headers(&self, labels: &Labels, headers: &mut HeaderMap) {
        match &labels.version {
            Some(version) => write_stateless(version, labels, headers),
            None if labels.step == Step::Opening => {}
            None => self.write_stateful(Step::Ordinary, headers),
        }
    }

    /// Adds what belongs to every request within the session, or within the one being opened, of
    /// which no revision is known yet.
    pub(super) fn write_stateful(&self, step: Step, headers: &mut HeaderMap) {
        if let Some(id) = self.id_for(step) {
            headers.insert(SESSION_ID, id.clone());
        }
        if step != Step::Opening
            && let Some(version) = &self.version
        {
            headers.insert(VERSION, version.clone());
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Spec: HTTP-09. The older transport has the id of the session in the URL.
        f.debug_struct("Session")
            .field("has_id", &self.id.is_some())
            .field("version", &self.version)
            .field("moved_to", &self.moved_to.as_ref().map(Shown))
            .finish_non_exhaustive()
    }
}

/// Spec: HTTP-11 to HTTP-14.
fn write_stateless(version: &str, labels: &Labels, headers: &mut HeaderMap) {
    headers.insert(VERSION, header_value(version));
    if let Some(method) = &labels.method {
        headers.insert(METHOD, header_value(method));
    }
    if let Some(name) = &labels.name {
        headers.insert(NAME, header_value(name));
    }
    for (name, value) in &labels.params {
        // A name that cannot be one was left out of the catalog (HTTP-17).
        if let Ok(name) = HeaderName::try_from(format!("{PARAM_PREFIX}{name}")) {
            headers.insert(name, header_value(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(session: &Session, labels: &Labels) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        session.write_headers(labels, &mut headers);
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let mut all: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect();
        all.sort();
        all
    }

    fn opened_with(id: &[u8]) -> Session {
        let mut session = Session::default();
        let mut headers = HeaderMap::new();
        headers.insert(SESSION_ID, HeaderValue::from_bytes(id).unwrap());
        session.opened(&headers);
        assert!(session.id().is_none(), "it counts once the session is open");
        session.set_version("2025-11-25");
        session
    }

    #[test]
    fn a_session_that_is_being_opened_does_not_replace_the_one_there_is() {
        let mut session = opened_with(b"s1");
        let mut headers = HeaderMap::new();
        headers.insert(SESSION_ID, HeaderValue::from_static("s2"));
        session.opened(&headers);
        assert_eq!(session.id(), Some(&HeaderValue::from_static("s1")));
        session.set_version("2025-11-25");
        assert_eq!(session.id(), Some(&HeaderValue::from_static("s2")));
    }

    #[test]
    fn neither_the_id_nor_the_address_that_holds_one_is_shown() {
        let mut session = opened_with(b"hidden-1");
        session.moved_to = Some(Uri::from_static("http://server.test/m?sessionId=hidden-2"));
        let shown = format!("{session:?}");
        assert!(shown.contains("http://server.test/m?…"), "{shown}");
        assert!(!shown.contains("hidden"), "{shown}");
    }

    #[test]
    fn only_the_opening_of_a_session_carries_neither_id_nor_revision() {
        let mut session = opened_with(b"s1");
        session.set_version("2025-11-25");
        let opening = Labels::of_method("initialize").with_step(Step::Opening);
        assert_eq!(written(&session, &opening), []);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            written(&session, &Labels::of_method("tools/list")),
            [
                pair("mcp-protocol-version", "2025-11-25"),
                pair("mcp-session-id", "s1")
            ]
        );
    }

    #[test]
    fn a_revision_without_the_header_is_not_stated() {
        for (version, wanted) in [
            ("2024-11-05", 0),
            ("2025-03-26", 0),
            ("2025-06-18", 1),
            ("2025-11-25", 1),
        ] {
            let mut session = Session::default();
            assert!(!session.is_open());
            session.set_version(version);
            assert!(session.is_open());
            let headers = written(&session, &Labels::of_method("tools/list"));
            assert_eq!(headers.len(), wanted, "{version}");
        }
    }

    #[test]
    fn a_stateless_message_states_itself_and_no_session() {
        let mut session = opened_with(b"s1");
        session.set_version("2025-11-25");
        let mut labels = Labels::of_method("tools/call")
            .with_name("é")
            .with_version("2026-07-28");
        labels.params.push(("Region".to_owned(), String::new()));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            written(&session, &labels),
            [
                pair("mcp-method", "tools/call"),
                pair("mcp-name", "=?base64?w6k=?="),
                pair("mcp-param-region", ""),
                pair("mcp-protocol-version", "2026-07-28"),
            ]
        );
    }

    #[test]
    fn an_id_that_is_not_visible_ascii_or_too_long_is_none() {
        for id in [&b""[..], b"a b", b"\x80", &[b'x'; ID_LEN_MAX + 1]] {
            assert!(opened_with(id).id().is_none(), "{id:?}");
        }
        assert!(opened_with(b"!~").id().is_some());
    }
}
