//! Keeps a subscription of a modern server alive: `subscriptions/listen`, and again when it ends.
//!
//! Spec: section "subscriptions" of 2026-07-28; SUB-02 to SUB-08, CONFLICT-2.
//! Who hears the notices is decided elsewhere; they come in through the connection's reader.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{ErrorCode, Timeouts};
use mcp_transport::Labels;
use mcp_types::{SubscriptionFilter, SubscriptionsListenParams, SubscriptionsListenResult, method};
use tokio::time::{Instant, Sleep, sleep};

use crate::Error;
use crate::call::{Call, Reply, Request, read_typed};
use crate::driver::Shared;
use crate::negotiate::members_of;
use crate::session::Session;

/// Before the first new attempt; each further one doubles it.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// A subscription that lived this long counts as one that worked.
const LONG_LIVED: Duration = Duration::from_secs(5);
/// Spec: T-21. Such a call is open for hours, and quiet.
const NO_TIMEOUT: Timeouts = Timeouts::new(Duration::MAX, Duration::MAX);

/// One subscription, as long as somebody polls it.
pub(crate) struct Listening {
    shared: Arc<Shared>,
    session: Arc<Session>,
    filter: SubscriptionFilter,
    state: State,
    pause: Duration,
}

enum State {
    /// The server does not know the method, or the connection is gone.
    Over,
    Pausing(Pin<Box<Sleep>>),
    Ready,
    Subscribed(Box<Call<Reply<SubscriptionsListenResult>>>, Instant),
}

impl Listening {
    pub(crate) fn new(
        shared: Arc<Shared>,
        session: Arc<Session>,
        filter: SubscriptionFilter,
    ) -> Self {
        Self {
            shared,
            session,
            filter,
            state: State::Ready,
            pause: PAUSE_MIN,
        }
    }

    /// Subscribes, and again whenever that ends; never completes.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future: the subscription lives in `self`.
    #[expect(
        clippy::infinite_loop,
        reason = "whoever polls it stops polling; a type for that does not exist yet"
    )]
    pub(crate) async fn keep(&mut self) {
        loop {
            match &mut self.state {
                State::Over => std::future::pending().await,
                State::Ready => {
                    self.state = State::Subscribed(Box::new(self.call()), Instant::now());
                }
                State::Pausing(sleep) => {
                    sleep.as_mut().await;
                    self.state = State::Ready;
                }
                State::Subscribed(call, since) => {
                    let ended = call.await;
                    let lived = since.elapsed();
                    self.state = self.after(&ended.map(drop), lived);
                }
            }
        }
    }

    /// Decides what follows the end of a subscription, of which a server has three ways (SUB-06).
    fn after(&mut self, ended: &Result<(), Error>, lived: Duration) -> State {
        let is_over = match ended {
            Ok(()) => false,
            Err(Error::Answered(error)) => error.code == Some(ErrorCode::METHOD_NOT_FOUND),
            Err(_) => self.shared.death().is_some(),
        };
        if is_over {
            return State::Over;
        }
        if lived >= LONG_LIVED {
            self.pause = PAUSE_MIN;
        }
        let pause = self.pause;
        self.pause = (pause * 2).min(PAUSE_MAX);
        State::Pausing(Box::pin(sleep(pause)))
    }

    fn call(&self) -> Call<Reply<SubscriptionsListenResult>> {
        let params = SubscriptionsListenParams::new(self.filter.clone());
        let mut request = Request {
            meta: self.session.request_meta.clone(),
            ..Request::new(method::SUBSCRIPTIONS_LISTEN, members_of(&params))
        };
        if self.shared.wants_labels() {
            let mut labels = Labels::default();
            labels.version.clone_from(&self.session.version_label);
            request.labels = Some(Box::new(labels));
        }
        let read = read_typed::<SubscriptionsListenResult>;
        Call::new(Arc::clone(&self.shared), NO_TIMEOUT, request, read)
    }
}

impl std::fmt::Debug for Listening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listening")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
