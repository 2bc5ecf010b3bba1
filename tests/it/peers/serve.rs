//! Starts the servers that are reached over HTTP, and keeps what they say.
//!
//! What is said to them over HTTP is left to the tests.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::Duration;

use futures_util::future::join_all;
use mcp_transport::process::{Child, Command, Grace, spawn};
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::folder;

/// The slowest needs some seconds on an idle machine.
const READY_MAX: Duration = Duration::from_secs(60);

/// Between two attempts to reach a server that does not listen yet.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// How long a server may take to notice what was done on the wire.
const HEARD_MAX: Duration = Duration::from_secs(30);

/// None of them reads stdin, so that it is closed tells them nothing.
const GRACE: Grace = Grace {
    stdin_closed: Duration::ZERO,
    term: Duration::from_secs(2),
    kill: Duration::from_secs(2),
};

// Bound: some hundred lines are what a test causes.
const LINES_MAX: usize = 10_000;

/// An entry of the list that `cargo xtask peers` wrote.
#[derive(Deserialize)]
struct Program {
    name: String,
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    path: String,
}

/// A server that listens; it ends when this is dropped.
pub(super) struct Served {
    pub(super) name: String,
    pub(super) url: String,
    program: Program,
    port: u16,
    running: Running,
    _held: Option<TcpSocket>,
}

/// Its process.
struct Running {
    child: Child,
    lines: watch::Receiver<Vec<String>>,
    _reader: JoinSet<()>,
    _stdin: pipe::Sender,
}

impl Served {
    /// Kills it with SIGKILL, and waits until nothing is left of it.
    pub(super) async fn kill(&mut self) {
        let child = &mut self.running.child;
        let pid = child.id().try_into().ok().and_then(Pid::from_raw);
        kill_process(pid.unwrap(), Signal::KILL).unwrap();
        child.exited().await;
        child.shutdown().await;
    }

    /// Starts it once more on its port, and does not wait until it listens.
    pub(super) fn start_again(&mut self) {
        self.running = run(&self.program, self.port);
    }

    /// Waits until standard output has held a line so many times.
    pub(super) async fn heard(&self, line: &str, times: usize) {
        let mut lines = self.running.lines.clone();
        let waited = lines.wait_for(|lines| count(lines, line) >= times);
        let waited = timeout(HEARD_MAX, waited).await;
        let heard = matches!(waited, Ok(Ok(_)));
        assert!(heard, "`{line}` was not told {times} times by {self}");
    }

    /// How often standard output has held a line so far.
    pub(super) fn count(&self, line: &str) -> usize {
        count(&self.running.lines.borrow(), line)
    }

    /// Ends it and all that it started.
    pub(super) async fn end(mut self) {
        drop(self.running._stdin);
        let closed = self.running.child.shutdown().await;
        assert!(closed.survivors.is_empty(), "{}: {closed:?}", self.name);
    }
}

fn count(lines: &[String], wanted: &str) -> usize {
    lines.iter().filter(|line| *line == wanted).count()
}

/// The failure message's part: how it is, and all that it said.
impl std::fmt::Display for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines = self.running.lines.borrow().join("\n  ");
        let obituary = self.running.child.obituary();
        write!(f, "{}, which {obituary:#}", self.name)?;
        write!(f, "\nstdout:\n  {lines}")
    }
}

/// Starts the servers whose names are wanted, all at once, and waits until they listen.
pub(super) async fn start(wanted: impl Fn(&str) -> bool) -> Vec<Served> {
    let list = std::fs::read(folder().join("http-servers.json")).unwrap();
    let list: Vec<Program> = serde_json::from_slice(&list).unwrap();
    let list = list.into_iter().filter(|program| wanted(&program.name));
    let started = list.map(serve);
    join_all(started.map(|served| async move {
        let ready = timeout(READY_MAX, listens(&served)).await;
        assert!(ready == Ok(true), "no ear at {}: {served}", served.url);
        served
    }))
    .await
}

/// A port of loopback that nobody else is given.
///
/// Every server here sets `SO_REUSEADDR`, so on Linux it can listen where another socket that does
/// not listen is bound. Elsewhere it cannot, and the port is free for a moment.
fn reserve() -> (u16, Option<TcpSocket>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let port = socket.local_addr().unwrap().port();
    (port, cfg!(target_os = "linux").then_some(socket))
}

fn serve(program: Program) -> Served {
    let (port, held) = reserve();
    Served {
        name: program.name.clone(),
        url: format!("http://127.0.0.1:{port}{}", program.path),
        running: run(&program, port),
        program,
        port,
        _held: held,
    }
}

fn run(program: &Program, port: u16) -> Running {
    let put = |text: &String| text.replace("{port}", &port.to_string());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let command = Command::new(&program.command)
        .args(program.args.iter().map(put))
        .grace(GRACE)
        .env("PATH", path)
        .envs(program.env.iter().map(|(name, value)| (name, put(value))));
    let spawned = spawn(command).unwrap_or_else(|error| panic!("{}: {error}", program.name));
    let (sender, lines) = watch::channel(Vec::new());
    let mut reader = JoinSet::new();
    reader.spawn(keep(spawned.stdout, sender));
    Running {
        child: spawned.child,
        lines,
        _reader: reader,
        _stdin: spawned.stdin,
    }
}

async fn keep(stdout: pipe::Receiver, sender: watch::Sender<Vec<String>>) {
    let mut lines = BufReader::new(stdout).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        sender.send_modify(|lines| {
            if lines.len() < LINES_MAX {
                lines.push(line);
            }
        });
    }
}

/// Whether something listens on the port before the server ends.
async fn listens(served: &Served) -> bool {
    loop {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, served.port))
            .await
            .is_ok()
        {
            return true;
        }
        tokio::select! {
            _ = served.running.child.exited() => return false,
            () = sleep(ASK_AGAIN) => {} // sleep: servers have no common sign that they listen
        }
    }
}
