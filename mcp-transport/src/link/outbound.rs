//! What the layer above hands to a link.

use std::fmt;

use bytes::Bytes;

use crate::Labels;

/// The number of an exchange: one request and everything that belongs to it.
#[expect(clippy::exhaustive_structs, reason = "it is a number and nothing else")]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ExchangeId(pub u64);

impl fmt::Display for ExchangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Something to send, with a body of type `B`: borrowed on the way in, owned at the far end.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Outbound<B> {
    /// Give an exchange up; its reply stream may be closed.
    Abort {
        /// Which one.
        exchange: ExchangeId,
    },
    /// Open the optional stream of messages that belong to no exchange.
    Listen,
    /// A notification or an answer: nothing comes back for it.
    Notify {
        /// What it is; `None` on a link that has no use for it, and for an answer. Boxed, since a
        /// queue has room for many.
        labels: Option<Box<Labels>>,
        /// The frame.
        body: B,
    },
    /// A request, which opens an exchange.
    Send {
        /// The new exchange.
        exchange: ExchangeId,
        /// What it is; `None` on a link that has no use for it.
        labels: Option<Box<Labels>>,
        /// The frame.
        body: B,
    },
    /// The revision that was negotiated.
    Session {
        /// Its version string.
        version: String,
    },
    /// An exchange has its answer; a stream that breaks now need not be resumed.
    Settled {
        /// Which one.
        exchange: ExchangeId,
    },
}

impl Outbound<&[u8]> {
    pub(super) fn into_owned(self) -> Outbound<Bytes> {
        match self {
            Self::Abort { exchange } => Outbound::Abort { exchange },
            Self::Listen => Outbound::Listen,
            Self::Notify { labels, body } => Outbound::Notify {
                labels,
                body: Bytes::copy_from_slice(body),
            },
            Self::Send {
                exchange,
                labels,
                body,
            } => Outbound::Send {
                exchange,
                labels,
                body: Bytes::copy_from_slice(body),
            },
            Self::Session { version } => Outbound::Session { version },
            Self::Settled { exchange } => Outbound::Settled { exchange },
        }
    }
}

/// Why nothing was taken or written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SendError {
    /// The link is closed, or the other side is gone.
    Closed,
    /// The other side does not read, and as much as allowed waits for it.
    Full,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "the link is closed",
            Self::Full => "the other side does not read, and its queue is full",
        })
    }
}

impl std::error::Error for SendError {}

/// How far writing came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Sending {
    /// Everything has left.
    Done,
    /// Something waits until the other side reads.
    Blocked,
}

/// Whether a request could be taken back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Retracted {
    /// Yes: not one byte had left, and none will.
    Unsent,
    /// No: it has left, or begun to.
    Begun,
}
