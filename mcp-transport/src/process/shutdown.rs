//! The end of a server: asked, told, killed, with everything it started.

use std::time::Duration;

use rustix::process::Signal;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::child::Child;
use super::obituary::Exit;
use super::signal::{self, Alive};

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

impl Child {
    /// Ends the server and all it started.
    ///
    /// The caller has dropped stdin. The server gets
    /// [`Grace::stdin_closed`](super::Grace::stdin_closed) to end by itself; then it and everything
    /// in its group or with its mark gets SIGTERM and, after [`Grace::term`](super::Grace::term),
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

    async fn alive(&self) -> Alive {
        let tree = self.tree();
        let look = tree.clone();
        let found = tokio::task::spawn_blocking(move || look.alive()).await;
        // The pool refuses only while the runtime shuts down; then blocking for a moment is right.
        found.unwrap_or_else(|_refused| tree.alive())
    }
}

/// Between two looks for descendants, which nobody reports to us.
const PAUSE_MAX: Duration = Duration::from_millis(80);
