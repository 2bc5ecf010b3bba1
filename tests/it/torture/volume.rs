//! Much of everything: long lines, floods, lists without end, calls given up.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use allocation_counter::measure;
use mcp_client::error::Misuse;
use mcp_client::{Call, Cut, Error};
use mcp_jsonrpc::Malformed;
use tokio::runtime::{Builder, Runtime};

use super::{
    PATIENCE, call, close, error, frame_fault, result, server_that_answers, stage, text, within,
};

const GOOD: [&str; 2] = [
    r#"{"wait":"tools/call","id":"C"}"#,
    r#"{"say":{"jsonrpc":"2.0","id":"$C","result":{"content":[{"type":"text","text":"good"}]}}}"#,
];

fn long_reply(len: usize) -> String {
    format!(
        r#"{{"write":"{{\"jsonrpc\":\"2.0\",\"id\":{{{{C}}}},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"@PAD@\"}}]}}}}\n","pad":{{"char":"x","count":{len}}}}}"#
    )
}

#[tokio::test]
async fn a_reply_of_17_mib_is_delivered() {
    let reply = long_reply(17 << 20);
    let (stage, client) = server_that_answers(&[&reply, GOOD[0], GOOD[1]]).await;
    assert_eq!(text(&result(&client).await).len(), 17 << 20);
    assert_eq!(text(&result(&client).await), "good");
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_reply_of_40_mib_fails_its_call_as_too_long_and_nothing_else() {
    let reply = long_reply(40 << 20);
    let (stage, client) = server_that_answers(&[&reply, GOOD[0], GOOD[1]]).await;
    let error = error(&client).await;
    assert!(
        matches!(frame_fault(&error), Malformed::TooLong { len, len_max }
        if *len > 40 << 20 && *len_max == 32 << 20),
        "{error:?}"
    );
    assert_eq!(text(&result(&client).await), "good");
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_mebibyte_on_stderr_keeps_no_reply_away() {
    let flood = r#"{"stderr":"warning: something is as it is\n","times":35000}"#;
    let (stage, client) = server_that_answers(&[flood, GOOD[1]]).await;
    assert_eq!(text(&result(&client).await), "good");
    close(&stage, &client).await;
}

/// Progress from 1 up to `count`, then the result: all of it arrives, in order, before the result.
fn progress_is_complete_and_in_order(runtime: &Runtime, count: u32) {
    runtime.block_on(async {
        let notices = format!(
            r#"{{"say":{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"$C","progress":"$n"}}}},"times":{count},"count_from":1}}"#
        );
        let (stage, client) = server_that_answers(&[&notices, GOOD[1]]).await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let call = call(&client).on_progress(move |progress| {
            sink.lock().unwrap().push(progress.progress);
        });
        let reply = within(2 * PATIENCE, call).await.unwrap();
        let at_the_result = seen.lock().unwrap().clone();
        assert_eq!(text(&reply), "good");
        let expected: Vec<f64> = (1..=count).map(f64::from).collect();
        assert!(at_the_result == expected, "{} of {count} arrived, or out of order", at_the_result.len());
        close(&stage, &client).await;
        assert_eq!(seen.lock().unwrap().len(), expected.len(), "some came after the result");
    });
}

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn threads() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn progress_2_000_times_is_complete_and_in_order_on_one_thread() {
    progress_is_complete_and_in_order(&one_thread(), 2_000);
}

#[test]
fn progress_2_000_times_is_complete_and_in_order_on_threads() {
    progress_is_complete_and_in_order(&threads(), 2_000);
}

#[test]
fn progress_100_000_times_is_complete_and_in_order_on_one_thread() {
    progress_is_complete_and_in_order(&one_thread(), 100_000);
}

#[test]
fn progress_100_000_times_is_complete_and_in_order_on_threads() {
    progress_is_complete_and_in_order(&threads(), 100_000);
}

#[tokio::test]
async fn a_cursor_that_never_changes_ends_the_list_and_says_so() {
    let stage = stage(&[
        r#"{"serve":{"tools/list":{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"same"}}}"#,
    ]);
    let client = stage.connect().await.unwrap();
    let listing = within(PATIENCE, client.list_tools()).await.unwrap();
    assert_eq!(listing.cut, Some(Cut::RepeatedCursor));
    assert_eq!(listing.items.len(), 1);
    assert_eq!(stage.record().of("tools/list").len(), 2);
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_cursor_that_is_always_new_ends_the_list_at_its_limit_and_says_so() {
    let answers: Vec<_> = (0..60)
        .map(|page| {
            format!(r#"{{"result":{{"tools":[{{"name":"t{page}","inputSchema":{{}}}}],"nextCursor":"{page}"}}}}"#)
        })
        .collect();
    let step = format!(
        r#"{{"serve_sequence":"tools/list","answers":[{}]}}"#,
        answers.join(",")
    );
    let stage = stage(&[&step]);
    let client = stage.connect().await.unwrap();
    let listing = within(PATIENCE, client.list_tools()).await.unwrap();
    assert_eq!((listing.cut, listing.items.len()), (Some(Cut::Pages), 50));
    close(&stage, &client).await;
}

#[test]
fn twenty_thousand_dropped_calls_leave_nothing_behind() {
    const DROPPED: usize = 20_000;
    let runtime = one_thread();
    let (stage, client) = runtime.block_on(async {
        let stage = stage(&[r#"{"swallow":"tools/call","times":21024}"#]);
        let client = stage.connect().await.unwrap();
        (stage, client)
    });
    // Everything that runs in this runtime allocates on this thread, so nothing is missed.
    let used = measure(|| {
        runtime.block_on(async {
            for number in 0..DROPPED {
                let mut call = call(&client);
                assert!(send(&mut call).is_ok());
                drop(call);
                if number % 64 == 0 {
                    // Lets the driver write.
                    tokio::task::yield_now().await;
                }
            }
        });
    });
    assert!(used.bytes_max < 4 << 20, "{} bytes at once", used.bytes_max);
    assert!(
        used.bytes_current < 256 << 10,
        "{} bytes are left",
        used.bytes_current
    );
    runtime.block_on(async {
        // None of them counts any more: as many calls as allowed can be made, and no more.
        let mut calls: Vec<_> = (0..1_024).map(|_| call(&client)).collect();
        for call in &mut calls {
            assert!(send(call).is_ok());
        }
        let refused = send(&mut call(&client)).unwrap_err();
        let misuse = Misuse::TooManyInFlight {
            calls_in_flight_max: 1_024,
        };
        assert!(
            matches!(&refused, Error::Misused(found) if *found == misuse),
            "{refused:?}"
        );
        drop(calls);
        assert!(client.closed().is_none());
        close(&stage, &client).await;
    });
}

/// Polls a call once, which sends it.
fn send<T>(call: &mut Call<T>) -> Result<(), Error> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(call).poll(&mut context) {
        std::task::Poll::Ready(Err(error)) => Err(error),
        _ => Ok(()),
    }
}

#[tokio::test]
async fn frames_that_are_all_broken_end_the_connection_and_say_so() {
    let junk = r#"{"write":"this is not JSON\n","times":1100}"#;
    let (stage, client) = server_that_answers(&[junk]).await;
    let error = error(&client).await;
    assert!(matches!(error, Error::Closed(_)), "{error:?}");
    assert!(
        error.to_string().contains("nothing but broken messages"),
        "{error}"
    );
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_server_that_asks_and_never_reads_the_answers_ends_the_connection() {
    // The answers to these pings are more than may wait.
    let pings = r#"{"say":{"jsonrpc":"2.0","id":"$n","method":"ping"},"times":200000}"#;
    let stage = stage(&[r#"{"deaf":true}"#, pings, r#"{"pause":600000}"#]);
    let limits = mcp_transport::Limits::default().with_unsent_len_max(1 << 20);
    let client = stage
        .connect_with(mcp_tests::stage::builder(), limits)
        .await
        .unwrap();
    let ended = within(PATIENCE, call(&client).timeout(Duration::from_secs(600)))
        .await
        .unwrap_err();
    let said = ended.to_string();
    assert!(matches!(ended, Error::Closed(_)), "{said}");
    assert!(said.contains("does not read the answers"), "{said}");
    close(&stage, &client).await;
}
