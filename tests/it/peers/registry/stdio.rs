//! What a server over stdio goes through: it is killed at rest, stopped in a call and then killed,
//! and killed in the middle of its work.

use std::cell::Cell;

use futures_util::future::join_all;
use hermes_registry::Registry;
use hermes_registry::life::BreakerStatus;
use mcp_tests::stage::until;
use tokio::time::Instant;

use super::calls::{Ends, Harmless};
use super::life;
use super::processes::Processes;
use super::report::Trial;
use super::watch::{Return, Watch};
use crate::peers::table::Row;

/// Calls that are out at the same time; the server is let one of them.
const CALLS: usize = 4;

/// Calls that are answered before a server is killed at its work.
const ANSWERED_BEFORE: usize = 8;

struct Ordeal<'a> {
    registry: &'a Registry,
    processes: &'a Processes,
    call: Harmless<'a>,
}

pub(super) async fn lose<'a>(
    registry: &'a Registry,
    processes: &'a Processes,
    row: &'a Row,
) -> Vec<Trial> {
    let call = Harmless {
        server: row.server,
        tool: row.tool,
        arguments: &row.arguments,
        holds: row.holds,
        is_error: row.is_error,
    };
    let ordeal = Ordeal {
        registry,
        processes,
        call,
    };
    vec![
        ordeal.at_rest().await,
        ordeal.in_a_call().await,
        ordeal.at_work().await,
    ]
}

impl Ordeal<'_> {
    fn kill(&self) -> Instant {
        self.processes.kill(self.call.server);
        Instant::now()
    }

    fn trial(&self, when: &'static str, killed: Instant, ends: Ends, returned: Return) -> Trial {
        let server = self.call.server;
        assert_eq!(self.processes.left_over(server), Vec::<String>::new());
        Trial {
            server: server.to_owned(),
            when,
            may_run_twice: self.call.may_run_twice(self.registry),
            ends,
            failed_after: ends.failed_after(killed),
            back_after: returned.at - killed,
            returned,
        }
    }

    /// A server that has proven that it works is connected again at once, though nobody calls.
    async fn at_rest(&self) -> Trial {
        let ends = self.call.call(self.registry).await;
        assert_eq!(ends.answered, 1);
        let mut watch = Watch::new(self.registry, self.call.server);
        let killed = self.kill();
        let returned = watch.until_back().await;
        self.trial("at rest", killed, ends, returned)
    }

    /// One that has not is connected again after a wait. Those behind the call that it had are
    /// answered by the next process, and so is that call itself if the server says that its tool
    /// may run twice; otherwise it is lost.
    async fn in_a_call(&self) -> Trial {
        let server = self.call.server;
        let mut watch = Watch::new(self.registry, server);
        self.processes.freeze(server);
        let calls = join_all((0..CALLS).map(|_| self.call.call(self.registry)));
        let loss = async {
            until("one call runs and the others wait", || {
                let status = life(self.registry, server);
                (status.in_flight, status.queued) == (1, CALLS - 1)
            })
            .await;
            let killed = self.kill();
            (killed, watch.until_back().await)
        };
        let (ends, (killed, returned)) = tokio::join!(calls, loss);
        let ends = Ends::all(ends);
        let lost = usize::from(!self.call.may_run_twice(self.registry));
        assert_eq!((ends.answered, ends.lost), (CALLS - lost, lost), "{server}");
        assert_eq!(returned.attempts, 1, "{server}: {returned:?}");
        self.is_well();
        self.trial("in a call", killed, ends, returned)
    }

    /// Callers that call again and again notice one call less, or none where the server says that
    /// its tool may run twice.
    async fn at_work(&self) -> Trial {
        let server = self.call.server;
        let restarts = life(self.registry, server).restarts;
        let answered = Cell::new(0);
        let caller = || async {
            let mut ends = Ends::default();
            // Whoever was answered by the next process is done.
            loop {
                let end = self.call.call(self.registry).await;
                answered.set(answered.get() + end.answered);
                ends = Ends::all([ends, end]);
                if end.answered == 1 && life(self.registry, server).restarts > restarts {
                    return ends;
                }
            }
        };
        let calls = join_all((0..CALLS).map(|_| caller()));
        let loss = async {
            until("it works", || {
                let is_running = life(self.registry, server).in_flight == 1;
                is_running && answered.get() >= ANSWERED_BEFORE
            })
            .await;
            let mut watch = Watch::new(self.registry, server);
            let killed = self.kill();
            (killed, watch.until_back().await)
        };
        let (ends, (killed, returned)) = tokio::join!(calls, loss);
        let ends = Ends::all(ends);
        // The call that runs may just have been answered.
        let lost_max = usize::from(!self.call.may_run_twice(self.registry));
        assert!(ends.lost <= lost_max, "{server}: {ends:?}");
        assert_eq!(ends.unsent, 0, "{server}: {ends:?}");
        assert_eq!(returned.attempts, 1, "{server}: {returned:?}");
        self.is_well();
        self.trial("at work", killed, ends, returned)
    }

    /// Nothing is held against a server that has answered.
    fn is_well(&self) {
        let status = life(self.registry, self.call.server);
        assert_eq!(status.breaker, BreakerStatus::Closed { strikes: 0 });
        assert_eq!((status.retries_used, status.fault), (0, None));
        assert_eq!((status.in_flight, status.queued), (0, 0));
    }
}
