//! Facts about the life of a server, by hand; a table of all states and events; the laws that hold
//! for any course of events; and a simulation of servers that fail.

mod calls;
mod connecting;
mod health;
mod laws;
mod properties;
mod rest;
mod simulate;
mod table;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{
    Admission, CallEnd, CheckId, Effect, Epoch, Fault, FaultKind, Life, LifePolicy,
    ReconnectPolicy, Ticket,
};

/// This many seconds after the beginning of all tests.
pub(super) fn at(seconds: f64) -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    #[expect(
        clippy::disallowed_methods,
        reason = "times of tests are differences to one start, whenever that was"
    )]
    let start = *START.get_or_init(Instant::now);
    start + Duration::from_secs_f64(seconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The defaults, without chance.
fn policy() -> LifePolicy {
    LifePolicy {
        reconnect: ReconnectPolicy {
            jitter_percent: 0,
            ..ReconnectPolicy::default()
        },
        ..LifePolicy::default()
    }
}

fn transient() -> Fault {
    Fault::new(FaultKind::Transient, "it exited")
}

/// A life with its clock, whose steps are told as `state: effect, effect`.
struct Rig {
    life: Life,
    now: f64,
}

impl Rig {
    fn new(policy: LifePolicy) -> Self {
        Self {
            life: Life::new(at(0.0), policy, 1),
            now: 0.0,
        }
    }

    /// A server that is connected.
    fn ready(policy: LifePolicy) -> Self {
        let mut rig = Self::new(policy);
        rig.step(|life, now| life.connect(now));
        assert_eq!(rig.connected(1), "ready");
        rig
    }

    /// A server that is connected and has answered a call.
    fn proven(policy: LifePolicy) -> Self {
        let mut rig = Self::ready(policy);
        let ticket = rig.go();
        assert_eq!(rig.end(ticket, CallEnd::Answered), "ready");
        rig
    }

    /// Does something, and tells the state after it and the effects.
    fn step(&mut self, event: impl FnOnce(&mut Life, Instant)) -> String {
        event(&mut self.life, at(self.now));
        self.drain()
    }

    fn drain(&mut self) -> String {
        let effects = std::iter::from_fn(|| self.life.poll_effect());
        let effects: Vec<String> = effects.filter_map(|effect| show(&effect)).collect();
        if effects.is_empty() {
            self.life.state().to_string()
        } else {
            format!("{}: {}", self.life.state(), effects.join(", "))
        }
    }

    /// Lets time pass, and tells when something was done meanwhile.
    fn pass(&mut self, seconds: f64) -> Vec<String> {
        let until = self.now + seconds;
        let mut told = Vec::new();
        while let Some(wake) = self.life.next_wake().filter(|wake| *wake <= at(until)) {
            let wake = wake.saturating_duration_since(at(0.0)).as_secs_f64();
            self.now = self.now.max(wake);
            let step = self.step(Life::handle_wake);
            told.push(format!("{} {step}", self.now));
        }
        self.now = until;
        told
    }

    fn connected(&mut self, epoch: u64) -> String {
        self.step(|life, now| life.handle_connected(now, Epoch(epoch)))
    }

    fn failed(&mut self, epoch: u64) -> String {
        self.step(|life, now| life.handle_connect_failed(now, Epoch(epoch), transient()))
    }

    fn lost(&mut self, epoch: u64) -> String {
        self.step(|life, now| life.handle_lost(now, Epoch(epoch), transient()))
    }

    fn closed(&mut self, epoch: u64) -> String {
        self.step(|life, now| life.handle_closed(now, Epoch(epoch)))
    }

    fn checked(&mut self, epoch: u64, check: u64, is_healthy: bool) -> String {
        let outcome = if is_healthy { Ok(()) } else { Err(transient()) };
        self.step(|life, now| {
            life.handle_checked(now, Epoch(epoch), CheckId(check), outcome);
        })
    }

    /// Asks for a call that can wait for `patience` seconds.
    fn admit(&mut self, patience: f64) -> Admission {
        self.life.admit(at(self.now), at(self.now + patience))
    }

    /// A call that runs at once.
    fn go(&mut self) -> Ticket {
        match self.admit(120.0) {
            Admission::Go(started) => started.ticket,
            other => panic!("the call does not run: {other:?}"),
        }
    }

    /// A call that waits.
    fn wait(&mut self) -> Ticket {
        match self.admit(120.0) {
            Admission::Wait(ticket) => ticket,
            other => panic!("the call does not wait: {other:?}"),
        }
    }

    /// Why a call is refused.
    fn refused(&mut self) -> String {
        match self.admit(120.0) {
            Admission::Refuse(refusal) => refusal.to_string(),
            other => panic!("the call is not refused: {other:?}"),
        }
    }

    fn end(&mut self, ticket: Ticket, end: CallEnd) -> String {
        assert!(self.life.end_call(at(self.now), ticket, end));
        self.drain()
    }
}

/// An effect in short; a change is not told, since the state is.
fn show(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Changed => return None,
        Effect::Check { epoch, check, .. } => format!("check {}.{}", epoch.0, check.0),
        Effect::Close { epoch, why } => format!("close {} ({why})", epoch.0),
        Effect::Connect { epoch } => format!("connect {}", epoch.0),
        Effect::Refuse { ticket, refusal } => format!("refuse {} ({})", ticket.0, refusal.code()),
        Effect::Start(started) if started.is_probe => format!("probe {}", started.ticket.0),
        Effect::Start(started) => format!("start {}", started.ticket.0),
    })
}
