//! Why a call does not run, in words that a model can use.
//!
//! Putting the words into an envelope, and hiding secrets in them, is left to `error`.

use std::fmt;
use std::time::Duration;

use super::{Fault, FaultKind, State};

/// Why a call was not let through to its server; it has not run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The server failed too often, and one call shows just now whether it works again.
    BeingProbed,
    /// The server failed too often.
    BreakerOpen {
        /// When the next call is let through.
        retry_in: Duration,
    },
    /// The server is being ended, or has been.
    Closing,
    /// The server is not to be used.
    Disabled,
    /// The server was given up.
    Parked {
        /// What is wrong with it.
        fault: Fault,
        /// When it is tried again; `None` if only a person can mend it.
        retry_in: Option<Duration>,
    },
    /// Too many calls wait for the server.
    QueueFull {
        /// How many.
        waiting: usize,
    },
    /// The server was not there, or busy, for as long as the call could wait.
    WaitedTooLong {
        /// How long that was.
        waited: Duration,
        /// How the server is.
        state: State,
        /// What was last wrong with it.
        fault: Option<Fault>,
    },
}

impl Refusal {
    /// A word for programs; it never changes.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BeingProbed => "being_probed",
            Self::BreakerOpen { .. } => "breaker_open",
            Self::Closing => "closing",
            Self::Disabled => "disabled",
            Self::Parked { .. } => "parked",
            Self::QueueFull { .. } => "queue_full",
            Self::WaitedTooLong { .. } => "waited_too_long",
        }
    }

    /// When the same call may go through; `None` if nobody knows, or if a person has to do
    /// something first.
    #[must_use]
    pub fn retry_in(&self) -> Option<Duration> {
        match self {
            Self::BreakerOpen { retry_in } => Some(*retry_in),
            Self::Parked { retry_in, .. } => *retry_in,
            _ => None,
        }
    }

    /// Whether the same call may go through later, without a person doing something.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::BeingProbed
            | Self::BreakerOpen { .. }
            | Self::QueueFull { .. }
            | Self::WaitedTooLong { .. } => true,
            Self::Parked { retry_in, .. } => retry_in.is_some(),
            Self::Closing | Self::Disabled => false,
        }
    }

    /// What to do next.
    #[must_use]
    pub fn suggestion(&self) -> String {
        match self {
            Self::BreakerOpen { retry_in }
            | Self::Parked {
                retry_in: Some(retry_in),
                ..
            } => {
                let seconds = seconds(*retry_in);
                format!("do not retry for {seconds} s; go on without this server until then")
            }
            Self::Parked { fault, .. } if fault.kind() == FaultKind::Login => {
                "do not retry; the user has to log in to this server".to_owned()
            }
            Self::Parked { .. } => {
                "do not retry; the user has to correct the configuration of this server".to_owned()
            }
            Self::BeingProbed | Self::QueueFull { .. } | Self::WaitedTooLong { .. } => {
                "go on without this server, or try again later".to_owned()
            }
            Self::Closing | Self::Disabled => "do not retry; use another tool".to_owned(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BeingProbed => {
                f.write_str("the server failed repeatedly, and another call is trying it")
            }
            Self::BreakerOpen { retry_in } => {
                let seconds = seconds(*retry_in);
                write!(f, "the server failed repeatedly; no calls for {seconds} s")
            }
            Self::Closing => f.write_str("the server is being closed"),
            Self::Disabled => f.write_str("the server is disabled"),
            Self::Parked { fault, retry_in } => {
                match fault.kind() {
                    FaultKind::Configuration => {
                        f.write_str("the server cannot be used as it is")?
                    }
                    FaultKind::Login => f.write_str("the server needs a login")?,
                    FaultKind::Transient => f.write_str("the server was given up for now")?,
                }
                write!(f, ": {fault}")?;
                match retry_in {
                    Some(retry_in) => write!(f, "; next try in {} s", seconds(*retry_in)),
                    None => Ok(()),
                }
            }
            Self::QueueFull { waiting } => {
                write!(f, "{waiting} calls wait for the server already")
            }
            Self::WaitedTooLong {
                waited,
                state,
                fault,
            } => {
                let seconds = waited.as_secs_f64();
                write!(f, "the call waited {seconds:.1} s for the server ({state})")?;
                match fault {
                    Some(fault) => write!(f, ": {fault}"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Whole seconds, at least as long as the time itself.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_tells_a_model_what_is_wrong_and_what_to_do() {
        let fault = |kind, text| Fault::new(kind, text);
        let parked = |kind, text, retry_in| Refusal::Parked {
            fault: fault(kind, text),
            retry_in,
        };
        let millis = |millis| Some(Duration::from_millis(millis));
        let rows = [
            (
                Refusal::BreakerOpen {
                    retry_in: Duration::from_millis(41_200),
                },
                "the server failed repeatedly; no calls for 42 s",
                "do not retry for 42 s; go on without this server until then",
                true,
            ),
            (
                Refusal::BeingProbed,
                "the server failed repeatedly, and another call is trying it",
                "go on without this server, or try again later",
                true,
            ),
            (
                parked(FaultKind::Transient, "nothing listens", millis(60_000)),
                "the server was given up for now: nothing listens; next try in 60 s",
                "do not retry for 60 s; go on without this server until then",
                true,
            ),
            (
                parked(FaultKind::Configuration, "no such command", None),
                "the server cannot be used as it is: no such command",
                "do not retry; the user has to correct the configuration of this server",
                false,
            ),
            (
                parked(FaultKind::Login, "status 401", None),
                "the server needs a login: status 401",
                "do not retry; the user has to log in to this server",
                false,
            ),
            (
                Refusal::WaitedTooLong {
                    waited: Duration::from_millis(2_500),
                    state: State::Waiting,
                    fault: Some(fault(FaultKind::Transient, "exited with code 1")),
                },
                "the call waited 2.5 s for the server (waiting): exited with code 1",
                "go on without this server, or try again later",
                true,
            ),
            (
                Refusal::QueueFull { waiting: 256 },
                "256 calls wait for the server already",
                "go on without this server, or try again later",
                true,
            ),
            (
                Refusal::Closing,
                "the server is being closed",
                "do not retry; use another tool",
                false,
            ),
        ];
        for (refusal, text, suggestion, retryable) in rows {
            assert_eq!(refusal.to_string(), text);
            assert_eq!(refusal.suggestion(), suggestion);
            assert_eq!(refusal.is_retryable(), retryable, "{text}");
        }
    }
}
