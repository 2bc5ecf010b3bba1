//! The end of a connection that did nothing wrong: unused, too old, or not wanted any more.

use std::time::{Duration, Instant};

use super::phase::{Condition, Goal, Live, Phase, Then};
use super::{Life, Refusal, Why};

impl Life {
    /// Ends the server for good. Calls that wait are refused at once; those that run have `grace`
    /// to finish before their connection is closed.
    pub fn close(&mut self, now: Instant, grace: Duration) {
        self.stop(now, grace, Then::Close);
    }

    /// Ends the server, as [`Life::close`] does, until [`Life::enable`].
    pub fn disable(&mut self, now: Instant, grace: Duration) {
        self.stop(now, grace, Then::Disable);
    }

    /// Lets a disabled server be used again; it is not connected before somebody wants it.
    pub fn enable(&mut self, now: Instant) {
        match &mut self.phase {
            Phase::Disabled => self.phase = Phase::Idle,
            Phase::Ending { then, .. } if *then == Then::Disable => *then = Then::Idle,
            Phase::Live(live) if live.stops() == Some(Then::Disable) => {
                live.condition = Condition::Steady;
            }
            _ => return,
        }
        self.note(now, Why::Enabled);
    }

    fn stop(&mut self, now: Instant, grace: Duration, then: Then) {
        let why = stopped(then);
        let refusal = match then {
            Then::Disable => Refusal::Disabled,
            _ => Refusal::Closing,
        };
        // What ends for good is not brought back.
        let is_closing = match &self.phase {
            Phase::Closed => true,
            Phase::Ending { then, .. } => *then == Then::Close,
            Phase::Live(live) => live.stops() == Some(Then::Close),
            _ => false,
        };
        if is_closing && then != Then::Close {
            return;
        }
        self.refuse_waiting(now, &refusal);
        match &mut self.phase {
            Phase::Closed => {}
            Phase::Connecting { epoch, .. } => {
                let epoch = *epoch;
                self.end(now, epoch, why, then);
            }
            Phase::Ending { then: next, .. } => {
                *next = then;
                self.note(now, why);
            }
            Phase::Live(_) => self.drain(now, grace, Goal::Stop(then)),
            _ => self.go_on(now, then, why),
        }
    }

    /// Lets nothing new run on the connection, and ends it when nothing does, or after this time.
    pub(super) fn drain(&mut self, now: Instant, time: Duration, goal: Goal) {
        let Phase::Live(live) = &mut self.phase else {
            return;
        };
        let why = match &goal {
            Goal::Recycle => Why::TooOld(now.saturating_duration_since(live.since)),
            Goal::Replace(fault) => Why::Fault(fault.clone()),
            Goal::Stop(then) => stopped(*then),
        };
        let is_draining = matches!(live.condition, Condition::Draining { .. });
        if is_draining && !matches!(goal, Goal::Stop(_)) {
            return;
        }
        live.check = None;
        let until = now + time;
        live.condition = Condition::Draining { until, goal };
        if time.is_zero() || self.queue.running().is_empty() {
            self.finish_drain(now);
        } else {
            self.note(now, why);
        }
    }

    pub(super) fn finish_drain(&mut self, now: Instant) {
        let Phase::Live(live) = &mut self.phase else {
            return;
        };
        let Condition::Draining { goal, .. } = &live.condition else {
            return;
        };
        let epoch = live.epoch;
        match goal {
            Goal::Recycle if self.queue.running().is_empty() => {
                let age = now.saturating_duration_since(live.since);
                let then = match self.queue.waiting_len() {
                    0 => Then::Recycle,
                    _ => Then::Retry { at: now },
                };
                self.end(now, epoch, Why::TooOld(age), then);
            }
            Goal::Recycle => self.put_off(now),
            Goal::Replace(fault) => {
                let fault = fault.clone();
                self.lose(now, fault);
            }
            Goal::Stop(then) => {
                let then = *then;
                self.end(now, epoch, stopped(then), then);
            }
        }
    }

    /// Calls run for too long to hold others back for them: the process may grow as old again.
    fn put_off(&mut self, now: Instant) {
        if let Phase::Live(live) = &mut self.phase {
            live.condition = Condition::Steady;
            live.old_at = self.policy.max_lifetime.map(|lifetime| now + lifetime);
        }
        self.note(now, Why::PutOff);
    }

    /// When something is to be done about a connection.
    pub(super) fn live_due(&self, live: &Live) -> Option<Instant> {
        if let Some(check) = live.check {
            return Some(check.until);
        }
        match live.condition {
            Condition::Draining { until, .. } => Some(until),
            // Its calls lead on.
            Condition::Suspect => None,
            Condition::Steady => {
                let quiet = [self.idle_at(live), self.keepalive_at(live)];
                quiet.into_iter().chain([live.old_at]).flatten().min()
            }
        }
    }

    /// Does what is due about a connection.
    pub(super) fn wake_live(&mut self, now: Instant) {
        let Phase::Live(live) = &self.phase else {
            return;
        };
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if !is_due(self.live_due(live)) {
            return;
        }
        if live.check.is_some() {
            self.give_up_check(now);
        } else if matches!(live.condition, Condition::Draining { .. }) {
            self.finish_drain(now);
        } else if is_due(live.old_at) {
            self.drain(now, self.policy.drain_max, Goal::Recycle);
        } else if is_due(self.idle_at(live)) {
            let (epoch, unused) = (live.epoch, now.saturating_duration_since(live.used_at));
            self.end(now, epoch, Why::Idle(unused), Then::Recycle);
        } else if is_due(self.keepalive_at(live)) {
            self.start_check(now);
        }
    }

    fn idle_at(&self, live: &Live) -> Option<Instant> {
        let idle_timeout = self.policy.idle_timeout.filter(|_| self.is_unused());
        idle_timeout.map(|timeout| live.used_at + timeout)
    }

    /// A call that runs has a clock of its own, and a server that does one thing at a time cannot
    /// answer anything else meanwhile.
    fn keepalive_at(&self, live: &Live) -> Option<Instant> {
        let interval = self.policy.keepalive_interval;
        self.is_unused().then(|| live.heard_at + interval)
    }

    fn is_unused(&self) -> bool {
        self.queue.running().is_empty()
    }
}

impl Live {
    /// What follows when it has ended, if it is not wanted any more.
    pub(super) fn stops(&self) -> Option<Then> {
        match &self.condition {
            Condition::Draining {
                goal: Goal::Stop(then),
                ..
            } => Some(*then),
            _ => None,
        }
    }
}

fn stopped(then: Then) -> Why {
    match then {
        Then::Disable => Why::Disabled,
        _ => Why::ShutDown,
    }
}
