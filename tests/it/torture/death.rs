//! Servers that die, leave others behind, or stop listening.

use std::time::Duration;

use mcp_client::error::Budget;
use mcp_client::{Error, Sent};
use mcp_tests::record::Entry;
use mcp_tests::stage::{PATIENCE, until};
use mcp_transport::process::Exit;
use mcp_types::RawJson;

use super::{call, close, error, result, server_that_answers, stage, text, within};

#[tokio::test]
async fn a_server_that_stops_reading_costs_a_call_its_deadline_and_closing_is_bounded() {
    let stage = stage(&[r#"{"deaf":true}"#]);
    let client = stage.connect().await.unwrap();
    stage
        .until("the server is deaf", |record| {
            record
                .entries
                .iter()
                .any(|(_process, entry)| *entry == Entry::Played(1))
        })
        .await;
    let large = RawJson::from_value(&serde_json::json!({ "x": "y".repeat(4 << 20) })).unwrap();
    let short = Duration::from_millis(300);
    let begun = client.call_tool("a", &large).timeout(short);
    let waiting = client
        .call_tool("b", &RawJson::empty_object())
        .timeout(short);
    let (begun, waiting) = within(PATIENCE, async { tokio::join!(begun, waiting) }).await;
    for (error, sent) in [
        (begun.unwrap_err(), Sent::Maybe),
        (waiting.unwrap_err(), Sent::No),
    ] {
        let Error::TimedOut(timed_out) = &error else {
            panic!("{error:?}")
        };
        assert_eq!((timed_out.budget, timed_out.sent), (Budget::Idle, sent));
        assert!(error.to_string().contains("tools/call"), "{error}");
    }
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_last_reply_without_a_line_end_is_delivered_before_the_exit() {
    let last = r#"{"write":"{\"jsonrpc\":\"2.0\",\"id\":{{C}},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"last\"}]}}"}"#;
    let (stage, client) = server_that_answers(&[last, r#"{"exit":0}"#]).await;
    assert_eq!(text(&result(&client).await), "last");
    within(PATIENCE, client.ended()).await;
    assert!(matches!(error(&client).await, Error::Closed(_)));
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_death_gives_every_pending_call_the_exit_code_and_the_last_words() {
    let steps = [
        r#"{"wait":"tools/call"}"#,
        r#"{"write":"starting up...\n"}"#,
        r#"{"stderr":"Traceback: no such table password=hunter2secret\n"}"#,
        r#"{"exit":3}"#,
    ];
    let (stage, client) = server_that_answers(&steps).await;
    let both = async { tokio::join!(call(&client), call(&client)) };
    let (first, second) = within(PATIENCE, both).await;
    for error in [first.unwrap_err(), second.unwrap_err()] {
        let obituary = error.obituary().expect("there is an obituary");
        assert_eq!(obituary.exit, Some(Exit::Code(3)));
        assert!(
            obituary.stderr_tail.concat().contains("no such table"),
            "{obituary:?}"
        );
        assert_eq!(obituary.stray_stdout, ["starting up..."]);
        assert_eq!(obituary.in_flight, ["tools/call", "tools/call"]);
        assert_eq!(error.sent(), Sent::Maybe);
        let said = error.to_string();
        assert!(
            said.contains("code 3") && said.contains("no such table"),
            "{said}"
        );
        assert!(!said.contains("hunter2secret"), "{said}");
    }
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_call_after_the_death_fails_at_once_with_the_same_reason_and_was_not_sent() {
    let (stage, client) = server_that_answers(&[r#"{"exit":4}"#]).await;
    assert!(error(&client).await.to_string().contains("code 4"));
    let later = error(&client).await;
    assert!(later.to_string().contains("code 4"), "{later}");
    assert_eq!(later.sent(), Sent::No);
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_wrapper_that_exits_ends_its_calls_while_a_grandchild_holds_its_output() {
    let (stage, client) = server_that_answers(&[r#"{"holder":600000}"#, r#"{"exit":0}"#]).await;
    let error = error(&client).await;
    assert_eq!(
        error.obituary().unwrap().exit,
        Some(Exit::Code(0)),
        "{error}"
    );
    // Nobody closes: the end of the root is the end of all.
    within(PATIENCE, client.ended()).await;
    until("the grandchild is gone", || stage.processes().is_empty()).await;
}

#[tokio::test]
async fn no_helper_outlives_a_clean_exit() {
    let (stage, client) = server_that_answers(&[
        r#"{"holder":600000}"#,
        r#"{"say":{"jsonrpc":"2.0","id":"$C","result":{"content":[]}}}"#,
    ])
    .await;
    result(&client).await;
    // Between fork and exec a process has no environment that could be read.
    until("a helper runs", || stage.processes().len() >= 2).await;
    let closed = within(Duration::from_secs(10), client.close())
        .await
        .unwrap();
    assert_eq!(closed.exit, Some(Exit::Code(0)));
    assert!(closed.survivors.is_empty());
    assert_eq!(stage.processes(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_closes_its_output_ends_its_calls_though_it_lives() {
    let (stage, client) = server_that_answers(&[r#"{"close":true}"#]).await;
    let error = error(&client).await;
    assert!(matches!(error, Error::Closed(_)), "{error:?}");
    assert!(error.to_string().contains("closed its output"), "{error}");
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_reply_cut_by_the_exit_fails_with_the_exit_and_says_that_it_was_cut() {
    let (stage, client) = server_that_answers(&[
        r#"{"write":"{\"jsonrpc\":\"2.0\",\"id\":{{C}},\"result\":{\"content\":[{\"ty"}"#,
        r#"{"exit":0}"#,
    ])
    .await;
    let said = error(&client).await.to_string();
    assert!(
        said.contains("code 0") && said.contains("middle of a message"),
        "{said}"
    );
    close(&stage, &client).await;
}
