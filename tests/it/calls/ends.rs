//! The end of a connection, by whichever side, and what its calls hear of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Change, Error, Sent};
use mcp_tests::script::ScriptedServer;
use mcp_tests::stage::{PATIENCE, builder};
use mcp_transport::Limits;
use serde_json::json;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::{connected, connected_with, empty};

#[tokio::test(start_paused = true)]
async fn closing_ends_the_calls_in_flight_and_says_who_closed() {
    let (client, mut far) = connected().await;
    let arguments = empty();
    let calls = async {
        tokio::join!(
            client.call_tool("a", &arguments),
            client.call_tool("b", &arguments)
        )
    };
    let close = async {
        far.expect("tools/call").await;
        far.expect("tools/call").await;
        client.close().await
    };
    let ((first, second), closed) = tokio::join!(calls, close);
    assert!(closed.is_none(), "there is no process");
    for error in [first.unwrap_err(), second.unwrap_err()] {
        assert_eq!(error.to_string(), "the client was closed");
        assert_eq!(error.sent(), Sent::Maybe);
    }
    let later = client.call_tool("c", &arguments).await.unwrap_err();
    assert_eq!(
        (later.to_string().as_str(), later.sent()),
        ("the client was closed", Sent::No)
    );
    assert_eq!(client.closed().as_deref(), Some("the client was closed"));
    // Closing twice is closing.
    assert!(client.close().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_client_ends_the_connection() {
    let (client, mut far) = connected().await;
    let clone = client.clone();
    drop(client);
    assert!(far.try_outbound().is_none());
    let call = clone.call_tool("a", &empty());
    drop(clone);
    let ended = timeout(PATIENCE, call).await.unwrap();
    assert!(matches!(ended, Err(Error::Closed(_))), "{ended:?}");
    far.until_hung_up().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_up_ends_all_calls() {
    let (client, mut far) = connected().await;
    let arguments = empty();
    let (ended, ()) = tokio::join!(client.call_tool("a", &arguments), async {
        far.expect("tools/call").await;
        drop(far);
    });
    let error = ended.unwrap_err();
    assert_eq!(error.to_string(), "the server closed its output");
    timeout(PATIENCE, client.ended()).await.unwrap();
}

#[test]
fn calls_end_when_the_runtime_of_their_connection_is_shut_down() {
    let one = || {
        Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap()
    };
    let (theirs, ours) = (one(), one());
    let (link, mut far) = ScriptedServer::pair();
    let client = theirs.block_on(async {
        let (client, ()) = tokio::join!(builder().connect(link), far.open_legacy("2025-11-25"));
        client.unwrap()
    });
    let arguments = empty();
    let ended = ours.block_on(async {
        let call = client.call_tool("a", &arguments);
        let shut_down = async {
            far.expect("tools/call").await;
            theirs.shutdown_background();
        };
        let (ended, ()) = tokio::join!(timeout(PATIENCE, call), shut_down);
        ended.expect("the call does not end")
    });
    assert!(matches!(ended, Err(Error::Closed(_))), "{ended:?}");
    let closing = ours.block_on(async { timeout(PATIENCE, client.close()).await });
    assert!(closing.is_ok(), "closing does not end");
}

#[tokio::test(start_paused = true)]
async fn changes_are_told_once_however_often_they_happen() {
    let (client, mut far) = connected().await;
    let mut changes = client.changes();
    assert_eq!(changes.try_next(), None);
    for _ in 0..500 {
        for list in ["tools", "prompts"] {
            let method = format!("notifications/{list}/list_changed");
            far.say(json!({"jsonrpc": "2.0", "method": method})).await;
        }
    }
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    far.say(ping).await;
    far.heard().await;
    let mut told = vec![changes.next().await, changes.next().await];
    told.sort_by_key(|change| format!("{change:?}"));
    assert_eq!(told, [Some(Change::Prompts), Some(Change::Tools)]);
    assert_eq!(changes.try_next(), None);
    client.close().await;
    assert_eq!(changes.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn log_messages_arrive_in_order() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let options = builder().on_log(move |message| {
        sink.lock()
            .unwrap()
            .push(message.data.unwrap().as_str().to_owned());
    });
    let (_client, mut far) = connected_with(options, Limits::default()).await;
    for number in 0..300 {
        let params = json!({"level": "info", "data": number});
        far.say(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params}))
            .await;
    }
    far.say(json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}))
        .await;
    far.heard().await;
    tokio::task::yield_now().await;
    let expected: Vec<String> = (0..300).map(|number: u32| number.to_string()).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn connecting_that_is_given_up_ends_the_connection() {
    let (link, mut far) = ScriptedServer::pair();
    let given_up = timeout(Duration::from_secs(1), builder().connect(link)).await;
    assert!(given_up.is_err());
    far.until_hung_up().await;
}
