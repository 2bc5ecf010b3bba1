//! A host of servers that is there to be killed: `tree-host plain|setsid`.
//!
//! It starts servers with helpers without end, keeps some, drops some and shuts some down. Its
//! servers carry the variable `MCP_TESTS_STAGE` that it got itself.

#![expect(clippy::print_stderr, reason = "what went wrong is shown by the test")]

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use mcp_tests::stage::STAGE_MARK;
use mcp_transport::process::{Command, Grace, Spawned, spawn};

/// What the servers do; `HELPER` starts a helper.
const SERVERS: [&str; 5] = [
    "HELPER exec cat",
    "HELPER exit 3",
    "trap '' TERM INT HUP; HELPER while :; do sleep 1; done",
    "HELPER HELPER cat >/dev/null; exit 0",
    "while :; do HELPER sleep 0.05; done",
];
/// How many servers are kept.
const KEPT_MAX: usize = 8;

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let helper = match mode.as_str() {
        "setsid" => "setsid sleep 3000 &",
        _ => "sleep 3000 &",
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.expect("a runtime can be built").block_on(async {
        let mut kept = VecDeque::new();
        loop {
            match start(helper) {
                Ok(server) => kept.push_back(server),
                Err(error) => eprintln!("{error}"),
            }
            if kept.len() > KEPT_MAX {
                end(kept.pop_front()).await;
            }
            tokio::task::yield_now().await;
        }
    });
}

fn start(helper: &str) -> Result<Spawned, mcp_transport::process::SpawnError> {
    let which = usize::try_from(random(5)).unwrap_or_default();
    let script = SERVERS
        .get(which)
        .copied()
        .unwrap_or_default()
        .replace("HELPER", helper);
    let grace = Duration::from_millis(random(100));
    let mark = std::env::var_os(STAGE_MARK).unwrap_or_default();
    spawn(
        Command::new("sh")
            .args(["-c", &script])
            .env("PATH", "/usr/bin:/bin")
            .env(STAGE_MARK, mark)
            .grace(Grace {
                stdin_closed: grace,
                term: grace,
                kill: Duration::from_secs(2),
            }),
    )
}

/// Ends a server: gently, or by dropping it.
async fn end(server: Option<Spawned>) {
    let Some(Spawned {
        stdin,
        stdout: _stdout,
        mut child,
        ..
    }) = server
    else {
        return;
    };
    if random(2) == 0 {
        drop(stdin);
        let closed = child.shutdown().await;
        if !closed.survivors.is_empty() {
            eprintln!("{closed:?}");
        }
    }
}

/// A number below `bound`; each state takes its keys from the system.
fn random(bound: u64) -> u64 {
    RandomState::new().build_hasher().finish() % bound
}
