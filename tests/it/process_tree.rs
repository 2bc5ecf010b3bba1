//! Nothing that a server started outlives it: after closing, after the root's own exit, and after
//! our own process was killed.
//!
//! `HERMES_MCP_TREE_RUNS` says how often each is tried; three times by default.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::process::{Command as HostCommand, Stdio};
use std::time::Duration;

use mcp_tests::stage::{PATIENCE, STAGE_MARK, marked, until};
use mcp_transport::process::{Command, Spawned, spawn};
use tokio::time::{sleep, timeout};

const HOST: &str = env!("CARGO_BIN_EXE_tree-host");
const HELPER: &str = "sleep 3000 &";
const SETSID_HELPER: &str = "setsid sleep 3000 &";

fn runs() -> usize {
    let runs = std::env::var("HERMES_MCP_TREE_RUNS").ok();
    runs.map_or(3, |runs| {
        runs.parse().expect("HERMES_MCP_TREE_RUNS is a number")
    })
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// What marks the processes of one run.
struct Mark(String);

impl Mark {
    fn new() -> Self {
        Self(format!("tree-{}-{:016x}", std::process::id(), random()))
    }

    fn alive(&self) -> Vec<String> {
        marked(format!("{STAGE_MARK}={}", self.0).as_bytes())
    }

    /// A server that runs `script`; two processes of it are alive before this returns.
    async fn server(&self, script: &str) -> Spawned {
        let command = Command::new("sh")
            .args(["-c", script])
            .env("PATH", "/usr/bin:/bin")
            .env(STAGE_MARK, &self.0);
        let server = spawn(command).unwrap();
        until("the helper runs", || {
            self.alive().iter().any(|line| line.contains("sleep 3000"))
        })
        .await;
        server
    }
}

/// Ends a server by closing its stdin; nothing may be left.
async fn close(mark: &Mark, server: Spawned) {
    let Spawned {
        stdin,
        stdout: _stdout,
        mut child,
        ..
    } = server;
    drop(stdin);
    let closed = timeout(PATIENCE, child.shutdown()).await.unwrap();
    assert!(closed.survivors.is_empty(), "{closed:?}");
    assert_eq!(mark.alive(), Vec::<String>::new());
}

async fn normal_close(helper: &str) {
    for _ in 0..runs() {
        let mark = Mark::new();
        let server = mark.server(&format!("{helper} exec cat")).await;
        close(&mark, server).await;
    }
}

async fn root_exits_first(helper: &str) {
    for _ in 0..runs() {
        let mark = Mark::new();
        let server = mark.server(&format!("{helper} exit 3")).await;
        timeout(PATIENCE, server.child.exited()).await.unwrap();
        assert!(!mark.alive().is_empty(), "the helper outlives the root");
        close(&mark, server).await;
    }
}

async fn helper_outlives_a_clean_exit(helper: &str) {
    for _ in 0..runs() {
        let mark = Mark::new();
        let server = mark
            .server(&format!("{helper} cat >/dev/null; exit 0"))
            .await;
        close(&mark, server).await;
    }
}

async fn dropped(helper: &str) {
    for _ in 0..runs() {
        let mark = Mark::new();
        drop(mark.server(&format!("{helper} exec cat")).await);
        until("the guard ended what was left", || mark.alive().is_empty()).await;
    }
}

async fn host_is_killed(mode: &str) {
    for run in 0..runs() {
        let mark = Mark::new();
        let mut host = HostCommand::new(HOST);
        host.arg(mode).env(STAGE_MARK, &mark.0).stdin(Stdio::null());
        let mut host = host.spawn().unwrap();
        // A third within the first moments, when the guard and the first server are being started.
        let micros = if run % 3 == 0 {
            random() % 8_000
        } else {
            random() % 700_000
        };
        sleep(Duration::from_micros(micros)).await; // sleep: a kill at a random moment
        host.kill().unwrap();
        host.wait().unwrap();
        // When the guard has gone it has done its work: from then on nothing may be left.
        let guard = format!("HERMES_MCP_MARK={}-", host.id());
        // A copy of the host that has not become its guard yet is about to.
        let is_copy = |line: &String| line.contains(HOST);
        until("the guard is done", || {
            !mark.alive().iter().any(is_copy) && !has_guard(&guard)
        })
        .await;
        let left = mark.alive();
        assert!(
            left.is_empty(),
            "run {run}, killed after {micros} us: {left:?}"
        );
    }
}

/// Whether the guard of a host runs, which has the beginning of its marks as an argument.
fn has_guard(mark: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|folder| {
        let line = std::fs::read(folder.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains("hermes-mcp-guard") && line.contains(mark)
    })
}

macro_rules! with_each_helper {
    ($($scenario:ident($plain:expr, $setsid:expr) => $plain_name:ident, $setsid_name:ident;)*) => {
        $(
            #[tokio::test]
            async fn $plain_name() {
                $scenario($plain).await;
            }

            #[tokio::test]
            async fn $setsid_name() {
                $scenario($setsid).await;
            }
        )*
    };
}

with_each_helper! {
    normal_close(HELPER, SETSID_HELPER) =>
        no_helper_outlives_a_close, no_helper_in_its_own_session_outlives_a_close;
    root_exits_first(HELPER, SETSID_HELPER) =>
        no_helper_outlives_a_root_that_exits_first,
        no_helper_in_its_own_session_outlives_a_root_that_exits_first;
    helper_outlives_a_clean_exit(HELPER, SETSID_HELPER) =>
        no_helper_outlives_a_clean_exit, no_helper_in_its_own_session_outlives_a_clean_exit;
    dropped(HELPER, SETSID_HELPER) =>
        no_helper_outlives_a_dropped_server, no_helper_in_its_own_session_outlives_a_dropped_server;
    host_is_killed("plain", "setsid") =>
        no_server_outlives_a_killed_host, no_server_in_its_own_session_outlives_a_killed_host;
}
