//! Giving a call up: what the server hears of it, and what it does not.

use std::time::Duration;

use mcp_client::error::Misuse;
use mcp_client::{Error, Sent};
use mcp_jsonrpc::Limits as PeerLimits;
use mcp_tests::script::{ScriptedServer, heard};
use mcp_tests::stage::builder;
use mcp_transport::Limits;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::{connected, connected_with, empty, ends};

const SECOND: Duration = Duration::from_secs(1);

/// The methods of all that the client still sends until it hangs up.
async fn rest(far: &mut ScriptedServer) -> Vec<String> {
    let rest = far.until_hung_up().await.into_iter().filter_map(heard);
    rest.map(|heard| heard.method().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_cancelled_with_its_own_id() {
    let (client, mut far) = connected().await;
    let arguments = empty();
    let call = timeout(SECOND, client.call_tool("t", &arguments));
    let (dropped, request) = tokio::join!(call, far.expect("tools/call"));
    assert!(dropped.is_err());
    let cancelled = far.expect("notifications/cancelled").await;
    // The type of the id counts, so the values are compared, not their texts.
    assert!(request.id().is_number());
    assert_eq!(cancelled.params()["requestId"], request.id());
    client.close().await;
    assert_eq!(rest(&mut far).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_answered_is_not_cancelled_when_it_is_dropped() {
    let (client, mut far) = connected().await;
    let arguments = empty();
    let mut call = client.call_tool("t", &arguments);
    let (reply, ()) = tokio::join!(&mut call, async {
        let request = far.expect("tools/call").await;
        far.answer(&request, json!({"content": []})).await;
    });
    assert!(reply.is_ok());
    drop(call);
    client.close().await;
    assert_eq!(rest(&mut far).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_never_polled_is_never_sent() {
    let (client, mut far) = connected().await;
    drop(client.call_tool("t", &empty()));
    client.close().await;
    assert_eq!(rest(&mut far).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_detached_call_is_sent_at_once_and_never_cancelled() {
    let (client, mut far) = connected().await;
    client.call_tool("t", &empty()).detach().unwrap();
    let request = far.expect("tools/call").await;
    far.answer(&request, json!({"content": []})).await;
    client.close().await;
    assert_eq!(rest(&mut far).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn initialize_is_never_cancelled() {
    // Given up by the caller, and by the budget of connecting.
    for (given_up_after, connect_timeout) in [(1, 60), (60, 1)] {
        let (link, mut far) = ScriptedServer::pair();
        let options = builder().connect_timeout(connect_timeout * SECOND);
        let connecting = timeout(given_up_after * SECOND, options.connect(link));
        let (connected, ()) = tokio::join!(connecting, async {
            let probe = far.expect("server/discover").await;
            far.refuse(&probe, json!({"code": -32601, "message": "no"}))
                .await;
            far.expect("initialize").await;
        });
        assert!(!matches!(connected, Ok(Ok(_))));
        assert_eq!(rest(&mut far).await, Vec::<String>::new());
    }
}

/// A client with one call in the link's queue, which the server does not read.
async fn blocked() -> (mcp_client::Client, ScriptedServer) {
    let mut limits = Limits::default();
    limits.queue_len_max = 1;
    let (client, far) = connected_with(builder(), limits).await;
    client.call_tool("first", &empty()).detach().unwrap();
    tokio::task::yield_now().await;
    (client, far)
}

#[tokio::test(start_paused = true)]
async fn a_request_that_has_not_left_is_taken_back_when_its_call_is_dropped() {
    let (client, mut far) = blocked().await;
    let arguments = empty();
    assert!(
        timeout(SECOND, client.call_tool("second", &arguments))
            .await
            .is_err()
    );
    client.call_tool("third", &arguments).detach().unwrap();
    let mut names = Vec::new();
    for _ in 0..2 {
        names.push(far.expect("tools/call").await.params()["name"].clone());
    }
    assert_eq!(names, ["first", "third"]);
    client.close().await;
    assert_eq!(rest(&mut far).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_has_not_left_when_its_time_is_up_says_so() {
    let (client, mut far) = blocked().await;
    let call = client.call_tool("second", &empty()).timeout(SECOND);
    let error = ends(call).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error:?}");
    assert_eq!(error.sent(), Sent::No);
    assert_eq!(far.expect("tools/call").await.params()["name"], "first");
    client.close().await;
    assert_eq!(rest(&mut far).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_has_left_may_have_run() {
    let (client, mut far) = connected().await;
    let arguments = empty();
    let call = client.call_tool("t", &arguments).timeout(SECOND);
    let (ended, _request) = tokio::join!(ends(call), far.expect("tools/call"));
    assert_eq!(ended.unwrap_err().sent(), Sent::Maybe);
    far.expect("notifications/cancelled").await;
}

#[tokio::test(start_paused = true)]
async fn more_calls_than_allowed_are_refused_before_they_are_sent() {
    let (client, _far) = connected().await;
    let arguments = empty();
    for _ in 0..PeerLimits::default().calls_in_flight_max {
        client.call_tool("t", &arguments).detach().unwrap();
    }
    let error = client.call_tool("t", &arguments).await.unwrap_err();
    assert!(matches!(
        error,
        Error::Misused(Misuse::TooManyInFlight {
            calls_in_flight_max: 1_024
        })
    ));
    assert_eq!(error.sent(), Sent::No);
}

#[tokio::test(start_paused = true)]
async fn more_than_may_wait_is_refused_before_it_is_sent() {
    let mut limits = Limits::default().with_unsent_len_max(64 << 10);
    limits.queue_len_max = 1;
    let (client, mut far) = connected_with(builder(), limits).await;
    let arguments = mcp_types::RawJson::from_value(&json!({"x": "y".repeat(60 << 10)})).unwrap();
    client.call_tool("first", &empty()).detach().unwrap();
    tokio::task::yield_now().await;
    client.call_tool("second", &arguments).detach().unwrap();
    let error = client.call_tool("third", &arguments).await.unwrap_err();
    assert!(
        matches!(error, Error::Misused(Misuse::QueueFull)),
        "{error:?}"
    );
    assert_eq!(error.sent(), Sent::No);
    // What was taken before arrives.
    for name in ["first", "second"] {
        assert_eq!(far.expect("tools/call").await.params()["name"], name);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_while_nothing_more_can_wait_is_told_of_later_and_costs_no_other() {
    let mut limits = Limits::default().with_unsent_len_max(4 << 10);
    limits.queue_len_max = 1;
    let (client, mut far) = connected_with(builder(), limits).await;
    let arguments = empty();
    let mut first = Box::pin(client.call_tool("first", &arguments));
    assert!(timeout(SECOND, &mut first).await.is_err());
    let mut filled = 0;
    while client.call_raw("fill", None).detach().is_ok() {
        filled += 1;
    }
    drop(first);
    timeout(SECOND, client.ended()).await.unwrap_err();
    let given_up = far.expect("tools/call").await;
    for _ in 0..filled {
        far.expect("fill").await;
    }
    let cancelled = far.expect("notifications/cancelled").await;
    assert_eq!(cancelled.params()["requestId"], given_up.id());
    assert!(client.closed().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_server_is_told_of_all_calls_given_up_even_where_few_of_them_find_room_at_once() {
    const CALLS: usize = 600;
    let mut limits = Limits::default().with_unsent_len_max(4 << 10);
    limits.queue_len_max = CALLS + 4;
    let (client, mut far) = connected_with(builder(), limits).await;
    let arguments = empty();
    let mut calls = Vec::new();
    for _ in 0..CALLS {
        let mut call = Box::pin(client.call_tool("t", &arguments));
        assert!(timeout(Duration::from_millis(1), &mut call).await.is_err());
        calls.push(call);
    }
    let mut filled = 0;
    while client.call_raw("fill", None).detach().is_ok() {
        filled += 1;
    }
    drop(calls);
    let start = Instant::now();
    for _ in 0..CALLS {
        far.expect("tools/call").await;
    }
    for _ in 0..filled {
        far.expect("fill").await;
    }
    for _ in 0..CALLS {
        far.expect("notifications/cancelled").await;
    }
    assert_eq!(
        start.elapsed(),
        Duration::ZERO,
        "nothing else has to happen"
    );
    assert!(client.closed().is_none());
}

#[tokio::test(start_paused = true)]
async fn what_the_server_does_not_offer_is_refused_before_it_is_sent() {
    let (link, mut far) = ScriptedServer::pair();
    let opening = far.open_legacy_with("2025-11-25", json!({"tools": {}}));
    let (client, _opening) = tokio::join!(builder().connect(link), opening);
    let client = client.unwrap();
    let error = client.list_prompts().await.unwrap_err();
    assert!(matches!(
        error,
        Error::Misused(Misuse::NotOffered {
            capability: "prompts",
            ..
        })
    ));
    let error = client
        .call_raw("x/y", Some(&mcp_types::RawJson::parse("[1]").unwrap()))
        .await;
    assert!(matches!(error, Err(Error::Misused(Misuse::BadParams(_)))));
    client.close().await;
    assert_eq!(rest(&mut far).await, Vec::<String>::new());
}
