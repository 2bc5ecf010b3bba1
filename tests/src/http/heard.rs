//! What a scripted server heard, request by request.

use http::{HeaderMap, Method, Uri};
use tokio::time::Instant;

use crate::record::Message;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The method of HTTP.
    pub method: Method,
    /// Where it was sent.
    pub url: Uri,
    /// Its headers.
    pub headers: HeaderMap,
    /// The message that was posted.
    pub message: Option<Message>,
    /// When it arrived.
    pub at: Instant,
    /// What became of its reply.
    pub stream: Stream,
}

/// What became of a reply.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stream {
    /// The client gave it up before its end.
    Dropped,
    /// The server ended it.
    Ended,
    /// It is under way.
    Open,
}

impl Heard {
    /// The path that was asked for.
    pub fn path(&self) -> &str {
        self.url.path()
    }

    /// The text of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether it is of a kind: `GET`, `DELETE`, a method that was posted, or `*` for everything;
    /// the path may stand behind, as in `GET /mcp`.
    pub fn is(&self, kind: &str) -> bool {
        let (kind, path) = match kind.split_once(' ') {
            Some((kind, path)) => (kind, Some(path)),
            None => (kind, None),
        };
        let posted = self.message.as_ref().and_then(Message::method);
        let is_kind = match posted {
            Some(method) => kind == method,
            None => kind == self.method.as_str(),
        };
        (kind == "*" || is_kind) && path.is_none_or(|path| self.path() == path)
    }
}
