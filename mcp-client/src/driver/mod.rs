//! The one task of a connection: it reads, owns the timers, and awaits only in its one `select!`.

mod asks;
mod chores;
mod core;
mod happening;
mod quiet;
mod shared;
mod told;
mod waiter;

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Instant;

use mcp_jsonrpc::Method;
use mcp_transport::LinkReceiver;
use mcp_transport::link::{Inbound, Writable};
use mcp_transport::process::Closed as ChildClosed;
use mcp_types::{LoggingMessageParams, ResourceUpdatedParams, method};
use tokio::sync::watch;
use tokio::time::{Sleep, sleep_until};

pub(crate) use self::asks::ASK_MAX;
use self::asks::Asks;
use self::chores::Chores;
use self::happening::Happening;
use self::quiet::Quiet;
pub(crate) use self::shared::{Begun, Death, Host, Shared};
use self::told::read;
pub(crate) use self::waiter::{Head, Settled, Trace, Waiter};
use crate::call::Hearers;
use crate::clock;
use crate::notice::{Change, ChangeCounts, LogSink};

/// How many things that came in are taken under one lock.
const TAKEN_AT_ONCE: usize = 64;
/// How many misbehaviours of a kind are logged one by one.
const LOGGED_MAX: u64 = 20;

/// What the driver hands what it hears to.
pub(crate) struct Sinks {
    pub(crate) changes: Arc<ChangeCounts>,
    pub(crate) log: Option<LogSink>,
}

/// How a connection ended, once it has.
pub(crate) type Ending = Option<Result<Option<ChildClosed>, ()>>;

/// The task of one connection.
pub(crate) struct Driver {
    shared: Arc<Shared>,
    receiver: LinkReceiver,
    asks: Asks,
    chores: Chores,
    last_will: LastWill,
    log: Option<LogSink>,
    server: Arc<str>,
    happened: Vec<Happening>,
    misbehaviors: u64,
    ended: watch::Sender<Ending>,
}

enum Turn {
    Woken,
    Received,
    Due,
}

impl Driver {
    pub(crate) fn new(
        shared: Arc<Shared>,
        receiver: LinkReceiver,
        sinks: Sinks,
        ended: watch::Sender<Ending>,
    ) -> Self {
        let Sinks { changes, log } = sinks;
        let asks = Asks::new(Arc::clone(&shared));
        let chores = Chores::new(Arc::clone(&shared));
        let server = Arc::clone(&shared.host.server);
        let last_will = LastWill {
            shared: Arc::clone(&shared),
            changes,
        };
        // Most of what comes in makes one thing happen.
        let happened = Vec::with_capacity(1);
        Self {
            shared,
            receiver,
            asks,
            chores,
            last_will,
            log,
            server,
            happened,
            misbehaviors: 0,
            ended,
        }
    }

    /// Runs until the connection has ended and what stood behind it is gone.
    pub(crate) async fn run(mut self) {
        let mut batch = Vec::new();
        let (mut timer, mut quiet) = (Timer::new(), Quiet::default());
        loop {
            let plan = self.shared.lock().plan();
            if let Some(last) = plan.replaced {
                self.asks.withdraw_up_to(last);
            }
            if let Some(death) = plan.end {
                self.shared
                    .lock()
                    .die(death, clock::now(), &mut self.happened);
                self.deliver();
                break;
            }
            if plan.has_chores {
                self.chores.start_due();
            }
            timer.set(plan.timer.into_iter().chain(quiet.due()).min());
            // Cancel safety: each branch may be dropped without losing anything.
            let turn = tokio::select! {
                biased;
                () = self.receiver.receive(&mut batch) => Turn::Received,
                () = self.shared.wake.notified() => Turn::Woken,
                () = writable(plan.blocked.as_ref()) => Turn::Woken,
                () = timer.fired() => Turn::Due,
                () = self.asks.finished() => Turn::Woken,
            };
            match turn {
                Turn::Woken => {}
                Turn::Due => {
                    if quiet.is_over(clock::now()) {
                        self.receiver.let_go();
                    }
                    self.shared
                        .lock()
                        .time_out(clock::now(), &mut self.happened);
                    self.deliver();
                }
                Turn::Received => {
                    let is_over = matches!(batch.last(), Some(Inbound::Closed(_)));
                    self.take(&mut batch);
                    if is_over {
                        break;
                    }
                    quiet.heard(self.receiver.holds_storage(), clock::now);
                }
            }
        }
        // Boxed, so that no connection carries room for its end all its life.
        Box::pin(self.end()).await;
    }

    /// Takes what came in, in order, and does what it asks for.
    fn take(&mut self, batch: &mut Vec<Inbound>) {
        let now = clock::now();
        let mut inbound = batch.drain(..).peekable();
        while inbound.peek().is_some() {
            let mut core = self.shared.lock();
            for inbound in inbound.by_ref().take(TAKEN_AT_ONCE) {
                core.take(now, inbound, &mut self.happened);
            }
            // A flood must not keep a deadline from being seen.
            core.time_out(now, &mut self.happened);
            drop(core);
            self.deliver();
        }
    }

    /// Does what was decided under the lock.
    fn deliver(&mut self) {
        let mut happened = std::mem::take(&mut self.happened);
        for happening in happened.drain(..) {
            match happening {
                Happening::Settled { waiter, settled } => {
                    // A caller that has just gone away needs no answer.
                    let _: Result<(), Settled> = waiter.reply.send(settled);
                }
                Happening::Acknowledged { hearers, granted } => hearers.acknowledged(&granted),
                Happening::Progressed { hearers, progress } => hearers.progressed(progress),
                Happening::Asked(ask) => self.asks.start(ask),
                Happening::Withdrawn { number } => self.asks.withdraw(number),
                Happening::Confirmed => {
                    self.shared.lock().is_confirmed = true;
                    self.shared.told.notify_waiters();
                }
                Happening::Noticed {
                    method,
                    params,
                    hearers,
                } => self.notice(&method, params.as_ref(), hearers.as_deref()),
                Happening::Strayed { excerpt } => {
                    self.receiver.note_stray(&excerpt);
                    self.warn(format_args!(
                        "a line that is no message: {}",
                        self.shared.host.redactor.redact_bytes_lossy(&excerpt, 200)
                    ));
                    self.misbehaviors += 1;
                }
                Happening::Unread { reason } => {
                    self.warn(format_args!("what could not be read: {reason}"));
                    self.misbehaviors += 1;
                }
                Happening::Misbehaved(misbehavior) => {
                    let text = misbehavior.to_string();
                    self.warn(format_args!("{}", self.shared.host.redactor.redact(&text)));
                    self.misbehaviors += 1;
                }
            }
        }
        // Its room is used again, but not that of the end of many calls at once.
        happened.shrink_to(TAKEN_AT_ONCE);
        self.happened = happened;
    }

    fn notice(&self, method: &Method, params: Option<&bytes::Bytes>, hearers: Option<&Hearers>) {
        match method.as_str() {
            method::NOTIFICATIONS_TOOLS_LIST_CHANGED => self.last_will.changes.note(Change::Tools),
            method::NOTIFICATIONS_PROMPTS_LIST_CHANGED => {
                self.last_will.changes.note(Change::Prompts)
            }
            method::NOTIFICATIONS_RESOURCES_LIST_CHANGED => {
                self.last_will.changes.note(Change::Resources)
            }
            method::NOTIFICATIONS_RESOURCES_UPDATED => {
                if let Some(updated) = read::<ResourceUpdatedParams>(params) {
                    self.shared.watchers.tell(&updated.uri);
                }
            }
            method::NOTIFICATIONS_MESSAGE => self.log(params, hearers),
            other => tracing::debug!(server = &*self.server, method = other, "notification"),
        }
    }

    fn log(&self, params: Option<&bytes::Bytes>, hearers: Option<&Hearers>) {
        if self.log.is_none() && hearers.is_none() {
            return;
        }
        let Some(message) = read::<LoggingMessageParams>(params) else {
            return;
        };
        if let Some(hearers) = hearers {
            hearers.logged(message.clone());
        }
        if let Some(log) = &self.log {
            log(message);
        }
    }

    /// Logs the first misbehaviours one by one, and the rest as a count now and then.
    fn warn(&self, what: std::fmt::Arguments<'_>) {
        let count = self.misbehaviors;
        if count < LOGGED_MAX || count.is_multiple_of(1_000) {
            tracing::warn!(
                server = &*self.server,
                count = count + 1,
                "the server sent {what}"
            );
        }
    }

    /// Ends what is left: handlers, the sending half, the process.
    async fn end(mut self) {
        self.asks.end().await;
        self.chores.end().await;
        drop(self.last_will);
        let closed = self.receiver.close().await;
        // Nobody may be waiting for it.
        let _: Result<(), watch::error::SendError<Ending>> = self.ended.send(Some(Ok(closed)));
    }
}

async fn writable(blocked: Option<&Writable>) {
    match blocked {
        Some(writable) => writable.ready().await,
        None => std::future::pending().await,
    }
}

/// The driver's only timer, moved when the earliest deadline moves.
#[derive(Debug)]
struct Timer {
    at: Option<Instant>,
    sleep: Option<Pin<Box<Sleep>>>,
    /// Whether the runtime knows whom to wake when the time has come.
    is_registered: bool,
}

impl Timer {
    fn new() -> Self {
        Self {
            at: None,
            sleep: None,
            is_registered: false,
        }
    }

    fn set(&mut self, at: Option<Instant>) {
        if self.at == at {
            return;
        }
        self.at = at;
        self.is_registered = false;
        if let Some(at) = at {
            match &mut self.sleep {
                Some(sleep) => sleep.as_mut().reset(at.into()),
                None => self.sleep = Some(Box::pin(sleep_until(at.into()))),
            }
        }
    }

    /// Waits until the time has come.
    ///
    /// Invariant: a driver is polled by one task only, so a timer that is registered once need
    /// not be polled again before its time has come; polling it every time the driver wakes would
    /// cost more than reading a small message.
    async fn fired(&mut self) {
        poll_fn(|context| {
            let (Some(_), Some(sleep)) = (self.at, &mut self.sleep) else {
                return Poll::Pending;
            };
            if self.is_registered && !sleep.is_elapsed() {
                return Poll::Pending;
            }
            self.is_registered = true;
            ready!(sleep.as_mut().poll(context));
            self.at = None;
            Poll::Ready(())
        })
        .await;
    }
}

/// Ends every call when the driver goes away, even without having run to its end, as when its
/// runtime is shut down.
struct LastWill {
    shared: Arc<Shared>,
    changes: Arc<ChangeCounts>,
}

impl Drop for LastWill {
    fn drop(&mut self) {
        let reason = "the connection's task was ended".to_owned();
        let death = Arc::new(Death {
            reason,
            obituary: None,
        });
        let mut happened = Vec::new();
        let mut core = self.shared.lock();
        core.die(death, clock::now(), &mut happened);
        core.sender.close();
        drop(core);
        self.shared.told.notify_waiters();
        self.shared.watchers.close();
        self.changes.close();
        for happening in happened {
            if let Happening::Settled { waiter, settled } = happening {
                let _: Result<(), Settled> = waiter.reply.send(settled);
            }
        }
    }
}
