//! Letting one call through to its server, and telling the server's life how it ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_client::{Client, Error};
use tokio::time::timeout_at;

use super::inner::{Inner, clock};
use super::slot::Admitted;
use super::slots::SlotId;
use crate::RegistryError;
use crate::life::{CallEnd, Started, Ticket};
use crate::name::ServerName;

/// How much later than its deadline a call is told that nobody lets it through.
const LATE: Duration = Duration::from_secs(1);

/// A call that runs, or waits to.
///
/// Dropping it tells that the call was given up, so that whatever waits for its end goes on.
pub(super) struct Pass {
    inner: Arc<Inner>,
    server: SlotId,
    ticket: Option<Ticket>,
}

/// A call that may be made now.
pub(super) struct Admission {
    pub(super) pass: Pass,
    pub(super) client: Client,
    /// How long it waited.
    pub(super) queued: Duration,
}

impl Pass {
    /// Waits until a call may be made, until `deadline` at most.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the call up.
    pub(super) async fn admit(
        inner: &Arc<Inner>,
        server: SlotId,
        name: &ServerName,
        deadline: Instant,
    ) -> Result<Admission, RegistryError> {
        let refused = |refusal| RegistryError::Refused {
            server: name.clone(),
            refusal: Box::new(refusal),
        };
        let now = clock();
        let admitted = inner
            .change(server, |slot, todo| slot.admit(now, deadline, todo))
            .ok_or_else(|| unavailable(name, "the server is not configured"))?
            .map_err(refused)?;
        let mut pass = Self {
            inner: Arc::clone(inner),
            server,
            ticket: None,
        };
        let started = match admitted {
            Admitted::Now(started) => {
                pass.ticket = Some(started.ticket);
                started
            }
            Admitted::Waits(ticket, turn) => {
                pass.ticket = Some(ticket);
                // The life keeps the deadline, as long as there is a keeper that wakes it.
                let turn = timeout_at((deadline + LATE).into(), turn).await;
                let turn = turn.map_err(|_late| unavailable(name, "nobody keeps the servers"))?;
                let turn = turn.map_err(|_gone| unavailable(name, "the registry is closed"))?;
                turn.map_err(refused)?
            }
        };
        pass.begin(started, name)
    }

    fn begin(self, started: Started, name: &ServerName) -> Result<Admission, RegistryError> {
        // A connection that has just gone is told by its end, which starts another.
        let client = self.inner.client(self.server, started.epoch);
        let client = client.ok_or_else(|| unavailable(name, "its connection has just ended"))?;
        Ok(Admission {
            pass: self,
            client,
            queued: started.queued(),
        })
    }

    /// Tells how the call ended.
    pub(super) fn end(mut self, end: CallEnd) {
        self.tell(end);
    }

    fn tell(&mut self, end: CallEnd) {
        if let Some(ticket) = self.ticket.take() {
            let now = clock();
            self.inner.change(self.server, |slot, todo| {
                ((), slot.end_call(now, ticket, end, todo))
            });
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.tell(CallEnd::Abandoned);
    }
}

fn unavailable(server: &ServerName, reason: &str) -> RegistryError {
    RegistryError::ServerUnavailable {
        server: server.clone(),
        cause: Box::new(Error::not_started(reason.to_owned())),
        outcome_uncertain: false,
    }
}
