//! What can go wrong, by whose fault, and whether the request may have run.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{ErrorCode, ErrorObject, Malformed};
use mcp_transport::http::Failure;
use mcp_transport::process::{Obituary, SpawnError};
use mcp_types::{DecodeError, Version};

pub use mcp_transport::link::ExchangeFailureKind;

use crate::LedgerEntry;
use crate::handler::Refusal;

/// Whether a request can have had an effect.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Sent {
    /// It never left, or the server refused it before running it: doing it again is safe.
    No,
    /// It left, or began to, and no answer came: it may have run.
    Maybe,
    /// The server answered it.
    Yes,
}

/// Why a call or a connection failed.
///
/// The first level tells whose fault it is: the server answered with an error, the server broke
/// the protocol, the two sides do not fit, the connection broke, time ran out, or we were misused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with an error.
    Answered(Box<ErrorObject>),
    /// The connection is gone.
    Closed(Box<Closure>),
    /// The exchange of this call failed; the connection lives on.
    Exchange(Box<ExchangeError>),
    /// The server asked for something first, and did not get it.
    Input(Box<InputError>),
    /// We were called in a way that the program text alone makes wrong, or past a limit.
    Misused(Misuse),
    /// The two sides have no revision, or no capability, in common.
    PeerIncompatible(Box<Incompatible>),
    /// The server sent something that no revision allows.
    PeerMisbehaved(Box<PeerMisbehaved>),
    /// The server's process could not be started.
    Spawn(Arc<SpawnError>),
    /// A budget ran out.
    TimedOut(Box<TimedOut>),
}

/// A connection that is gone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Closure {
    /// What ended it, in words.
    pub reason: String,
    /// What is known of the server's process, if there was one.
    pub obituary: Option<Arc<Obituary>>,
    /// Whether the call may have run.
    pub sent: Sent,
}

/// An exchange that brought no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExchangeError {
    /// The method that was called; empty if it did not come to that.
    pub method: String,
    /// What happened.
    pub kind: ExchangeFailureKind,
    /// The particulars, in words.
    pub reason: String,
    /// Whether the call may have run.
    pub sent: Sent,
    /// The beginning of what came and was no message, redacted; empty if there was nothing.
    pub evidence: String,
}

/// A question of the server that was not answered, so that its call could not go on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputError {
    /// The method that was called.
    pub method: String,
    /// The method by which the server asked.
    pub asked: String,
    /// Why there is no answer.
    pub refusal: Refusal,
}

/// A frame or a result that could not be used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PeerMisbehaved {
    /// The method that was called.
    pub method: String,
    /// What was wrong.
    pub fault: PeerFault,
    /// The beginning of what came, redacted; at most 256 bytes of it.
    pub excerpt: String,
}

/// What was wrong with an answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PeerFault {
    /// The frame is no JSON-RPC message.
    Frame(Malformed),
    /// The result is not what the method gives.
    Result(DecodeError),
    /// The result is of a kind that is not legal here, such as an unknown `resultType` (LIFE-17).
    ResultType(String),
    /// The server asks for what we never offered (MRTR-10); this is the method.
    NotOffered(String),
    /// The server wants input and names neither a question nor a state (MRTR-08).
    NothingAsked,
    /// The server asked this many times for the same call.
    TooManyRounds(u32),
}

/// Two sides that do not fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Incompatible {
    /// They speak no common revision.
    Version {
        /// What we speak, oldest first.
        ours: Vec<Version>,
        /// What the server says it speaks; empty if it does not say.
        theirs: Vec<Version>,
    },
    /// The server insists on something that we did not offer.
    Refused(ErrorObject),
    /// What stands behind the URL speaks no transport that we know.
    NoTransport {
        /// What was asked and what came of it, in order.
        tried: Vec<LedgerEntry>,
    },
    /// What stands behind the command is no MCP server.
    NotMcp(String),
}

/// A wrong use of the client.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Misuse {
    /// As many calls as allowed are in flight.
    TooManyInFlight {
        /// How many are allowed.
        calls_in_flight_max: usize,
    },
    /// The call was to run by itself while it was being prepared to be sent again.
    NotYetSent,
    /// The server does not read, and as much as allowed waits for it already.
    QueueFull,
    /// The server does not offer what the method belongs to.
    NotOffered {
        /// The method.
        method: &'static str,
        /// The capability that the server did not declare.
        capability: &'static str,
    },
    /// The method does not exist in the revision that was negotiated.
    UnknownToRevision {
        /// The method.
        method: &'static str,
        /// The revision.
        version: Version,
    },
    /// The parameters are no JSON object, or not one that can be sent.
    BadParams(String),
    /// A part of the trace has not the shape that the W3C demands.
    BadTrace {
        /// Which part: `traceparent`, `tracestate` or `baggage`.
        field: &'static str,
        /// What is wrong with it; its value is not shown.
        why: &'static str,
    },
}

/// A budget that ran out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TimedOut {
    /// What was waited for: a method, or a step of connecting.
    pub waiting_for: String,
    /// Which budget.
    pub budget: Budget,
    /// How much it was.
    pub after: Duration,
    /// Whether the call may have run.
    pub sent: Sent,
    /// The beginning of what came and was no message, redacted; empty if there was nothing.
    pub evidence: String,
}

/// A budget of time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Budget {
    /// From start to a negotiated session.
    Connect,
    /// Without a sign of life for one call.
    Idle,
    /// For one call as a whole.
    Hard,
}

impl Error {
    /// A server that was never started, for a reason in words.
    pub fn not_started(reason: String) -> Self {
        Self::Closed(Box::new(Closure {
            reason,
            obituary: None,
            sent: Sent::No,
        }))
    }

    /// A server that was sent nothing, since there is no connection to it.
    pub fn not_connected(failure: &Failure) -> Self {
        Self::Exchange(Box::new(ExchangeError {
            method: String::new(),
            kind: ExchangeFailureKind::Connect(failure.kind),
            reason: failure.to_string(),
            sent: Sent::No,
            evidence: String::new(),
        }))
    }

    /// A server that was not ready within the time for connecting; `waiting_for` says what was
    /// still missing.
    pub fn not_connected_in_time(waiting_for: impl Into<String>, after: Duration) -> Self {
        let (waiting_for, budget) = (waiting_for.into(), Budget::Connect);
        Self::TimedOut(Box::new(TimedOut {
            waiting_for,
            budget,
            after,
            sent: Sent::Maybe,
            evidence: String::new(),
        }))
    }

    /// Something that asked a server for more than one answer did not have them all in time.
    pub fn not_answered_in_time(waiting_for: impl Into<String>, after: Duration) -> Self {
        Self::TimedOut(Box::new(TimedOut {
            waiting_for: waiting_for.into(),
            budget: Budget::Hard,
            after,
            sent: Sent::Maybe,
            evidence: String::new(),
        }))
    }

    /// Whether the request may have run.
    pub fn sent(&self) -> Sent {
        match self {
            Self::Answered(error) => match error.code {
                // Provably refused before anything ran.
                Some(
                    ErrorCode::METHOD_NOT_FOUND
                    | ErrorCode::PARSE_ERROR
                    | ErrorCode::INVALID_REQUEST
                    // The revision, a capability or a header was refused.
                    | ErrorCode(-32_022..=-32_020),
                ) => Sent::No,
                _ => Sent::Yes,
            },
            Self::Closed(closure) => closure.sent,
            Self::Exchange(exchange) => exchange.sent,
            Self::Input(_) => Sent::Yes,
            Self::Misused(_) | Self::PeerIncompatible(_) | Self::Spawn(_) => Sent::No,
            Self::PeerMisbehaved(_) => Sent::Yes,
            Self::TimedOut(timed_out) => timed_out.sent,
        }
    }

    /// What is known of the server's process, if it ended.
    pub fn obituary(&self) -> Option<&Obituary> {
        match self {
            Self::Closed(closure) => closure.obituary.as_deref(),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(error) => write!(f, "the server answered with an error: {error}"),
            Self::Closed(closure) => f.write_str(&closure.reason),
            Self::Exchange(exchange) => exchange.fmt(f),
            Self::Input(input) => input.fmt(f),
            Self::Misused(misuse) => misuse.fmt(f),
            Self::PeerIncompatible(incompatible) => incompatible.fmt(f),
            Self::PeerMisbehaved(misbehaved) => misbehaved.fmt(f),
            Self::Spawn(error) => error.fmt(f),
            Self::TimedOut(timed_out) => timed_out.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Spawn(error) => std::error::Error::source(&**error),
            Self::PeerMisbehaved(misbehaved) => match &misbehaved.fault {
                PeerFault::Frame(malformed) => Some(malformed),
                PeerFault::Result(error) => Some(error),
                _ => None,
            },
            _ => None,
        }
    }
}

impl fmt::Display for PeerMisbehaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server's answer to {} ", self.method)?;
        match &self.fault {
            PeerFault::Frame(malformed) => write!(f, "is {malformed}")?,
            PeerFault::Result(error) => write!(f, "does not fit the method: {error}")?,
            PeerFault::ResultType(kind) => {
                write!(f, "is of the kind {kind:?}, which is not legal")?
            }
            PeerFault::NotOffered(asked) => {
                write!(f, "asks for {asked}, which this client does not offer")?
            }
            PeerFault::NothingAsked => f.write_str("wants input and does not say which")?,
            PeerFault::TooManyRounds(rounds) => {
                write!(f, "wants input for more than {rounds} rounds")?
            }
        }
        if self.excerpt.is_empty() {
            Ok(())
        } else {
            write!(f, "; it begins: {}", self.excerpt)
        }
    }
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        evidence(f, &self.evidence)
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, asked, .. } = self;
        write!(
            f,
            "{method} cannot go on: the server asked for {asked}, and "
        )?;
        match &self.refusal {
            Refusal::Declined => f.write_str("the user said no"),
            Refusal::Invalid(why) => write!(f, "the question is not valid: {why}"),
            Refusal::Failed(why) => write!(f, "answering failed: {why}"),
        }
    }
}

fn evidence(f: &mut fmt::Formatter<'_>, evidence: &str) -> fmt::Result {
    if evidence.is_empty() {
        Ok(())
    } else {
        write!(f, "; it had sent what is no message: {evidence}")
    }
}

impl fmt::Display for Incompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |versions: &[Version]| {
            versions
                .iter()
                .map(Version::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Self::Version { ours, theirs } if theirs.is_empty() => {
                write!(
                    f,
                    "the server speaks none of our protocol revisions ({})",
                    list(ours)
                )
            }
            Self::Version { ours, theirs } => write!(
                f,
                "no protocol revision in common: the server speaks {}, we speak {}",
                list(theirs),
                list(ours)
            ),
            Self::Refused(error) => write!(f, "the server refuses what we offer: {error}"),
            Self::NoTransport { tried } => {
                f.write_str("no MCP server answers at this URL.")?;
                tried.iter().try_for_each(|entry| {
                    let entry = entry.to_string();
                    write!(f, " {}.", entry.trim_end_matches('.'))
                })
            }
            Self::NotMcp(why) => write!(f, "this does not look like an MCP server: {why}"),
        }
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyInFlight {
                calls_in_flight_max,
            } => {
                write!(
                    f,
                    "{calls_in_flight_max} calls are in flight, which is the limit"
                )
            }
            Self::NotYetSent => f.write_str(
                "the call is being prepared to be sent again, so it cannot run by itself",
            ),
            Self::QueueFull => {
                f.write_str("the server does not read, and the queue of what waits for it is full")
            }
            Self::NotOffered { method, capability } => {
                write!(
                    f,
                    "{method} needs the capability {capability}, which the server lacks"
                )
            }
            Self::UnknownToRevision { method, version } => {
                write!(f, "{method} does not exist in revision {version}")
            }
            Self::BadParams(why) => write!(f, "the parameters cannot be sent: {why}"),
            Self::BadTrace { field, why } => write!(f, "the {field} cannot be sent: {why}"),
        }
    }
}

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            waiting_for, after, ..
        } = self;
        match self.budget {
            Budget::Connect => write!(f, "not connected within {after:?} ({waiting_for})"),
            Budget::Idle => write!(f, "nothing heard of {waiting_for} for {after:?}"),
            Budget::Hard => write!(f, "no answer to {waiting_for} within {after:?} in all"),
        }?;
        evidence(f, &self.evidence)
    }
}

impl From<SpawnError> for Error {
    fn from(error: SpawnError) -> Self {
        Self::Spawn(Arc::new(error))
    }
}
