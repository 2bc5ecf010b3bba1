//! What a link hands to the layer above.

use std::fmt;

use bytes::Bytes;

use super::ExchangeId;
use crate::http::FailureKind;
use crate::process::Obituary;

/// Where a frame came from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Origin {
    /// It is the whole reply of this exchange, which has ended with it.
    Reply(ExchangeId),
    /// On the stream that all exchanges share.
    Shared,
    /// On the stream that is the reply of this exchange, among others.
    Stream(ExchangeId),
}

/// Something that came in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Inbound {
    /// The link has ended; nothing follows.
    Closed(Closed),
    /// The server has taken what [`crate::Step::Confirmation`] marked; never on a pipe.
    Confirmed,
    /// The reply of an exchange has ended in good order.
    ExchangeEnded {
        /// Which one.
        exchange: ExchangeId,
    },
    /// An exchange broke; the link lives on.
    ExchangeFailed {
        /// Which one.
        exchange: ExchangeId,
        /// Why.
        failure: ExchangeFailure,
    },
    /// A frame.
    Frame {
        /// Where it came from.
        origin: Origin,
        /// One JSON text, as far as the transport can tell.
        body: Bytes,
        /// Whether invalid UTF-8 in it was replaced.
        is_repaired: bool,
    },
    /// The head of a reply, for those who decide by it.
    Head {
        /// Whose reply.
        exchange: ExchangeId,
        /// The HTTP status.
        status: u16,
        /// The essence of the content type, in lower case; empty if there is none.
        media: String,
        /// Whether the request named a session that had been opened.
        is_in_session: bool,
    },
    /// The stream that brings every answer is open, and what is sent leaves from now on; over
    /// HTTP+SSE alone.
    Ready,
    /// A frame longer than allowed, of which the edges were kept.
    TooLong {
        /// Where it came from.
        origin: Origin,
        /// Its first bytes.
        head: Bytes,
        /// Its last bytes.
        tail: Bytes,
        /// How long it was, in bytes.
        len: u64,
        /// How long it may be.
        len_max: usize,
    },
    /// Something on a stream that belongs to no exchange could not be read, and is lost.
    Unread {
        /// Why, for people.
        reason: String,
    },
}

/// Why an exchange brought no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExchangeFailure {
    /// What happened.
    pub kind: ExchangeFailureKind,
    /// The particulars, for people; not yet redacted.
    pub reason: String,
    /// Whether the server may have run the request.
    pub may_have_run: bool,
}

/// What happened to an exchange.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ExchangeFailureKind {
    /// The reply broke off.
    Broken,
    /// There was no connection.
    Connect(FailureKind),
    /// The reply is neither JSON nor a stream of events.
    Media,
    /// The reply ended in good order, without an answer.
    NoAnswer,
    /// The stream of an HTTP+SSE server did not tell where to post, or not where we may.
    NoEndpoint,
    /// The server speaks another transport here, the older HTTP+SSE.
    OtherTransport,
    /// The server does not know the session any more; a new one may be opened.
    SessionLost,
    /// The server refused the request with this HTTP status, and no message in the body.
    Status(u16),
}

impl ExchangeFailure {
    /// A failure with its reason.
    pub fn new(kind: ExchangeFailureKind, reason: impl Into<String>, may_have_run: bool) -> Self {
        Self {
            kind,
            reason: reason.into(),
            may_have_run,
        }
    }
}

/// Why a link ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Closed {
    /// What happened.
    pub kind: ClosedKind,
    /// What is known of the process behind it, if there is one.
    pub obituary: Option<Box<Obituary>>,
    /// The end of the stream, if it was cut within a frame.
    pub cut: Option<Bytes>,
    /// The particulars, for people; empty if there are none.
    pub detail: String,
}

impl Closed {
    pub(super) fn new(kind: ClosedKind) -> Self {
        Self {
            kind,
            obituary: None,
            cut: None,
            detail: String::new(),
        }
    }
}

/// What ended a link.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ClosedKind {
    /// The other side closed its stream.
    EndOfStream,
    /// The process behind the link ended.
    Exited,
    /// There is no stream to talk over, or it did not tell where to post.
    NoStream,
    /// The server did not take the confirmation of the session, so that there is none.
    NotConfirmed,
    /// Reading failed.
    ReadFailed(std::io::ErrorKind),
}

impl Closed {
    pub(crate) fn with_detail(kind: ClosedKind, detail: String) -> Self {
        Self {
            detail,
            ..Self::new(kind)
        }
    }
}

impl fmt::Display for ClosedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndOfStream => f.write_str("the server closed its output"),
            Self::Exited => f.write_str("the server exited"),
            Self::NoStream => f.write_str("there is no stream of events to talk over"),
            Self::NotConfirmed => {
                f.write_str("the server did not accept the session's confirmation")
            }
            Self::ReadFailed(kind) => write!(f, "reading from the server failed: {kind}"),
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.obituary {
            // The obituary says that and how the process ended.
            Some(obituary) if obituary.exit.is_some() => write!(f, "the server {obituary}"),
            Some(obituary) => write!(f, "{} ({obituary})", self.kind),
            None if self.detail.is_empty() => self.kind.fmt(f),
            None => write!(f, "{}: {}", self.kind, self.detail),
        }
    }
}
