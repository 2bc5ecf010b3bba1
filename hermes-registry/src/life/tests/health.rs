//! Keepalive, suspicion, proof.

use super::*;

#[test]
fn a_quiet_server_is_asked_for_a_sign_of_life() {
    let mut rig = Rig::ready(policy());
    assert_eq!(rig.pass(180.0), ["180 ready: check 1.1"]);
    assert_eq!(rig.checked(1, 1, true), "ready");
    assert!(rig.life.status(at(rig.now)).is_proven);
    assert_eq!(rig.pass(179.0), Vec::<String>::new());
    rig.step(|life, now| life.handle_heard(now, Epoch(1)));
    assert_eq!(rig.pass(179.0), Vec::<String>::new());
    assert_eq!(rig.pass(1.0), ["539 ready: check 1.2"]);
}

/// Case BR-102.
#[test]
fn a_slow_sign_of_life_costs_nothing() {
    let mut rig = Rig::ready(policy());
    assert_eq!(rig.pass(180.0), ["180 ready: check 1.1"]);
    assert_eq!(rig.pass(29.0), [""; 0]);
    assert_eq!(rig.checked(1, 1, true), "ready");
    assert_eq!(rig.life.status(at(rig.now)).restarts, 0);
}

#[test]
fn words_of_the_server_are_no_proof_of_health() {
    let mut rig = Rig::ready(policy());
    rig.step(|life, now| life.handle_heard(now, Epoch(1)));
    assert!(!rig.life.status(at(rig.now)).is_proven);
}

#[test]
fn a_server_that_runs_a_call_is_not_asked() {
    let mut rig = Rig::ready(policy());
    let ticket = rig.go();
    assert_eq!(rig.pass(1_000.0), Vec::<String>::new());
    rig.end(ticket, CallEnd::Abandoned);
    assert_eq!(rig.pass(0.0), ["1000 ready: check 1.1"]);
}

#[test]
fn a_failed_keepalive_makes_it_suspect_and_a_failed_check_replaces_it() {
    let mut rig = Rig::proven(policy());
    rig.pass(180.0);
    assert_eq!(rig.pass(30.0), ["210 suspect: check 1.2"]);
    assert_eq!(
        rig.pass(5.0),
        ["215 waiting: close 1 (the server gave no sign of life when it was asked for one)"]
    );
    assert_eq!(rig.closed(1), "connecting: connect 2");
}

#[test]
fn a_passed_check_clears_a_suspect_server() {
    let mut rig = Rig::ready(policy());
    rig.pass(180.0);
    assert_eq!(rig.checked(1, 1, false), "suspect: check 1.2");
    let ticket = rig.wait();
    let start = format!("ready: start {}", ticket.0);
    assert_eq!(rig.checked(1, 2, true), start);
}

#[test]
fn a_timed_out_call_fails_alone_and_makes_the_server_suspect() {
    let mut rig = Rig::ready(policy());
    let ticket = rig.go();
    assert_eq!(rig.end(ticket, CallEnd::TimedOut), "suspect: check 1.1");
    assert_eq!(rig.checked(1, 1, true), "ready");
    assert_eq!(rig.life.status(at(rig.now)).restarts, 0);
}

#[test]
fn an_unproven_server_that_fails_its_check_is_charged() {
    let mut rig = Rig::ready(policy());
    let ticket = rig.go();
    rig.end(ticket, CallEnd::TimedOut);
    assert_eq!(rig.checked(1, 1, false), "waiting: close 1 (it exited)");
    assert_eq!(rig.closed(1), "waiting");
    assert_eq!(rig.life.status(at(rig.now)).retries_used, 1);
}

#[test]
fn a_suspect_server_that_runs_calls_is_checked_when_the_next_one_comes() {
    let mut rig = Rig::ready(LifePolicy {
        parallel_calls_max: 2,
        ..policy()
    });
    let (slow, runs) = (rig.go(), rig.go());
    assert_eq!(rig.end(slow, CallEnd::TimedOut), "suspect");
    rig.wait();
    assert_eq!(rig.drain(), "suspect: check 1.1");
    // It does one thing at a time, and its call gets the time to finish.
    assert_eq!(rig.checked(1, 1, false), "draining");
    assert_eq!(rig.pass(29.0), Vec::<String>::new());
    assert_eq!(rig.end(runs, CallEnd::Answered), "ready: start 3");
}

#[test]
fn a_server_that_answers_nothing_is_replaced_although_calls_run() {
    let mut rig = Rig::ready(LifePolicy {
        parallel_calls_max: 2,
        ..policy()
    });
    let (slow, _runs) = (rig.go(), rig.go());
    rig.end(slow, CallEnd::TimedOut);
    rig.wait();
    rig.drain();
    assert_eq!(rig.pass(5.0), ["5 draining"]);
    assert_eq!(
        rig.pass(30.0),
        ["35 waiting: close 1 (the server gave no sign of life when it was asked for one)"]
    );
}

#[test]
fn any_answer_is_proof_of_health() {
    let mut rig = Rig::ready(LifePolicy {
        parallel_calls_max: 2,
        ..policy()
    });
    let (slow, runs) = (rig.go(), rig.go());
    rig.end(slow, CallEnd::TimedOut);
    assert_eq!(rig.end(runs, CallEnd::Answered), "ready");
    assert_eq!(rig.life.status(at(rig.now)).fault, None);
}

#[test]
fn the_outcome_of_a_check_that_is_no_longer_wanted_changes_nothing() {
    let mut rig = Rig::ready(policy());
    rig.pass(180.0);
    let ticket = rig.go();
    rig.end(ticket, CallEnd::Answered);
    assert_eq!(rig.checked(1, 1, false), "ready");
    assert_eq!(rig.checked(1, 2, false), "ready");
}

#[test]
fn a_server_that_cannot_be_reached_is_suspect() {
    let mut rig = Rig::proven(policy());
    rig.pass(10.0);
    let ticket = rig.go();
    let told = rig.end(ticket, CallEnd::Unreachable(transient()));
    assert_eq!(told, "suspect: check 1.1");
    rig.checked(1, 1, false);
    assert_eq!(rig.closed(1), "connecting: connect 2");
}
