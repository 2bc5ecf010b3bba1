//! Connecting, trying again, parking.

use super::*;
use crate::life::{State, Why};

#[test]
fn a_server_is_idle_until_somebody_wants_it() {
    let mut rig = Rig::new(policy());
    assert_eq!(rig.life.state(), State::Idle);
    assert_eq!(rig.life.next_wake(), None);
    assert_eq!(rig.step(Life::discover), "connecting: connect 1");
    assert_eq!(rig.step(Life::discover), "connecting");
    assert_eq!(rig.connected(1), "ready");
    assert_eq!(rig.step(Life::discover), "ready");
}

#[test]
fn a_discovery_leaves_a_lazy_server_to_the_first_call() {
    let mut rig = Rig::new(LifePolicy {
        lazy: true,
        ..policy()
    });
    assert_eq!(rig.step(Life::discover), "idle");
    let ticket = rig.wait();
    assert_eq!(rig.drain(), "connecting: connect 1");
    let start = format!("ready: start {}", ticket.0);
    assert_eq!(rig.connected(1), start);
}

#[test]
fn a_first_connect_is_retried_three_times() {
    let mut rig = Rig::new(policy());
    rig.step(|life, now| life.connect(now));
    let mut waits = Vec::new();
    for epoch in 1..=3 {
        assert_eq!(rig.failed(epoch), "waiting");
        let next = rig.life.status(at(rig.now)).next_attempt_in;
        waits.extend(next.map(|next| next.as_secs()));
        let told = rig.pass(next.map_or(0.0, |next| next.as_secs_f64()));
        assert!(told[0].ends_with(&format!("connecting: connect {}", epoch + 1)));
    }
    assert_eq!(waits, [1, 2, 4]);
    assert_eq!(rig.failed(4), "parked");
}

/// Case BR-102.
#[test]
fn a_server_that_came_at_the_third_try_is_not_tried_again() {
    let mut rig = Rig::new(LifePolicy {
        keepalive_interval: Duration::MAX,
        ..policy()
    });
    rig.step(Life::connect);
    assert_eq!(rig.failed(1), "waiting");
    assert_eq!(rig.pass(1.0), ["1 connecting: connect 2"]);
    assert_eq!(rig.failed(2), "waiting");
    assert_eq!(rig.pass(2.0), ["3 connecting: connect 3"]);
    assert_eq!(rig.connected(3), "ready");
    assert_eq!(rig.pass(100_000.0), [""; 0]);
}

/// Case BR-014.
#[test]
fn a_server_that_answers_and_exits_is_started_five_times_in_five_seconds() {
    let mut rig = Rig::new(LifePolicy {
        reconnect: ReconnectPolicy {
            backoff_first: Duration::from_millis(200),
            backoff_max: secs(10),
            ..policy().reconnect
        },
        ..policy()
    });
    let mut started = vec![rig.now];
    assert_eq!(rig.step(Life::connect), "connecting: connect 1");
    for epoch in 1.. {
        assert_eq!(rig.connected(epoch), "ready");
        rig.lost(epoch);
        assert_eq!(rig.closed(epoch), "waiting");
        let next = rig.life.status(at(rig.now)).next_attempt_in.unwrap();
        let next = rig.now + next.as_secs_f64();
        if next > 5.0 {
            assert!((next - 6.2).abs() < 1e-3, "{next}");
            break;
        }
        assert_eq!(rig.pass(next - rig.now + 1e-6).len(), 1);
        started.push((next * 10.0).round() / 10.0);
    }
    assert_eq!(started, [0.0, 0.2, 0.6, 1.4, 3.0]);
    assert_eq!(rig.life.status(at(rig.now)).fault, Some(transient()));
}

#[test]
fn a_lost_server_is_retried_five_times_and_then_parked_and_probed() {
    let mut rig = Rig::ready(policy());
    assert_eq!(rig.lost(1), "waiting: close 1 (it exited)");
    assert_eq!(rig.closed(1), "waiting");
    let mut waits = vec![1];
    for epoch in 2..=5 {
        rig.pass(16.0);
        assert_eq!(rig.failed(epoch), "waiting");
        let next = rig.life.status(at(rig.now)).next_attempt_in;
        waits.extend(next.map(|next| next.as_secs()));
    }
    assert_eq!(waits, [1, 2, 4, 8, 16]);
    rig.pass(16.0);
    assert_eq!(rig.failed(6), "parked");
    let parked_at = rig.now;
    let probe = format!("{} connecting: connect 7", parked_at + 300.0);
    assert_eq!(rig.pass(300.0), [probe]);
    assert_eq!(rig.failed(7), "parked");
}

#[test]
fn a_proven_server_that_is_lost_is_connected_at_once_and_for_free() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    assert_eq!(rig.lost(1), "waiting: close 1 (it exited)");
    assert_eq!(rig.closed(1), "connecting: connect 2");
    assert_eq!(rig.life.status(at(rig.now)).retries_used, 0);
    // That it was proven before does not help a second time.
    assert_eq!(rig.connected(2), "ready");
    rig.lost(2);
    assert_eq!(rig.closed(2), "waiting");
    assert_eq!(rig.life.status(at(rig.now)).retries_used, 1);
}

#[test]
fn a_server_that_ends_after_each_call_is_not_started_in_a_loop() {
    let mut rig = Rig::proven(policy());
    rig.lost(1);
    assert_eq!(rig.closed(1), "waiting");
    assert_eq!(rig.pass(1.0), ["1 connecting: connect 2"]);
}

#[test]
fn a_handshake_does_not_fill_up_the_budget_and_a_call_does() {
    let mut rig = Rig::ready(policy());
    for epoch in 1..=5 {
        rig.lost(epoch);
        rig.closed(epoch);
        rig.pass(16.0);
        assert_eq!(rig.connected(epoch + 1), "ready");
        assert_eq!(
            rig.life.status(at(rig.now)).retries_used,
            u32::try_from(epoch).unwrap()
        );
    }
    let ticket = rig.go();
    rig.end(ticket, CallEnd::Answered);
    assert_eq!(rig.life.status(at(rig.now)).retries_used, 0);
    assert!(rig.life.status(at(rig.now)).is_proven);
}

#[test]
fn a_server_that_connects_and_drops_for_ever_is_rarely_started() {
    let policy = policy();
    let reconnect = policy.reconnect.clone();
    let mut rig = Rig::new(policy);
    rig.step(|life, now| life.connect(now));
    let day = 24.0 * 3_600.0;
    let mut connects = 1;
    rig.connected(connects);
    while rig.now < day {
        rig.now += 0.1;
        rig.lost(connects);
        rig.closed(connects);
        let Some(wake) = rig.life.next_wake() else {
            break;
        };
        let wait = wake.saturating_duration_since(at(rig.now)).as_secs_f64();
        rig.pass(wait + 0.001);
        connects += 1;
        assert_eq!(rig.connected(connects), "ready");
    }
    let probes = 86_400 / reconnect.park_probe_interval.as_secs();
    assert!(
        connects <= 1 + u64::from(reconnect.retries) + probes,
        "{connects}"
    );
    assert!(connects > probes, "it is looked at all day: {connects}");
}

#[test]
fn a_fault_of_the_configuration_is_never_retried_unless_somebody_asks() {
    let mut rig = Rig::new(policy());
    rig.step(|life, now| life.connect(now));
    let fault = Fault::new(FaultKind::Configuration, "no such command");
    let failed = |rig: &mut Rig, epoch| {
        let fault = fault.clone();
        rig.step(|life, now| life.handle_connect_failed(now, Epoch(epoch), fault))
    };
    assert_eq!(failed(&mut rig, 1), "parked");
    assert_eq!(rig.life.next_wake(), None);
    rig.pass(100_000.0);
    assert_eq!(
        rig.refused(),
        "the server cannot be used as it is: no such command"
    );
    assert_eq!(rig.step(Life::discover), "connecting: connect 2");
    assert_eq!(failed(&mut rig, 2), "parked");
    assert_eq!(rig.step(Life::connect), "connecting: connect 3");
    assert_eq!(rig.connected(3), "ready");
}

#[test]
fn a_server_that_wants_a_login_is_parked_at_once() {
    let mut rig = Rig::new(policy());
    rig.step(|life, now| life.connect(now));
    let fault = Fault::new(FaultKind::Login, "status 401");
    let parked = rig.step(|life, now| life.handle_connect_failed(now, Epoch(1), fault));
    assert_eq!(parked, "parked");
    assert_eq!(rig.life.next_wake(), None);
    assert_eq!(rig.refused(), "the server needs a login: status 401");
}

#[test]
fn credentials_that_expire_on_a_proven_server_are_worth_one_attempt() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    let ticket = rig.go();
    let fault = Fault::new(FaultKind::Login, "status 401");
    let told = rig.end(ticket, CallEnd::Unauthorized(fault.clone()));
    assert_eq!(told, "waiting: close 1 (status 401)");
    assert_eq!(rig.closed(1), "connecting: connect 2");
    let parked = rig.step(|life, now| life.handle_connect_failed(now, Epoch(2), fault));
    assert_eq!(parked, "parked");
}

#[test]
fn a_parked_server_is_tried_at_once_when_somebody_asks_and_its_budget_stays_spent() {
    let mut rig = Rig::new(LifePolicy {
        reconnect: ReconnectPolicy {
            initial_retries: 0,
            ..policy().reconnect
        },
        ..policy()
    });
    rig.step(|life, now| life.connect(now));
    assert_eq!(rig.failed(1), "parked");
    assert_eq!(rig.step(Life::discover), "connecting: connect 2");
    assert_eq!(rig.failed(2), "parked");
}

#[test]
fn a_parked_server_tells_why_and_when_and_is_tried_for_a_call_after_a_minute() {
    let mut rig = Rig::new(LifePolicy {
        reconnect: ReconnectPolicy {
            initial_retries: 0,
            ..policy().reconnect
        },
        ..policy()
    });
    let waits = rig.wait();
    rig.drain();
    let refused = format!("parked: refuse {} (parked)", waits.0);
    assert_eq!(rig.failed(1), refused);
    rig.pass(20.0);
    assert_eq!(
        rig.refused(),
        "the server was given up for now: it exited; next try in 40 s"
    );
    rig.pass(40.0);
    let ticket = rig.wait();
    assert_eq!(rig.drain(), "connecting: connect 2");
    assert_eq!(rig.connected(2), format!("ready: start {}", ticket.0));
}

#[test]
fn what_waits_for_its_time_is_tried_at_once_when_somebody_asks() {
    let mut rig = Rig::new(policy());
    rig.step(|life, now| life.connect(now));
    assert_eq!(rig.failed(1), "waiting");
    assert_eq!(rig.step(Life::discover), "connecting: connect 2");
    assert_eq!(rig.life.status(at(rig.now)).retries_used, 1);
}

#[test]
fn a_connection_that_comes_too_late_is_closed() {
    let mut rig = Rig::new(policy());
    rig.step(|life, now| life.connect(now));
    assert_eq!(
        rig.pass(90.0),
        ["90 waiting: close 1 (connecting was not over after 90 s)"]
    );
    assert_eq!(rig.connected(1), "waiting: close 1 (it came too late)");
    assert_eq!(rig.closed(1), "waiting");
    assert_eq!(rig.pass(1.0), ["91 connecting: connect 2"]);
    assert_eq!(rig.connected(1), "connecting: close 1 (it came too late)");
    assert_eq!(rig.connected(2), "ready");
    // Told twice, it is still the one that is wanted.
    assert_eq!(rig.connected(2), "ready");
}

#[test]
fn outcomes_of_older_attempts_change_nothing() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    rig.lost(1);
    rig.closed(1);
    for told in [rig.failed(1), rig.lost(1), rig.closed(1), rig.closed(2)] {
        assert_eq!(told, "connecting");
    }
    assert_eq!(rig.connected(2), "ready");
    for told in [
        rig.failed(1),
        rig.failed(2),
        rig.lost(1),
        rig.closed(1),
        rig.checked(1, 1, false),
    ] {
        assert_eq!(told, "ready");
    }
}

#[test]
fn nothing_new_begins_before_the_old_has_ended_or_has_had_its_time() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    rig.lost(1);
    assert_eq!(rig.step(Life::connect), "waiting");
    assert_eq!(rig.pass(14.9), Vec::<String>::new());
    assert_eq!(rig.pass(0.1), ["25 connecting: connect 2"]);
}

#[test]
fn an_attempt_that_failed_while_it_was_given_up_has_ended() {
    let mut rig = Rig::new(policy());
    rig.step(|life, now| life.connect(now));
    let told = rig.step(|life, now| life.close(now, secs(5)));
    assert_eq!(told, "closing: close 1 (it is to end)");
    assert_eq!(rig.failed(1), "closed");
}

#[test]
fn the_ledger_tells_how_a_server_came_to_be_as_it_is() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    rig.lost(1);
    rig.closed(1);
    rig.connected(2);
    let told: Vec<String> = rig
        .life
        .ledger()
        .map(|entry| format!("{}: {}", entry.state, entry.why))
        .collect();
    assert_eq!(
        told,
        [
            "idle: nobody wanted it yet",
            "connecting: it is to be connected",
            "ready: it was connected",
            "waiting: it exited",
            "connecting: what was there before has ended",
            "ready: it was connected",
        ]
    );
    let status = rig.life.status(at(rig.now));
    assert_eq!(status.why, Why::Connected);
    assert_eq!(status.restarts, 1);
    assert_eq!(status.fault, Some(transient()));
}
