//! A running server: who watches it, what is known of it, and what happens if it is dropped.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::Signal;
use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::command::{Command, Grace};
use super::guard::{self, Ticket};
use super::obituary::{Exit, Obituary};
use super::signal::{self, Tree};
use super::stderr::{self, LineLog, Ring};
use super::task;
use crate::redact::Redactor;

/// A server's process, its descendants and its stderr.
///
/// Dropping it kills the process group at once and has the guard process kill what left the group;
/// [`shutdown`](Self::shutdown) is the gentle way.
#[derive(Debug)]
pub struct Child {
    pub(super) root: u32,
    /// When it was started, by the clock of the census.
    since: u64,
    life: Arc<Life>,
    pub(super) grace: Grace,
    pub(super) ticket: Ticket,
    warnings: Vec<String>,
    pub(super) closed: bool,
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

impl Child {
    /// Takes over a process just started.
    pub(super) fn watch(
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
        let since = Tree::start_of(root);
        let tree = Tree::new(root, since, &ticket, false);
        let watcher = task::start(watch_exit(
            process,
            Arc::clone(&life),
            tree,
            ticket.number(),
        ));
        let pump = task::start(pump_stderr(stderr, Arc::clone(&life), log));
        Self {
            root,
            since,
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

    pub(super) fn exit(&self) -> Option<Exit> {
        self.life.end.borrow().map(|end| end.exit)
    }

    pub(super) fn tree(&self) -> Tree {
        Tree::new(self.root, self.since, &self.ticket, self.exit().is_some())
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
