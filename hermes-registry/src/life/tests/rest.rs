//! Idle, too old, disabled, closed.

use super::*;
use crate::life::State;

fn reaped() -> LifePolicy {
    LifePolicy {
        idle_timeout: Some(secs(60)),
        ..policy()
    }
}

fn ageing() -> LifePolicy {
    LifePolicy {
        max_lifetime: Some(secs(100)),
        ..policy()
    }
}

#[test]
fn an_unused_process_is_ended_and_woken_by_the_next_call() {
    let mut rig = Rig::ready(reaped());
    rig.pass(30.0);
    let ticket = rig.go();
    rig.pass(1.0);
    rig.end(ticket, CallEnd::Answered);
    assert_eq!(rig.pass(59.0), Vec::<String>::new());
    assert_eq!(
        rig.pass(1.0),
        ["91 recycled: close 1 (it was not used for 60 s)"]
    );
    assert_eq!(rig.closed(1), "recycled");
    assert_eq!(rig.life.next_wake(), None);
    assert_eq!(rig.step(Life::discover), "recycled");
    let ticket = rig.wait();
    assert_eq!(rig.drain(), "connecting: connect 2");
    assert_eq!(rig.connected(2), format!("ready: start {}", ticket.0));
}

#[test]
fn a_process_is_not_unused_while_a_call_runs() {
    let mut rig = Rig::ready(reaped());
    rig.go();
    assert_eq!(rig.pass(10_000.0), Vec::<String>::new());
}

#[test]
fn a_call_that_comes_while_a_process_is_ended_waits_for_the_next_one() {
    let mut rig = Rig::ready(reaped());
    rig.pass(60.0);
    assert_eq!(rig.life.state(), State::Recycled);
    let ticket = rig.wait();
    assert_eq!(rig.drain(), "waiting");
    assert_eq!(rig.closed(1), "connecting: connect 2");
    assert_eq!(rig.connected(2), format!("ready: start {}", ticket.0));
}

#[test]
fn a_process_that_is_too_old_is_replaced_when_a_call_wants_it() {
    let mut rig = Rig::ready(ageing());
    assert_eq!(
        rig.pass(100.0),
        ["100 recycled: close 1 (its process is 100 s old)"]
    );
}

#[test]
fn calls_finish_on_an_old_process_and_new_ones_wait_for_the_next() {
    let mut rig = Rig::ready(ageing());
    rig.pass(90.0);
    let runs = rig.go();
    assert_eq!(rig.pass(10.0), ["100 draining"]);
    let waits = rig.wait();
    rig.pass(10.0);
    let told = rig.end(runs, CallEnd::Answered);
    assert_eq!(told, "waiting: close 1 (its process is 110 s old)");
    assert_eq!(rig.closed(1), "connecting: connect 2");
    assert_eq!(rig.connected(2), format!("ready: start {}", waits.0));
    assert_eq!(rig.life.status(at(rig.now)).retries_used, 0);
}

#[test]
fn a_call_that_runs_for_very_long_puts_the_end_of_its_process_off() {
    let mut rig = Rig::ready(LifePolicy {
        parallel_calls_max: 2,
        ..ageing()
    });
    rig.pass(90.0);
    rig.go();
    rig.pass(10.0);
    let waits = rig.wait();
    let told = rig.pass(30.0);
    assert_eq!(told, [format!("130 ready: start {}", waits.0)]);
    assert_eq!(rig.pass(99.0), Vec::<String>::new());
    assert_eq!(rig.pass(1.0), ["230 draining"]);
}

#[test]
fn closing_refuses_what_waits_and_lets_finish_what_runs() {
    let mut rig = Rig::ready(policy());
    let (runs, waits) = (rig.go(), rig.wait());
    let told = rig.step(|life, now| life.close(now, secs(5)));
    assert_eq!(told, format!("closing: refuse {} (closing)", waits.0));
    assert_eq!(rig.refused(), "the server is being closed");
    let told = rig.end(runs, CallEnd::Answered);
    assert_eq!(told, "closing: close 1 (it is to end)");
    assert_eq!(rig.closed(1), "closed");
    assert_eq!(rig.life.next_wake(), None);
}

#[test]
fn closing_is_bounded_even_if_nothing_ends() {
    let mut rig = Rig::ready(policy());
    rig.go();
    rig.step(|life, now| life.close(now, secs(5)));
    assert_eq!(
        rig.pass(60.0),
        ["5 closing: close 1 (it is to end)", "20 closed"]
    );
    assert_eq!(rig.life.status(at(rig.now)).in_flight, 0);
}

#[test]
fn closing_without_grace_closes_at_once() {
    let mut rig = Rig::ready(policy());
    rig.go();
    let told = rig.step(|life, now| life.close(now, Duration::ZERO));
    assert_eq!(told, "closing: close 1 (it is to end)");
}

#[test]
fn what_is_closed_stays_closed_and_only_closes() {
    let mut rig = Rig::new(policy());
    rig.step(|life, now| life.close(now, secs(5)));
    for told in [
        rig.step(Life::connect),
        rig.step(Life::discover),
        rig.step(Life::enable),
        rig.step(|life, now| life.disable(now, secs(5))),
        rig.step(Life::handle_wake),
    ] {
        assert_eq!(told, "closed");
    }
    assert_eq!(rig.connected(1), "closed: close 1 (it came too late)");
}

#[test]
fn a_disabled_server_is_not_used_until_it_is_enabled() {
    let mut rig = Rig::ready(policy());
    let told = rig.step(|life, now| life.disable(now, secs(5)));
    assert_eq!(told, "closing: close 1 (it is not to be used)");
    assert_eq!(rig.closed(1), "disabled");
    assert_eq!(rig.refused(), "the server is disabled");
    assert_eq!(rig.step(Life::discover), "disabled");
    assert_eq!(rig.step(Life::enable), "idle");
    assert_eq!(rig.step(Life::discover), "connecting: connect 2");
}

#[test]
fn a_server_that_is_enabled_before_it_was_ended_goes_on() {
    let mut rig = Rig::ready(policy());
    let ticket = rig.go();
    rig.step(|life, now| life.disable(now, secs(5)));
    assert_eq!(rig.step(Life::enable), "ready");
    rig.step(|life, now| life.disable(now, secs(5)));
    rig.end(ticket, CallEnd::Answered);
    assert_eq!(rig.step(Life::enable), "idle");
    rig.wait();
    assert_eq!(rig.drain(), "waiting");
    assert_eq!(rig.closed(1), "connecting: connect 2");
}

#[test]
fn a_server_that_dies_while_it_is_being_closed_is_closed() {
    let mut rig = Rig::ready(policy());
    rig.go();
    rig.step(|life, now| life.close(now, secs(5)));
    assert_eq!(rig.lost(1), "closing: close 1 (it exited)");
    assert_eq!(rig.closed(1), "closed");
}
