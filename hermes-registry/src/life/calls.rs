//! Letting calls through, and what their ends tell of the server.

use std::time::Instant;

use super::breaker::Barred;
use super::phase::{Condition, Goal, Live, ParkTimes, Phase};
use super::queue::{Hold, Stage, Waiting};
use super::{
    Admission, CallEnd, Effect, Epoch, Fault, FaultKind, Life, Refusal, Started, State, Ticket, Why,
};

impl Life {
    /// Asks for a call to be let through. It waits until `deadline` at most, which is the call's
    /// own; a server that is asleep is woken for it.
    ///
    /// # Cancel safety
    ///
    /// Whoever is given a [`Ticket`] must tell its end with [`Life::end_call`], also if the call is
    /// dropped while it waits or runs: it may be the one that the breaker waits for.
    pub fn admit(&mut self, now: Instant, deadline: Instant) -> Admission {
        if let Some(refusal) = self.barred(now) {
            return Admission::Refuse(refusal);
        }
        let ticket = self.queue.issue();
        match self.breaker.enter(now, ticket) {
            Err(Barred::Open(retry_in)) => {
                return Admission::Refuse(Refusal::BreakerOpen { retry_in });
            }
            Err(Barred::BeingProbed) if self.policy.breaker.probe_wait.is_zero() => {
                return Admission::Refuse(Refusal::BeingProbed);
            }
            Ok(is_probe) if self.queue.waiting_len() == 0 => {
                if let Some(epoch) = self.free_connection() {
                    return Admission::Go(self.run(now, epoch, ticket, now, is_probe));
                }
            }
            Err(Barred::BeingProbed) | Ok(_) => {}
        }
        self.wait(now, ticket, deadline)
    }

    fn wait(&mut self, now: Instant, ticket: Ticket, deadline: Instant) -> Admission {
        let waiting = self.queue.waiting_len();
        if waiting >= self.policy.queue_len_max {
            self.breaker.gave_back(ticket, self.queue.first());
            return Admission::Refuse(Refusal::QueueFull { waiting });
        }
        self.queue.wait(Waiting {
            ticket,
            asked_at: now,
            deadline,
        });
        if matches!(self.state(), State::Idle | State::Parked | State::Recycled) {
            self.rouse(now, Why::Called);
        }
        self.advance(now);
        Admission::Wait(ticket)
    }

    /// A call ended, or was given up while it waited. Returns whether it was still open; its end is
    /// of no consequence if not.
    pub fn end_call(&mut self, now: Instant, ticket: Ticket, end: CallEnd) -> bool {
        if let CallEnd::Lost(fault) = &end
            && self.queue.is_running(ticket)
        {
            self.lose(now, fault.clone());
        }
        let Some(stage) = self.queue.end(ticket) else {
            return false;
        };
        if stage == Stage::Running {
            self.learn(now, ticket, end);
        }
        self.breaker.gave_back(ticket, self.queue.first());
        self.advance(now);
        true
    }

    /// What the end of a call tells of the connection that it ran on, while there is that one.
    fn learn(&mut self, now: Instant, ticket: Ticket, end: CallEnd) {
        let Phase::Live(live) = &mut self.phase else {
            return;
        };
        live.used_at = now;
        match end {
            CallEnd::Abandoned | CallEnd::Lost(_) => {}
            CallEnd::Answered => {
                self.breaker.succeeded();
                self.proved(now, Why::Answered);
            }
            CallEnd::TimedOut => {
                self.strike(now, &[ticket]);
                let text = "a call was not answered in time";
                self.suspect(now, Fault::new(FaultKind::Transient, text));
            }
            CallEnd::Unauthorized(fault) => {
                self.drain(now, self.policy.drain_max, Goal::Replace(fault));
            }
            CallEnd::Unreachable(fault) => {
                self.strike(now, &[ticket]);
                self.suspect(now, fault);
            }
        }
    }

    /// Does what the state of the connection asks for, now that something has changed.
    pub(super) fn advance(&mut self, now: Instant) {
        let Phase::Live(live) = &self.phase else {
            return;
        };
        let is_quiet = self.queue.running().is_empty();
        match live.condition {
            Condition::Draining { .. } if is_quiet => self.finish_drain(now),
            Condition::Draining { .. } => {}
            Condition::Steady => self.start_waiting(now),
            Condition::Suspect => {
                let is_wanted = is_quiet || self.queue.waiting_len() > 0;
                if live.check.is_none() && is_wanted {
                    self.start_check(now);
                }
            }
        }
    }

    /// Lets calls through that wait, as many as may run.
    fn start_waiting(&mut self, now: Instant) {
        while let Some(epoch) = self.free_connection()
            && let Some(first) = self.queue.first()
            && let Ok(is_probe) = self.breaker.enter(now, first)
            && let Some(waiting) = self.queue.take_first()
        {
            let started = self.run(now, epoch, first, waiting.asked_at, is_probe);
            self.effects.push_back(Effect::Start(started));
        }
    }

    /// The connection, if one more call may run on it.
    fn free_connection(&self) -> Option<Epoch> {
        let has_room = self.queue.running().len() < self.policy.parallel_calls_max;
        match &self.phase {
            Phase::Live(Live {
                epoch,
                condition: Condition::Steady,
                ..
            }) if has_room => Some(*epoch),
            _ => None,
        }
    }

    fn run(
        &mut self,
        now: Instant,
        epoch: Epoch,
        ticket: Ticket,
        asked_at: Instant,
        is_probe: bool,
    ) -> Started {
        self.queue.run(ticket);
        if let Phase::Live(live) = &mut self.phase {
            live.used_at = now;
        }
        Started {
            ticket,
            epoch,
            asked_at,
            started_at: now,
            is_probe,
        }
    }

    /// One failure, of these calls together.
    pub(super) fn strike(&mut self, now: Instant, tickets: &[Ticket]) {
        if self.breaker.failed(now, tickets) {
            let retry_in = self.policy.breaker.cooldown;
            self.refuse_waiting(now, &Refusal::BreakerOpen { retry_in });
        }
    }

    /// Refuses all calls that wait.
    pub(super) fn refuse_waiting(&mut self, now: Instant, refusal: &Refusal) {
        while let Some(Waiting { ticket, .. }) = self.queue.take_first() {
            if self.breaker.probe() == Some(ticket) {
                match refusal {
                    Refusal::Closing | Refusal::Disabled => self.breaker.gave_back(ticket, None),
                    // It was to show that the server works, which it does not.
                    _ => {
                        self.breaker.failed(now, &[ticket]);
                    }
                }
            }
            let refusal = refusal.clone();
            self.effects.push_back(Effect::Refuse { ticket, refusal });
        }
    }

    /// Refuses the calls that have waited as long as they may.
    pub(super) fn refuse_due(&mut self, now: Instant) {
        for waiting in self.queue.take_due(now, self.hold()) {
            let ticket = waiting.ticket;
            let is_over = waiting.deadline <= now;
            let refusal = if is_over {
                Refusal::WaitedTooLong {
                    waited: now.saturating_duration_since(waiting.asked_at),
                    state: self.state(),
                    fault: self.fault.clone(),
                }
            } else {
                Refusal::BeingProbed
            };
            self.effects.push_back(Effect::Refuse { ticket, refusal });
            if self.breaker.probe() == Some(ticket) {
                self.strike(now, &[ticket]);
            }
        }
    }

    /// Why no call is let through, as the server is.
    fn barred(&self, now: Instant) -> Option<Refusal> {
        match self.state() {
            State::Closed | State::Closing => Some(Refusal::Closing),
            State::Disabled => Some(Refusal::Disabled),
            State::Parked => match self.phase.park_times() {
                Some(times) if times.call_at <= now => None,
                times => Some(self.parked(now, times)),
            },
            _ => None,
        }
    }

    pub(super) fn parked(&self, now: Instant, times: Option<ParkTimes>) -> Refusal {
        let unknown = || Fault::new(FaultKind::Transient, "the server cannot be reached");
        Refusal::Parked {
            fault: self.fault.clone().unwrap_or_else(unknown),
            retry_in: times.map(|times| {
                let next = times.call_at.min(times.probe_at);
                next.saturating_duration_since(now)
            }),
        }
    }

    /// The probe that calls wait for.
    pub(super) fn hold(&self) -> Option<Hold> {
        let wait = self.policy.breaker.probe_wait;
        self.breaker.probe().map(|probe| Hold { probe, wait })
    }
}
