//! What a link over HTTP has under way: exchanges, notices, the confirmation of the session.
//!
//! What an exchange does, and what else a transport waits for, is left to the transport.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::timeout;

use super::refusal::read_excerpt;
use super::wire::{Control, Wire};
use crate::link::{
    Closed, ClosedKind, ExchangeFailure, ExchangeFailureKind as Kind, ExchangeId, Inbound, Outbound,
};
use crate::{Labels, Step};

/// How long the server may take to reply to a notification or an answer.
// Bound: what a deaf server never takes must not gather, and calls wait for the confirmation.
const POST_MAX: Duration = Duration::from_secs(30);
/// How long last notifications may take.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Notices and answers that are being posted.
// Bound: each has a connection of its own, and a server may ask faster than it takes answers.
const NOTICES_MAX: usize = 64;

pub(super) type Running<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A request that the layer above wants sent.
pub(super) struct Posted {
    pub(super) exchange: ExchangeId,
    pub(super) labels: Box<Labels>,
    pub(super) body: Bytes,
}

/// Everything that a link over HTTP has under way; `E` is what an exchange does, and ends as the
/// number of its exchange.
pub(super) struct Shell<E> {
    wire: Arc<Wire>,
    begin: fn(Arc<Wire>, Arc<Control>, Posted) -> E,
    // Bound: the layer above bounds its calls.
    exchanges: FuturesUnordered<E>,
    controls: HashMap<ExchangeId, Arc<Control>>,
    notices: FuturesUnordered<Running<()>>,
    confirming: Option<Running<Result<(), ExchangeFailure>>>,
}

impl<E: Future<Output = ExchangeId> + Send> Shell<E> {
    pub(super) fn new(wire: Arc<Wire>, begin: fn(Arc<Wire>, Arc<Control>, Posted) -> E) -> Self {
        Self {
            wire,
            begin,
            exchanges: FuturesUnordered::new(),
            controls: HashMap::new(),
            notices: FuturesUnordered::new(),
            confirming: None,
        }
    }

    /// Whether more may be taken: not until the server has taken the confirmation, and not while
    /// it leaves many notices unanswered. What waits then is bounded by the layer above.
    pub(super) fn may_take(&self) -> bool {
        self.confirming.is_none() && self.notices.len() < NOTICES_MAX
    }

    /// Does what the layer above wants done, but for [`Outbound::Listen`], which is no part of
    /// what is under way.
    pub(super) fn take(&mut self, outbound: Outbound<Bytes>) {
        match outbound {
            Outbound::Send {
                exchange,
                labels,
                body,
            } => {
                let labels = labels.unwrap_or_default();
                let control = Arc::new(Control::default());
                self.controls.insert(exchange, Arc::clone(&control));
                let posted = Posted {
                    exchange,
                    labels,
                    body,
                };
                let begun = (self.begin)(Arc::clone(&self.wire), control, posted);
                self.exchanges.push(begun);
            }
            Outbound::Notify { labels, body } => self.notify(labels.unwrap_or_default(), body),
            Outbound::Settled { exchange } => self.settle(exchange),
            Outbound::Abort { exchange } => self.abort(exchange),
            Outbound::Session { version } => self.wire.sender.session().set_version(&version),
            Outbound::Listen => {}
        }
    }

    /// Begins to post a notification or an answer.
    fn notify(&mut self, labels: Box<Labels>, body: Bytes) {
        let wire = Arc::clone(&self.wire);
        if labels.step == Step::Confirmation {
            self.confirming = Some(Box::pin(async move { post(&wire, &labels, body).await }));
            return;
        }
        self.notices.push(Box::pin(async move {
            // Nobody waits for it, and a server that is gone shows with the next request.
            let _: Result<(), ExchangeFailure> = post(&wire, &labels, body).await;
        }));
    }

    /// An exchange has its answer.
    fn settle(&self, exchange: ExchangeId) {
        if let Some(control) = self.controls.get(&exchange) {
            control.settle();
        }
    }

    /// Nobody waits for an exchange any more.
    fn abort(&self, exchange: ExchangeId) {
        if let Some(control) = self.controls.get(&exchange) {
            control.abort();
        }
    }

    /// Waits until something under way has ended; tells what came of the confirmation if it was
    /// that, for [`tell_confirmed`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub(super) async fn turn(&mut self) -> Option<Result<(), ExchangeFailure>> {
        tokio::select! {
            Some(exchange) = self.exchanges.next() => {
                self.controls.remove(&exchange);
                None
            }
            Some(()) = self.notices.next() => None,
            confirmed = ready_or_pending(&mut self.confirming) => {
                self.confirming = None;
                Some(confirmed)
            }
        }
    }

    /// Gives the exchanges up and the notices some time.
    pub(super) async fn close(self) {
        let Self { mut notices, .. } = self;
        let last_words = async { while notices.next().await.is_some() {} };
        // What does not get out in time has nobody left who waits for it.
        let _: Result<(), tokio::time::error::Elapsed> = timeout(LAST_WORDS, last_words).await;
    }
}

pub(super) async fn ready_or_pending<T>(running: &mut Option<Running<T>>) -> T {
    match running {
        Some(running) => running.await,
        None => std::future::pending().await,
    }
}

/// Tells how the confirmation of the session went; says whether there is one.
pub(super) async fn tell_confirmed(wire: &Wire, confirmed: Result<(), ExchangeFailure>) -> bool {
    let is_open = confirmed.is_ok();
    wire.tell(match confirmed {
        Ok(()) => Inbound::Confirmed,
        Err(failure) => Inbound::Closed(Closed::with_detail(
            ClosedKind::NotConfirmed,
            failure.reason,
        )),
    })
    .await;
    is_open
}

/// Posts a notification or an answer, for which nothing comes back.
async fn post(wire: &Wire, labels: &Labels, body: Bytes) -> Result<(), ExchangeFailure> {
    let Ok(response) = timeout(POST_MAX, wire.sender.post(labels, body)).await else {
        let reason = format!("no reply within {POST_MAX:?}");
        return Err(ExchangeFailure::new(Kind::NoAnswer, reason, true));
    };
    let response = response?;
    let status = response.status();
    // Reading the body to its end keeps the connection.
    let said = read_excerpt(response).await;
    if status.is_success() {
        return Ok(());
    }
    let reason = format!("{status}{}", wire.shown(&said));
    Err(ExchangeFailure::new(
        Kind::Status(status.as_u16()),
        reason,
        true,
    ))
}
