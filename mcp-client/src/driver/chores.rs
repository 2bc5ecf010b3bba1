//! What a legacy server is asked for on behalf of all who watch a resource, each resource by a
//! task that the driver owns. `intents` decides what is asked.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::Timeouts;
use mcp_types::{EmptyResult, method};
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
}

impl Chores {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            tasks: JoinSet::new(),
        }
    }

    /// Starts what has to be begun.
    pub(super) fn start_due(&mut self) {
        while self.tasks.try_join_next().is_some() {}
        let due = self.shared.watchers.intents().take_due();
        for uri in due {
            self.tasks.spawn(pursue(Arc::clone(&self.shared), uri));
        }
    }

    /// Ends all and waits until they are gone.
    pub(super) async fn end(&mut self) {
        self.tasks.shutdown().await;
    }
}

/// Asks for what is wanted of one resource until the server has been asked for just that.
async fn pursue(shared: Arc<Shared>, uri: String) {
    loop {
        let step = shared.watchers.intents().next(&uri);
        let Some(step) = step else { return };
        let asked = ask(&shared, step, &uri).await;
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
