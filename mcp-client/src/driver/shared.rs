//! What callers and the driver share: the peer and the sending half, behind one short mutex.
//!
//! Invariant: the mutex is never held across an await, and no code of the application runs under
//! it. A caller locks, encodes, tries to write, and wakes the driver only if the driver has to do
//! something about it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_jsonrpc::{CallId, ErrorObject, Peer, RequestId, Timeouts};
use mcp_transport::link::{Outbound, SendError, Sending};
use mcp_transport::{Labels, LinkSender, Step, redact::Redactor};
use mcp_types::{Version, method};
use tokio::sync::Notify;

use super::asks::AskNumber;
use super::core::Core;
use super::waiter::{Head, Waiter};
use crate::handler::{Asker, Handlers};
use crate::negotiate::Sessions;
use crate::notice::{Change, ChangeCounts};
use crate::param::ParamHeaders;
use crate::session::Era;
use crate::subscription::Watchers;
use crate::tap::Tap;
use crate::trace::TraceSource;
use crate::{Closure, Error, Sent, clock};

/// The end of a connection.
#[derive(Debug)]
pub(crate) struct Death {
    pub(crate) reason: String,
    pub(crate) obituary: Option<Arc<mcp_transport::process::Obituary>>,
}

impl Death {
    pub(crate) fn error(&self, sent: Sent) -> Error {
        let obituary = self.obituary.clone();
        Error::Closed(Box::new(Closure {
            reason: self.reason.clone(),
            obituary,
            sent,
        }))
    }
}

#[derive(Debug)]
pub(super) enum Life {
    Open,
    /// The driver is to end the connection, for this reason.
    Closing(Arc<Death>),
    Closed(Arc<Death>),
}

/// What the application gave to the connection, for as long as it lasts.
pub(crate) struct Host {
    pub(crate) handlers: Handlers,
    /// The name of the server, for logs and handlers.
    pub(crate) server: Arc<str>,
    pub(crate) redactor: Redactor,
    pub(crate) changes: Arc<ChangeCounts>,
    pub(crate) trace: Option<TraceSource>,
    /// How long a call may take that says nothing else.
    pub(crate) timeouts: Timeouts,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("handlers", &self.handlers)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    core: Mutex<Core>,
    pub(super) wake: Notify,
    /// Wakes those who wait for what the server or the transport tells once.
    pub(super) told: Notify,
    wants_labels: bool,
    pub(crate) host: Host,
    pub(crate) sessions: Sessions,
    pub(crate) params: ParamHeaders,
    pub(crate) watchers: Watchers,
}

impl Shared {
    pub(crate) fn new(
        peer: Peer<Waiter>,
        sender: LinkSender,
        host: Host,
        tap: Option<Tap>,
    ) -> Self {
        Self {
            wants_labels: sender.wants_labels(),
            core: Mutex::new(Core::new(peer, sender, host.redactor.clone(), tap)),
            wake: Notify::new(),
            told: Notify::new(),
            host,
            sessions: Sessions::default(),
            params: ParamHeaders::default(),
            watchers: Watchers::default(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call, and writes it at once if the connection is idle. Tells when that was.
    pub(crate) fn call(
        &self,
        timeouts: Timeouts,
        waiter: Waiter,
        method: &str,
        params: impl FnOnce(CallId, &mut Vec<u8>),
        labels: impl FnOnce() -> Box<Labels>,
    ) -> Result<(CallId, Begun), Error> {
        let now = clock::now();
        let mut core = self.lock();
        // With nothing else under way the caller writes itself: waking the driver would cost a
        // task switch. Otherwise the driver writes everything that has gathered in one go.
        let is_quiet = core.peer.waiting() == 0 && !core.sender.has_unsent();
        let call = match core.peer.call(now, timeouts, waiter, method, params) {
            Ok(call) => call,
            Err((_waiter, refused)) => return Err(core.refusal(refused)),
        };
        core.transmit_call(call, labels)?;
        let stood = core.peer.stood(now);
        let is_written = is_quiet && matches!(core.sender.try_flush(), Ok(Sending::Done));
        let wakes = !is_written || core.is_due_before_timer();
        drop(core);
        if wakes {
            self.wake.notify_one();
        }
        Ok((call, Begun { at: now, stood }))
    }

    /// Gives a call up, and tells the server if it may have begun to work on it.
    pub(crate) fn cancel(&self, call: CallId) {
        let mut core = self.lock();
        if let Some(waiter) = core.peer.abandon(call) {
            core.tell_given_up(call, &waiter, "the caller no longer waits");
            drop(core);
            self.wake.notify_one();
        }
    }

    /// Answers a question of the server, if it is still open.
    pub(super) fn respond(
        &self,
        id: &RequestId,
        number: AskNumber,
        answer: Result<Vec<u8>, ErrorObject>,
    ) {
        let mut core = self.lock();
        core.answer_ask(id, number, answer);
        drop(core);
        self.wake.notify_one();
    }

    /// Has the driver end the connection.
    pub(crate) fn request_close(&self, reason: &str) {
        let mut core = self.lock();
        if matches!(core.life, Life::Open) {
            let death = Death {
                reason: reason.to_owned(),
                obituary: None,
            };
            core.life = Life::Closing(Arc::new(death));
        }
        drop(core);
        self.wake.notify_one();
    }

    /// Whether the connection is, or is about to be, gone; and why.
    pub(crate) fn death(&self) -> Option<Arc<Death>> {
        match &self.lock().life {
            Life::Open => None,
            Life::Closing(death) | Life::Closed(death) => Some(Arc::clone(death)),
        }
    }

    /// The beginning of the first line that was no message, redacted.
    pub(crate) fn first_stray(&self) -> Option<String> {
        const SHOWN_MAX: usize = 200;
        let stray = self.lock().first_stray.clone()?;
        Some(self.host.redactor.redact_bytes_lossy(&stray, SHOWN_MAX))
    }

    /// Remembers what was negotiated.
    ///
    /// A legacy session is confirmed in the same breath, so that no call of another task slips in
    /// between.
    pub(crate) fn set_session(&self, era: Era, version: &Version) -> Result<(), Error> {
        let mut core = self.lock();
        if let Life::Closed(death) | Life::Closing(death) = &core.life {
            return Err(death.error(Sent::No));
        }
        // Spec: RPC-08, RPC-09. One revision alone has batches.
        core.peer.set_batches(*version == Version::V2025_03_26);
        core.session = Some((era, version.clone()));
        let version = version.as_str().to_owned();
        // A link that is gone tells so by itself.
        let _: Result<(), SendError> = core.sender.push(Outbound::Session { version });
        if era == Era::Legacy {
            core.is_confirmed = false;
            // Spec: LIFE-03. On a pipe it leaves in one write with the first request that follows.
            let initialized = method::NOTIFICATIONS_INITIALIZED;
            core.peer.notify(initialized, |_no_params| ());
            core.transmit_notice(initialized, Step::Confirmation);
        }
        drop(core);
        self.wake.notify_one();
        Ok(())
    }

    /// Forgets what belonged to a session that was replaced: its questions, whose ids may come
    /// again with another meaning, and what was known of lists and resources.
    pub(crate) fn session_replaced(&self) {
        let mut core = self.lock();
        core.withdraw_all();
        drop(core);
        self.wake.notify_one();
        for change in Change::ALL {
            self.host.changes.note(change);
        }
        self.watchers.tell_many();
        self.watchers.intents().session_replaced();
        self.pursue_intents();
    }

    /// Has the driver ask a legacy server for what is wanted of it.
    pub(crate) fn pursue_intents(&self) {
        self.lock().has_chores = true;
        self.wake.notify_one();
    }

    /// Waits until the connection is gone.
    pub(crate) async fn gone(&self) -> Arc<Death> {
        loop {
            let told = self.told.notified();
            tokio::pin!(told);
            told.as_mut().enable();
            if let Some(death) = self.death() {
                return death;
            }
            told.await;
        }
    }

    /// Waits until the server has taken the confirmation of the session.
    pub(crate) async fn confirmed(&self) -> Result<(), Error> {
        loop {
            let told = self.told.notified();
            tokio::pin!(told);
            // What is told between the look and the wait must not be missed.
            told.as_mut().enable();
            {
                let core = self.lock();
                if let Life::Closed(death) | Life::Closing(death) = &core.life {
                    return Err(death.error(Sent::No));
                }
                if core.is_confirmed {
                    return Ok(());
                }
            }
            told.await;
        }
    }

    /// Whether the stream of an HTTP+SSE server is open and has told where to post.
    pub(crate) fn is_ready(&self) -> bool {
        self.lock().is_ready
    }

    /// Whether the transport repeats parts of a message outside of it.
    pub(crate) fn wants_labels(&self) -> bool {
        self.wants_labels
    }

    /// Has the transport open the stream for what the server says of its own accord.
    pub(crate) fn listen(&self) {
        // A link that is gone tells so by itself.
        let _: Result<(), SendError> = self.lock().sender.push(Outbound::Listen);
        self.wake.notify_one();
    }

    /// Takes the head of the latest reply that had one.
    pub(crate) fn take_head(&self) -> Option<Head> {
        self.lock().last_head.take()
    }

    /// The revision that was negotiated.
    pub(crate) fn version(&self) -> Option<Version> {
        let core = self.lock();
        core.session.as_ref().map(|(_era, version)| version.clone())
    }

    /// Who asks, for handlers.
    pub(crate) fn asker(&self) -> Asker {
        Asker {
            server: Arc::clone(&self.host.server),
            version: self.version(),
        }
    }

    /// Stops the clocks of those who may wait for it while our user answers a question: of the call
    /// that it belongs to, or of all calls in flight if nobody can tell which one that is.
    pub(crate) fn user_asked(self: &Arc<Self>, call: Option<CallId>) -> UserAsked {
        let (mut core, now) = (self.lock(), clock::now());
        match call {
            Some(call) => core.peer.pause_call(now, call),
            None => {
                core.users_asked += 1;
                core.peer.pause(now);
            }
        }
        drop(core);
        UserAsked {
            shared: Arc::clone(self),
            call,
        }
    }

    /// How much of its budget a call has used up that has just ended, with its clocks having stood
    /// for `stood` while not all did.
    pub(crate) fn spent(&self, begun: Begun, stood: Duration) -> Duration {
        let now = clock::now();
        let all = self.lock().peer.stood(now).saturating_sub(begun.stood);
        now.saturating_duration_since(begun.at)
            .saturating_sub(all + stood)
    }

    /// Now, and how long the clocks of all calls have stood.
    pub(crate) fn begin(&self) -> Begun {
        let at = clock::now();
        let stood = self.lock().peer.stood(at);
        Begun { at, stood }
    }
}

/// When something began that is charged to a budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    at: Instant,
    /// How long the clocks of all calls had stood by then.
    stood: Duration,
}

/// While it lives, our user is being asked something.
#[derive(Debug)]
pub(crate) struct UserAsked {
    shared: Arc<Shared>,
    call: Option<CallId>,
}

impl Drop for UserAsked {
    fn drop(&mut self) {
        let (mut core, now) = (self.shared.lock(), clock::now());
        match self.call {
            Some(call) => {
                let stood = core.peer.resume_call(now, call);
                if let Some(waiter) = core.peer.waiter_mut(call) {
                    waiter.trace().stood += stood;
                }
            }
            None => {
                core.users_asked = core.users_asked.saturating_sub(1);
                if core.users_asked == 0 {
                    core.peer.resume(now);
                }
            }
        }
        drop(core);
        self.shared.wake.notify_one();
    }
}
