//! What the failure of a request is called above the client.

use mcp_client::Error;
use mcp_client::error::{Budget, ExchangeFailureKind};

use crate::RegistryError;
use crate::name::Route;

/// Whether there was no connection, or a gateway spoke where the server should have.
fn is_unreachable(kind: ExchangeFailureKind) -> bool {
    matches!(
        kind,
        ExchangeFailureKind::Connect(_) | ExchangeFailureKind::Status(502..=504)
    )
}

pub(super) fn failed(route: Route, error: Error, is_own_timeout: bool) -> RegistryError {
    let Route { server, tool } = route;
    let outcome_uncertain = error.sent() == mcp_client::Sent::Maybe;
    match error {
        Error::TimedOut(timed_out) => RegistryError::Deadline {
            server,
            tool: tool.to_string(),
            budget: match timed_out.budget {
                _ if is_own_timeout => "the call's timeout",
                Budget::Hard => "the most that a call may take",
                _ => "timeout",
            },
            after: timed_out.after,
            outcome_uncertain,
        },
        Error::Exchange(ref exchange) if is_unreachable(exchange.kind) => {
            RegistryError::ServerUnavailable {
                server,
                cause: Box::new(error),
                outcome_uncertain,
            }
        }
        Error::Closed(_) | Error::Spawn(_) => RegistryError::ServerUnavailable {
            server,
            cause: Box::new(error),
            outcome_uncertain,
        },
        // An answer came but could not be read: the tool ran, and what it did is not known.
        Error::PeerMisbehaved(_) => RegistryError::CallFailed {
            server,
            tool: tool.to_string(),
            cause: Box::new(error),
            outcome_uncertain: true,
        },
        _ => RegistryError::CallFailed {
            server,
            tool: tool.to_string(),
            cause: Box::new(error),
            outcome_uncertain,
        },
    }
}
