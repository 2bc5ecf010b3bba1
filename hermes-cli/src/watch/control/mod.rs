//! The control socket of a running `watch`: other commands ask it, a line each way.
//!
//! ```text
//!   {"request":"reload"}  ──>  the object that `hermes mcp reload --json` prints
//!   {"request":"status"}  ──>  the object that `hermes mcp status --json` prints
//! ```
//!
//! | module | job |
//! |---|---|
//! | `place` | where the socket of a configuration is |
//! | `serve` | opens it, reads requests, writes answers |
//! | `ask` | asks |
//!
//! The socket is in a folder that nobody else can enter, so whoever reaches it may ask.

mod ask;
mod place;
mod serve;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub(crate) use ask::{ask, unreadable};
pub(crate) use place::Places;
pub(crate) use serve::{Asked, Control, NoControl};

/// What another command asks of a running `watch`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Question {
    /// Read the configuration now, and tell what came of it.
    Reload,
    /// Tell how the servers are.
    Status,
}

/// A request, as a line of JSON.
#[derive(Debug, Deserialize, Serialize)]
struct Request {
    request: Question,
}

/// The longest request, in bytes.
// Bound: no request needs more.
const REQUEST_LEN_MAX: u64 = 4_096;

/// The longest answer, in bytes.
// Bound: memory; what is told of a server is some kilobytes, with all its notes.
const ANSWER_LEN_MAX: u64 = 16 << 20;

/// Connections at once; others wait until one of these has ended.
// Bound: each is a command that somebody typed.
const CONNECTIONS_MAX: usize = 8;

/// How long a connection may take to say what it wants, and to take its answer.
// Bound: nobody types into the socket.
const LINE_TIME: Duration = Duration::from_secs(5);

/// How long an answer may take.
// Bound: it is there as soon as the configuration was read.
const ANSWER_TIME: Duration = Duration::from_secs(15);
