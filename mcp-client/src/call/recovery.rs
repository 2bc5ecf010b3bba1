//! When a request is sent again, and what has to happen before.
//!
//! Only what the server provably did not run is sent again without being asked for (law 7): a
//! session that it no longer knew, headers that did not fit the message. Every kind of recovery is tried a bounded number of times.

use std::sync::Arc;

use mcp_jsonrpc::ErrorCode;
use mcp_types::{InputRequiredResult, method};

use super::input::answer;
use super::refresh::refresh;
use super::{Preparing, Request};
use crate::driver::Shared;
use crate::error::{ExchangeFailureKind, PeerFault, PeerMisbehaved};
use crate::{Error, Sent};

/// Times that a session is opened anew for one call.
// Bound: a server that forgets every session at once would have us open them for ever.
const REOPENED_MAX: u8 = 1;
/// Rounds of questions for one call.
// Bound: a server that always asks one thing more must come to an end.
const ROUNDS_MAX: u8 = 10;

/// What a server says whose idea of a call's headers is another one.
const HEADER_MISMATCH: ErrorCode = ErrorCode(-32_020);

/// What one call has been through.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    is_off: bool,
    is_refreshed: bool,
    reopened: u8,
    rounds: u8,
}

impl Recovery {
    /// For requests that are part of a recovery themselves.
    pub(super) fn none() -> Self {
        Self {
            is_off: true,
            ..Self::default()
        }
    }

    /// Decides about a request that failed in the session numbered `generation`.
    pub(super) fn after(
        &mut self,
        shared: &Arc<Shared>,
        request: Request,
        error: Error,
        generation: u64,
    ) -> Result<Preparing, Error> {
        if self.is_off || error.sent() != Sent::No {
            return Err(error);
        }
        let shared = Arc::clone(shared);
        match &error {
            Error::Exchange(exchange)
                if exchange.kind == ExchangeFailureKind::SessionLost
                    && self.reopened < REOPENED_MAX =>
            {
                self.reopened += 1;
                Ok(Box::pin(async move {
                    match shared.reopen(generation).await {
                        Ok(()) => Ok(request),
                        Err(why) => Err(not_reopened(error, why)),
                    }
                }))
            }
            Error::Answered(answered)
                if answered.code == Some(HEADER_MISMATCH)
                    && request.method == method::TOOLS_CALL
                    && request.is_labelled()
                    && !self.is_refreshed =>
            {
                self.is_refreshed = true;
                // Spec: HTTP-19. The list is where the headers of a call come from.
                Ok(Box::pin(refresh(shared, request, error)))
            }
            _ => Err(error),
        }
    }

    /// Decides about a request that was answered with questions.
    pub(super) fn after_input(
        &mut self,
        shared: &Arc<Shared>,
        request: Request,
        asked: InputRequiredResult,
    ) -> Result<Preparing, Error> {
        let fault = |fault| {
            Err(Error::PeerMisbehaved(Box::new(PeerMisbehaved {
                method: request.method.to_string(),
                fault,
                excerpt: String::new(),
            })))
        };
        // Spec: MRTR-06, MRTR-08.
        if !request.takes_input {
            return fault(PeerFault::ResultType("input_required".to_owned()));
        }
        if asked.input_requests.is_none() && asked.request_state.is_none() {
            return fault(PeerFault::NothingAsked);
        }
        if self.rounds >= ROUNDS_MAX {
            return fault(PeerFault::TooManyRounds(u32::from(ROUNDS_MAX)));
        }
        self.rounds += 1;
        let (shared, round) = (Arc::clone(shared), self.rounds);
        Ok(Box::pin(async move {
            answer(&shared, request, asked, round).await
        }))
    }
}

/// The error of a call whose session was lost and could not be opened anew: the call did not run,
/// whatever came of opening the session.
fn not_reopened(error: Error, why: Error) -> Error {
    match (error, why) {
        // The connection is over, which is more than the session.
        (_, Error::Closed(mut closure)) => {
            closure.sent = Sent::No;
            Error::Closed(closure)
        }
        (Error::Exchange(mut exchange), why) => {
            exchange.reason = format!("{}; it could not be opened anew: {why}", exchange.reason);
            Error::Exchange(exchange)
        }
        (error, _) => error,
    }
}
