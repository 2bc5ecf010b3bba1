//! Which streams are open when, and who ends them.

use std::time::Duration;

use mcp_client::{Client, Error, HttpServer};
use mcp_tests::http::{ScriptedHttp, Stream};
use mcp_tests::stage::{builder, until};
use mcp_types::RawJson;
use tokio::time::{Instant, sleep};

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

async fn call(client: &Client) -> Result<String, Error> {
    let arguments = RawJson::parse("{}").unwrap();
    let reply = client.call_tool("t", &arguments).await?;
    Ok(String::from_utf8_lossy(&reply.raw.as_bytes()).into_owned())
}

fn streams(server: &ScriptedHttp, kind: &str) -> Vec<Stream> {
    let heard = server.heard();
    let heard = heard.iter().filter(|heard| heard.is(kind));
    heard.map(|heard| heard.stream).collect()
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
