//! What went wrong with a server, and whether trying again can help.

use std::fmt;
use std::sync::Arc;

use mcp_client::Error;
use mcp_client::error::ExchangeFailureKind;
use mcp_transport::http::FailureKind;
use mcp_transport::process::SpawnErrorKind;

use super::CallEnd;

/// The longest text of a fault, in bytes.
// Bound: it is kept in every entry of a ledger and told to models.
const TEXT_LEN_MAX: usize = 1_024;

/// What went wrong with a server, in words that may be shown.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    kind: FaultKind,
    text: Arc<str>,
}

/// Whether trying again can help.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FaultKind {
    /// It is in the configuration, or in what the configuration names: only a person can mend it.
    Configuration,
    /// The server wants credentials that it was not given: somebody has to log in.
    Login,
    /// It may pass by itself.
    Transient,
}

impl Fault {
    /// A fault, with a text of at most 1,024 bytes; what is longer is cut.
    ///
    /// The text is shown to people and models, so secrets must be hidden in it already.
    pub fn new(kind: FaultKind, text: impl Into<String>) -> Self {
        let mut text = text.into();
        text.truncate(text.floor_char_boundary(TEXT_LEN_MAX));
        Self {
            kind,
            text: text.into(),
        }
    }

    /// Why an attempt to connect failed.
    ///
    /// `has_connected` says whether the same configuration has led to a connection before.
    /// Then something else that answers at a URL, such as a proxy while the server is replaced, is
    /// no fault of the configuration.
    #[must_use]
    pub fn of_connecting(error: &Error, has_connected: bool) -> Self {
        let kind = match error {
            Error::Spawn(error) => of_starting(error.kind()),
            Error::Exchange(exchange) => of_exchange(exchange.kind),
            Error::PeerIncompatible(_) if !has_connected => FaultKind::Configuration,
            Error::Misused(_) => FaultKind::Configuration,
            _ => FaultKind::Transient,
        };
        Self::new(kind, error.to_string())
    }

    /// Whether trying again can help.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// What went wrong, as a fragment that fits after a colon.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_transient(&self) -> bool {
        self.kind == FaultKind::Transient
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn of_starting(kind: SpawnErrorKind) -> FaultKind {
    match kind {
        SpawnErrorKind::Resources | SpawnErrorKind::Other => FaultKind::Transient,
        _ => FaultKind::Configuration,
    }
}

/// What a server's certificate says may be the word of a gateway that wants a person to log in
/// first, or of a server that is about to renew it, so it counts as passing.
fn of_exchange(kind: ExchangeFailureKind) -> FaultKind {
    match kind {
        ExchangeFailureKind::Status(401 | 403) => FaultKind::Login,
        ExchangeFailureKind::OtherTransport
        | ExchangeFailureKind::Connect(
            FailureKind::ClientCertificate
            | FailureKind::Misused
            | FailureKind::NotHttp
            | FailureKind::NotTls
            | FailureKind::ProxyLogin,
        ) => FaultKind::Configuration,
        _ => FaultKind::Transient,
    }
}

impl CallEnd {
    /// What the failure of a call tells of its server.
    #[must_use]
    pub fn of(error: &Error) -> Self {
        match error {
            Error::Answered(_) | Error::Input(_) => Self::Answered,
            Error::Closed(_) | Error::Spawn(_) => {
                Self::Lost(Fault::new(FaultKind::Transient, error.to_string()))
            }
            Error::Exchange(exchange) => of_call(exchange.kind, error),
            Error::TimedOut(_) => Self::TimedOut,
            // What cannot be read proves neither health nor that nothing is there.
            _ => Self::Abandoned,
        }
    }
}

fn of_call(kind: ExchangeFailureKind, why: &impl fmt::Display) -> CallEnd {
    let fault = |kind| Fault::new(kind, why.to_string());
    match kind {
        ExchangeFailureKind::Status(401) => CallEnd::Unauthorized(fault(FaultKind::Login)),
        // With these a gateway speaks where the server should.
        ExchangeFailureKind::Status(502..=504) => CallEnd::Unreachable(fault(FaultKind::Transient)),
        ExchangeFailureKind::Status(_) => CallEnd::Answered,
        _ => CallEnd::Unreachable(fault(FaultKind::Transient)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_client::error::{Incompatible, Misuse};
    use mcp_transport::http::Failure;
    use mcp_transport::process::Command;
    use mcp_transport::{Limits, stdio};

    use super::*;

    fn kind(error: &Error) -> FaultKind {
        Fault::of_connecting(error, false).kind()
    }

    #[tokio::test]
    async fn what_only_a_person_can_mend_is_a_fault_of_the_configuration() {
        let missing = Command::new("hermes-no-such-command").env("PATH", "/nowhere");
        let missing = stdio::spawn(missing, Limits::default()).map(|_| ());
        let missing = Error::from(missing.expect_err("there is no such command"));
        assert_eq!(kind(&missing), FaultKind::Configuration);

        let bad_file = Failure::unsent(FailureKind::Misused, "no certificate in ca.pem");
        assert_eq!(
            kind(&Error::not_connected(&bad_file)),
            FaultKind::Configuration
        );
        let misused = Error::Misused(Misuse::QueueFull);
        assert_eq!(kind(&misused), FaultKind::Configuration);
    }

    #[test]
    fn what_may_pass_is_transient() {
        let refused = Failure::unsent(FailureKind::Refused, "nothing listens");
        assert_eq!(kind(&Error::not_connected(&refused)), FaultKind::Transient);
        let slow = Error::not_connected_in_time("a session", Duration::from_secs(60));
        assert_eq!(kind(&slow), FaultKind::Transient);
        let gone = Error::not_started("it exited".to_owned());
        assert_eq!(kind(&gone), FaultKind::Transient);
    }

    #[test]
    fn what_is_no_server_is_misconfigured_unless_it_was_one_before() {
        let error = Incompatible::NotMcp("it says hello".to_owned());
        let error = Error::PeerIncompatible(Box::new(error));
        assert_eq!(kind(&error), FaultKind::Configuration);
        let again = Fault::of_connecting(&error, true);
        assert_eq!(again.kind(), FaultKind::Transient);
    }

    #[test]
    fn the_status_of_a_refused_exchange_tells_what_it_is_about() {
        for (status, connecting, call) in [
            (401, FaultKind::Login, "unauthorized"),
            (403, FaultKind::Login, "answered"),
            (404, FaultKind::Transient, "answered"),
            (500, FaultKind::Transient, "answered"),
            (502, FaultKind::Transient, "unreachable"),
            (504, FaultKind::Transient, "unreachable"),
        ] {
            let kind = ExchangeFailureKind::Status(status);
            assert_eq!(of_exchange(kind), connecting, "{status}");
            let end = match of_call(kind, &"refused") {
                CallEnd::Unauthorized(_) => "unauthorized",
                CallEnd::Answered => "answered",
                CallEnd::Unreachable(_) => "unreachable",
                _ => "another",
            };
            assert_eq!(end, call, "{status}");
        }
    }

    #[test]
    fn the_failure_of_a_call_tells_what_it_says_of_the_server() {
        let lost = CallEnd::of(&Error::not_started("it exited".to_owned()));
        assert!(matches!(lost, CallEnd::Lost(_)), "{lost:?}");
        let slow = Error::not_connected_in_time("an answer", Duration::from_secs(1));
        assert_eq!(CallEnd::of(&slow), CallEnd::TimedOut);
        let misused = Error::Misused(Misuse::QueueFull);
        assert_eq!(CallEnd::of(&misused), CallEnd::Abandoned);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let fault = Fault::new(FaultKind::Transient, "é".repeat(600));
        assert_eq!(fault.text().len(), 1_024);
        let fault = Fault::new(FaultKind::Transient, format!("x{}", "é".repeat(600)));
        assert_eq!(fault.text().len(), 1_023);
    }
}
