//! The states of the table, and how a life comes into each.

use super::Way;
use crate::life::BreakerPolicy;
use crate::life::tests::*;

fn table_policy() -> LifePolicy {
    LifePolicy {
        idle_timeout: Some(secs(600)),
        max_lifetime: Some(secs(3_600)),
        ..policy()
    }
}

fn impatient() -> LifePolicy {
    LifePolicy {
        breaker: BreakerPolicy {
            threshold: 1,
            ..BreakerPolicy::default()
        },
        parallel_calls_max: 2,
        ..table_policy()
    }
}

fn connecting() -> Rig {
    let mut rig = Rig::new(table_policy());
    rig.step(Life::connect);
    rig
}

/// A server that was proven a while ago.
fn steady(policy: LifePolicy) -> Rig {
    let mut rig = Rig::proven(policy);
    rig.pass(10.0);
    rig
}

fn busy() -> Rig {
    let mut rig = steady(table_policy());
    rig.go();
    rig
}

fn parked(kind: FaultKind) -> Rig {
    let mut rig = Rig::new(LifePolicy {
        reconnect: ReconnectPolicy {
            initial_retries: 0,
            retries: 0,
            ..policy().reconnect
        },
        ..table_policy()
    });
    rig.step(Life::connect);
    let fault = Fault::new(kind, "a reason");
    rig.step(|life, now| life.handle_connect_failed(now, Epoch(1), fault));
    rig
}

/// A suspect server whose calls run.
fn suspect_busy() -> Rig {
    let mut rig = steady(LifePolicy {
        parallel_calls_max: 2,
        ..table_policy()
    });
    let slow = rig.go();
    rig.go();
    rig.end(slow, CallEnd::TimedOut);
    rig
}

/// A server whose breaker is open, since a call was not answered in time.
fn open() -> Rig {
    let mut rig = steady(impatient());
    let ticket = rig.go();
    rig.end(ticket, CallEnd::TimedOut);
    let check = rig.life.last_check.0;
    rig.checked(1, check, true);
    rig
}

fn probed() -> Rig {
    let mut rig = open();
    rig.pass(60.0);
    rig.go();
    rig
}

fn ended(way: Way, event: fn(&mut Rig)) -> Rig {
    let mut rig = way();
    event(&mut rig);
    rig.drain();
    rig
}

pub(super) const STATES: &[(&str, Way)] = &[
    ("idle", || Rig::new(table_policy())),
    ("idle, lazy", || {
        Rig::new(LifePolicy {
            lazy: true,
            ..table_policy()
        })
    }),
    ("connecting", connecting),
    ("connecting, a call waits", || {
        let mut rig = connecting();
        rig.wait();
        rig
    }),
    ("waiting", || ended(connecting, |rig| drop(rig.failed(1)))),
    ("ready, unproven", || Rig::ready(table_policy())),
    ("ready", || steady(table_policy())),
    ("ready, a call runs", busy),
    ("ready, one runs and one waits", || {
        ended(busy, |rig| {
            rig.wait();
        })
    }),
    ("ready, kept alive", || {
        let mut rig = steady(table_policy());
        rig.pass(170.0);
        rig
    }),
    ("ready, breaker open", open),
    ("ready, breaker can be probed", || {
        ended(open, |rig| drop(rig.pass(60.0)))
    }),
    ("ready, probe runs", probed),
    ("ready, probe runs and one waits", || {
        ended(probed, |rig| {
            rig.wait();
        })
    }),
    ("suspect", || {
        let mut rig = busy();
        let ticket = rig.life.queue.running()[0];
        rig.end(ticket, CallEnd::TimedOut);
        rig
    }),
    ("suspect, a call runs", suspect_busy),
    ("suspect, one runs and one waits", || {
        ended(suspect_busy, |rig| {
            rig.wait();
        })
    }),
    ("draining, too old", || {
        let mut rig = Rig::ready(table_policy());
        rig.pass(0.0);
        rig.go();
        rig.pass(3_600.0);
        rig
    }),
    ("draining, of no use", || {
        let mut rig = suspect_busy();
        rig.wait();
        rig.checked(1, 1, false);
        rig
    }),
    ("ending, then at once", || {
        ended(|| steady(table_policy()), |rig| drop(rig.lost(1)))
    }),
    ("ending, then after a wait", || {
        ended(|| Rig::ready(table_policy()), |rig| drop(rig.lost(1)))
    }),
    ("ending, calls run", || ended(busy, |rig| drop(rig.lost(1)))),
    ("ending, then recycled", || {
        let mut rig = Rig::ready(table_policy());
        rig.now = 600.0;
        rig.step(Life::handle_wake);
        rig
    }),
    ("ending, then parked", || {
        let mut rig = parked(FaultKind::Transient);
        rig.step(Life::connect);
        rig.connected(2);
        rig.lost(2);
        rig
    }),
    ("ending, then disabled", || {
        let mut rig = steady(table_policy());
        rig.step(|life, now| life.disable(now, secs(5)));
        rig
    }),
    ("ending, then closed", || {
        let mut rig = steady(table_policy());
        rig.step(|life, now| life.close(now, secs(5)));
        rig
    }),
    ("recycled", || {
        let mut rig = Rig::ready(table_policy());
        rig.now = 600.0;
        rig.step(Life::handle_wake);
        rig.closed(1);
        rig
    }),
    ("parked", || parked(FaultKind::Transient)),
    ("parked, for a minute", || {
        let mut rig = parked(FaultKind::Transient);
        rig.pass(60.0);
        rig
    }),
    ("parked, misconfigured", || parked(FaultKind::Configuration)),
    ("parked, needs a login", || parked(FaultKind::Login)),
    ("disabled", || {
        let mut rig = Rig::new(table_policy());
        rig.step(|life, now| life.disable(now, secs(5)));
        rig
    }),
    ("closing, a call runs", || {
        let mut rig = busy();
        rig.step(|life, now| life.close(now, secs(5)));
        rig
    }),
    ("disabling, a call runs", || {
        let mut rig = busy();
        rig.step(|life, now| life.disable(now, secs(5)));
        rig
    }),
    ("closed", || {
        let mut rig = Rig::new(table_policy());
        rig.step(|life, now| life.close(now, secs(5)));
        rig
    }),
];
