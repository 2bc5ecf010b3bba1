//! What the exchanges of one link share.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::error::{SendError, TrySendError};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

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
    inbound: mpsc::Sender<Box<Inbound>>,
}

impl Wire {
    pub(super) fn new(sender: Sender, limits: Limits, inbound: mpsc::Sender<Box<Inbound>>) -> Self {
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

    /// Hands something to the layer above, at once if there is room; the future waits until there
    /// is.
    pub(super) fn tell(&self, inbound: Inbound) -> impl Future<Output = ()> + Send {
        // Nearly always there is room, and to look costs less than to be ready to wait.
        let full = match self.inbound.try_send(Box::new(inbound)) {
            Err(TrySendError::Full(inbound)) => Some(inbound),
            // A layer above that is gone wants to hear nothing; the link ends soon.
            Ok(()) | Err(TrySendError::Closed(_)) => None,
        };
        // Boxed, so that whoever tells something has no room for the wait.
        let waiting = full.map(|inbound| Box::pin(self.inbound.send(inbound)));
        async move {
            if let Some(waiting) = waiting {
                let _: Result<(), SendError<Box<Inbound>>> = waiting.await;
            }
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

    /// Whether nobody waits for the exchange any more.
    pub(super) fn is_aborted(&self) -> bool {
        self.state.load(Ordering::Relaxed) >= ABORTED
    }

    /// Waits until nobody waits for the exchange, or until it has had this long since its answer.
    pub(super) async fn over(&self, linger: Duration) {
        self.settled().await;
        if !self.is_aborted() {
            // Boxed, since nearly every exchange has ended by then.
            let aborted = Box::pin(timeout(linger, self.reaches(ABORTED)));
            let _: Result<(), Elapsed> = aborted.await;
        }
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
