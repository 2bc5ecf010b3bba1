//! Why an action failed, as checks name it.

use mcp_client::Error;
use mcp_client::error::{ExchangeFailureKind as Failed, PeerFault};
use mcp_jsonrpc::Malformed;
use serde::Deserialize;

/// Why an action failed.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Answered,
    Broken,
    Closed,
    Connect,
    Incompatible,
    Media,
    Misbehaved,
    NoAnswer,
    OtherTransport,
    SessionLost,
    Status,
    TimedOut,
    TooDeep,
    TooLong,
}

impl Kind {
    pub(super) fn fits(self, error: &Error) -> bool {
        let malformed = match error {
            Error::PeerMisbehaved(misbehaved) => match &misbehaved.fault {
                PeerFault::Frame(malformed) => Some(malformed),
                _ => None,
            },
            _ => None,
        };
        let failed = match error {
            Error::Exchange(exchange) => Some(exchange.kind),
            _ => None,
        };
        match self {
            Self::Answered => matches!(error, Error::Answered(_)),
            Self::Broken => failed == Some(Failed::Broken),
            Self::Closed => matches!(error, Error::Closed(_)),
            Self::Connect => matches!(failed, Some(Failed::Connect(_))),
            Self::Incompatible => matches!(error, Error::PeerIncompatible(_)),
            Self::Media => failed == Some(Failed::Media),
            Self::Misbehaved => matches!(error, Error::PeerMisbehaved(_)),
            Self::NoAnswer => failed == Some(Failed::NoAnswer),
            Self::OtherTransport => failed == Some(Failed::OtherTransport),
            Self::SessionLost => failed == Some(Failed::SessionLost),
            Self::Status => matches!(failed, Some(Failed::Status(_))),
            Self::TimedOut => matches!(error, Error::TimedOut(_)),
            Self::TooDeep => malformed.is_some_and(|malformed| {
                matches!(malformed, Malformed::NotJson(_)) && error.to_string().contains("deep")
            }),
            Self::TooLong => matches!(malformed, Some(Malformed::TooLong { .. })),
        }
    }
}
