//! The events of the table.

use super::Happening;
use crate::life::tests::*;

pub(super) const EVENTS: &[(&str, Happening)] = &[
    ("connect", |rig| happens(rig, Life::connect)),
    ("discover", |rig| happens(rig, Life::discover)),
    ("enable", |rig| happens(rig, Life::enable)),
    ("disable", |rig| {
        happens(rig, |life, now| life.disable(now, secs(5)))
    }),
    ("close", |rig| {
        happens(rig, |life, now| life.close(now, secs(5)))
    }),
    ("close without grace", |rig| {
        happens(rig, |life, now| life.close(now, secs(0)))
    }),
    ("time passes", |rig| {
        let Some(wake) = rig.life.next_wake() else {
            return false;
        };
        rig.now = wake.saturating_duration_since(at(0.0)).as_secs_f64();
        happens(rig, |life, _| life.handle_wake(wake))
    }),
    ("connected", |rig| {
        happens(rig, |life, now| life.handle_connected(now, life.last_epoch))
    }),
    ("connected, an old one", |rig| {
        happens(rig, |life, now| life.handle_connected(now, Epoch(0)))
    }),
    ("not connected", |rig| {
        happens(rig, |life, now| fail(life, now, FaultKind::Transient))
    }),
    ("not connected, misconfigured", |rig| {
        happens(rig, |life, now| fail(life, now, FaultKind::Configuration))
    }),
    ("not connected, needs a login", |rig| {
        happens(rig, |life, now| fail(life, now, FaultKind::Login))
    }),
    ("not connected, an old one", |rig| {
        happens(rig, |life, now| {
            life.handle_connect_failed(now, Epoch(0), transient());
        })
    }),
    ("lost", |rig| {
        happens(rig, |life, now| {
            life.handle_lost(now, life.last_epoch, transient());
        })
    }),
    ("lost, an old one", |rig| {
        happens(rig, |life, now| {
            life.handle_lost(now, Epoch(0), transient())
        })
    }),
    ("heard", |rig| {
        rig.now += 1.0;
        happens(rig, |life, now| life.handle_heard(now, life.last_epoch))
    }),
    ("check passed", |rig| {
        rig.now += 1.0;
        happens(rig, |life, now| check(life, now, Ok(())))
    }),
    ("check failed", |rig| {
        happens(rig, |life, now| check(life, now, Err(transient())))
    }),
    ("check failed, an old one", |rig| {
        happens(rig, |life, now| {
            life.handle_checked(now, life.last_epoch, CheckId(0), Err(transient()));
        })
    }),
    ("closed", |rig| {
        happens(rig, |life, now| life.handle_closed(now, life.last_epoch))
    }),
    ("closed, an old one", |rig| {
        happens(rig, |life, now| life.handle_closed(now, Epoch(0)))
    }),
    ("a call answered", |rig| ends(rig, CallEnd::Answered)),
    ("a call abandoned", |rig| ends(rig, CallEnd::Abandoned)),
    ("a call timed out", |rig| ends(rig, CallEnd::TimedOut)),
    ("a call lost", |rig| ends(rig, CallEnd::Lost(transient()))),
    ("a call unreachable", |rig| {
        ends(rig, CallEnd::Unreachable(transient()))
    }),
    ("a call unauthorized", |rig| {
        let fault = Fault::new(FaultKind::Login, "status 401");
        ends(rig, CallEnd::Unauthorized(fault))
    }),
    ("a waiting call abandoned", |rig| {
        let Some(ticket) = rig.life.queue.first() else {
            return false;
        };
        rig.life.end_call(at(rig.now), ticket, CallEnd::Abandoned)
    }),
];

fn happens(rig: &mut Rig, event: impl FnOnce(&mut Life, Instant)) -> bool {
    event(&mut rig.life, at(rig.now));
    true
}

fn fail(life: &mut Life, now: Instant, kind: FaultKind) {
    let fault = Fault::new(kind, "a reason");
    life.handle_connect_failed(now, life.last_epoch, fault);
}

fn check(life: &mut Life, now: Instant, outcome: Result<(), Fault>) {
    life.handle_checked(now, life.last_epoch, life.last_check, outcome);
}

/// The oldest call that runs ends.
fn ends(rig: &mut Rig, end: CallEnd) -> bool {
    let oldest = rig.life.queue.running().iter().copied().min();
    oldest.is_some_and(|ticket| rig.life.end_call(at(rig.now), ticket, end))
}
