//! HTTP+SSE, the transport of 2024-11-05: its stream and its posts, and how it is found.

mod found;

use std::time::Duration;

use mcp_client::error::ExchangeFailureKind as Kind;
use mcp_client::{Client, Error, HttpServer, HttpTransport, Sent};
use mcp_tests::http::{ScriptedHttp, Stream};
use mcp_tests::stage::{builder, until};
use mcp_transport::Limits;
use mcp_transport::http::FailureKind;
use mcp_transport::link::{ExchangeId, Inbound, Origin, Outbound};
use mcp_types::RawJson;
use tokio::time::{Instant, timeout};

use super::{call, streams};

const STREAM: &str = r#"{"on":"GET","chunks":["event: endpoint\ndata: /m?s=1\n\n"],"then":"hold"}"#;
const CONFIRMED: &str = r#"{"on":"POST notifications/initialized","path":"/m","status":202}"#;
const CANCELLED: &str = r#"{"on":"POST notifications/cancelled","path":"/m","status":202}"#;
const NO_POST: &str = r#"{"on":"POST *","path":"/sse","status":405,"body":"no"}"#;

/// A rule that answers `method` on the stream, with what else it has.
fn answer(method: &str, result: &str, more: &str) -> String {
    let message = format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#);
    let event = format!("event: message\ndata: {message}\n\n");
    let event = RawJson::from_value(&event).unwrap();
    let event = event.as_str();
    format!(r#"{{"on":"POST {method}","path":"/m","status":202,"push":{event}{more}}}"#)
}

fn opened_at(version: &str) -> String {
    let result = format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}"#
    );
    answer("initialize", &result, "")
}

fn served(rules: &[&str]) -> ScriptedHttp {
    let opened = opened_at("2024-11-05");
    let rules = [rules, &[&opened, CONFIRMED, CANCELLED]].concat();
    ScriptedHttp::of(&rules.join("\n"))
}

fn address(server: &ScriptedHttp) -> HttpServer {
    HttpServer::new(server.backend(), server.target("/sse"))
}

async fn connect(rules: &[&str]) -> (ScriptedHttp, Result<Client, Error>) {
    let server = served(rules);
    let address = address(&server).with_transport(HttpTransport::Sse);
    let client = builder().connect_http(address).await;
    (server, client)
}

async fn connected(rules: &[&str]) -> (ScriptedHttp, Client) {
    let (server, client) = connect(&[rules, &[STREAM]].concat()).await;
    (server, client.unwrap())
}

async fn refused(rules: &[&str]) -> (ScriptedHttp, Kind, String) {
    let (server, client) = connect(rules).await;
    match client {
        Err(Error::Exchange(error)) => {
            assert_eq!(error.sent, Sent::No);
            (server, error.kind, error.reason)
        }
        other => panic!("{other:?}"),
    }
}

fn stream_with(endpoint: &str) -> String {
    format!(r#"{{"on":"GET","chunks":["event: endpoint\ndata: {endpoint}\n\n"],"then":"hold"}}"#)
}

#[tokio::test(start_paused = true)]
async fn messages_go_where_the_stream_says_relative_to_its_address() {
    for endpoint in [
        "/m?s=1",
        "m?s=1",
        "./m",
        "http://server.test/m?s=1",
        "//server.test/m",
    ] {
        let (server, client) = connect(&[&stream_with(endpoint)]).await;
        client.unwrap().close().await;
        assert_eq!(server.count("initialize /m"), 1, "{endpoint}");
        assert_eq!(server.record().failures(), Vec::<&str>::new());
        assert_eq!(streams(&server, "GET"), [Stream::Dropped]);
        assert_eq!(server.count("DELETE"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_posted_to_another_origin_or_with_a_login() {
    for (endpoint, why) in [
        ("http://other.test/m?s=secret", "http://other.test"),
        ("https://server.test/m?s=secret", "https://server.test"),
        ("http://secret@server.test/m", "login"),
        ("http://[secret", "no URL"),
    ] {
        let (server, kind, reason) = refused(&[&stream_with(endpoint)]).await;
        assert_eq!(kind, Kind::NoEndpoint);
        assert!(
            reason.contains(why) && !reason.contains("secret"),
            "{reason}"
        );
        assert_eq!(server.count("*"), 1);
        assert_eq!(streams(&server, "GET"), [Stream::Dropped]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_never_tells_where_to_post_is_given_up_after_thirty_seconds_of_pings() {
    let pings =
        r#"{"on":"GET","chunks":[{"text":": ping\n\n","times":1000,"every":100}],"then":"hold"}"#;
    let start = Instant::now();
    let (server, kind, reason) = refused(&[pings]).await;
    assert_eq!(kind, Kind::NoEndpoint);
    assert!(reason.contains("within 30s"), "{reason}");
    assert_eq!(start.elapsed(), Duration::from_secs(30));
    assert_eq!(streams(&server, "GET"), [Stream::Dropped]);
}

#[tokio::test(start_paused = true)]
async fn a_get_that_opens_no_stream_is_told_by_its_status_and_its_kind() {
    let rows = [
        (
            r#""status":404,"headers":{"content-type":"text/plain"},"body":"no such page""#,
            Kind::Status(404),
            "404 Not Found text/plain: no such page",
        ),
        (
            r#""status":401,"body":"who?""#,
            Kind::Status(401),
            "401 Unauthorized: who?",
        ),
        (
            r#""json":{"a":1}"#,
            Kind::Media,
            "200 OK application/json: {",
        ),
        (r#""status":204"#, Kind::Media, "204 No Content"),
        (
            r#""chunks":[": hi\n\n"]"#,
            Kind::NoEndpoint,
            "ended its stream",
        ),
        (
            r#""chunks":["event: endpoint\ndata: /m"]"#,
            Kind::NoEndpoint,
            "ended its stream",
        ),
        (
            r#""chunks":[": hi\n\n"],"then":"reset""#,
            Kind::Connect(FailureKind::Broken),
            "broke off",
        ),
        (
            r#""then":"lost""#,
            Kind::Connect(FailureKind::Broken),
            "breaks the connection",
        ),
    ];
    for (rule, wanted, text) in rows {
        let (_server, kind, reason) = refused(&[&format!(r#"{{"on":"GET",{rule}}}"#)]).await;
        assert_eq!(kind, wanted, "{rule}: {reason}");
        assert!(reason.contains(text), "{rule}: {reason}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_counts_before_with_and_after_the_reply_to_its_post() {
    for more in [
        r#","push_first":true,"pause":60000"#,
        r#","push_first":true,"pause":500,"then":"lost""#,
        r#","push_first":true,"then":"never""#,
        r#","body":"Accepted""#,
        r#","chunks":["x"],"then":"hold""#,
    ] {
        let rule = answer("tools/call", r#"{"content":[]}"#, more);
        let (server, client) = connected(&[&rule]).await;
        let start = Instant::now();
        assert!(call(&client).await.is_ok(), "{more}");
        assert!(start.elapsed() < Duration::from_secs(1), "{more}");
        until("the post has ended", || {
            streams(&server, "tools/call") != [Stream::Open]
        })
        .await;
        assert!(start.elapsed() < Duration::from_secs(3), "{more}");
        client.close().await;
    }
    // Whatever a post says, the answer is what comes on the stream, however late.
    let posted = r#"{"on":"POST tools/call","status":200,"result":{"content":[{"type":"text","text":"post"}]},"id":"called"}"#;
    let later = r#"{"on":"POST ping","status":202,"push":"data: {\"jsonrpc\":\"2.0\",\"id\":{{called}},\"result\":{\"content\":[]}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}}\n\n"}"#;
    let (server, client) = connected(&[posted, later]).await;
    let (called, pinged) = tokio::join!(call(&client), async {
        until("the call is heard", || server.count("tools/call") == 1).await;
        client.ping().await
    });
    assert_eq!(called.unwrap(), r#"{"content":[]}"#);
    pinged.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_refused_post_ends_its_call_and_no_other() {
    for (rule, wanted, sent) in [
        (
            r#""status":404,"body":"no session""#,
            Kind::Status(404),
            Sent::No,
        ),
        (
            r#""status":500,"body":"boom""#,
            Kind::Status(500),
            Sent::Maybe,
        ),
        (
            r#""status":307,"headers":{"location":"http://other.test/"}"#,
            Kind::Connect(FailureKind::Redirect),
            Sent::No,
        ),
        (
            r#""then":"lost""#,
            Kind::Connect(FailureKind::Broken),
            Sent::Maybe,
        ),
    ] {
        let rule = format!(r#"{{"on":"POST tools/call","times":1,{rule}}}"#);
        let fine = answer("tools/call", r#"{"content":[]}"#, "");
        let (_server, client) = connected(&[&rule, &fine]).await;
        match call(&client).await {
            Err(Error::Exchange(error)) => assert_eq!((error.kind, error.sent), (wanted, sent)),
            other => panic!("{rule}: {other:?}"),
        }
        assert!(call(&client).await.is_ok());
        client.close().await;
    }
    let error = r#"{"on":"POST tools/call","status":400,"error":{"code":-32600,"message":"bad"}}"#;
    let (_server, client) = connected(&[error]).await;
    assert!(matches!(call(&client).await, Err(Error::Answered(_))));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_stream_ends_each_call_at_once() {
    for (then, chunk, text) in [
        (
            "close",
            "",
            "closed its output: it ended the stream of events",
        ),
        ("close", "data: {", "within an event"),
        ("reset", "", "connection reset by the script"),
    ] {
        let (open, silent) = (
            "event: endpoint\\ndata: /m\\n\\n",
            ends_after_two_calls(chunk),
        );
        let stream = format!(r#"{{"on":"GET","chunks":["{open}",{silent}],"then":"{then}"}}"#);
        let deaf = r#"{"on":"POST tools/call","status":202}"#;
        let opened = r#"{"on":"POST initialize","status":202,"id":"opening"}"#;
        let (server, client) = connect(&[&stream, deaf, opened]).await;
        let client = client.unwrap();
        let (one, two) = tokio::join!(call(&client), call(&client));
        for called in [one, two] {
            let Err(Error::Closed(closure)) = called else {
                panic!("{called:?}")
            };
            assert_eq!(closure.sent, Sent::Maybe);
            assert!(closure.reason.contains(text), "{closure:?}");
        }
        assert_eq!(server.count("tools/call"), 2);
        assert_eq!(server.count("GET"), 1);
    }
}

/// Pieces of a stream: the answer to `initialize`, then a pause in which calls are made.
fn ends_after_two_calls(chunk: &str) -> String {
    let answer = r#"data: {\"jsonrpc\":\"2.0\",\"id\":{{opening}},\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n\n"#;
    format!(r#"{{"pause":100}},"{answer}",{{"pause":1000}},"{chunk}""#)
}

#[tokio::test(start_paused = true)]
async fn an_event_past_the_limit_ends_the_connection_and_one_at_the_limit_does_not() {
    for (len_max, is_fine) in [(1_000, true), (999, false)] {
        let line =
            r#"data: {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":""}]}}"#;
        let text = "x".repeat(1_000 - line.len());
        let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        let rule = answer("tools/call", &result, "").replace("event: message\\n", "");
        let server = served(&[&rule, STREAM]);
        let limits = Limits::default().with_frame_len_max(len_max);
        let address = address(&server).with_transport(HttpTransport::Sse);
        let client = builder().connect_http(address.with_limits(limits)).await;
        let called = call(&client.unwrap()).await;
        assert_eq!(called.is_ok(), is_fine, "{called:?}");
        if let Err(error) = called {
            assert!(
                error.to_string().contains("longer than 999 bytes"),
                "{error}"
            );
            assert!(matches!(error, Error::Closed(_)), "{error:?}");
        }
    }
}

/// Whose the event is cannot be known, so all calls end, at once and with the reason.
#[tokio::test(start_paused = true)]
async fn an_event_past_the_limit_ends_all_calls_at_once_and_each_with_the_reason() {
    let silent = ends_after_two_calls(&format!("data: {}", "x".repeat(5_000)));
    let open = "event: endpoint\\ndata: /m\\n\\n";
    let stream = format!(r#"{{"on":"GET","chunks":["{open}",{silent}],"then":"hold"}}"#);
    let deaf = r#"{"on":"POST tools/call","status":202}"#;
    let opened = r#"{"on":"POST initialize","status":202,"id":"opening"}"#;
    let server = served(&[&stream, deaf, opened]);
    let limits = Limits::default().with_frame_len_max(4_096);
    let address = address(&server).with_transport(HttpTransport::Sse);
    let client = builder().connect_http(address.with_limits(limits)).await;
    let client = client.unwrap();
    let start = Instant::now();
    let (one, two) = tokio::join!(call(&client), call(&client));
    assert_eq!(
        start.elapsed(),
        Duration::from_secs(1),
        "when the event came"
    );
    for (called, sent) in [
        (one, Sent::Maybe),
        (two, Sent::Maybe),
        (call(&client).await, Sent::No),
    ] {
        let Err(Error::Closed(closure)) = called else {
            panic!("{called:?}")
        };
        assert_eq!(closure.sent, sent, "{closure:?}");
        let why = "an event in the event stream is longer than 4096 bytes";
        assert!(closure.reason.contains(why), "{closure:?}");
    }
    assert_eq!(start.elapsed(), Duration::from_secs(1));
    let gets = server.heard().into_iter().filter(|heard| heard.is("GET"));
    assert_eq!(
        gets.map(|heard| heard.stream).collect::<Vec<_>>(),
        [Stream::Dropped]
    );
}

#[tokio::test(start_paused = true)]
async fn odd_streams_are_read_to_their_end() {
    // A byte order mark, blocks that set nothing, names nobody knows, an invalid byte, a second
    // endpoint, and a character in two pieces.
    let stream = r#"{"on":"GET","chunks":[{"hex":"ef bb"},{"hex":"bf"},"x: y\n\nevent\n\nretry: x\r\n\r\n:\n\ndata\n\n","event: endpoint\rdata: /m\r\r","event: endpoint\ndata: /elsewhere\n\nevent: other\ndata: {}\n\n",{"hex":"3a ff 0a 78 ff 3a 0a 0a"}],"then":"hold"}"#;
    let called = r#"{"on":"POST tools/call","path":"/m","status":202,"push":"x\n\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":{{id}},\"result\":{\"content\":[],\"é\":1}}\n\n"}"#;
    let (server, client) = connect(&[stream, called]).await;
    let client = client.unwrap();
    assert_eq!(call(&client).await.unwrap(), r#"{"content":[],"é":1}"#);
    client.close().await;
    assert_eq!(server.record().failures(), Vec::<&str>::new());
}

#[tokio::test(start_paused = true)]
async fn an_invalid_byte_in_an_answer_is_replaced() {
    let event = r#"{"hex":"64 61 74 61 3a 7b 22 6d 65 74 68 6f 64 22 3a 22 ff 22 7d 0a 0a"}"#;
    let stream = format!(
        r#"{{"on":"GET","chunks":["event: endpoint\ndata: /m\n\n",{event}],"then":"hold"}}"#
    );
    let server = ScriptedHttp::of(&stream);
    let link =
        mcp_transport::http::legacy_sse(server.backend(), server.target("/sse"), Limits::default());
    let (mut sender, mut receiver) = link.split();
    let first = Outbound::Settled {
        exchange: ExchangeId(1),
    };
    sender.push(first).unwrap();
    sender.try_flush().unwrap();
    let mut batch = Vec::new();
    while batch.len() < 2 {
        receiver.receive(&mut batch).await;
    }
    assert!(matches!(batch.first(), Some(Inbound::Ready)), "{batch:?}");
    let Some(Inbound::Frame {
        origin,
        body,
        is_repaired,
    }) = batch.pop()
    else {
        panic!("{batch:?}")
    };
    assert_eq!(body, "{\"method\":\"\u{FFFD}\"}");
    assert_eq!((origin, is_repaired), (Origin::Shared, true));
    sender.close();
    receiver.close().await;
}

#[tokio::test(start_paused = true)]
async fn redirects_of_the_stream_are_followed_on_its_origin_alone() {
    let moved = r#"{"on":"GET","path":"/sse","status":307,"headers":{"location":"/v1/sse"}}"#;
    let (server, client) = connect(&[moved, &stream_with("../m")]).await;
    client.unwrap().close().await;
    assert_eq!(server.count("GET /v1/sse"), 1);
    assert_eq!(server.count("initialize /m"), 1);
    for (status, location) in [(307, "http://other.test/sse"), (302, "/v1/sse")] {
        let moved =
            format!(r#"{{"on":"GET","status":{status},"headers":{{"location":"{location}"}}}}"#);
        let (server, kind, reason) = refused(&[&moved]).await;
        assert_eq!(kind, Kind::Connect(FailureKind::Redirect), "{reason}");
        assert_eq!(server.count("*"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_confirmation_is_no_session_and_nothing_overtakes_it() {
    let no = r#"{"on":"POST notifications/initialized","status":400,"body":"who are you"}"#;
    let (server, client) = connect(&[no, STREAM]).await;
    let error = client.unwrap_err().to_string();
    assert!(
        error.contains("confirmation") && error.contains("who are you"),
        "{error}"
    );
    assert_eq!(streams(&server, "GET"), [Stream::Dropped]);
    let slow = r#"{"on":"POST notifications/initialized","status":202,"pause":5000}"#;
    let start = Instant::now();
    let (_server, client) = connected(&[slow]).await;
    assert!(start.elapsed() >= Duration::from_secs(5));
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn closing_takes_a_second_at_most_whatever_hangs() {
    let deaf = r#"{"on":"POST notifications/cancelled","then":"never"}"#;
    let silent = r#"{"on":"POST tools/call","then":"never"}"#;
    let (server, client) = connected(&[deaf, silent]).await;
    let arguments = RawJson::parse("{}").unwrap();
    let dropped = client.call_tool("t", &arguments);
    drop(timeout(Duration::from_secs(1), dropped).await);
    until("the call is taken back", || {
        server.count("notifications/cancelled") == 1
    })
    .await;
    let start = Instant::now();
    let (called, ()) = tokio::join!(call(&client), async {
        until("another is heard", || server.count("tools/call") == 2).await;
        client.close().await;
    });
    assert!(matches!(called, Err(Error::Closed(_))), "{called:?}");
    assert!(
        start.elapsed() <= Duration::from_millis(1_100),
        "{:?}",
        start.elapsed()
    );
    for kind in ["GET", "notifications/cancelled"] {
        assert_eq!(streams(&server, kind), [Stream::Dropped], "{kind}");
    }
    assert_eq!(streams(&server, "tools/call"), [Stream::Dropped; 2]);
}

#[tokio::test(start_paused = true)]
async fn the_revision_is_stated_in_a_header_by_those_who_know_it() {
    for (version, header) in [
        ("2024-11-05", None),
        ("2025-03-26", None),
        ("2025-06-18", Some("2025-06-18")),
        ("2025-11-25", Some("2025-11-25")),
    ] {
        let listed = answer("tools/call", r#"{"content":[]}"#, "");
        let (server, client) = connected(&[&opened_at(version), &listed]).await;
        call(&client).await.unwrap();
        let streamable = ScriptedHttp::of(&format!(
            r#"{{"on":"POST initialize","result":{{"protocolVersion":"{version}","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}
{{"on":"POST notifications/initialized","status":202}}
{{"on":"POST tools/call","result":{{"content":[]}}}}"#
        ));
        let other = builder().connect_http(address(&streamable)).await.unwrap();
        other
            .call_tool("t", &RawJson::parse("{}").unwrap())
            .await
            .unwrap();
        for server in [server, streamable] {
            let heard = server.heard();
            let call = heard.iter().find(|heard| heard.is("tools/call")).unwrap();
            assert_eq!(call.header("mcp-protocol-version"), header, "{version}");
            let opening = heard.iter().find(|heard| heard.is("initialize")).unwrap();
            assert_eq!(opening.header("mcp-protocol-version"), None);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_request_carries_the_headers_of_the_target() {
    let server = served(&[STREAM]);
    let target = server.target("/sse").with_header("x-key", "k").unwrap();
    let address = HttpServer::new(server.backend(), target).with_transport(HttpTransport::Sse);
    builder().connect_http(address).await.unwrap().close().await;
    let heard = server.heard();
    assert!(heard.iter().all(|heard| heard.header("x-key") == Some("k")));
    let media = |kind: &str, name: &str| {
        let heard = heard.iter().find(|heard| heard.is(kind)).unwrap();
        heard.header(name).map(str::to_owned)
    };
    assert_eq!(media("GET", "accept").as_deref(), Some("text/event-stream"));
    assert_eq!(media("GET", "content-type"), None);
    assert_eq!(
        media("initialize", "content-type").as_deref(),
        Some("application/json")
    );
}
