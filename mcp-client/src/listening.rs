//! Keeps a subscription of a modern server alive: `subscriptions/listen`, and again when it ends.
//!
//! Spec: section "subscriptions" of 2026-07-28; SUB-02 to SUB-08, CONFLICT-2.
//! Who hears the notices is decided elsewhere; they come in through the connection's reader.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{ErrorCode, Timeouts};
use mcp_transport::Labels;
use mcp_types::{
    ServerCapabilities, SubscriptionFilter, SubscriptionsListenParams, SubscriptionsListenResult,
    method,
};
use tokio::time::{Instant, Sleep, sleep};

use crate::Error;
use crate::call::{Call, Reply, Request, read_typed};
use crate::driver::Shared;
use crate::negotiate::members_of;
use crate::notice::Change;
use crate::session::Session;

/// Before the first new attempt; each further one doubles it.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// A subscription that lived this long counts as one that worked.
const LONG_LIVED: Duration = Duration::from_secs(5);
/// Spec: T-21. Such a call is open for hours, and quiet.
const NO_TIMEOUT: Timeouts = Timeouts::new(Duration::MAX, Duration::MAX);

/// What is done when a server acknowledges a subscription, which is when it begins to tell.
///
/// It runs in the connection's reader.
pub(crate) type Acknowledged = Arc<dyn Fn() + Send + Sync>;

/// The lists whose changes a server offers to tell of.
pub(crate) fn offered_changes(offered: &ServerCapabilities) -> Vec<Change> {
    let prompts = offered.prompts.as_ref();
    let resources = offered.resources.as_ref();
    let tools = offered.tools.as_ref();
    let is_offered = |change: &Change| match change {
        Change::Prompts => prompts.and_then(|prompts| prompts.list_changed),
        Change::Resources => resources.and_then(|resources| resources.list_changed),
        Change::Tools => tools.and_then(|tools| tools.list_changed),
    };
    let offered = |change: &Change| is_offered(change) == Some(true);
    Change::ALL.into_iter().filter(offered).collect()
}

/// What to listen for, to hear of changes.
pub(crate) fn filter_of(changes: &[Change]) -> SubscriptionFilter {
    let filter = SubscriptionFilter::new();
    changes.iter().fold(filter, |filter, change| match change {
        Change::Prompts => filter.with_prompts(),
        Change::Resources => filter.with_resources(),
        Change::Tools => filter.with_tools(),
    })
}

/// What was wanted and is not granted, in words (SUB-04).
fn not_granted(wanted: &SubscriptionFilter, granted: &SubscriptionFilter) -> Vec<String> {
    let lists = [
        (
            "tools",
            wanted.tools_list_changed,
            granted.tools_list_changed,
        ),
        (
            "prompts",
            wanted.prompts_list_changed,
            granted.prompts_list_changed,
        ),
        (
            "resources",
            wanted.resources_list_changed,
            granted.resources_list_changed,
        ),
    ];
    let is_missing = |wanted, granted| wanted == Some(true) && granted != Some(true);
    let lists = lists
        .into_iter()
        .filter(|(_list, wanted, granted)| is_missing(*wanted, *granted))
        .map(|(list, ..)| format!("changes of the list of {list}"));
    let granted = granted
        .resource_subscriptions
        .as_deref()
        .unwrap_or_default();
    let resources = wanted.resource_subscriptions.iter().flatten();
    let resources = resources.filter(|uri| !granted.contains(uri)).cloned();
    lists.chain(resources).collect()
}

/// One subscription, as long as somebody polls it.
pub(crate) struct Listening {
    shared: Arc<Shared>,
    session: Arc<Session>,
    filter: SubscriptionFilter,
    acknowledged: Acknowledged,
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
        acknowledged: Acknowledged,
    ) -> Self {
        Self {
            shared,
            session,
            filter,
            acknowledged,
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
        let (wanted, acknowledged) = (self.filter.clone(), Arc::clone(&self.acknowledged));
        let server = Arc::clone(&self.shared.host.server);
        Call::new(Arc::clone(&self.shared), NO_TIMEOUT, request, read).on_acknowledged(
            move |granted| {
                let missing = not_granted(&wanted, granted);
                if !missing.is_empty() {
                    tracing::warn!(
                        server = &*server,
                        ?missing,
                        "the server will not tell of all"
                    );
                }
                acknowledged();
            },
        )
    }
}

impl std::fmt::Debug for Listening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listening")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_does_not_grant_is_known() {
        let wanted = SubscriptionFilter::new().with_tools().with_prompts();
        let wanted = wanted.with_resource("a:1").with_resource("a:2");
        assert!(not_granted(&wanted, &wanted).is_empty());
        let granted = SubscriptionFilter::new().with_tools().with_resource("a:2");
        let missing = not_granted(&wanted, &granted);
        assert_eq!(missing, ["changes of the list of prompts", "a:1"]);
        assert_eq!(not_granted(&wanted, &SubscriptionFilter::new()).len(), 4);
    }
}
