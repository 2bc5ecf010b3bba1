//! When a request is sent again, and what has to happen before.
//!
//! Only what the server provably did not run is sent again without being asked for (law 7): a
//! session that it no longer knew. Every kind of recovery is tried a bounded number of times.

use std::sync::Arc;

use mcp_types::InputRequiredResult;

use super::input::answer;
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

/// What one call has been through.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    is_off: bool,
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
        let is_lost = matches!(
            &error,
            Error::Exchange(exchange) if exchange.kind == ExchangeFailureKind::SessionLost
        );
        let may_reopen = is_lost && !self.is_off && error.sent() == Sent::No;
        if !may_reopen || self.reopened >= REOPENED_MAX {
            return Err(error);
        }
        self.reopened += 1;
        let shared = Arc::clone(shared);
        Ok(Box::pin(async move {
            shared.reopen(generation).await?;
            Ok(request)
        }))
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
