//! Recordings and what is played back of them, as conversations.

use super::player::Player;
use super::recording::{BadLog, Recording};

/// Lines of a log: `>` is what the client sent, `<` what the server said.
fn log(server: &str, frames: &[&str]) -> String {
    let line = |frame: &&str| {
        let (direction, frame) = match frame.split_at(1) {
            (">", frame) => ("sent", frame),
            (_, frame) => ("received", frame),
        };
        format!(
            "{{\"at\":0.5,\"server\":\"{server}\",\"direction\":\"{direction}\",\"frame\":{frame}}}\n"
        )
    };
    frames.iter().map(line).collect()
}

fn player(frames: &[&str]) -> Player {
    Player::new(Recording::read(&log("s", frames), None).unwrap())
}

/// What is said to this frame.
fn said(player: &mut Player, frame: &str) -> Vec<String> {
    let mut out = Vec::new();
    player.take(frame.as_bytes(), &mut out);
    let text = String::from_utf8(out).unwrap();
    text.lines().map(str::to_owned).collect()
}

const ADD: &str = r#">{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"progressToken":3}}}"#;

#[test]
fn the_same_request_is_known_whatever_its_id_its_token_and_the_order_of_its_members() {
    let answer =
        r#"<{"jsonrpc":"2.0","id":3,"result":{"big":12345678901234567890123,"z":1,"a":2}}"#;
    let mut player = player(&[ADD, answer]);
    for (request, id) in [
        (
            r#"{"jsonrpc":"2.0","id":"x-1","method":"tools/call","params":{"arguments":{"b":2,"a":1},"name":"add"}}"#,
            r#""x-1""#,
        ),
        (
            r#"{"id":7,"params":{"_meta":{"progressToken":"t","traceparent":"00-1"},"name":"add","arguments":{"a":1,"b":2}},"method":"tools/call","jsonrpc":"2.0"}"#,
            "7",
        ),
    ] {
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"big":12345678901234567890123,"z":1,"a":2}}}}"#
        );
        assert_eq!(said(&mut player, request), [expected]);
    }
}

#[test]
fn several_of_the_same_are_answered_in_their_order_and_the_last_one_again() {
    let ask = r#"{"id":1,"method":"tools/list"}"#;
    let mut player = player(&[
        r#">{"id":1,"method":"tools/list","params":{}}"#,
        r#">{"id":2,"method":"tools/list"}"#,
        r#"<{"id":2,"error":{"code":-5,"message":"second"}}"#,
        r#"<{"id":1,"result":"first"}"#,
    ]);
    let first = r#"{"jsonrpc":"2.0","id":1,"result":"first"}"#;
    let second = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"second"}}"#;
    for expected in [first, second, second] {
        assert_eq!(said(&mut player, ask), [expected]);
    }
}

#[test]
fn what_the_server_said_is_said_around_the_answer_and_progress_goes_by_the_new_token() {
    let log = r#"<{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"early"}}"#;
    let note = r#"<{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let ask = r#"<{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    let mut player = player(&[
        log,
        ADD,
        r#"<{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1}}"#,
        ask,
        r#">{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#,
        r#"<{"jsonrpc":"2.0","id":3,"result":{}}"#,
        note,
    ]);
    let request = |meta: &str| {
        format!(
            r#"{{"id":9,"method":"tools/call","params":{{"name":"add","arguments":{{"a":1,"b":2}}{meta}}}}}"#
        )
    };
    let answer = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"new"}}"#;
    let [log, note, ask] = [log, note, ask].map(|line| line.trim_start_matches('<'));
    assert_eq!(
        said(&mut player, &request(r#","_meta":{"progressToken":"new"}"#)),
        [log, progress, ask, answer, note]
    );
    // Nobody wants to hear of progress now.
    assert_eq!(said(&mut player, &request("")), [log, ask, answer, note]);
}

#[test]
fn what_the_log_does_not_hold_is_refused_with_what_it_holds() {
    let mut player = player(&[
        r#">{"id":1,"method":"initialize","params":{"clientInfo":{"name":"one"}}}"#,
        r#"<{"id":1,"result":"opened"}"#,
        ADD,
    ]);
    for (request, expected) in [
        (
            r#"{"id":1,"method":"prompts/list"}"#,
            r#"{"code":-32601,"message":"the log holds no `prompts/list`, but `initialize`, `tools/call`"}"#,
        ),
        (
            r#"{"id":1,"method":"tools/call","params":{"name":"other"}}"#,
            r#"{"code":-32602,"message":"the log holds `tools/call` with other parameters only: {\"arguments\":{\"a\":1,\"b\":2},\"name\":\"add\"}"}"#,
        ),
        (
            &ADD.trim_start_matches('>').replace("\"id\":3", "\"id\":1"),
            r#"{"code":-32603,"message":"the log holds no answer to this `tools/call`"}"#,
        ),
    ] {
        let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{expected}}}"#);
        assert_eq!(said(&mut player, request), [expected], "{request}");
    }
    // Another client may open the session.
    let opened = said(
        &mut player,
        r#"{"id":1,"method":"initialize","params":{"clientInfo":{"name":"two"}}}"#,
    );
    assert_eq!(opened, [r#"{"jsonrpc":"2.0","id":1,"result":"opened"}"#]);
}

#[test]
fn notices_and_answers_of_the_client_are_taken_without_a_word() {
    let mut player = player(&[ADD]);
    for frame in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        "no message",
        "[]",
    ] {
        assert_eq!(said(&mut player, frame), Vec::<String>::new(), "{frame}");
    }
}

#[test]
fn a_batch_is_answered_message_by_message() {
    let mut player = player(&[
        r#">[{"id":1,"method":"a"},{"id":2,"method":"b"}]"#,
        r#"<[{"id":2,"result":2},{"id":1,"result":1}]"#,
    ]);
    let answers = said(
        &mut player,
        r#"[{"id":5,"method":"b"},{"id":6,"method":"a"}]"#,
    );
    let [b, a] = [(5, 2), (6, 1)]
        .map(|(id, result)| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    assert_eq!(answers, [b, a]);
}

#[test]
fn a_credential_that_is_hidden_in_the_log_is_found_by_its_place() {
    let mut player = player(&[
        r#">{"id":1,"method":"tools/call","params":{"api_key":"[REDACTED]"}}"#,
        r#"<{"id":1,"result":"ok"}"#,
    ]);
    // An id is told back as it is, whatever it looks like.
    let request =
        r#"{"id":"sk-abcdefgh12345678","method":"tools/call","params":{"api_key":"short"}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":"sk-abcdefgh12345678","result":"ok"}"#;
    assert_eq!(said(&mut player, request), [answer]);
}

#[test]
fn a_log_says_what_is_missing_in_it() {
    let mut text = log("s", &[ADD]);
    text.push_str("{\"missed\":4}\n{\"at\":1,\"server\":\"s\",\"direction\":\"received\",\"text\":\"Hello\",\"why\":\"not_json\",\"bytes\":5}\n\n{\"at\":2,\"ser");
    let notes = Recording::read(&text, Some("s")).unwrap().notes();
    assert_eq!(
        notes,
        [
            "frames that were not written to the log: 4",
            "frames that stand in the log as texts only, and are left out: 1",
            "lines that are none of a log of frames, and are left out: 1",
        ]
    );
}

#[test]
fn one_server_is_played_back_and_it_must_be_clear_which() {
    let both = log("b", &[ADD]) + &log("a", &[r#">{"id":1,"method":"ping"}"#]);
    let names = || vec!["a".to_owned(), "b".to_owned()];
    for (text, server, expected) in [
        ("", None, BadLog::Empty),
        ("{}", None, BadLog::Empty),
        ("not a log", Some("a"), BadLog::Empty),
        (&*both, None, BadLog::Several(names())),
        (&*both, Some("c"), BadLog::Unknown("c".to_owned(), names())),
    ] {
        assert_eq!(
            Recording::read(text, server).unwrap_err(),
            expected,
            "{text}"
        );
    }
    let only = Recording::read(&both, Some("a")).unwrap();
    assert_eq!(only.exchanges.len(), 1);
    assert_eq!(only.exchanges[0].wanted.method, "ping");
}
