//! What a call leaves with the peer, and what it hears in the end.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bytes::Bytes;
use mcp_jsonrpc::Outcome;
use mcp_transport::link::ExchangeFailure;
use tokio::sync::oneshot;

use super::shared::Death;
use crate::Sent;
use crate::call::Hearers;

/// What a call leaves with the peer while it is in flight.
#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) reply: oneshot::Sender<Settled>,
    /// Who hears of progress and of log messages, if anybody does.
    pub(crate) hearers: Option<Arc<Hearers>>,
    pub(crate) method: Cow<'static, str>,
    /// Set if the request could not even be queued, because nothing can be written any more.
    pub(crate) never_left: AtomicBool,
    /// Whether giving the call up is told to the server. Never for the opening of a session
    /// (LIFE-07, N-11).
    pub(crate) is_cancellable: bool,
    /// What the transport has told of it so far; boxed, since most calls have nothing of it.
    pub(crate) trace: Option<Box<Trace>>,
}

impl Waiter {
    pub(crate) fn new(reply: oneshot::Sender<Settled>, method: Cow<'static, str>) -> Self {
        Self {
            reply,
            hearers: None,
            method,
            never_left: AtomicBool::new(false),
            is_cancellable: true,
            trace: None,
        }
    }

    /// Where to note what the transport tells.
    pub(super) fn trace(&mut self) -> &mut Trace {
        self.trace.get_or_insert_default()
    }
}

/// The head of an HTTP reply.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) media: String,
    pub(crate) is_in_session: bool,
}

/// How a call ended, as its waiter hears it.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) outcome: Outcome,
    pub(crate) sent: Sent,
    /// Why the connection is gone, if that is how it ended.
    pub(crate) death: Option<Arc<Death>>,
    /// What the transport tells of how it went, where it does.
    pub(crate) trace: Option<Box<Trace>>,
}

/// How an exchange went, as far as its transport told.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Why it brought no answer.
    pub(crate) failure: Option<ExchangeFailure>,
    /// The head of the reply.
    pub(crate) head: Option<Head>,
    /// How long its clocks stood still, without the time in which those of all calls did.
    pub(crate) stood: Duration,
    /// The first thing on the stream of the reply that was no message.
    pub(crate) stray: Option<Bytes>,
    /// Whether its reply was an error that names no request, as when the request was not read.
    pub(crate) is_unaddressed: bool,
}
