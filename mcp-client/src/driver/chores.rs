//! What a legacy server is asked for on behalf of all who watch a resource, each resource by a
//! task that the driver owns. `intents` decides what is asked.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::Timeouts;
use mcp_types::{EmptyResult, method};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::shared::Shared;
use crate::Error;
use crate::call::{Call, Request, read_typed};
use crate::intents::Step;

/// How long a server may take to take a subscription back.
// Bound: nobody waits for it but whoever wants the same resource again.
const UNSUBSCRIBE_MAX: Duration = Duration::from_secs(10);

/// The resources that are being asked for.
///
/// Bound: one task for each resource that is watched or has just ceased to be; those that have
/// ended are reaped before the next one starts.
pub(super) struct Chores {
    shared: Arc<Shared>,
    tasks: JoinSet<()>,
    turns: Arc<Semaphore>,
}

impl Chores {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            tasks: JoinSet::new(),
            turns: Arc::new(Semaphore::new(AT_ONCE_MAX)),
        }
    }

    /// Starts what has to be begun.
    pub(super) fn start_due(&mut self) {
        while self.tasks.try_join_next().is_some() {}
        let due = self.shared.watchers.intents().take_due();
        for uri in due {
            let (shared, turns) = (Arc::clone(&self.shared), Arc::clone(&self.turns));
            self.tasks.spawn(pursue(shared, turns, uri));
        }
    }

    /// Ends all and waits until they are gone.
    pub(super) async fn end(&mut self) {
        self.tasks.shutdown().await;
    }
}

/// How many resources are asked for at once.
// Bound: a new session is asked for all resources that the lost one was, which must neither flood
// the server nor use up the calls that may be in flight.
const AT_ONCE_MAX: usize = 16;

/// Asks for what is wanted of one resource until the server has been asked for just that.
async fn pursue(shared: Arc<Shared>, turns: Arc<Semaphore>, uri: String) {
    loop {
        // The semaphore is never closed.
        let Ok(_turn) = turns.acquire().await else {
            return;
        };
        let step = shared.watchers.intents().next(&uri);
        let Some(step) = step else { return };
        let asked = ask(&shared, step, &uri).await;
        if let (Step::Subscribe, Err(error)) = (step, &asked) {
            // In a new session nobody waits for it who could be told.
            let server = &*shared.host.server;
            tracing::warn!(server, %error, "a resource is not watched");
        }
        shared.watchers.intents().done(&uri, step, &asked);
    }
}

async fn ask(shared: &Arc<Shared>, step: Step, uri: &str) -> Result<(), Error> {
    let timeouts = shared.host.timeouts;
    let (method, timeouts) = match step {
        Step::Subscribe => (method::RESOURCES_SUBSCRIBE, timeouts),
        Step::Unsubscribe => {
            let idle = timeouts.idle.min(UNSUBSCRIBE_MAX);
            (method::RESOURCES_UNSUBSCRIBE, Timeouts::new(idle, idle))
        }
    };
    let mut request = Request::new(method, Vec::new());
    request.push_member("uri", uri);
    let read = read_typed::<EmptyResult>;
    let call = Call::new(Arc::clone(shared), timeouts, request, read);
    call.await.map(drop)
}
