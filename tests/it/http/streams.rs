//! Which streams are open when, and who ends them.

use std::time::Duration;

use mcp_client::error::ExchangeFailureKind;
use mcp_client::{Client, Error, HttpServer};
use mcp_tests::http::{ScriptedHttp, Stream};
use mcp_tests::stage::{builder, until};
use mcp_transport::Limits;
use mcp_transport::http::streamable;
use mcp_transport::link::{Inbound, Outbound};
use mcp_types::RawJson;
use tokio::time::{Instant, sleep};

use super::{call, streams};

const LEGACY: &str = r#"{"handshake":"s1","capabilities":{"tools":{"listChanged":true}}}"#;
const MODERN: &str = r#"{"on":"POST server/discover","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;
const SHARED: &str = r#"{"on":"GET","chunks":[": open\n\n"],"then":"hold"}"#;
const SILENT: &str = r#"{"on":"POST tools/call","chunks":[": hi\n\n"],"then":"hold"}"#;

async fn connect(rules: &[&str]) -> (ScriptedHttp, Client) {
    let server = ScriptedHttp::of(&rules.join("\n"));
    let address = HttpServer::new(server.backend(), server.target("/mcp"));
    let client = builder().connect_http(address).await.unwrap();
    (server, client)
}

async fn settle(what: &str, server: &ScriptedHttp, kind: &str, wanted: &[Stream]) {
    until(what, || streams(server, kind) == wanted).await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_closes_its_reply_and_is_cancelled_by_a_message_in_the_legacy_era_alone() {
    for (opening, cancelled) in [(LEGACY, 1), (MODERN, 0)] {
        let (server, client) = connect(&[SILENT, opening]).await;
        let waiting = {
            let client = client.clone();
            async move { call(&client).await }
        };
        drop(tokio::time::timeout(Duration::from_secs(1), waiting).await);
        settle(
            "the reply is closed",
            &server,
            "tools/call",
            &[Stream::Dropped],
        )
        .await;
        client.close().await;
        assert_eq!(server.count("notifications/cancelled"), cancelled);
        assert_eq!(server.record().failures(), Vec::<&str>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_in_flight_ends_with_the_connection_and_its_reply_with_it() {
    let (server, client) = connect(&[SILENT, SHARED, LEGACY]).await;
    let (called, _closed) = tokio::join!(call(&client), async {
        until("the call is heard", || server.count("tools/call") == 1).await;
        client.close().await;
    });
    assert!(matches!(called, Err(Error::Closed(_))), "{called:?}");
    assert_eq!(streams(&server, "tools/call"), [Stream::Dropped]);
    assert_eq!(streams(&server, "GET"), [Stream::Dropped]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_stays_open_after_its_answer_is_closed_after_a_second() {
    let reply = r#"{"on":"POST tools/call","chunks":["data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[]}}\n\n"],"then":"hold"}"#;
    let (server, client) = connect(&[reply, LEGACY]).await;
    call(&client).await.unwrap();
    let start = Instant::now();
    settle(
        "the stream is closed",
        &server,
        "tools/call",
        &[Stream::Dropped],
    )
    .await;
    let took = start.elapsed();
    assert!(
        (Duration::from_secs(1)..Duration::from_millis(1_100)).contains(&took),
        "{took:?}"
    );
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_come_on_the_shared_stream_while_that_is_open() {
    let reply = r#"{"on":"POST tools/call","status":202,"pause":100,"push":"data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[]}}\n\n"}"#;
    let (server, client) = connect(&[reply, SHARED, LEGACY]).await;
    until("the shared stream is open", || server.count("GET") == 1).await;
    assert!(call(&client).await.is_ok());
    client.close().await;
    assert_eq!(server.record().failures(), Vec::<&str>::new());
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_come_on_the_shared_stream_that_is_still_to_be_opened_or_taken_up_again() {
    let accepted = r#"{"on":"POST tools/call","status":202}"#;
    let answer = r#""chunks":["data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}\n\n"],"then":"hold""#;
    let late = format!(r#"{{"on":"GET","pause":2000,{answer}}}"#);
    let short = r#"{"on":"GET","times":1,"chunks":[": open\n\n"],"then":"close"}"#;
    let (late, again) = ([accepted, &late, LEGACY], [accepted, short, &late, LEGACY]);
    for rules in [&late[..], &again] {
        let (server, client) = connect(rules).await;
        until("the shared stream is asked for", || {
            server.count("GET") == 1
        })
        .await;
        call(&client).await.unwrap();
        client.close().await;
        assert_eq!(server.record().failures(), Vec::<&str>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_answer_could_only_come_on_the_shared_stream_ends_with_it() {
    let accepted = r#"{"on":"POST tools/call","status":202}"#;
    let open = r#"{"on":"GET","times":1,"chunks":[": open\n\n",{"pause":20000}],"then":"close"}"#;
    let (server, client) = connect(&[accepted, open, LEGACY]).await;
    until("the shared stream is open", || server.count("GET") == 1).await;
    let start = Instant::now();
    let error = call(&client).await.unwrap_err();
    // It is asked for once more, and refused.
    assert_eq!(server.count("GET"), 2);
    assert!(start.elapsed() < Duration::from_secs(22), "{error}");
    let text = "answered 202 Accepted and nothing else, and the stream is gone";
    assert!(error.to_string().contains(text), "{error}");
    assert_eq!(error.sent(), mcp_client::Sent::Maybe);
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_opened_anew_has_a_shared_stream_of_its_own() {
    let rules = [
        r#"{"handshake":"s1","times":1,"capabilities":{"tools":{"listChanged":true}}}"#,
        r#"{"handshake":"s2","capabilities":{"tools":{"listChanged":true}}}"#,
        r#"{"on":"POST tools/call","with":{"mcp-session-id":"s1"},"status":404}"#,
        r#"{"on":"POST tools/call","result":{"content":[]}}"#,
    ];
    let (server, client) = connect(&[&[SHARED], &rules[..]].concat()).await;
    settle("the first is open", &server, "GET", &[Stream::Open]).await;
    call(&client).await.unwrap();
    settle(
        "the second is open",
        &server,
        "GET",
        &[Stream::Dropped, Stream::Open],
    )
    .await;
    let heard = server.heard();
    let last = heard.iter().rfind(|heard| heard.is("GET")).unwrap();
    assert_eq!(last.header("mcp-session-id"), Some("s2"));
    client.close().await;
}

/// A reply stream of the first session ends after the second has been opened for another call.
#[tokio::test(start_paused = true)]
async fn a_reply_of_a_session_that_was_replaced_is_not_taken_up_in_the_next_one() {
    let rules = [
        r#"{"handshake":"s1","times":1}"#,
        r#"{"handshake":"s2"}"#,
        r#"{"on":"POST tools/call","times":1,"chunks":["id: 1\ndata:\n\n",{"pause":5000}]}"#,
        r#"{"on":"POST tools/call","with":{"mcp-session-id":"s1"},"status":404}"#,
        r#"{"on":"POST tools/call","result":{"content":[]}}"#,
    ];
    let (server, client) = connect(&rules).await;
    let (first, second) = tokio::join!(call(&client), async {
        until("the first is heard", || server.count("tools/call") == 1).await;
        call(&client).await
    });
    second.unwrap();
    let error = first.unwrap_err();
    let Error::Exchange(exchange) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(exchange.kind, ExchangeFailureKind::SessionLost, "{error}");
    assert_eq!(error.sent(), mcp_client::Sent::Maybe, "{error}");
    let heard = server.heard();
    let resumed = heard
        .iter()
        .filter(|heard| heard.header("last-event-id").is_some());
    assert_eq!(resumed.count(), 0);
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn the_reply_that_opens_a_session_is_taken_up_in_that_session() {
    let rules = [
        r#"{"on":"POST initialize","id":"I","headers":{"mcp-session-id":"s1"},"chunks":["id: 1\ndata:\n\n"]}"#,
        r#"{"on":"GET","with":{"last-event-id":"1","mcp-session-id":"s1"},"without":"mcp-protocol-version","chunks":["data: {\"jsonrpc\":\"2.0\",\"id\":{{I}},\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n\n"]}"#,
        r#"{"on":"POST tools/call","with":{"mcp-session-id":"s1"},"result":{"content":[]}}"#,
        LEGACY,
    ];
    let (server, client) = connect(&rules).await;
    call(&client).await.unwrap();
    client.close().await;
    assert_eq!(server.record().failures(), Vec::<&str>::new());
}

/// The shared stream of the first session is due again while the second is being confirmed.
#[tokio::test(start_paused = true)]
async fn the_shared_stream_of_a_session_that_was_replaced_is_not_opened_in_the_next_one() {
    let rules = [
        r#"{"on":"GET","with":{"mcp-session-id":"s1"},"chunks":["id: 7\ndata:\n\n",{"pause":3000}]}"#,
        r#"{"on":"POST notifications/initialized","with":{"mcp-session-id":"s2"},"pause":5000,"status":202}"#,
        r#"{"handshake":"s1","times":1,"capabilities":{"tools":{"listChanged":true}}}"#,
        r#"{"handshake":"s2","capabilities":{"tools":{"listChanged":true}}}"#,
        r#"{"on":"POST tools/call","with":{"mcp-session-id":"s1"},"status":404}"#,
        r#"{"on":"POST tools/call","result":{"content":[]}}"#,
    ];
    let (server, client) = connect(&rules).await;
    settle("the stream is over", &server, "GET", &[Stream::Ended]).await;
    call(&client).await.unwrap();
    until("the next session has its stream", || {
        server.count("GET") == 2
    })
    .await;
    let heard = server.heard();
    let last = heard.iter().rfind(|heard| heard.is("GET")).unwrap();
    assert_eq!(last.header("mcp-session-id"), Some("s2"));
    assert_eq!(last.header("last-event-id"), None);
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn where_the_shared_stream_is_redirected_nothing_is_posted() {
    let rules = [
        r#"{"on":"GET","path":"/mcp","status":307,"headers":{"location":"/stream"}}"#,
        r#"{"on":"GET","path":"/stream","chunks":[": open\n\n"],"then":"hold"}"#,
        r#"{"on":"POST tools/call","path":"/mcp","result":{"content":[]}}"#,
        LEGACY,
    ];
    let (server, client) = connect(&rules).await;
    settle(
        "the stream is open",
        &server,
        "GET /stream",
        &[Stream::Open],
    )
    .await;
    call(&client).await.unwrap();
    client.close().await;
    assert_eq!(server.record().failures(), Vec::<&str>::new());
    assert_eq!(server.count("tools/call /mcp"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_answered_with_the_event_of_the_older_transport_may_have_run() {
    let odd = r#"{"on":"POST tools/call","chunks":["event: endpoint\ndata: /m\n\n"]}"#;
    for opening in [LEGACY, MODERN] {
        let (_server, client) = connect(&[odd, opening]).await;
        let error = call(&client).await.unwrap_err();
        assert!(error.to_string().contains("HTTP+SSE"), "{error}");
        assert_eq!(error.sent(), mcp_client::Sent::Maybe, "{error}");
        client.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_past_the_limit_on_the_shared_stream_is_told_and_the_stream_goes_on() {
    let long = format!(
        r#"{{"on":"GET","times":1,"chunks":["id: 1\ndata: {{}}\n\n","data: {}\n\n"],"then":"hold"}}"#,
        "x".repeat(5_000)
    );
    let next = r#"{"on":"GET","with":{"last-event-id":"1"},"chunks":["data: {\"n\":2}\n\n"],"then":"hold"}"#;
    let server = ScriptedHttp::of(&[&long, next].join("\n"));
    let limits = Limits::default().with_frame_len_max(4_096);
    let (mut sender, mut receiver) =
        streamable(server.backend(), server.target("/mcp"), limits).split();
    sender.push(Outbound::Listen).unwrap();
    sender.try_flush().unwrap();
    let mut batch = Vec::new();
    while batch.len() < 3 {
        receiver.receive(&mut batch).await;
    }
    let told: Vec<_> = batch
        .iter()
        .map(|inbound| match inbound {
            Inbound::Frame { body, .. } => String::from_utf8_lossy(body).into_owned(),
            Inbound::Unread { reason } => reason.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    let long = "an event in the event stream is longer than 4096 bytes";
    assert_eq!(told, ["{}", long, "{\"n\":2}"]);
    sender.close();
    receiver.close().await;
}

#[tokio::test(start_paused = true)]
async fn notices_that_no_server_answers_do_not_gather() {
    let deaf = r#"{"on":"POST notifications/cancelled","then":"never"}"#;
    let (server, client) = connect(&[deaf, SILENT, LEGACY]).await;
    for _ in 0..3 {
        let arguments = RawJson::parse("{}").unwrap();
        let called = client.call_tool("t", &arguments);
        called.timeout(Duration::from_secs(1)).await.unwrap_err();
    }
    sleep(Duration::from_secs(60)).await; // sleep: the stopped clock passes the time for a notice
    assert_eq!(
        streams(&server, "notifications/cancelled"),
        [Stream::Dropped; 3]
    );
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn junk_that_keeps_a_stream_alive_ends_neither_a_call_nor_the_connection() {
    let junk = r#""chunks":[{"text":"data: ping\n\n","times":500,"every":1000}],"then":"hold"}"#;
    let shared = format!(r#"{{"on":"GET",{junk}"#);
    let late = r#"{"on":"POST tools/call","chunks":[{"text":"data: ping\n\n","times":500,"every":200},"data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[]}}\n\n"]}"#;
    let (server, client) = connect(&[&shared, late, LEGACY]).await;
    sleep(Duration::from_secs(600)).await; // sleep: the stopped clock passes all of the junk
    assert_eq!(client.closed(), None);
    call(&client).await.unwrap();
    client.close().await;
    assert_eq!(server.count("GET"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_lost_session_cannot_be_opened_anew_is_known_not_to_have_run() {
    let lost = r#"{"on":"POST tools/call","status":404,"body":"no such session"}"#;
    let opening = r#"{"on":"POST initialize","times":1,"headers":{"Mcp-Session-Id":"s1"},"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;
    let refused = r#"{"on":"POST initialize","status":503,"body":"later"}"#;
    let confirmed = r#"{"on":"POST notifications/initialized","status":202}"#;
    let (_server, client) = connect(&[lost, opening, refused, confirmed]).await;
    for _ in 0..2 {
        let error = call(&client).await.unwrap_err();
        assert_eq!(error.sent(), mcp_client::Sent::No, "{error}");
        assert!(error.to_string().contains("later"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_follows_the_lists_looks_again_after_a_session_was_opened_anew() {
    let lost = r#"{"on":"POST tools/call","times":1,"status":404}"#;
    let answer = r#"{"on":"POST tools/call","result":{"content":[]}}"#;
    let (_server, client) = connect(&[lost, answer, LEGACY, SHARED]).await;
    let mut changes = client.changes();
    assert_eq!(changes.try_next(), None);
    call(&client).await.unwrap();
    let told: Vec<_> = std::iter::from_fn(|| changes.try_next()).collect();
    assert_eq!(told.len(), 3, "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_quiet_shared_stream_that_a_proxy_cuts_every_minute_is_opened_again_for_ever() {
    let quiet = r#"{"on":"GET","chunks":[": open\n\n",{"text":"","pause":60000}],"then":"close"}"#;
    let quiet = quiet.replace(r#"{"text":"","pause":60000}"#, r#"{"pause":60000}"#);
    let (server, _client) = connect(&[&quiet, LEGACY]).await;
    sleep(Duration::from_secs(7_200)).await; // sleep: two hours of the stopped clock
    assert!(server.count("GET") > 100, "{}", server.count("GET"));
}

#[tokio::test(start_paused = true)]
async fn pings_that_are_no_messages_never_end_a_connection() {
    let pings = r#"{"on":"GET","chunks":[{"text":"data: ping\n\n","times":6000,"every":15000}],"then":"hold"}"#;
    let answer = r#"{"on":"POST tools/call","result":{"content":[]}}"#;
    let (_server, client) = connect(&[pings, answer, LEGACY]).await;
    sleep(Duration::from_secs(90_000)).await; // sleep: a day and more of the stopped clock
    assert_eq!(client.closed(), None);
    call(&client).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shared_stream_that_is_cut_again_and_again_is_opened_less_often_and_then_no_more() {
    let cut = r#"{"on":"GET","chunks":["retry: 0\ndata:\n\n"]}"#;
    let (server, client) = connect(&[cut, LEGACY]).await;
    sleep(Duration::from_secs(3_600)).await; // sleep: the stopped clock passes all attempts
    let heard = server.heard();
    let times: Vec<_> = heard
        .iter()
        .filter(|heard| heard.is("GET"))
        .map(|heard| heard.at)
        .collect();
    let gaps: Vec<_> = times
        .windows(2)
        .map(|pair| pair[1].duration_since(pair[0]))
        .collect();
    assert_eq!(times.len(), 21);
    assert!(gaps.is_sorted(), "{gaps:?}");
    assert!(client.closed().is_none());
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_lost_session_that_the_shared_stream_notices_costs_the_next_call_nothing() {
    let rules = [
        r#"{"on":"GET","with":{"mcp-session-id":"s1"},"status":404}"#,
        SHARED,
        r#"{"handshake":"s1","times":1,"capabilities":{"tools":{"listChanged":true}}}"#,
        r#"{"handshake":"s2","capabilities":{"tools":{"listChanged":true}}}"#,
        r#"{"on":"POST tools/call","with":{"mcp-session-id":"s1"},"status":404}"#,
        r#"{"on":"POST tools/call","result":{"content":[]}}"#,
    ];
    let (server, client) = connect(&rules).await;
    settle("the stream is refused", &server, "GET", &[Stream::Ended]).await;
    call(&client).await.unwrap();
    let both = [Stream::Ended, Stream::Open];
    settle("the second is open", &server, "GET", &both).await;
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn many_calls_share_one_link_and_each_gets_its_own_answer() {
    let reply = r#"{"on":"POST tools/call","chunks":[{"pause":100},"data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[],\"structuredContent\":{\"n\":{{id}}}}}\n\n"]}"#;
    for opening in [LEGACY, MODERN] {
        let (server, client) = connect(&[reply, opening]).await;
        let start = Instant::now();
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let client = client.clone();
            calls.spawn(async move { call(&client).await.unwrap() });
        }
        let mut numbers = std::collections::HashSet::new();
        for raw in calls.join_all().await {
            let value: serde_json::Value = serde_json::from_str(&raw).unwrap();
            numbers.insert(value["structuredContent"]["n"].as_u64().unwrap());
        }
        assert_eq!(numbers.len(), 200);
        assert!(start.elapsed() < Duration::from_millis(200));
        client.close().await;
        assert_eq!(server.record().failures(), Vec::<&str>::new());
    }
}
