//! JSON-RPC 2.0 as the Model Context Protocol bends it, without I/O.
//!
//! This crate knows frames (one JSON text each), ids, errors and the life of a call.
//! It has no sockets, no clock, no runtime and no MCP method name: bytes and the time come in as
//! arguments, and what has to happen comes out of `poll_*`.
//!
//! ```text
//!   commands: call, notify, respond, abandon        handle_frame, handle_timeout, handle_closed
//!        │                                                  │
//!        ▼                                                  ▼
//!   ┌──────────────────────────────── Peer ────────────────────────────────┐
//!   │ outgoing: our calls in flight      incoming: the peer's open requests │
//!   └───────────────────────────────────────────────────────────────────────┘
//!        │                                                  │
//!        ▼                                                  ▼
//!   poll_transmit: bytes to write                     poll_event, poll_timeout
//! ```
//!
//! Reading order: [`RequestId`] and [`CallId`], [`ErrorObject`], [`decode`], [`Peer`].

mod decode;
mod edges;
mod encode;
mod error;
mod id;
mod limits;
mod peer;
mod recover;
mod scan;

pub use decode::{Decoded, Envelope, Id, Malformed, Shape, Span, decode};
pub use edges::params_of_notice;
pub use error::{ErrorCode, ErrorObject, Misbehavior};
pub use id::{CallId, RequestId};
pub use limits::Limits;
pub use peer::{
    Answer, Budget, CallRefused, Event, Ledger, Method, Outcome, Peer, Tie, Timeouts, Transmit,
    TransmitKind,
};
pub use recover::recover_ids;
pub use scan::{Fault, FaultKind, validate};
