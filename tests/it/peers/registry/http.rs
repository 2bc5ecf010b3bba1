//! What a server behind a URL goes through: its process is killed in a call, stays away until it
//! was tried in vain, and listens on the same port again.

use futures_util::future::join_all;
use hermes_registry::Registry;
use mcp_tests::stage::until;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout};

use super::calls::{Ends, Harmless, failed, may_run_twice};
use super::report::Trial;
use super::watch::Watch;
use super::{PATIENCE, life};
use crate::peers::http::Row;
use crate::peers::serve::Served;

/// Calls that wait behind the one that runs.
const WAITING: usize = 3;

/// The retry before which the server is away.
const AWAY_UNTIL: u32 = 2;

pub(super) async fn lose(registry: &Registry, served: &mut Served, row: &Row) -> Trial {
    let (tool, arguments, holds) = &row.tool;
    let call = Harmless {
        server: row.name,
        tool,
        arguments,
        holds,
        is_error: false,
    };
    let first = call.call(registry).await;
    assert_eq!(first.answered, 1);
    let mut watch = Watch::new(registry, row.name);
    let (told, begun) = watch::channel(false);
    let runs_again = row.is_bound_to_a_stream && may_run_twice(registry, row.name, endless(row).0);
    let (give_up, given_up) = oneshot::channel();
    let runs = async {
        tokio::select! {
            ends = run_endless(registry, row, told.clone()) => ends,
            Ok(()) = given_up => Ends::default(),
        }
    };
    let wait = join_all((0..WAITING).map(|_| call.call(registry)));
    let loss = async {
        has_begun(served, row, begun.clone()).await;
        until("the others wait", || {
            life(registry, row.name).queued == WAITING
        })
        .await;
        let killed = Instant::now();
        served.kill().await;
        let is_away = |used| used >= AWAY_UNTIL;
        let in_vain = watch.until("tried", |status| is_away(status.retries_used));
        in_vain.await;
        served.start_again();
        let returned = watch.until_back().await;
        if runs_again {
            // What was told so far was told by the process that is gone.
            told.send_replace(false);
            has_begun(served, row, begun.clone()).await;
            give_up.send(()).unwrap();
        }
        (killed, returned)
    };
    let (lost, answered, (killed, returned)) = tokio::join!(runs, wait, loss);
    let answered = Ends::all(answered);
    assert_eq!(answered.answered, WAITING, "{}", row.name);
    assert_eq!(lost.lost, usize::from(!runs_again), "{}", row.name);
    let ends = Ends::all([lost, answered]);
    Trial {
        server: row.name.to_owned(),
        when: "in a call",
        may_run_twice: runs_again,
        ends,
        failed_after: ends.failed_after(killed),
        back_after: returned.at - killed,
        returned,
    }
}

/// A tool that only its server's end ends, and its arguments.
fn endless(row: &Row) -> (&'static str, Value) {
    match row.tells {
        true => ("wait", json!({})),
        false => (
            "trigger-long-running-operation",
            json!({"duration": 600, "steps": 6_000}),
        ),
    }
}

async fn run_endless(registry: &Registry, row: &Row, told: watch::Sender<bool>) -> Ends {
    let (tool, arguments) = endless(row);
    let restarts = life(registry, row.name).restarts;
    let progress = move |_told| {
        told.send_replace(true);
    };
    let (name, arguments) = (format!("{}/{tool}", row.name), Value::to_string(&arguments));
    let call = registry.call(&name, &arguments, None, Some(Box::new(progress)));
    let ended = timeout(PATIENCE, call).await;
    match ended.unwrap_or_else(|_| panic!("{name} does not end")) {
        Ok(called) => panic!("{name} has ended: {:?}", called.result),
        Err(error) => failed(registry, row.name, &error, restarts),
    }
}

/// Waits until the server has begun the call, which it says in its way.
async fn has_begun(served: &Served, row: &Row, mut begun: watch::Receiver<bool>) {
    if row.tells {
        served.heard("tool wait: begun", 1).await;
    } else {
        let begun = timeout(PATIENCE, begun.wait_for(|is_begun| *is_begun)).await;
        begun.unwrap().unwrap();
    }
}
