//! What a link hands to the layer above.

use std::fmt;

use bytes::Bytes;

use super::ExchangeId;
use crate::process::Obituary;

/// Where a frame came from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Origin {
    /// On the reply of this exchange.
    Exchange(ExchangeId),
    /// On the stream that all exchanges share.
    Shared,
}

/// Something that came in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Inbound {
    /// The link has ended; nothing follows.
    Closed(Closed),
    /// The reply of an exchange has ended in good order.
    ExchangeEnded {
        /// Which one.
        exchange: ExchangeId,
    },
    /// An exchange broke; the link lives on.
    ExchangeFailed {
        /// Which one.
        exchange: ExchangeId,
        /// Why, for people.
        reason: String,
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
    },
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
}

/// Why a link ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Closed {
    /// What happened.
    pub kind: ClosedKind,
    /// What is known of the process behind it, if there is one.
    pub obituary: Option<Obituary>,
    /// The end of the stream, if it was cut within a frame.
    pub cut: Option<Bytes>,
}

impl Closed {
    pub(super) fn new(kind: ClosedKind) -> Self {
        Self {
            kind,
            obituary: None,
            cut: None,
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
    /// Reading failed.
    ReadFailed(std::io::ErrorKind),
}

impl fmt::Display for ClosedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndOfStream => f.write_str("the server closed its output"),
            Self::Exited => f.write_str("the server exited"),
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
            None => self.kind.fmt(f),
        }
    }
}
