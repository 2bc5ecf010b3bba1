//! An asynchronous client of Model Context Protocol servers, for every revision.
//!
//! It is no transport (a [`mcp_transport::Link`] comes from elsewhere) and no registry: it holds
//! one connection to one server, finds out which revision is spoken, and makes calls.
//!
//! # Cancel safety
//!
//! Dropping a future is the supported way to cancel.
//! What that means on the wire for a [`Call`]:
//!
//! | dropping a call | stdio | streams of their own (Streamable HTTP) |
//! |---|---|---|
//! | legacy | sends `notifications/cancelled`, except for `initialize` | the same |
//! | modern | sends `notifications/cancelled` | closes the reply's stream, sends nothing |
//!
//! A request of which no byte has left is taken back instead, whatever the era.
//!
//! # Reading order
//!
//! [`Client`] and [`Builder`], [`Call`] and [`Reply`], [`Error`] and [`Sent`], [`Session`], then
//! the handlers: [`SamplingHandler`], [`ElicitationHandler`], [`RootsHandler`].
//! Callers without a runtime have [`blocking`].

pub mod blocking;
mod builder;
mod cache;
mod call;
mod client;
mod clock;
mod connect;
mod driver;
pub mod error;
mod handler;
mod intents;
mod ledger;
mod listening;
mod negotiate;
mod notice;
mod page;
mod param;
mod session;
mod subscription;
mod tap;
mod trace;

pub use builder::{Builder, EraHint};
pub use call::{Call, Notice, Notices, RawReply, Reply};
pub use client::Client;
pub use connect::{HttpServer, HttpTransport};
pub use error::{Closure, Error, Sent};
pub use handler::{Asker, ElicitationHandler, Refusal, RootsHandler, SamplingHandler};
pub use ledger::LedgerEntry;
pub use mcp_jsonrpc::Limits;
pub use notice::{Change, Changes};
pub use page::{Cut, Listing, PageLimits};
pub use session::{Era, Session};
pub use subscription::{ResourceUpdate, Subscription};
pub use tap::{Direction, FrameTap, Frames, TapLimits, Tapped, TappedFrame};
pub use trace::TraceContext;

/// The example of the project's README is compiled with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
