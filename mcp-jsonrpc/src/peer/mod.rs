//! The engine of one side of a connection.
//!
//! Drive contract: after each command and each `handle_*`, drain [`Peer::poll_transmit`] and
//! [`Peer::poll_event`] before the next one; [`Peer::poll_timeout`] tells when
//! [`Peer::handle_timeout`] is next wanted.

mod event;
mod frame;
mod incoming;
mod outbox;
mod outgoing;
mod standing;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::Bytes;

pub use self::event::{Answer, Budget, Event, Method, Outcome};
pub use self::frame::Tie;
use self::incoming::Incoming;
use self::outbox::Outbox;
pub use self::outbox::{Transmit, TransmitKind};
use self::outgoing::Outgoing;
pub use self::outgoing::Timeouts;
use crate::{CallId, ErrorCode, ErrorObject, Limits, Misbehavior, RequestId, encode};

/// What a peer has been through, as counts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Ledger {
    /// Calls that came to an end, in whatever way.
    pub settled: u64,
    /// Frames that were what they should be.
    pub good_frames: u64,
    /// Misbehaviours.
    pub misbehaviors: u64,
    /// Answers that came after the end of their call.
    pub stale: u64,
}

/// Why a call was not accepted; nothing was sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CallRefused {
    /// As many calls as allowed are in flight.
    TooManyInFlight {
        /// How many are allowed.
        calls_in_flight_max: usize,
    },
    /// The connection is gone.
    Closed,
}

/// A sans-IO JSON-RPC peer whose calls carry a waiter of the caller's type.
///
/// Invariant: each accepted [`Peer::call`] ends in exactly one [`Event::Settled`], or in
/// [`Peer::abandon`] handing the waiter back.
#[derive(Debug)]
pub struct Peer<W> {
    limits: Limits,
    outgoing: Outgoing<W>,
    incoming: Incoming,
    outbox: Outbox,
    events: VecDeque<Event<W>>,
    /// The call that was the last thing written, which alone an error without an id can mean.
    last_written: Option<CallId>,
    strikes: usize,
    ledger: Ledger,
    accepts_batches: bool,
    is_closed: bool,
}

impl<W> Peer<W> {
    /// A peer with nothing in flight.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            outgoing: Outgoing::new(),
            incoming: Incoming::default(),
            outbox: Outbox::default(),
            events: VecDeque::new(),
            last_written: None,
            strikes: 0,
            ledger: Ledger::default(),
            accepts_batches: true,
            is_closed: false,
        }
    }

    /// How many calls are in flight.
    pub fn in_flight(&self) -> usize {
        self.outgoing.len()
    }

    /// How many calls wait for an answer; those that stay open until one side ends them do not.
    pub fn waiting(&self) -> usize {
        self.outgoing.waiting()
    }

    /// How many requests of the peer wait for our answer.
    pub fn asks_open(&self) -> usize {
        self.incoming.len()
    }

    /// The counts so far.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// What was given with a call in flight.
    pub fn waiter_mut(&mut self, call: CallId) -> Option<&mut W> {
        self.outgoing.waiter_mut(call)
    }

    /// What was given to [`Peer::call`], while the call is in flight.
    pub fn waiter(&self, call: CallId) -> Option<&W> {
        self.outgoing.waiter(call)
    }

    /// The calls in flight, oldest first.
    pub fn calls(&self) -> Vec<CallId> {
        self.outgoing.calls()
    }

    /// Whether a batch array is misbehaviour; its elements are read either way.
    ///
    /// Spec: RPC-08, RPC-09. Until the revision is known, batches are accepted (T-11).
    pub fn set_batches(&mut self, accepted: bool) {
        self.accepts_batches = accepted;
    }

    /// Makes a call; `params` is given the id and writes the parameters as JSON, or nothing.
    ///
    /// # Errors
    ///
    /// The waiter back, with the reason, if the call was not accepted; nothing was encoded.
    pub fn call(
        &mut self,
        now: Instant,
        timeouts: Timeouts,
        waiter: W,
        method: &str,
        params: impl FnOnce(CallId, &mut Vec<u8>),
    ) -> Result<CallId, (W, CallRefused)> {
        if self.is_closed {
            return Err((waiter, CallRefused::Closed));
        }
        let calls_in_flight_max = self.limits.calls_in_flight_max;
        if self.outgoing.len() >= calls_in_flight_max {
            return Err((
                waiter,
                CallRefused::TooManyInFlight {
                    calls_in_flight_max,
                },
            ));
        }
        let call = self.outgoing.next_id();
        self.outgoing.insert(call, now, timeouts, waiter);
        self.last_written = Some(call);
        self.outbox.push(TransmitKind::Call(call), |out| {
            encode::request(out, call, method, params);
        });
        Ok(call)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: impl FnOnce(&mut Vec<u8>)) {
        self.last_written = None;
        self.outbox.push(TransmitKind::OneWay, |out| {
            encode::notification(out, method, params)
        });
    }

    /// Answers a request of the peer. Returns whether it was still open; if not, nothing is sent.
    pub fn respond(&mut self, id: &RequestId, result: impl FnOnce(&mut Vec<u8>)) -> bool {
        let open = self.incoming.close(id);
        if open {
            self.last_written = None;
            self.outbox
                .push(TransmitKind::OneWay, |out| encode::answer(out, id, result));
        }
        open
    }

    /// Answers a request of the peer with an error. Returns whether it was still open.
    pub fn refuse(&mut self, id: &RequestId, error: &ErrorObject) -> bool {
        let open = self.incoming.close(id);
        if open {
            self.send_failure(id, error);
        }
        open
    }

    fn send_failure(&mut self, id: &RequestId, error: &ErrorObject) {
        self.last_written = None;
        self.outbox
            .push(TransmitKind::OneWay, |out| encode::failure(out, id, error));
    }

    /// Forgets a request of the peer that the peer took back; it gets no answer (CANC-04).
    pub fn withdraw(&mut self, id: &RequestId) -> bool {
        self.incoming.close(id)
    }

    /// Forgets all requests of the peer, as if it had taken them back.
    pub fn withdraw_all(&mut self) {
        self.incoming.clear();
    }

    /// Gives a call up and hands its waiter back; `None` if it had ended.
    ///
    /// Telling the other side is left to whoever knows how its protocol says so.
    pub fn abandon(&mut self, call: CallId) -> Option<W> {
        let waiter = self.outgoing.remove(call)?;
        self.ledger.settled += 1;
        Some(waiter)
    }

    /// Starts the idle clock of a call afresh, because it made progress.
    pub fn touch(&mut self, now: Instant, call: CallId) {
        self.outgoing.touch(call, now);
    }

    /// Stops the clocks of all calls, because our own user is being asked something.
    pub fn pause(&mut self, now: Instant) {
        self.outgoing.pause(now);
    }

    /// Lets the clocks run on.
    pub fn resume(&mut self, now: Instant) {
        self.outgoing.resume(now);
    }

    /// Stops the clocks of one call, because our own user is being asked something on its behalf.
    /// Stopped several times, they stand until [`Peer::resume_call`] was called as often.
    pub fn pause_call(&mut self, now: Instant, call: CallId) {
        self.outgoing.pause_one(now, call);
    }

    /// Lets the clocks of one call run on, if this is the last of its pauses. Returns how long they
    /// stood by then, without the time in which those of all calls did.
    pub fn resume_call(&mut self, now: Instant, call: CallId) -> Duration {
        self.outgoing.resume_one(now, call)
    }

    /// How long the clocks of all calls have stood since the beginning.
    pub fn stood(&self, now: Instant) -> Duration {
        self.outgoing.standing().all(now)
    }

    /// How long the clocks of one call have stood that stand now, without the time in which those
    /// of all calls did. The call may have ended since they were stopped.
    pub fn call_stands(&self, now: Instant, call: CallId) -> Duration {
        self.outgoing.standing().single(now, call)
    }

    /// When [`Peer::handle_timeout`] is wanted.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.outgoing.next_look()
    }

    /// Ends the calls whose budget has run out.
    pub fn handle_timeout(&mut self, now: Instant) {
        for (call, budget) in self.outgoing.due(now) {
            self.settle(call, Outcome::TimedOut(budget));
        }
    }

    /// Ends one call whose exchange was lost.
    pub fn handle_lost(&mut self, call: CallId) {
        self.settle(call, Outcome::Lost);
    }

    /// Ends everything: nothing comes in or goes out any more.
    pub fn handle_closed(&mut self) {
        self.is_closed = true;
        self.incoming.clear();
        for call in self.outgoing.calls() {
            self.settle(call, Outcome::Lost);
        }
    }

    /// The next message to send.
    pub fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.outbox.pop()
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<Event<W>> {
        self.events.pop_front()
    }

    /// Ends a call, if it has not ended. Returns whether it was in flight.
    fn settle(&mut self, call: CallId, outcome: Outcome) -> bool {
        let Some(waiter) = self.outgoing.remove(call) else {
            return false;
        };
        self.ledger.settled += 1;
        self.events.push_back(Event::Settled {
            call,
            waiter,
            outcome,
        });
        true
    }

    fn misbehaved(&mut self, misbehavior: Misbehavior) {
        self.ledger.misbehaviors += 1;
        // What costs nobody anything is told but not held against the peer.
        let is_harmless = match &misbehavior {
            Misbehavior::Version | Misbehavior::DuplicateMember => true,
            Misbehavior::Batch { len } => *len > 0,
            _ => false,
        };
        self.events.push_back(Event::Misbehaved(misbehavior));
        if !is_harmless {
            self.strikes += 1;
            if self.strikes == self.limits.misbehavior_max {
                self.events.push_back(Event::Exhausted);
            }
        }
    }

    fn is_good(&mut self) {
        self.strikes = 0;
        self.ledger.good_frames += 1;
    }

    fn open_ask(&mut self, id: RequestId, method: Method, params: Option<Bytes>) {
        if self.incoming.contains(&id) {
            self.misbehaved(Misbehavior::DuplicateRequest(id));
        } else if self.incoming.len() >= self.limits.asks_in_flight_max {
            let text = "too many requests of yours are waiting for an answer; try again later";
            self.send_failure(&id, &ErrorObject::new(ErrorCode::INTERNAL_ERROR, text));
        } else {
            self.incoming.open(id.clone());
            self.events.push_back(Event::Asked { id, method, params });
        }
    }
}
