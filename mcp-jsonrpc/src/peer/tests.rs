//! The peer, driven by hand.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::*;
use crate::Malformed;

const SECOND: Duration = Duration::from_secs(1);

fn start() -> Instant {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    #[expect(
        clippy::disallowed_methods,
        reason = "tests need one fixed point in time"
    )]
    *START.get_or_init(Instant::now)
}

fn peer() -> Peer<&'static str> {
    Peer::new(Limits::default())
}

fn call(peer: &mut Peer<&'static str>, waiter: &'static str) -> CallId {
    let timeouts = Timeouts::new(SECOND, 3 * SECOND);
    peer.call(start(), timeouts, waiter, "m", |_, _| ())
        .unwrap()
}

/// Feeds one frame and tells what came of it.
fn feed(peer: &mut Peer<&'static str>, frame: &str) -> Vec<String> {
    peer.handle_frame(Bytes::copy_from_slice(frame.as_bytes()), Tie::None);
    events(peer)
}

fn events(peer: &mut Peer<&'static str>) -> Vec<String> {
    std::iter::from_fn(|| peer.poll_event())
        .map(|event| show(&event))
        .collect()
}

fn show(event: &Event<&'static str>) -> String {
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
    match event {
        Event::Asked { id, method, params } => {
            format!(
                "asked {id} {} {:?}",
                method.as_str(),
                params.as_ref().map(text)
            )
        }
        Event::Noticed { method, params } => {
            format!(
                "noticed {} {:?}",
                method.as_str(),
                params.as_ref().map(text)
            )
        }
        Event::Settled {
            waiter,
            outcome: Outcome::Answered(answer),
            ..
        } => {
            // As a caller does: an answer known by its edges is checked when it is read.
            match answer.recheck() {
                Ok(answer) => format!("{waiter} answered {}", text(&answer.result())),
                Err(reason) => format!("{waiter} malformed: {reason}"),
            }
        }
        Event::Settled {
            waiter,
            outcome: Outcome::Malformed { reason, .. },
            ..
        } => {
            format!("{waiter} malformed: {reason}")
        }
        Event::Settled {
            waiter,
            outcome: Outcome::Refused(error),
            ..
        } => {
            format!("{waiter} refused: {error}")
        }
        Event::Settled {
            waiter, outcome, ..
        } => format!("{waiter} {outcome:?}"),
        Event::Stale { call } => format!("stale {call}"),
        Event::Misbehaved(misbehavior) => format!("misbehaved: {misbehavior}"),
        Event::Exhausted => "exhausted".to_owned(),
    }
}

fn sent(peer: &mut Peer<&'static str>) -> Vec<String> {
    let mut sent = Vec::new();
    while let Some(transmit) = peer.poll_transmit() {
        sent.push(String::from_utf8_lossy(transmit.body).into_owned());
    }
    sent
}

/// Every way in which a frame can be tied to the only call in flight ends it at once.
#[test]
fn every_frame_that_can_be_tied_to_a_call_ends_it() {
    let table: &[(&str, &str)] = &[
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "a answered {}"),
        (r#"{"result":{},"jsonrpc":"2.0","id":1}"#, "a answered {}"),
        (r#"{"id":1,"result":{}}"#, "a answered {}"),
        (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, "a answered {}"),
        (r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#, "a answered {}"),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":1,"result":{}}"#,
            "a answered {}",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":99,"result":{}}"#,
            "a answered {}",
        ),
        (r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, "a answered {}"),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            "a malformed: both a result and an error",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":5}}"#,
            "a refused: error 5 without a message",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#,
            "a refused: boom",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":null}"#,
            "a refused: null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            "a malformed: JSON that is no JSON-RPC message",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"#,
            "a malformed: text that is not JSON (the text ends too early at byte 34)",
        ),
        (
            r#"  "id": 1,"#,
            "a malformed: text that is not JSON (something follows the end of the value at byte 6)",
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"message":"m"}}"#,
            "a refused: m",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"message":"m"}}"#,
            "a refused: m",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"message":"m"}}"#,
            "a refused: m",
        ),
    ];
    for (frame, expected) in table {
        let mut peer = peer();
        call(&mut peer, "a");
        let events = feed(&mut peer, frame);
        assert!(
            events.iter().any(|event| event == expected),
            "{frame}: {events:?}"
        );
        assert_eq!(peer.in_flight(), 0, "{frame}");
    }
}

#[test]
fn a_frame_nested_too_deeply_fails_its_call_only() {
    let mut peer = peer();
    call(&mut peer, "a");
    call(&mut peer, "b");
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let events = feed(&mut peer, &deep);
    assert!(
        events[0].starts_with("a malformed: text that is not JSON (nested too deeply"),
        "{events:?}"
    );
    assert_eq!(peer.in_flight(), 1);
}

#[test]
fn an_error_without_an_id_ends_nothing_when_it_could_mean_two_things() {
    let loose = r#"{"jsonrpc":"2.0","id":null,"error":{"message":"m"}}"#;
    let mut two = peer();
    call(&mut two, "a");
    call(&mut two, "b");
    assert_eq!(
        feed(&mut two, loose),
        ["misbehaved: an error that belongs to no call: m"]
    );
    assert_eq!(two.in_flight(), 2);

    let mut notified = peer();
    call(&mut notified, "a");
    notified.notify("n", |_| ());
    assert_eq!(
        feed(&mut notified, loose),
        ["misbehaved: an error that belongs to no call: m"]
    );
    assert_eq!(notified.in_flight(), 1);
}

#[test]
fn a_tied_frame_ends_its_call_whatever_id_it_carries() {
    for frame in [
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{}}"#,
        "<html>",
    ] {
        let mut peer = peer();
        call(&mut peer, "a");
        let second = call(&mut peer, "b");
        let tie = Tie::Reply(second);
        peer.handle_frame(Bytes::copy_from_slice(frame.as_bytes()), tie);
        assert_eq!(peer.calls(), [CallId::new(1)], "{frame}");
    }
}

#[test]
fn a_call_that_stays_open_does_not_stand_in_the_way_of_others() {
    let mut peer = peer();
    let open = Timeouts::new(Duration::MAX, Duration::MAX);
    let write = |_call: CallId, _out: &mut Vec<u8>| ();
    let standing = peer.call(start(), open, "listen", "m", write).unwrap();
    assert_eq!((peer.in_flight(), peer.waiting()), (1, 0));
    call(&mut peer, "a");
    assert_eq!((peer.in_flight(), peer.waiting()), (2, 1));
    // An error without an id is for the only call that waits.
    let loose = r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#;
    peer.handle_frame(Bytes::from_static(loose.as_bytes()), Tie::None);
    assert_eq!(peer.calls(), [standing]);
    peer.handle_timeout(start() + Duration::from_secs(1_000_000));
    assert_eq!(peer.calls(), [standing]);
    assert_eq!(peer.abandon(standing), Some("listen"));
    assert_eq!((peer.in_flight(), peer.waiting()), (0, 0));
}

#[test]
fn on_a_stream_of_its_own_only_an_answer_ends_a_call() {
    for (frame, ends) in [
        (r#"{"jsonrpc":"2.0","id":77,"result":{}}"#, true),
        (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, true),
        (r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, false),
        (r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#, false),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, false),
        ("<html>", false),
        ("{}", false),
    ] {
        let mut peer = peer();
        call(&mut peer, "a");
        let second = call(&mut peer, "b");
        let tie = Tie::Stream(second);
        peer.handle_frame(Bytes::copy_from_slice(frame.as_bytes()), tie);
        assert_eq!(!peer.calls().contains(&second), ends, "{frame}");
    }
}

#[test]
fn late_and_duplicate_answers_are_stale_and_unknown_ones_misbehaviour() {
    let mut peer = peer();
    let first = call(&mut peer, "a");
    assert_eq!(peer.abandon(first), Some("a"));
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(feed(&mut peer, answer), ["stale 1"]);
    assert_eq!(peer.abandon(first), None);
    assert_eq!(
        feed(&mut peer, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#),
        ["misbehaved: an answer to the unknown call 9"]
    );
    assert_eq!(peer.ledger().stale, 1);
}

#[test]
fn a_request_of_the_peer_may_carry_the_id_of_our_call() {
    let mut peer = peer();
    call(&mut peer, "a");
    sent(&mut peer);
    assert_eq!(
        feed(&mut peer, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        ["asked 1 ping None"]
    );
    assert!(peer.respond(&RequestId::Number(1), |out| out.extend_from_slice(b"{}")));
    assert!(!peer.respond(&RequestId::Number(1), |_| ()));
    assert_eq!(sent(&mut peer), [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    assert_eq!(
        feed(&mut peer, r#"{"jsonrpc":"2.0","id":1,"result":7}"#),
        ["a answered 7"]
    );
}

#[test]
fn requests_past_the_limit_are_refused_at_once_and_withdrawn_ones_get_no_answer() {
    let mut peer: Peer<&'static str> = Peer::new(Limits {
        asks_in_flight_max: 1,
        ..Limits::default()
    });
    feed(&mut peer, r#"{"jsonrpc":"2.0","id":"1","method":"x"}"#);
    assert_eq!(
        feed(&mut peer, r#"{"jsonrpc":"2.0","id":2,"method":"x"}"#),
        [""; 0]
    );
    assert!(sent(&mut peer)[0].starts_with(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603"#));
    assert!(peer.withdraw(&RequestId::Text("1".into())));
    assert!(!peer.respond(&RequestId::Text("1".into()), |_| ()));
    assert_eq!(sent(&mut peer), [""; 0]);
}

#[test]
fn calls_past_the_limit_are_refused_before_anything_is_sent() {
    let mut peer: Peer<&'static str> = Peer::new(Limits {
        calls_in_flight_max: 1,
        ..Limits::default()
    });
    call(&mut peer, "a");
    sent(&mut peer);
    let refused = peer.call(start(), Timeouts::new(SECOND, SECOND), "b", "m", |_, _| ());
    assert_eq!(
        refused,
        Err((
            "b",
            CallRefused::TooManyInFlight {
                calls_in_flight_max: 1
            }
        ))
    );
    assert_eq!(sent(&mut peer), [""; 0]);
}

#[test]
fn progress_moves_the_idle_budget_and_nothing_moves_the_hard_one() {
    let mut peer = peer();
    let id = call(&mut peer, "a");
    let at = |seconds: f64| start() + SECOND.mul_f64(seconds);
    assert_eq!(peer.poll_timeout(), Some(at(1.0)));
    peer.touch(at(0.9), id);
    peer.handle_timeout(at(1.0));
    assert_eq!(events(&mut peer), [""; 0]);
    assert_eq!(peer.poll_timeout(), Some(at(1.9)));
    peer.touch(at(1.8), id);
    peer.touch(at(2.7), id);
    peer.handle_timeout(at(2.99));
    peer.handle_timeout(at(3.0));
    assert_eq!(events(&mut peer), ["a TimedOut(Hard)"]);
    assert_eq!(peer.poll_timeout(), None);
}

#[test]
fn an_untouched_call_ends_by_its_idle_budget() {
    let mut peer = peer();
    call(&mut peer, "a");
    peer.handle_timeout(start() + SECOND);
    assert_eq!(events(&mut peer), ["a TimedOut(Idle)"]);
}

#[test]
fn the_clocks_stand_still_while_our_user_is_asked() {
    let mut peer = peer();
    call(&mut peer, "a");
    let at = |seconds: u32| start() + SECOND * seconds;
    peer.pause(start());
    assert_eq!(peer.poll_timeout(), None);
    peer.handle_timeout(at(100));
    assert_eq!(events(&mut peer), [""; 0]);
    peer.resume(at(100));
    assert_eq!(peer.poll_timeout(), Some(at(101)));
    peer.handle_timeout(at(101));
    assert_eq!(events(&mut peer), ["a TimedOut(Idle)"]);
}

#[test]
fn the_clocks_of_one_call_stand_still_and_those_of_others_run() {
    let mut peer = peer();
    let (asking, at) = (call(&mut peer, "a"), |seconds: u32| {
        start() + SECOND * seconds
    });
    call(&mut peer, "b");
    peer.pause_call(start(), asking);
    peer.pause_call(at(1), asking);
    peer.handle_timeout(at(1));
    assert_eq!(events(&mut peer), ["b TimedOut(Idle)"]);
    assert_eq!(peer.resume_call(at(5), asking), Duration::ZERO, "once more");
    peer.handle_timeout(at(5));
    assert_eq!(events(&mut peer), [""; 0]);
    assert_eq!(peer.call_stands(at(6), asking), SECOND * 6);
    assert_eq!(peer.resume_call(at(10), asking), SECOND * 10);
    assert_eq!(peer.poll_timeout(), Some(at(11)));
    peer.handle_timeout(at(11));
    assert_eq!(events(&mut peer), ["a TimedOut(Idle)"]);
}

#[test]
fn time_in_which_all_clocks_stand_is_not_counted_again_for_one() {
    let mut peer = peer();
    let (asking, at) = (call(&mut peer, "a"), |seconds: u32| {
        start() + SECOND * seconds
    });
    peer.pause(start());
    peer.pause_call(at(1), asking);
    peer.resume(at(4));
    peer.pause(at(6));
    assert_eq!(peer.stood(at(7)), SECOND * 5);
    assert_eq!(peer.call_stands(at(7), asking), SECOND * 2);
    assert_eq!(peer.resume_call(at(8), asking), SECOND * 2);
    peer.resume(at(9));
    assert_eq!(peer.stood(at(20)), SECOND * 7);
    assert_eq!(
        peer.poll_timeout(),
        Some(at(10)),
        "it stood for nine seconds in all"
    );
}

#[test]
fn closing_settles_every_call_once_and_refuses_new_ones() {
    let mut peer = peer();
    call(&mut peer, "a");
    call(&mut peer, "b");
    peer.handle_closed();
    assert_eq!(events(&mut peer), ["a Lost", "b Lost"]);
    let refused = peer.call(start(), Timeouts::new(SECOND, SECOND), "c", "m", |_, _| ());
    assert_eq!(refused, Err(("c", CallRefused::Closed)));
}

#[test]
fn misbehaviour_in_a_row_is_fatal_and_a_good_frame_restores_the_budget() {
    let mut peer: Peer<&'static str> = Peer::new(Limits {
        misbehavior_max: 3,
        ..Limits::default()
    });
    let notice = r#"{"jsonrpc":"2.0","method":"n"}"#;
    feed(&mut peer, "junk");
    feed(&mut peer, "junk");
    feed(&mut peer, notice);
    feed(&mut peer, "junk");
    feed(&mut peer, "junk");
    assert_eq!(
        feed(&mut peer, "junk").last().map(String::as_str),
        Some("exhausted")
    );
}

#[test]
fn batches_are_read_either_way_and_reported_where_none_is_allowed() {
    let mut peer = peer();
    call(&mut peer, "a");
    call(&mut peer, "b");
    let batch = r#"[{"jsonrpc":"2.0","id":2,"result":2},5,{"jsonrpc":"2.0","id":1,"result":1}]"#;
    assert_eq!(
        feed(&mut peer, batch),
        [
            "b answered 2",
            "misbehaved: JSON that is no JSON-RPC message",
            "a answered 1"
        ]
    );
    peer.set_batches(false);
    assert_eq!(
        feed(&mut peer, r#"[{"jsonrpc":"2.0","method":"n"}]"#),
        [
            "noticed n None",
            "misbehaved: a batch array of 1 where none is allowed"
        ]
    );
    assert_eq!(feed(&mut peer, "[]"), ["misbehaved: an empty batch array"]);
}

#[test]
fn a_frame_that_was_too_long_fails_its_call_by_either_end() {
    let too_long = || Malformed::TooLong {
        len: 100,
        len_max: 10,
    };
    let expected = ["b malformed: a frame of 100 bytes where 10 are allowed"];
    let heads: [(&[u8], &[u8]); 2] = [
        (br#"{"jsonrpc":"2.0","id":2,"result":{"#, b"xx}}"),
        (
            br#"{"result":{"content":[{"#,
            br#"x"}]},"jsonrpc":"2.0","id":2}"#,
        ),
    ];
    for (head, tail) in heads {
        let mut peer = peer();
        call(&mut peer, "a");
        call(&mut peer, "b");
        peer.handle_too_long(Bytes::copy_from_slice(head), tail, too_long(), Tie::None);
        assert_eq!(events(&mut peer), expected);
    }
}

#[test]
fn an_answer_known_by_its_edges_is_checked_when_asked() {
    let mut peer = peer();
    call(&mut peer, "a");
    let frame = br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}"#;
    peer.handle_frame(Bytes::from_static(frame), Tie::None);
    let Some(Event::Settled {
        outcome: Outcome::Answered(answer),
        ..
    }) = peer.poll_event()
    else {
        panic!()
    };
    assert_eq!(answer.recheck(), Err(Malformed::ResultAndError));
}

#[test]
fn a_message_of_the_peers_own_ends_no_call_of_ours_however_broken() {
    let deep = "[".repeat(200);
    let own = [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{deep}"#),
        r#"{"jsonrpc":"2.0","method":"m","id":1,"#.to_owned(),
    ];
    for frame in own {
        let mut peer = peer();
        call(&mut peer, "a");
        feed(&mut peer, &frame);
        assert_eq!(peer.in_flight(), 1, "{frame}");
    }
    let mut peer = peer();
    call(&mut peer, "a");
    let head = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"#;
    let too_long = Malformed::TooLong {
        len: 100,
        len_max: 10,
    };
    peer.handle_too_long(Bytes::from_static(head), b"xx}}", too_long, Tie::None);
    assert_eq!(peer.in_flight(), 1);
}

#[test]
fn a_late_answer_that_is_too_long_does_not_end_another_call() {
    let mut peer = peer();
    let first = call(&mut peer, "a");
    peer.abandon(first);
    call(&mut peer, "b");
    let head = br#"{"jsonrpc":"2.0","id":1,"result":{"#;
    let too_long = Malformed::TooLong {
        len: 100,
        len_max: 10,
    };
    peer.handle_too_long(Bytes::from_static(head), b"xx}}", too_long, Tie::None);
    assert_eq!(peer.in_flight(), 1);
}

#[test]
fn a_short_frame_with_too_many_openers_is_malformed() {
    let mut peer = peer();
    call(&mut peer, "a");
    let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, "[".repeat(129));
    let events = feed(&mut peer, &frame);
    assert!(events[0].starts_with("a malformed"), "{events:?}");
}

#[test]
fn well_formed_junk_spends_the_budget_too() {
    let mut peer: Peer<&'static str> = Peer::new(Limits {
        misbehavior_max: 3,
        ..Limits::default()
    });
    let unknown = r#"{"jsonrpc":"2.0","id":99,"result":{}}"#;
    feed(&mut peer, unknown);
    feed(&mut peer, unknown);
    assert_eq!(
        feed(&mut peer, unknown).last().map(String::as_str),
        Some("exhausted")
    );
}

#[test]
fn a_batch_that_breaks_off_is_read_as_far_as_it_goes() {
    let mut peer = peer();
    call(&mut peer, "a");
    let events = feed(&mut peer, r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"#);
    assert_eq!(events[0], "a answered {}");
}
