//! What the exchanges of one link share.

use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::mpsc::error::{SendError, TrySendError};
use tokio::sync::{Notify, mpsc, watch};

use super::refusal::shown;
use super::sender::{SendFailure, Sender};
use crate::Limits;
use crate::link::{ExchangeFailure, ExchangeFailureKind, Inbound};
use crate::storage::Shelf;

/// How it is with the stream that belongs to no exchange.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Listening {
    /// It is to be opened, or to be taken up again.
    Due,
    Open,
    /// There is none, and none is coming.
    Over,
}

/// The shared parts of a link over HTTP.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) sender: Sender,
    pub(super) limits: Limits,
    /// How it is with the stream that belongs to no exchange, on which an answer could come.
    pub(super) listening: watch::Sender<Listening>,
    /// What large replies are put together in.
    pub(super) shelf: Shelf,
    inbound: mpsc::Sender<Inbound>,
}

impl Wire {
    pub(super) fn new(sender: Sender, limits: Limits, inbound: mpsc::Sender<Inbound>) -> Self {
        Self {
            sender,
            limits,
            listening: watch::Sender::new(Listening::Over),
            shelf: Shelf::default(),
            inbound,
        }
    }

    /// What a body says, as the end of a sentence, with credentials hidden.
    pub(super) fn shown(&self, body: &[u8]) -> String {
        shown(self.sender.redactor(), body)
    }

    /// Hands something to the layer above, and waits for it if it is slow.
    pub(super) async fn tell(&self, inbound: Inbound) {
        // Nearly always there is room, and to look costs less than to be ready to wait.
        if let Err(TrySendError::Full(inbound)) = self.inbound.try_send(inbound) {
            // A layer above that is gone wants to hear nothing; the link ends soon.
            let _: Result<(), SendError<Inbound>> = self.inbound.send(inbound).await;
        }
    }

    /// Completes when the layer above is gone.
    pub(super) async fn is_deserted(&self) {
        self.inbound.closed().await;
    }
}

const RUNNING: u8 = 0;
const SETTLED: u8 = 1;
const ABORTED: u8 = 2;

/// What the layer above has said about one exchange.
#[derive(Debug, Default)]
pub(super) struct Control {
    state: AtomicU8,
    changed: Notify,
}

impl Control {
    /// The exchange has its answer.
    pub(super) fn settle(&self) {
        let _: Result<u8, u8> =
            self.state
                .compare_exchange(RUNNING, SETTLED, Ordering::Relaxed, Ordering::Relaxed);
        self.changed.notify_waiters();
        self.changed.notify_one();
    }

    /// Nobody waits for the exchange any more.
    pub(super) fn abort(&self) {
        self.state.store(ABORTED, Ordering::Relaxed);
        self.changed.notify_waiters();
        self.changed.notify_one();
    }

    /// Whether the exchange has its answer, or nobody waits for it.
    pub(super) fn is_settled(&self) -> bool {
        self.state.load(Ordering::Relaxed) >= SETTLED
    }

    /// Waits until the exchange has its answer, or nobody waits for it.
    pub(super) async fn settled(&self) {
        self.reaches(SETTLED).await;
    }

    /// Waits until nobody waits for the exchange.
    pub(super) async fn aborted(&self) {
        self.reaches(ABORTED).await;
    }

    async fn reaches(&self, state: u8) {
        loop {
            let changed = self.changed.notified();
            if self.state.load(Ordering::Relaxed) >= state {
                return;
            }
            changed.await;
        }
    }
}

impl From<SendFailure> for ExchangeFailure {
    fn from(failure: SendFailure) -> Self {
        match failure {
            SendFailure::Backend(failure) => Self::new(
                ExchangeFailureKind::Connect(failure.kind),
                failure.to_string(),
                failure.may_have_arrived,
            ),
            SendFailure::Denied { status, reason } => {
                Self::new(ExchangeFailureKind::Status(status), reason, false)
            }
        }
    }
}
