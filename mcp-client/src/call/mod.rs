//! A call: a future that is sent when it is first polled and cancelled when it is dropped.
//!
//! One call may take several requests: one that the server provably did not run is sent again
//! (`recovery`), and one that the server answered with questions is sent again with their answers
//! (`input`). Each of them is a request of its own, with an id of its own.

mod input;
mod notices;
mod outcome;
mod raw;
mod recovery;
mod refresh;
mod reply;
mod request;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use mcp_jsonrpc::{Answer, CallId, Timeouts};
use mcp_types::{LoggingLevel, ProgressParams, SubscriptionFilter};
use tokio::sync::oneshot;
use tokio::time::timeout;

pub(crate) use self::notices::Hearers;
use self::notices::Queue;
pub use self::notices::{Notice, Notices};
use self::outcome::Ended;
pub(crate) use self::raw::RawParams;
use self::recovery::Recovery;
pub use self::reply::{RawReply, Reply};
pub(crate) use self::reply::{
    Unreadable, read_callable_tools, read_input_or_raw, read_raw, read_typed,
};
pub(crate) use self::request::Request;
use crate::driver::{Begun, Settled, Shared, Waiter};
use crate::error::{Budget, Misuse, TimedOut};
use crate::notice::ProgressSink;
use crate::trace::TraceContext;
use crate::{Error, Sent};

/// A call in the making or in flight; await it for its answer.
///
/// It is sent when it is first polled, or by [`Call::detach`].
///
/// # Cancel safety
///
/// Dropping it before its answer cancels it: the server is told as the revision and the transport
/// demand, and whatever still comes for it is ignored. [`Call::detach`] lets it run instead.
#[must_use = "a call is sent when it is first polled; await it, or detach it"]
pub struct Call<T> {
    shared: Arc<Shared>,
    timeouts: Timeouts,
    hearers: Option<Arc<Hearers>>,
    state: State,
    recovery: Recovery,
    read: fn(&Answer) -> Result<T, Unreadable>,
}

enum State {
    Done,
    Failed(Option<Error>),
    /// Something has to be done before the request is sent once more.
    Preparing {
        preparing: Preparing,
        /// Since when, if that counts as time of the call.
        since: Option<Begun>,
    },
    Ready(Request),
    Waiting {
        call: CallId,
        request: Request,
        reply: oneshot::Receiver<Settled>,
        since: Begun,
        /// The session in which it was sent.
        generation: u64,
    },
}

type Preparing = Pin<Box<dyn Future<Output = Result<Request, Error>> + Send>>;

impl<T> Call<T> {
    pub(crate) fn new(
        shared: Arc<Shared>,
        timeouts: Timeouts,
        request: Request,
        read: fn(&Answer) -> Result<T, Unreadable>,
    ) -> Self {
        Self {
            shared,
            timeouts,
            hearers: None,
            state: State::Ready(request),
            recovery: Recovery::default(),
            read,
        }
    }

    /// A call that has failed before it was sent.
    pub(crate) fn failed(
        shared: Arc<Shared>,
        timeouts: Timeouts,
        error: Error,
        read: fn(&Answer) -> Result<T, Unreadable>,
    ) -> Self {
        Self {
            shared,
            timeouts,
            hearers: None,
            state: State::Failed(Some(error)),
            recovery: Recovery::default(),
            read,
        }
    }

    /// Lets the answer be read in another way.
    pub(crate) fn reading(mut self, read: fn(&Answer) -> Result<T, Unreadable>) -> Self {
        self.read = read;
        self
    }

    /// Lets the call fail where another one would be sent again.
    pub(crate) fn without_recovery(mut self) -> Self {
        self.recovery = Recovery::none();
        self
    }

    /// Ends the call if nothing is heard of it for this long; progress counts as being heard.
    pub fn timeout(mut self, idle: Duration) -> Self {
        self.timeouts.idle = idle;
        self
    }

    /// Ends the call after this long, whatever is heard of it. The time in which the user answers
    /// the server's questions does not count.
    pub fn timeout_max(mut self, hard: Duration) -> Self {
        self.timeouts.hard = hard;
        self
    }

    /// Hands every progress notice of this call to `sink`, in order and before the answer.
    ///
    /// The function runs in the connection's reader: it must be quick and must not block.
    pub fn on_progress(mut self, sink: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        self.hear(|hearers| hearers.progress = Some(ProgressSink::new(sink)));
        self
    }

    /// Gives what the server tells during this call as a stream, in the order in which it comes:
    /// progress, and the log messages that belong to the call.
    ///
    /// At most `pending_max` notices wait to be taken. Those that come while as many wait are not
    /// kept but counted, and [`Notice::Missed`] stands in their place; neither the connection nor
    /// the call waits for whoever reads the stream. Log messages of a modern server have to be
    /// asked for by [`Call::log_level`].
    ///
    /// To be asked for before the call is sent, that is, before it is first polled.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_client::Notice;
    /// use mcp_types::{LoggingLevel, RawJson};
    ///
    /// let arguments = RawJson::parse("{}")?;
    /// let call = client.call_tool("build", &arguments).log_level(LoggingLevel::Info);
    /// let (call, mut notices) = call.notices(256);
    /// let watch = async {
    ///     while let Some(notice) = notices.next().await {
    ///         match notice {
    ///             Notice::Progress(progress) => println!("{}", progress.progress),
    ///             Notice::Log(message) => println!("{:?}", message.data),
    ///             Notice::Missed(count) => println!("{count} notices were missed"),
    ///             _ => {}
    ///         }
    ///     }
    /// };
    /// let (reply, ()) = tokio::join!(call, watch);
    /// println!("{:?}", reply?.value.content);
    /// # Ok(())
    /// # }
    /// ```
    pub fn notices(mut self, pending_max: usize) -> (Self, Notices) {
        let queue = Queue::new(pending_max);
        let notices = queue.stream();
        self.hear(|hearers| hearers.queue = Some(queue));
        (self, notices)
    }

    /// Asks for the log messages of this call from `level` on; modern servers only, which send
    /// none without it. A legacy server is told by [`Client::set_log_level`], for all calls.
    ///
    /// [`Client::set_log_level`]: crate::Client::set_log_level
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        if let State::Ready(request) = &mut self.state {
            request.set_log_level(&level);
        }
        self
    }

    /// Has `acknowledged` run whenever the server acknowledges the subscription that the call is.
    pub(crate) fn on_acknowledged(
        mut self,
        acknowledged: impl Fn(&SubscriptionFilter) + Send + Sync + 'static,
    ) -> Self {
        let hearers = self.hearers.get_or_insert_default();
        if let Some(hearers) = Arc::get_mut(hearers) {
            hearers.acknowledged = Some(Box::new(acknowledged));
        }
        self
    }

    fn hear(&mut self, add: impl FnOnce(&mut Hearers)) {
        // What was sent already keeps its own.
        let hearers = self.hearers.take().and_then(Arc::into_inner);
        let mut hearers = hearers.unwrap_or_default();
        add(&mut hearers);
        self.hearers = Some(Arc::new(hearers));
        if let State::Ready(request) = &mut self.state {
            request.wants_progress = true;
        }
    }

    /// The id of the request that is in flight for this call, as it stands on the wire; `None` before
    /// and after.
    #[must_use]
    pub fn request_id(&self) -> Option<u64> {
        match &self.state {
            State::Waiting { call, .. } => Some(call.number()),
            _ => None,
        }
    }

    /// Says which trace the call belongs to, in place of what [`Builder::on_trace`] gives. Of a call
    /// that has been sent it changes nothing.
    ///
    /// Every request that the call takes carries it, in `_meta`.
    ///
    /// [`Builder::on_trace`]: crate::Builder::on_trace
    pub fn trace(mut self, trace: TraceContext) -> Self {
        if let State::Ready(request) = &mut self.state {
            request.set_trace(&trace);
        }
        self
    }

    /// Sends the call, if it has not been sent, and lets it run without waiting for its answer.
    ///
    /// # Errors
    ///
    /// Why it could not be sent; among others, that it is just being prepared to be sent again.
    pub fn detach(mut self) -> Result<(), Error> {
        if matches!(self.state, State::Preparing { .. }) {
            // Nobody would be left to send it once what has to come before is done.
            return Err(misused(Misuse::NotYetSent));
        }
        if matches!(self.state, State::Ready(_) | State::Failed(_)) {
            self.start()?;
        }
        self.state = State::Done;
        Ok(())
    }

    fn start(&mut self) -> Result<(), Error> {
        let request = match std::mem::replace(&mut self.state, State::Done) {
            State::Ready(request) => request,
            State::Failed(Some(error)) => return Err(error),
            state => {
                self.state = state;
                return Ok(());
            }
        };
        if let Some(misuse) = request.misuse() {
            return Err(misused(misuse));
        }
        let (sender, reply) = oneshot::channel();
        let waiter = Waiter {
            hearers: self.hearers.clone(),
            is_cancellable: request.is_cancellable,
            ..Waiter::new(sender, request.method.clone())
        };
        let generation = self.shared.generation();
        let (call, since) = self.shared.call(
            self.timeouts,
            waiter,
            &request.method,
            |call, out| request.write_params(call, out),
            || request.labels(),
        )?;
        self.state = State::Waiting {
            call,
            request,
            reply,
            since,
            generation,
        };
        Ok(())
    }

    /// Waits for the answer to the request in flight and decides whether that was all.
    #[inline]
    fn poll_reply(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        let State::Waiting { reply, .. } = &mut self.state else {
            return Poll::Ready(None);
        };
        let settled = ready!(Pin::new(reply).poll(context));
        let State::Waiting {
            request,
            since,
            generation,
            ..
        } = std::mem::replace(&mut self.state, State::Done)
        else {
            return Poll::Ready(None);
        };
        // Only a driver that vanished drops a waiter unanswered.
        let Ok(settled) = settled else {
            let error = outcome::closed(self.shared.death().as_deref(), Sent::Maybe);
            return Poll::Ready(Some(Err(error)));
        };
        let stood = settled
            .trace
            .as_ref()
            .map_or(Duration::ZERO, |trace| trace.stood);
        let ended = self.finish(&request.method, settled);
        if matches!(ended, Ended::Failed(_) | Ended::NeedsInput(_)) {
            // What is left for the requests that may follow; reading the clock has its price.
            self.spend(since, stood);
        }
        Poll::Ready(match ended {
            Ended::Done(value) => Some(Ok(value)),
            Ended::NeedsInput(asked) => {
                // The time in which the user answers is nobody's fault.
                self.prepare(None, |recovery, shared| {
                    recovery.after_input(shared, request, *asked)
                })
            }
            Ended::Failed(error) => {
                let (method, timeouts) = (request.method.clone(), self.timeouts);
                self.prepare(Some(self.shared.begin()), |recovery, shared| {
                    let preparing = recovery.after(shared, request, error, generation)?;
                    Ok(Box::pin(within(preparing, method, timeouts)))
                })
            }
        })
    }

    /// Takes the time since `since` off what the call may take as a whole, but for the time in which
    /// its clocks stood still because the user was asked: that of all calls, and its own.
    fn spend(&mut self, since: Begun, stood: Duration) {
        let spent = self.shared.spent(since, stood);
        self.timeouts.hard = self.timeouts.hard.saturating_sub(spent);
    }

    /// Gets the request ready to be sent once more, or gives the error why it is not.
    fn prepare(
        &mut self,
        since: Option<Begun>,
        decide: impl FnOnce(&mut Recovery, &Arc<Shared>) -> Result<Preparing, Error>,
    ) -> Option<Result<T, Error>> {
        match decide(&mut self.recovery, &self.shared) {
            Ok(preparing) => {
                self.state = State::Preparing { preparing, since };
                None
            }
            Err(error) => Some(Err(error)),
        }
    }
}

/// Bounds what has to be done before a request is sent once more by the time of its call.
async fn within(
    preparing: Preparing,
    method: Cow<'static, str>,
    timeouts: Timeouts,
) -> Result<Request, Error> {
    let after = timeouts.idle.min(timeouts.hard);
    match timeout(after, preparing).await {
        Ok(prepared) => prepared,
        Err(_elapsed) => Err(Error::TimedOut(Box::new(TimedOut {
            waiting_for: format!("what has to come before {method} is sent again"),
            budget: if after == timeouts.idle {
                Budget::Idle
            } else {
                Budget::Hard
            },
            after,
            // Only what did not run is sent again.
            sent: Sent::No,
            evidence: String::new(),
        }))),
    }
}

impl<T> Future for Call<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            if let State::Preparing { preparing, since } = &mut self.state {
                let (prepared, since) = (ready!(preparing.as_mut().poll(context)), *since);
                if let Some(since) = since {
                    self.spend(since, Duration::ZERO);
                }
                match prepared {
                    Ok(request) => self.state = State::Ready(request),
                    Err(error) => self.state = State::Failed(Some(error)),
                }
            }
            if let Err(error) = self.start() {
                self.hearers = None;
                return Poll::Ready(Err(error));
            }
            if matches!(self.state, State::Done) {
                // Polled again after it was done, which is a misuse of futures.
                return Poll::Pending;
            }
            if let Some(ended) = ready!(self.poll_reply(context)) {
                // Nothing more is told, even if the call itself is kept.
                self.hearers = None;
                return Poll::Ready(ended);
            }
        }
    }
}

impl<T> Unpin for Call<T> {}

impl<T> Drop for Call<T> {
    fn drop(&mut self) {
        if let State::Waiting { call, .. } = &self.state {
            self.shared.cancel(*call);
        }
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.state {
            State::Failed(_) => "failed",
            State::Preparing { .. } => "to be sent again",
            State::Ready(_) => "not sent",
            State::Waiting { .. } => "in flight",
            State::Done => "done",
        };
        f.debug_struct("Call")
            .field("state", &state)
            .finish_non_exhaustive()
    }
}

/// A request that is refused before it is made.
pub(crate) fn misused(misuse: Misuse) -> Error {
    Error::Misused(misuse)
}
