//! HTTP+SSE, the transport of 2024-11-05: its stream, its posts, and how it is found.

use std::time::Duration;

use mcp_client::error::{ExchangeFailureKind as Kind, Incompatible};
use mcp_client::{Client, Error, HttpServer, HttpTransport, Sent};
use mcp_tests::http::{ScriptedHttp, Stream};
use mcp_tests::stage::{builder, until};
use mcp_transport::Limits;
use mcp_types::RawJson;
use tokio::time::{Instant, sleep, timeout};

const STREAM: &str = r#"{"on":"GET","chunks":["event: endpoint\ndata: /m?s=1\n\n"],"then":"hold"}"#;
const CONFIRMED: &str = r#"{"on":"POST notifications/initialized","path":"/m","status":202}"#;
const CANCELLED: &str = r#"{"on":"POST notifications/cancelled","path":"/m","status":202}"#;
const NO_POST: &str = r#"{"on":"POST *","path":"/sse","status":405,"body":"no"}"#;

/// A rule that answers `method` on the stream, with what else it has.
fn answer(method: &str, result: &str, more: &str) -> String {
    let message = format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#);
    let event = format!("event: message\ndata: {message}\n\n");
    let event = RawJson::new(&event).unwrap();
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

fn stream_with(endpoint: &str) -> String {
    format!(r#"{{"on":"GET","chunks":["event: endpoint\ndata: {endpoint}\n\n"],"then":"hold"}}"#)
}

#[tokio::test(start_paused = true)]
async fn messages_go_where_the_stream_says_relative_to_its_address() {
    for endpoint in ["/m?s=1", "m?s=1", "./m", "http://server.test/m?s=1", "//server.test/m"] {
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
        assert!(reason.contains(why) && !reason.contains("secret"), "{reason}");
        assert_eq!(server.count("*"), 1);
        assert_eq!(streams(&server, "GET"), [Stream::Dropped]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_never_tells_where_to_post_is_given_up_after_thirty_seconds_of_pings() {
    let pings = r#"{"on":"GET","chunks":[{"text":": ping\n\n","times":1000,"every":100}],"then":"hold"}"#;
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
        (r#""status":404,"headers":{"content-type":"text/plain"},"body":"no such page""#, Kind::Status(404), "404 Not Found text/plain: no such page"),
        (r#""status":401,"body":"who?""#, Kind::Status(401), "401 Unauthorized: who?"),
        (r#""json":{"a":1}"#, Kind::Media, "200 OK application/json: {"),
        (r#""status":204"#, Kind::Media, "204 No Content"),
        (r#""chunks":[": hi\n\n"]"#, Kind::NoEndpoint, "ended its stream"),
        (r#""chunks":["event: endpoint\ndata: /m"]"#, Kind::NoEndpoint, "ended its stream"),
        (r#""chunks":[": hi\n\n"],"then":"reset""#, Kind::Connect(mcp_transport::http::FailureKind::Broken), "broke off"),
        (r#""then":"lost""#, Kind::Connect(mcp_transport::http::FailureKind::Broken), "breaks the connection"),
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
        until("the post has ended", || streams(&server, "tools/call") != [Stream::Open]).await;
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
        (r#""status":404,"body":"no session""#, Kind::Status(404), Sent::No),
        (r#""status":500,"body":"boom""#, Kind::Status(500), Sent::Maybe),
        (r#""status":307,"headers":{"location":"http://other.test/"}"#, Kind::Connect(mcp_transport::http::FailureKind::Redirect), Sent::No),
        (r#""then":"lost""#, Kind::Connect(mcp_transport::http::FailureKind::Broken), Sent::Maybe),
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
        ("close", "", "closed its output: it ended the stream of events"),
        ("close", "data: {", "within an event"),
        ("reset", "", "connection reset by the script"),
    ] {
        let stream = format!(
            r#"{{"on":"GET","chunks":["event: endpoint\ndata: /m\n\n",{{"pause":1000}},"{chunk}"],"then":"{then}"}}"#
        );
        let server = ScriptedHttp::of(
            &[&stream, r#"{"on":"POST initialize","then":"never"}"#].map(str::to_owned).join("\n"),
        );
        let address = address(&server).with_transport(HttpTransport::Sse);
        let start = Instant::now();
        let failed = builder().connect_http(address).await.unwrap_err();
        assert!(start.elapsed() < Duration::from_millis(1_100));
        let Error::Closed(closure) = &failed else {
            panic!("{failed:?}")
        };
        assert_eq!(closure.sent, Sent::Maybe);
        assert!(closure.reason.contains(text), "{closure:?}");
    }
}
