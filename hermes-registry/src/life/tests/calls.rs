//! Letting calls through: order, limits, deadlines and the breaker.

use super::*;
use crate::life::{BreakerPolicy, BreakerStatus, Refusal, Started};

fn started(rig: &mut Rig) -> Started {
    loop {
        match rig.life.poll_effect() {
            Some(Effect::Start(started)) => return started,
            Some(_) => {}
            None => panic!("no call starts"),
        }
    }
}

/// A server whose breaker has just opened, by calls that were not answered in time.
fn opened(policy: LifePolicy) -> Rig {
    let mut rig = Rig::proven(policy);
    rig.pass(10.0);
    for check in 1..=3 {
        let ticket = rig.go();
        assert_eq!(
            rig.end(ticket, CallEnd::TimedOut),
            format!("suspect: check 1.{check}")
        );
        assert_eq!(rig.checked(1, check, true), "ready");
    }
    rig
}

#[test]
fn one_call_runs_at_a_time_unless_more_are_allowed() {
    let mut rig = Rig::ready(policy());
    let (first, second, third) = (rig.go(), rig.wait(), rig.wait());
    assert_eq!(rig.end(first, CallEnd::Answered), "ready: start 2");
    assert_eq!(rig.end(second, CallEnd::Answered), "ready: start 3");
    assert_eq!(rig.end(third, CallEnd::Answered), "ready");

    let mut rig = Rig::ready(LifePolicy {
        parallel_calls_max: LifePolicy::PARALLEL_CALLS_MAX,
        ..policy()
    });
    for _ in 0..16 {
        rig.go();
    }
    rig.wait();
    assert_eq!(rig.life.status(at(0.0)).in_flight, 16);
    assert_eq!(rig.life.status(at(0.0)).queued, 1);
}

#[test]
fn a_started_call_tells_how_long_it_waited() {
    let mut rig = Rig::ready(policy());
    let first = rig.go();
    rig.pass(2.0);
    let second = rig.wait();
    rig.pass(3.0);
    rig.life.end_call(at(rig.now), first, CallEnd::Answered);
    let started = started(&mut rig);
    assert_eq!(started.ticket, second);
    assert_eq!(started.epoch, Epoch(1));
    assert_eq!((started.asked_at, started.started_at), (at(2.0), at(5.0)));
    assert_eq!(started.queued(), secs(3));
    assert!(!started.is_probe);
}

#[test]
fn the_queue_is_bounded() {
    let mut rig = Rig::ready(policy());
    let runs = rig.go();
    for _ in 0..256 {
        rig.wait();
    }
    assert_eq!(rig.refused(), "256 calls wait for the server already");
    assert_eq!(rig.end(runs, CallEnd::Answered), "ready: start 2");
    rig.wait();
}

#[test]
fn a_queue_of_no_length_lets_through_what_can_run_at_once() {
    let mut rig = Rig::ready(LifePolicy {
        queue_len_max: 0,
        ..policy()
    });
    rig.go();
    assert_eq!(rig.refused(), "0 calls wait for the server already");
}

#[test]
fn a_call_waits_until_its_own_deadline_and_is_told_why() {
    let mut rig = Rig::ready(policy());
    rig.lost(1);
    rig.closed(1);
    let _: Admission = rig.admit(0.4);
    rig.life.handle_wake(at(0.5));
    let refusal = match rig.life.poll_effect() {
        Some(Effect::Refuse { refusal, .. }) => refusal,
        other => panic!("the call is not refused: {other:?}"),
    };
    assert_eq!(
        refusal.to_string(),
        "the call waited 0.5 s for the server (waiting): it exited"
    );
}

#[test]
fn a_call_that_is_dropped_while_it_waits_does_not_run() {
    let mut rig = Rig::ready(policy());
    let (first, second, _third) = (rig.go(), rig.wait(), rig.wait());
    assert_eq!(rig.end(second, CallEnd::Abandoned), "ready");
    assert_eq!(rig.end(first, CallEnd::Answered), "ready: start 3");
}

#[test]
fn the_end_of_a_call_counts_once() {
    let mut rig = Rig::ready(policy());
    let ticket = rig.go();
    assert!(rig.life.end_call(at(0.0), ticket, CallEnd::Answered));
    assert!(!rig.life.end_call(at(0.0), ticket, CallEnd::TimedOut));
    assert_eq!(rig.drain(), "ready");
}

#[test]
fn calls_wait_while_a_lost_server_is_connected_again() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    rig.lost(1);
    let ticket = rig.wait();
    rig.closed(1);
    assert_eq!(rig.connected(2), format!("ready: start {}", ticket.0));
}

#[test]
fn a_call_that_tells_of_a_loss_is_as_good_as_the_loss_itself() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    let ticket = rig.go();
    let told = rig.end(ticket, CallEnd::Lost(transient()));
    assert_eq!(told, "waiting: close 1 (it exited)");
    assert_eq!(rig.lost(1), "waiting");
    let strikes = 1;
    let breaker = rig.life.status(at(rig.now)).breaker;
    assert_eq!(breaker, BreakerStatus::Closed { strikes });
}

#[test]
fn many_calls_that_are_lost_together_are_one_failure() {
    let mut rig = Rig::ready(LifePolicy {
        parallel_calls_max: 16,
        ..policy()
    });
    let tickets: Vec<Ticket> = (0..16).map(|_| rig.go()).collect();
    rig.lost(1);
    for ticket in tickets {
        rig.end(ticket, CallEnd::Lost(transient()));
    }
    let breaker = rig.life.status(at(rig.now)).breaker;
    assert_eq!(breaker, BreakerStatus::Closed { strikes: 1 });
}

#[test]
fn what_was_closed_has_no_calls_even_if_their_end_is_not_told() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    let ticket = rig.go();
    rig.lost(1);
    assert_eq!(rig.life.status(at(rig.now)).in_flight, 1);
    rig.closed(1);
    assert_eq!(rig.life.status(at(rig.now)).in_flight, 0);
    assert!(!rig.life.end_call(at(rig.now), ticket, CallEnd::Answered));
    rig.connected(2);
    rig.go();
}

#[test]
fn an_open_breaker_refuses_calls_and_tells_for_how_long() {
    let mut rig = opened(policy());
    assert_eq!(
        rig.refused(),
        "the server failed repeatedly; no calls for 60 s"
    );
    rig.pass(20.5);
    assert_eq!(
        rig.refused(),
        "the server failed repeatedly; no calls for 40 s"
    );
    let retry_in = Duration::from_millis(39_500);
    let breaker = rig.life.status(at(rig.now)).breaker;
    assert_eq!(breaker, BreakerStatus::Open { retry_in });
}

#[test]
fn calls_that_wait_are_refused_when_the_breaker_opens() {
    let mut rig = Rig::ready(LifePolicy {
        breaker: BreakerPolicy {
            threshold: 1,
            ..BreakerPolicy::default()
        },
        ..policy()
    });
    let ticket = rig.go();
    rig.wait();
    assert_eq!(
        rig.end(ticket, CallEnd::TimedOut),
        "suspect: refuse 2 (breaker_open), check 1.1"
    );
}

#[test]
fn an_answer_with_an_error_is_no_failure() {
    let mut rig = Rig::ready(policy());
    for _ in 0..10 {
        let ticket = rig.go();
        rig.end(ticket, CallEnd::Answered);
    }
    rig.go();
}

#[test]
fn one_probe_runs_and_the_others_wait_for_it_for_a_while() {
    let mut rig = opened(policy());
    rig.pass(60.0);
    let probe = match rig.admit(120.0) {
        Admission::Go(started) => started,
        other => panic!("the probe does not run: {other:?}"),
    };
    assert!(probe.is_probe);
    rig.wait();
    rig.pass(1.0);
    let (second, third) = (rig.wait(), rig.wait());
    assert_eq!(rig.pass(4.0), ["75 ready: refuse 6 (being_probed)"]);
    let told = rig.end(probe.ticket, CallEnd::Answered);
    assert_eq!(told, format!("ready: start {}", second.0));
    let told = rig.end(second, CallEnd::Answered);
    assert_eq!(told, format!("ready: start {}", third.0));
}

#[test]
fn others_are_refused_at_once_if_they_are_not_to_wait_for_the_probe() {
    let mut rig = opened(LifePolicy {
        breaker: BreakerPolicy {
            probe_wait: Duration::ZERO,
            ..BreakerPolicy::default()
        },
        ..policy()
    });
    rig.pass(60.0);
    rig.go();
    assert_eq!(rig.admit(120.0), Admission::Refuse(Refusal::BeingProbed));
}

#[test]
fn a_failed_probe_opens_the_breaker_again() {
    let mut rig = opened(policy());
    rig.pass(60.0);
    let probe = rig.go();
    let waits = rig.wait();
    let told = rig.end(probe, CallEnd::TimedOut);
    assert_eq!(
        told,
        format!("suspect: refuse {} (breaker_open), check 1.4", waits.0)
    );
    assert_eq!(
        rig.refused(),
        "the server failed repeatedly; no calls for 60 s"
    );
}

#[test]
fn a_probe_that_is_dropped_gives_its_place_to_the_next_call() {
    let mut rig = opened(policy());
    rig.pass(60.0);
    let probe = rig.go();
    let waits = rig.wait();
    assert_eq!(
        rig.end(probe, CallEnd::Abandoned),
        format!("ready: probe {}", waits.0)
    );
    rig.end(waits, CallEnd::Abandoned);
    match rig.admit(120.0) {
        Admission::Go(started) => assert!(started.is_probe),
        other => panic!("the next call is not the probe: {other:?}"),
    }
}

#[test]
fn a_probe_rebuilds_a_dead_connection() {
    let mut rig = opened(policy());
    rig.lost(1);
    rig.step(|life, now| life.handle_closed(now, Epoch(1)));
    let fault = Fault::new(FaultKind::Transient, "nothing listens");
    for epoch in 2..=7 {
        let fault = fault.clone();
        rig.step(|life, now| life.handle_connect_failed(now, Epoch(epoch), fault));
        rig.pass(16.0);
    }
    assert_eq!(rig.drain(), "parked");
    rig.pass(60.0);
    let probe = rig.wait();
    assert_eq!(rig.drain(), "connecting: connect 8");
    assert_eq!(rig.connected(8), format!("ready: probe {}", probe.0));
    assert_eq!(rig.end(probe, CallEnd::Answered), "ready");
    rig.go();
}

#[test]
fn a_probe_whose_server_stays_away_has_failed() {
    let mut rig = opened(policy());
    rig.pass(60.0);
    rig.lost(1);
    assert!(matches!(rig.admit(1.0), Admission::Wait(_)));
    assert_eq!(rig.pass(1.0), ["71 waiting: refuse 5 (waited_too_long)"]);
    assert_eq!(
        rig.refused(),
        "the server failed repeatedly; no calls for 60 s"
    );
}

/// The probe of the breaker goes to the new process, and the calls beside it succeed with it.
#[test]
fn calls_beside_the_probe_succeed_with_it_on_the_new_process() {
    let mut rig = Rig::proven(LifePolicy {
        breaker: BreakerPolicy {
            threshold: 1,
            cooldown: Duration::from_millis(300),
            ..BreakerPolicy::default()
        },
        parallel_calls_max: 16,
        ..policy()
    });
    rig.pass(10.0);
    let ticket = rig.go();
    rig.end(ticket, CallEnd::Lost(transient()));
    assert_eq!(rig.closed(1), "connecting: connect 2");
    rig.connected(2);
    assert!(rig.refused().starts_with("the server failed repeatedly"));
    rig.pass(0.8);
    let probe = rig.go();
    for _ in 0..4 {
        rig.wait();
    }
    let told = rig.end(probe, CallEnd::Answered);
    assert_eq!(told, "ready: start 5, start 6, start 7, start 8");
}
