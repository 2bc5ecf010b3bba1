//! A running server: its start, its watchers, its end.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::Signal;
use tokio::net::unix::pipe;
use tokio::process::Command as TokioCommand;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::command::{Command, Grace};
use super::error::{SpawnError, SpawnErrorKind};
use super::guard::{self, MARK, Ticket};
use super::obituary::{Exit, Obituary};
use super::signal::{self, Alive, Tree};
use super::stderr::{self, LineLog, Ring};
use super::{resolve, task};
use crate::redact::Redactor;

/// A started server: the two ends of the wire, and everything else about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spawned {
    /// Writes to its stdin; dropping it is how a server is asked to end.
    pub stdin: pipe::Sender,
    /// Reads its stdout, which a descendant may hold open after the server is gone.
    pub stdout: pipe::Receiver,
    /// The process and its descendants.
    pub child: Child,
}

/// A server's process, its descendants and its stderr.
///
/// Dropping it kills the process group at once and has the guard process kill what left the group;
/// [`shutdown`](Self::shutdown) is the gentle way.
#[derive(Debug)]
pub struct Child {
    root: u32,
    life: Arc<Life>,
    grace: Grace,
    ticket: Ticket,
    warnings: Vec<String>,
    closed: bool,
    _watcher: task::Owned,
    _pump: task::Owned,
}

/// What the watchers share with the owner.
struct Life {
    started: Instant,
    redactor: Redactor,
    end: watch::Sender<Option<End>>,
    stderr_ended: watch::Sender<bool>,
    ring: Mutex<Ring>,
}

#[derive(Clone, Copy, Debug)]
struct End {
    exit: Exit,
    uptime: Duration,
}

/// How far a shutdown had to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ClosedBy {
    /// The server had ended before.
    Itself,
    /// The closing of stdin was enough.
    StdinClosed,
    /// It, or something it left behind, was sent SIGTERM.
    Term,
    /// It, or something it left behind, was sent SIGKILL.
    Kill,
}

/// The result of a shutdown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Closed {
    /// How far it had to go.
    pub by: ClosedBy,
    /// How the server itself ended; `None` if even SIGKILL did not end it in time.
    pub exit: Option<Exit>,
    /// The process ids of what was still alive at the end; hardly ever any.
    pub survivors: Vec<u32>,
}

/// Starts a server in a process group of its own.
///
/// # Errors
///
/// When the program cannot be executed, with the cause as [`SpawnError::kind`]; and when there is no
/// Tokio runtime with I/O and time enabled.
pub fn spawn(command: Command) -> Result<Spawned, SpawnError> {
    if tokio::runtime::Handle::try_current().is_err() {
        let detail = "there is no Tokio runtime on this thread";
        return Err(SpawnError::new(SpawnErrorKind::Other, &command, detail));
    }
    let program = resolve::program(&command)?;
    let pipes = Pipes::open().map_err(|error| SpawnError::from_exec(&command, &program, error))?;
    let mut warnings = open_log(&command);
    let (mut ticket, unguarded) = Ticket::announce();
    warnings.extend(
        unguarded.map(|error| {
            format!("no guard process, so servers outlive a crash of this one: {error}")
        }),
    );

    let mut prepared = TokioCommand::new(&program);
    prepared
        .arg0(command.as_program())
        .args(command.as_args())
        .env_clear()
        .envs(command.as_env())
        .env(MARK, ticket.as_mark())
        .stdin(pipes.child_stdin)
        .stdout(pipes.child_stdout)
        .stderr(pipes.child_stderr)
        .process_group(0)
        .kill_on_drop(true);
    if let Some(cwd) = command.as_cwd() {
        prepared.current_dir(cwd);
    }
    let spawned = prepared.spawn();
    // Our copies of the child's ends must go, or the end of its stdout would never be seen.
    drop(prepared);
    let process = match spawned {
        Ok(process) => process,
        Err(error) => {
            let error = SpawnError::from_exec(&command, &program, error);
            if !matches!(
                error.kind(),
                SpawnErrorKind::Other | SpawnErrorKind::Resources
            ) {
                ticket.closed();
            }
            // Otherwise it may have started before the runtime refused it: the guard looks.
            return Err(error);
        }
    };
    let child = Child::watch(process, &command, ticket, pipes.stderr, warnings);
    Ok(Spawned {
        stdin: pipes.stdin,
        stdout: pipes.stdout,
        child,
    })
}

fn open_log(command: &Command) -> Vec<String> {
    let Some(log) = command.as_stderr_log() else {
        return Vec::new();
    };
    match log.open() {
        Ok(()) => Vec::new(),
        Err(error) => vec![format!(
            "stderr is not logged to {}: {error}",
            log.path().display()
        )],
    }
}

/// The three pipes; our ends are registered with the runtime, so that nothing can fail after the start.
struct Pipes {
    child_stdin: io::PipeReader,
    child_stdout: io::PipeWriter,
    child_stderr: io::PipeWriter,
    stdin: pipe::Sender,
    stdout: pipe::Receiver,
    stderr: pipe::Receiver,
}

impl Pipes {
    fn open() -> io::Result<Self> {
        let (child_stdin, stdin) = io::pipe()?;
        let (stdout, child_stdout) = io::pipe()?;
        let (stderr, child_stderr) = io::pipe()?;
        Ok(Self {
            child_stdin,
            child_stdout,
            child_stderr,
            stdin: pipe::Sender::from_owned_fd(stdin.into())?,
            stdout: pipe::Receiver::from_owned_fd(stdout.into())?,
            stderr: pipe::Receiver::from_owned_fd(stderr.into())?,
        })
    }
}

impl Child {
    fn watch(
        process: tokio::process::Child,
        command: &Command,
        ticket: Ticket,
        stderr: pipe::Receiver,
        warnings: Vec<String>,
    ) -> Self {
        // A process just started was not waited for, so its number is known.
        let root = process.id().unwrap_or_default();
        ticket.started(root);
        let life = Arc::new(Life {
            started: Instant::now(),
            redactor: command.as_redactor().clone(),
            end: watch::Sender::new(None),
            stderr_ended: watch::Sender::new(false),
            ring: Mutex::default(),
        });
        let log = command
            .as_stderr_log()
            .map(|log| LineLog::new(log.clone(), life.redactor.clone()));
        let tree = Tree::new(root, &ticket, false);
        let watcher = task::start(watch_exit(
            process,
            Arc::clone(&life),
            tree,
            ticket.number(),
        ));
        let pump = task::start(pump_stderr(stderr, Arc::clone(&life), log));
        Self {
            root,
            life,
            grace: command.as_grace(),
            ticket,
            warnings,
            closed: false,
            _watcher: watcher,
            _pump: pump,
        }
    }

    /// The process id of the server itself; another's once it has ended and was reaped.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.root
    }

    /// What hides the server's secrets in everything that is shown.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.life.redactor
    }

    /// What did not work but is no reason to fail: a log file, the guard process.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Waits for the server itself to end, whoever holds its pipes open.
    ///
    /// It resolves with [`Exit::Unknown`] if this `Child` is dropped first.
    ///
    /// # Cancel safety
    ///
    /// Any number of these may be awaited, dropped and asked for again.
    pub fn exited(&self) -> impl Future<Output = Exit> + Send + 'static + use<> {
        let mut end = self.life.end.subscribe();
        async move {
            match end.wait_for(Option::is_some).await {
                Ok(end) => end.map_or(Exit::Unknown, |end| end.exit),
                Err(_watcher_gone) => Exit::Unknown,
            }
        }
    }

    /// What is known now: exit, uptime and the tail of stderr, redacted.
    #[must_use]
    pub fn obituary(&self) -> Obituary {
        let end = *self.life.end.borrow();
        let ring = self
            .life
            .ring
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Obituary {
            exit: end.map(|end| end.exit),
            uptime: end.map_or_else(|| self.life.started.elapsed(), |end| end.uptime),
            stderr_tail: ring.tail(&self.life.redactor),
            ..Obituary::default()
        }
    }

    /// The obituary of a server that is ending: it waits for the exit to be known, at most 500 ms,
    /// and for the end of stderr, which a descendant may hold open, at most 100 ms.
    ///
    /// # Cancel safety
    ///
    /// It only looks; nothing is lost when it is dropped.
    pub async fn final_obituary(&self) -> Obituary {
        let _: Result<Exit, _> = timeout(EXIT_WAIT, self.exited()).await;
        let mut ended = self.life.stderr_ended.subscribe();
        let waited = timeout(STDERR_WAIT, ended.wait_for(|ended| *ended)).await;
        drop(waited);
        self.obituary()
    }

    /// Ends the server and all it started.
    ///
    /// The caller has dropped stdin. The server gets [`Grace::stdin_closed`] to end by itself; then
    /// it and everything in its group or with its mark gets SIGTERM and, after [`Grace::term`],
    /// SIGKILL. Helpers that outlive a server's own clean end are treated in the same way. No step
    /// takes longer than its grace (and a look at `/proc`).
    ///
    /// # Cancel safety
    ///
    /// When dropped, nothing more is signalled; calling it again starts over, and dropping the
    /// `Child` kills.
    pub async fn shutdown(&mut self) -> Closed {
        if self.exit().is_some() {
            return self.end_leftovers(ClosedBy::Itself).await;
        }
        let _: Result<Exit, _> = timeout(self.grace.stdin_closed, self.exited()).await;
        self.end_leftovers(ClosedBy::StdinClosed).await
    }

    /// Signals until nothing is left, step by step.
    async fn end_leftovers(&mut self, so_far: ClosedBy) -> Closed {
        if self.exit().is_some() && self.alive().await.is_empty() {
            return self.close(so_far, Vec::new());
        }
        let steps = [
            (ClosedBy::Term, Signal::TERM, self.grace.term),
            (ClosedBy::Kill, Signal::KILL, self.grace.kill),
        ];
        let mut survivors = Vec::new();
        for (by, signal, grace) in steps {
            survivors = self.signal_all(signal, Instant::now() + grace).await;
            if survivors.is_empty() {
                return self.close(by, survivors);
            }
        }
        self.close(ClosedBy::Kill, survivors)
    }

    fn close(&mut self, by: ClosedBy, survivors: Vec<u32>) -> Closed {
        self.closed = survivors.is_empty();
        if self.closed {
            self.ticket.closed();
        }
        Closed {
            by,
            exit: self.exit(),
            survivors,
        }
    }

    /// Signals everything that is found until nothing is, or the deadline has passed.
    async fn signal_all(&self, signal: Signal, deadline: Instant) -> Vec<u32> {
        let mut asked = Vec::new();
        // Bound: the pause doubles from 5 ms to 80 ms, up to the deadline.
        let mut pause = Duration::from_millis(5);
        loop {
            let alive = self.alive().await;
            let exit_known = self.exit().is_some();
            if alive.is_empty() && exit_known {
                return Vec::new();
            }
            self.signal_found(&alive, signal, &mut asked);
            let now = Instant::now();
            if now >= deadline {
                let mut survivors = alive.into_all();
                if !exit_known && survivors.is_empty() {
                    survivors.push(self.root);
                }
                return survivors;
            }
            let until = deadline.min(now + pause);
            if exit_known {
                sleep(until - now).await;
            } else {
                let _: Result<Exit, _> = timeout_at(until, self.exited()).await;
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// SIGTERM once to each, since some servers take a second one as an order to stop at once;
    /// SIGKILL whenever something is found.
    fn signal_found(&self, alive: &Alive, signal: Signal, asked: &mut Vec<u32>) {
        let mut is_new = |target| {
            let known = asked.contains(&target);
            if !known {
                asked.push(target);
            }
            !known || signal == Signal::KILL
        };
        if !alive.group.is_empty() && is_new(self.root) {
            signal::to_group(self.root, signal);
        }
        for stray in &alive.strays {
            if is_new(*stray) {
                signal::to_process(*stray, signal);
            }
        }
    }

    fn exit(&self) -> Option<Exit> {
        self.life.end.borrow().map(|end| end.exit)
    }

    pub(super) fn tree(&self) -> Tree {
        Tree::new(self.root, &self.ticket, self.exit().is_some())
    }

    async fn alive(&self) -> Alive {
        let tree = self.tree();
        let look = tree.clone();
        let found = tokio::task::spawn_blocking(move || look.alive()).await;
        // The pool refuses only while the runtime shuts down; then blocking for a moment is right.
        found.unwrap_or_else(|_refused| tree.alive())
    }
}

impl Drop for Child {
    /// Kills the group; dropping the ticket has the guard kill what left it.
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        let tree = self.tree();
        tree.kill_group();
        if !guard::is_running() {
            // Nobody else will, so this is worth a few milliseconds here.
            for left in tree.alive().into_all() {
                signal::to_process(left, Signal::KILL);
            }
        }
    }
}

impl fmt::Debug for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Life")
            .field("end", &self.end.borrow())
            .finish_non_exhaustive()
    }
}

/// Waits for the root, and reaps it. The tree is as it is at the start.
async fn watch_exit(mut process: tokio::process::Child, life: Arc<Life>, tree: Tree, number: u64) {
    let mut watch = Watch {
        life,
        tree,
        number,
        exit: None,
    };
    watch.exit = Some(
        process
            .wait()
            .await
            .map_or(Exit::Unknown, Exit::from_status),
    );
}

/// Tells everybody that the root is gone, or that nobody looks after it any more.
struct Watch {
    life: Arc<Life>,
    tree: Tree,
    number: u64,
    exit: Option<Exit>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.exit.is_none() {
            // The runtime is going away, or the owner is. The root was not waited for, so its number
            // is still its own.
            self.tree.kill_group();
        }
        guard::reaped(self.number);
        let uptime = self.life.started.elapsed();
        let exit = self.exit.unwrap_or(Exit::Unknown);
        self.life.end.send_replace(Some(End { exit, uptime }));
    }
}

async fn pump_stderr(stderr: pipe::Receiver, life: Arc<Life>, log: Option<LineLog>) {
    stderr::pump(stderr, &life.ring, log).await;
    life.stderr_ended.send_replace(true);
}

/// After the end of stdout the exit follows within milliseconds, if at all.
const EXIT_WAIT: Duration = Duration::from_millis(500);
/// Long enough to read what a full pipe holds.
const STDERR_WAIT: Duration = Duration::from_millis(100);
/// Between two looks for descendants, which nobody reports to us.
const PAUSE_MAX: Duration = Duration::from_millis(80);
