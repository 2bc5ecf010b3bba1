//! What to do about a server that cannot be reached.

use mcp_client::Error;
use mcp_client::error::{Budget, ExchangeFailureKind, Incompatible};
use mcp_transport::http::FailureKind;

use crate::config::ServerConfig;

/// What to do about a server that could not be connected: one clause, with the place in the
/// configuration where there is one.
#[must_use]
pub fn advice(server: &ServerConfig, error: &Error) -> String {
    let place = place(server);
    match error {
        Error::Exchange(exchange) => of_exchange(exchange.kind, &place),
        // The error itself says what is wrong with the command.
        Error::Spawn(_) => format!("correct the server's configuration{place}"),
        Error::TimedOut(timed_out) if timed_out.budget == Budget::Connect => {
            format!("if it needs longer to start, raise its `connect_timeout`{place}")
        }
        Error::PeerIncompatible(incompatible)
            if matches!(**incompatible, Incompatible::Version { .. }) =>
        {
            "use a release of the server that speaks one of these".to_owned()
        }
        Error::PeerMisbehaved(_)
        | Error::Answered(_)
        | Error::Closed(_)
        | Error::PeerIncompatible(_)
            if server.http().is_some() =>
        {
            format!("check that its `url` is that of an MCP server{place}")
        }
        Error::Answered(_)
        | Error::Closed(_)
        | Error::PeerIncompatible(_)
        | Error::PeerMisbehaved(_) => {
            format!("check that its command starts an MCP server on standard input{place}")
        }
        _ => format!("check its configuration{place}"),
    }
}

/// Where a server is configured, in parentheses and behind a space.
pub(super) fn place(server: &ServerConfig) -> String {
    let place =
        |(file, position): (&str, crate::config::Position)| format!(" ({file}:{})", position.line);
    server.source().map(place).unwrap_or_default()
}

/// What to do about a server behind a URL that could not be spoken with.
fn of_exchange(kind: ExchangeFailureKind, place: &str) -> String {
    match kind {
        ExchangeFailureKind::Connect(kind) => match kind.advice() {
            Some(advice) => format!("{advice}{place}"),
            // What it is about names itself.
            None if kind == FailureKind::Misused => format!("correct that setting{place}"),
            None => format!("check that its `url` is that of an MCP server{place}"),
        },
        ExchangeFailureKind::Status(401 | 403) => {
            format!("check the credentials in its `headers`{place}")
        }
        ExchangeFailureKind::Status(407) => format!("put the login into `proxy`{place}"),
        ExchangeFailureKind::Status(429 | 500..) => "try again later".to_owned(),
        _ => format!("check that its `url` is that of an MCP server{place}"),
    }
}
