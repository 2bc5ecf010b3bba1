//! From wanting a server to having a connection, and from losing it to having another one.

use std::time::Instant;

use super::phase::{Live, ParkTimes, Phase, Then};
use super::{Effect, Epoch, Fault, FaultKind, Life, State, Why};

impl Life {
    /// Somebody wants the server to be connected: a server that is asleep, parked or waits for its
    /// next attempt is tried at once. It does not fill up the budget of retries.
    pub fn connect(&mut self, now: Instant) {
        self.rouse(now, Why::Demanded);
    }

    /// A discovery tries all servers: as [`Life::connect`], but a lazy server that nobody wanted
    /// yet and one that was ended as unused or too old are left alone.
    pub fn discover(&mut self, now: Instant) {
        let is_asleep = match self.state() {
            State::Idle => self.policy.lazy,
            state => state == State::Recycled,
        };
        if !is_asleep {
            self.rouse(now, Why::Discovered);
        }
    }

    /// An attempt to connect succeeded.
    ///
    /// If nobody waits for it any more, [`Effect::Close`] follows.
    pub fn handle_connected(&mut self, now: Instant, epoch: Epoch) {
        match &self.phase {
            Phase::Connecting { epoch: wanted, .. } if *wanted == epoch => {}
            Phase::Live(live) if live.epoch == epoch => return,
            _ => {
                let why = Why::Late;
                self.effects.push_back(Effect::Close { epoch, why });
                return;
            }
        }
        self.connects += 1;
        let live = Live::new(now, epoch, self.policy.max_lifetime);
        self.enter(now, Phase::Live(live), Why::Connected);
        self.advance(now);
    }

    /// An attempt to connect failed, and nothing of it is left.
    pub fn handle_connect_failed(&mut self, now: Instant, epoch: Epoch, fault: Fault) {
        match &self.phase {
            Phase::Connecting { epoch: wanted, .. } if *wanted == epoch => {
                let then = self.after(now, &fault, false);
                self.go_on(now, then, Why::Fault(fault));
            }
            _ => self.handle_closed(now, epoch),
        }
    }

    /// A connection is gone; [`Effect::Close`] follows, since something of it may be left.
    pub fn handle_lost(&mut self, now: Instant, epoch: Epoch, fault: Fault) {
        if self.epoch() == Some(epoch) {
            self.lose(now, fault);
        }
    }

    /// Nothing is left of what was to be closed. Its calls are over, even those whose end was not
    /// told.
    pub fn handle_closed(&mut self, now: Instant, epoch: Epoch) {
        if matches!(&self.phase, Phase::Ending { epoch: ending, .. } if *ending == epoch) {
            self.finish_ending(now);
        }
    }

    pub(super) fn rouse(&mut self, now: Instant, why: Why) {
        match &mut self.phase {
            Phase::Idle | Phase::Parked(_) | Phase::Recycled | Phase::Waiting { .. } => {
                self.start_connecting(now, why);
            }
            Phase::Ending { then, .. } if !matches!(then, Then::Close | Then::Disable) => {
                *then = Then::Retry { at: now };
                self.note(now, why);
            }
            _ => {}
        }
    }

    pub(super) fn start_connecting(&mut self, now: Instant, why: Why) {
        self.last_epoch.0 += 1;
        let epoch = self.last_epoch;
        let until = now + self.policy.connect_max;
        self.enter(now, Phase::Connecting { epoch, until }, why);
        self.effects.push_back(Effect::Connect { epoch });
    }

    /// Nobody tells what became of an attempt.
    pub(super) fn give_up_attempt(&mut self, now: Instant, epoch: Epoch) {
        let seconds = self.policy.connect_max.as_secs_f64();
        let text = format!("connecting was not over after {seconds} s");
        let fault = Fault::new(FaultKind::Transient, text);
        let then = self.after(now, &fault, false);
        self.end(now, epoch, Why::Fault(fault), then);
    }

    /// The connection is of no use any more.
    pub(super) fn lose(&mut self, now: Instant, fault: Fault) {
        let Phase::Live(live) = &self.phase else {
            return;
        };
        let epoch = live.epoch;
        let then = match live.stops() {
            Some(then) => then,
            None => {
                // A server that does one call and ends is not started again in a loop.
                let lived = now.saturating_duration_since(live.since);
                let at_once = live.is_proven && lived >= self.policy.reconnect.backoff_first;
                if fault.is_transient() && !self.queue.running().is_empty() {
                    let calls = self.queue.running().to_vec();
                    self.strike(now, &calls);
                }
                self.after(now, &fault, at_once)
            }
        };
        self.end(now, epoch, Why::Fault(fault), then);
    }

    /// What follows from a failure; a retry that is not at once is taken from the budget.
    fn after(&mut self, now: Instant, fault: &Fault, at_once: bool) -> Then {
        self.fault = Some(fault.clone());
        let retries_max = self.retries_max();
        let reconnect = &self.policy.reconnect;
        let times = match fault.kind() {
            FaultKind::Configuration => None,
            // What was wanted a moment ago may have been renewed since, which an attempt will tell.
            FaultKind::Login if !at_once => None,
            _ if at_once => return Then::Retry { at: now },
            _ if self.retries_used < retries_max => {
                self.retries_used += 1;
                let at = now + self.jitter.wait(reconnect, self.retries_used);
                return Then::Retry { at };
            }
            _ => Some(ParkTimes {
                call_at: now + reconnect.park_call_after,
                probe_at: now + reconnect.park_probe_interval,
            }),
        };
        self.refuse_waiting(now, &self.parked(now, times));
        Then::Park(times)
    }

    pub(super) fn retries_max(&self) -> u32 {
        match self.connects {
            0 => self.policy.reconnect.initial_retries,
            _ => self.policy.reconnect.retries,
        }
    }

    /// Ends what belongs to an epoch, and goes on when it has ended.
    pub(super) fn end(&mut self, now: Instant, epoch: Epoch, why: Why, then: Then) {
        let until = now + self.policy.close_max;
        let closing = why.clone();
        self.effects.push_back(Effect::Close { epoch, why });
        self.enter(now, Phase::Ending { epoch, until, then }, closing);
    }

    /// What was there has ended, or took too long to.
    pub(super) fn finish_ending(&mut self, now: Instant) {
        let Phase::Ending { then, .. } = self.phase else {
            return;
        };
        if let Some(probe) = self.breaker.probe()
            && self.queue.is_running(probe)
        {
            self.breaker.gave_back(probe, self.queue.first());
        }
        self.queue.end_running();
        self.go_on(now, then, Why::Closed);
    }

    pub(super) fn go_on(&mut self, now: Instant, then: Then, why: Why) {
        let phase = match then {
            Then::Close => Phase::Closed,
            Then::Disable => Phase::Disabled,
            Then::Idle => Phase::Idle,
            Then::Park(times) => Phase::Parked(times),
            Then::Recycle => Phase::Recycled,
            Then::Retry { at } if at <= now => return self.start_connecting(now, why),
            Then::Retry { at } => Phase::Waiting { until: at },
        };
        self.enter(now, phase, why);
    }
}
