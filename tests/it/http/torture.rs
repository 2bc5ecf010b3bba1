//! Replies of every broken shape: each ends its call in time, with a result or with the cause, in
//! both eras; and closing is bounded after each.

use std::time::Duration;

use mcp_client::error::ExchangeFailureKind;
use mcp_client::{Client, Error, HttpServer};
use mcp_tests::http::{Heard, ScriptedHttp, Stream};
use mcp_tests::stage::builder;
use mcp_transport::Limits;
use mcp_types::{ContentBlock, RawJson};
use tokio::time::{Instant, timeout};

/// For one call without a sign of life, and for one call as a whole.
const DEADLINES: (Duration, Duration) = (Duration::from_secs(40), Duration::from_secs(60));
/// For opening a session, in the first place and anew.
const CONNECT_MAX: Duration = Duration::from_secs(600);
const CLOSE_MAX: Duration = Duration::from_secs(3);

const LEGACY: &str = r#"{"handshake":"s1"}"#;
const MODERN: &str = r#"{"on":"POST server/discover","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}}
{"on":"GET","status":405}"#;

/// How a call is to end.
#[derive(Clone, Copy)]
enum Ends {
    /// With this text, after that many milliseconds.
    Text(&'static str, u128),
    /// With an error of this kind, whose text holds this, after that many milliseconds.
    Fails(&'static str, &'static str, u128),
}

use Ends::{Fails, Text};

async fn connect(server: &ScriptedHttp) -> Result<Client, Error> {
    connect_within(server, CONNECT_MAX).await
}

async fn connect_within(server: &ScriptedHttp, connect: Duration) -> Result<Client, Error> {
    let limits = Limits::default().with_frame_len_max(4096);
    let (idle, hard) = DEADLINES;
    builder()
        .connect_timeout(connect)
        .call_timeout(idle)
        .call_timeout_max(hard)
        .connect_http(HttpServer::new(server.backend(), server.target("/mcp")).with_limits(limits))
        .await
}

/// Calls a tool of a server with these rules, and sees it end.
async fn play(rules: &str, opening: &str, ends: Ends) {
    let server = ScriptedHttp::of(&format!("{rules}\n{opening}"));
    let client = connect(&server).await.unwrap();
    let start = Instant::now();
    let called = client.call_tool("t", &RawJson::parse("{}").unwrap()).await;
    let took = start.elapsed().as_millis();
    match (called, ends) {
        (Ok(reply), Text(text, after)) => {
            let texts = reply.value.content.iter().filter_map(ContentBlock::as_text);
            assert_eq!((&*texts.collect::<String>(), took), (text, after));
        }
        (Err(error), Fails(wanted, says, after)) => {
            assert_eq!((kind(&error), took), (wanted, after), "{error}");
            assert!(error.to_string().contains(says), "{error}");
        }
        (Ok(reply), Fails(..)) => panic!("{:?}", reply.value),
        (Err(error), Text(..)) => panic!("{error}"),
    }
    close(&server, &client).await;
}

async fn close(server: &ScriptedHttp, client: &Client) {
    timeout(CLOSE_MAX, client.close()).await.unwrap();
    let open = |heard: &Heard| heard.stream == Stream::Open;
    assert!(!server.heard().iter().any(open), "{:?}", server.heard());
    assert_eq!(server.record().failures(), Vec::<&str>::new());
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::Answered(_) => "answered",
        Error::Closed(_) => "closed",
        Error::Exchange(exchange) => match exchange.kind {
            ExchangeFailureKind::Broken => "broken",
            ExchangeFailureKind::Connect(_) => "connect",
            ExchangeFailureKind::Media => "media",
            ExchangeFailureKind::NoAnswer => "no answer",
            ExchangeFailureKind::OtherTransport => "other transport",
            ExchangeFailureKind::SessionLost => "session lost",
            ExchangeFailureKind::Status(_) => "status",
            _ => "exchange",
        },
        Error::PeerMisbehaved(_) => "misbehaved",
        Error::TimedOut(_) => "timed out",
        _ => "other",
    }
}

macro_rules! rows {
    ($($name:ident: $rules:expr, $legacy:expr, $modern:expr;)*) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $name() {
                play($rules, LEGACY, $legacy).await;
                play($rules, MODERN, $modern).await;
            }
        )*

        /// Every reply above, as the reply to the opening.
        const ROWS: &[&str] = &[$($rules),*];
    };
}

rows! {
    an_event_may_be_spelled_in_every_way_and_come_byte_by_byte:
        r#"{"on":"POST tools/call","chunks":[{"bytewise":": hello\r\nevent:message\r\ndata:{\"jsonrpc\":\"2.0\",\ndata: \"id\":{{id}},\r\n:\ndata:\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\r\n\r\n"}]}"#,
        Text("ok", 0), Text("ok", 0);
    lines_may_end_with_cr_alone:
        r#"{"on":"POST tools/call","chunks":["data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\rdata: \"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\r\r"],"then":"hold"}"#,
        Text("ok", 0), Text("ok", 0);
    a_stream_may_begin_with_a_byte_order_mark:
        r#"{"on":"POST tools/call","chunks":[{"hex":"ef bb bf"},"data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\n\n"]}"#,
        Text("ok", 0), Text("ok", 0);
    an_event_without_its_blank_line_is_no_answer:
        r#"{"on":"POST tools/call","chunks":["data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[]}}\n"]}"#,
        Fails("no answer", "without an answer", 0), Fails("no answer", "without an answer", 0);
    a_stream_that_ends_with_nothing_is_no_answer:
        r#"{"on":"POST tools/call","chunks":[]}"#,
        Fails("no answer", "without an answer", 0), Fails("no answer", "without an answer", 0);
    a_reply_that_cannot_be_taken_up_again_is_broken:
        r#"{"on":"POST tools/call","chunks":["id: 1\ndata:\n\n"]}"#,
        Fails("broken", "405", 1_000), Fails("no answer", "without an answer", 0);
    junk_before_the_answer_does_no_harm:
        r#"{"on":"POST tools/call","chunks":["data: junk\n\n","data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\n\n"]}"#,
        Text("ok", 0), Text("ok", 0);
    junk_alone_is_shown_at_the_deadline:
        r#"{"on":"POST tools/call","chunks":["data: junk\n\n"],"then":"hold"}"#,
        Fails("timed out", "junk", 40_000), Fails("timed out", "junk", 40_000);
    a_time_to_come_again_of_years_is_half_a_minute:
        r#"{"on":"GET","times":1,"with":{"last-event-id":"1"},"chunks":["id: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":{{C}},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\n\n"]}
{"on":"POST tools/call","id":"C","chunks":["retry: 99999999999\nid: 1\ndata:\n\n"]}"#,
        Text("ok", 30_000), Fails("no answer", "without an answer", 0);
    accepted_without_a_body_is_no_answer:
        r#"{"on":"POST tools/call","status":202}"#,
        Fails("no answer", "202", 0), Fails("no answer", "202", 0);
    an_answer_with_an_id_that_nobody_has_is_the_answer:
        r#"{"on":"POST tools/call","json":{"jsonrpc":"2.0","id":987654,"result":{"content":[{"type":"text","text":"ok"}]}}}"#,
        Text("ok", 0), Text("ok", 0);
    an_answer_to_an_earlier_request_is_no_answer:
        r#"{"on":"POST tools/call","json":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}}"#,
        Fails("no answer", "another request", 0), Fails("no answer", "another request", 0);
    a_reply_with_a_notice_alone_is_no_answer:
        r#"{"on":"POST tools/call","json":{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}}"#,
        Fails("no answer", "another request", 0), Fails("no answer", "another request", 0);
    an_error_without_id_is_the_answer:
        r#"{"on":"POST tools/call","json":{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"too busy"}}}"#,
        Fails("answered", "too busy", 0), Fails("answered", "too busy", 0);
    an_error_without_id_is_the_answer_with_400_too:
        r#"{"on":"POST tools/call","status":400,"json":{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"too busy"}}}"#,
        Fails("answered", "too busy", 0), Fails("answered", "too busy", 0);
    a_forgotten_session_is_opened_anew:
        r#"{"on":"POST tools/call","times":1,"status":404,"body":"who?"}
{"on":"POST tools/call","result":{"content":[{"type":"text","text":"ok"}]}}"#,
        Text("ok", 0), Fails("status", "404 Not Found: who?", 0);
    a_forgotten_session_may_be_told_by_a_message:
        r#"{"on":"POST tools/call","times":1,"status":404,"json":{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}}
{"on":"POST tools/call","result":{"content":[{"type":"text","text":"ok"}]}}"#,
        Text("ok", 0), Fails("answered", "Session not found", 0);
    an_error_with_a_word_for_an_id_is_the_answer:
        r#"{"on":"POST tools/call","status":400,"json":{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request"}}}"#,
        Fails("answered", "Bad Request", 0), Fails("answered", "Bad Request", 0);
    a_method_that_is_unknown_is_told_by_its_message:
        r#"{"on":"POST tools/call","status":400,"error":{"code":-32601,"message":"no such method"}}"#,
        Fails("answered", "no such method", 0), Fails("answered", "no such method", 0);
    a_connection_that_is_lost_before_the_reply_is_told:
        r#"{"on":"POST tools/call","then":"lost"}"#,
        Fails("connect", "breaks the connection", 0), Fails("connect", "breaks the connection", 0);
    a_body_that_is_cut_short_is_broken:
        r#"{"on":"POST tools/call","headers":{"content-type":"application/json"},"body":"{\"jsonrpc\":\"2.0\",\"id\":","then":"reset"}"#,
        Fails("broken", "reset by the script", 0), Fails("broken", "reset by the script", 0);
    a_body_that_ends_too_early_is_misbehavior:
        r#"{"on":"POST tools/call","headers":{"content-type":"application/json"},"body":"{\"jsonrpc\":\"2.0\",\"id\":"}"#,
        Fails("misbehaved", "JSON", 0), Fails("misbehaved", "JSON", 0);
    a_content_type_may_have_any_case_and_parameters:
        r#"{"on":"POST tools/call","headers":{"content-type":"Application/JSON;charset=UTF-8"},"result":{"content":[{"type":"text","text":"ok"}]}}"#,
        Text("ok", 0), Text("ok", 0);
    closing_does_not_wait_for_the_end_of_the_session:
        r#"{"on":"POST tools/call","result":{"content":[{"type":"text","text":"ok"}]}}
{"on":"DELETE","then":"never"}"#,
        Text("ok", 0), Text("ok", 0);

    a_session_that_cannot_be_opened_anew_costs_the_deadline:
        r#"{"handshake":"s1","times":1}
{"on":"POST initialize","then":"never"}
{"on":"POST tools/call","status":404}"#,
        Fails("timed out", "sent again", 40_000), Fails("status", "404", 0);
    a_second_confirmation_that_is_not_answered_costs_the_deadline:
        r#"{"on":"POST notifications/initialized","times":1,"status":202}
{"on":"POST notifications/initialized","then":"never"}
{"on":"POST tools/call","status":404}"#,
        Fails("closed", "confirm", 30_000), Fails("status", "404", 0);
    a_second_confirmation_that_is_refused_ends_the_connection:
        r#"{"on":"POST notifications/initialized","times":1,"status":202}
{"on":"POST notifications/initialized","status":503,"body":"busy"}
{"on":"POST tools/call","status":404}"#,
        Fails("closed", "503", 0), Fails("status", "404", 0);
    a_body_that_never_ends_costs_the_deadline:
        r#"{"on":"POST tools/call","result":{"content":[]},"then":"hold"}"#,
        Fails("timed out", "tools/call", 40_000), Fails("timed out", "tools/call", 40_000);
    progress_without_end_costs_the_deadline_for_the_whole:
        r#"{"on":"POST tools/call","chunks":[{"text":"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":{{id}},\"progress\":1}}\n\n","times":1000,"every":1000}],"then":"hold"}"#,
        Fails("timed out", "in all", 60_000), Fails("timed out", "in all", 60_000);
    a_reply_that_is_taken_up_by_a_page_is_broken:
        r#"{"on":"GET","headers":{"content-type":"text/html"},"body":"<html>hi</html>"}
{"on":"POST tools/call","chunks":["id: 1\ndata:\n\n"]}"#,
        Fails("broken", "text/html", 1_000), Fails("no answer", "without an answer", 0);
    a_reply_that_cannot_be_taken_up_for_long_is_broken_and_tells_why:
        r#"{"on":"GET","status":503}
{"on":"POST tools/call","chunks":["id: 1\ndata:\n\n"]}"#,
        Fails("broken", "503", 10_000), Fails("no answer", "without an answer", 0);
    a_reply_that_is_taken_up_after_the_session_is_lost_is_not_sent_again:
        r#"{"on":"GET","status":404}
{"on":"POST tools/call","chunks":["id: 1\ndata:\n\n"]}"#,
        Fails("session lost", "before the answer", 1_000), Fails("no answer", "without an answer", 0);
    an_event_id_that_no_header_can_carry_is_none:
        r#"{"on":"POST tools/call","chunks":["id: \u0001\ndata:\n\n"]}"#,
        Fails("no answer", "without an answer", 0), Fails("no answer", "without an answer", 0);
    a_stream_of_the_older_transport_is_named:
        r#"{"on":"POST tools/call","chunks":["event: endpoint\ndata: /m\n\n"],"then":"hold"}"#,
        Fails("other transport", "HTTP+SSE", 0), Fails("other transport", "HTTP+SSE", 0);
    a_head_that_never_comes_costs_the_deadline:
        r#"{"on":"POST tools/call","then":"never"}"#,
        Fails("timed out", "tools/call", 40_000), Fails("timed out", "tools/call", 40_000);
    a_stream_of_nothing_but_comments_costs_the_deadline:
        r#"{"on":"POST tools/call","chunks":[{"text":": ping\n\n","times":1000,"every":1000}],"then":"hold"}"#,
        Fails("timed out", "tools/call", 40_000), Fails("timed out", "tools/call", 40_000);
    a_page_instead_of_a_message_is_shown:
        r#"{"on":"POST tools/call","headers":{"content-type":"text/html"},"body":"<html>please log in</html>"}"#,
        Fails("media", "please log in", 0), Fails("media", "please log in", 0);
    a_gateway_that_is_down_is_named_by_its_status:
        r#"{"on":"POST tools/call","status":502,"headers":{"content-type":"text/html"},"body":"<h1>Bad gateway</h1>"}"#,
        Fails("status", "502", 0), Fails("status", "502", 0);
    a_body_of_nothing_is_no_answer:
        r#"{"on":"POST tools/call","headers":{"content-type":"application/json"},"body":""}"#,
        Fails("no answer", "200", 0), Fails("no answer", "200", 0);
    a_body_over_the_limit_is_given_up:
        r#"{"on":"POST tools/call","headers":{"content-type":"application/json"},"chunks":["{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"x\":\"",{"text":"xxxxxxxxxxxxxxxx","times":1000}],"then":"hold"}"#,
        Fails("misbehaved", "4096", 0), Fails("misbehaved", "4096", 0);
    an_event_over_the_limit_is_given_up:
        r#"{"on":"POST tools/call","chunks":["data: ",{"text":"xxxxxxxxxxxxxxxx","times":1000}],"then":"hold"}"#,
        Fails("broken", "4096", 0), Fails("broken", "4096", 0);
}

#[tokio::test(start_paused = true)]
async fn each_of_these_replies_also_ends_an_opening_in_time() {
    for opening in ["initialize", "notifications/initialized", "server/discover"] {
        for rules in ROWS {
            let rules = rules.replace("POST tools/call", &format!("POST {opening}"));
            let server = ScriptedHttp::of(&format!("{rules}\n{LEGACY}"));
            let start = Instant::now();
            let most = Duration::from_secs(30);
            let connected = connect_within(&server, most).await;
            let took = start.elapsed();
            // What says at once what it is takes no longer than the attempts to take it up again.
            let waits = ["hold", "never", "retry"]
                .iter()
                .any(|word| rules.contains(word));
            let most = if waits { most } else { Duration::from_secs(10) };
            assert!(took <= most + CLOSE_MAX, "{opening}: {took:?}: {rules}");
            if let Ok(client) = connected {
                close(&server, &client).await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_is_opened_however_it_refuses_the_question_for_the_era() {
    for refusal in [
        r#""status":400,"json":{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#,
        r#""status":200,"error":{"code":-32601,"message":"no such method"}"#,
        r#""status":200,"json":{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"initialize first"}}"#,
        r#""status":400,"body":"no session id""#,
        r#""status":404"#,
        r#""status":405"#,
        r#""status":406,"body":"not acceptable""#,
        r#""status":422,"headers":{"content-type":"text/plain"},"body":"unknown variant `server/discover`""#,
        r#""status":202"#,
        r#""status":200,"body":"""#,
        r#""status":200,"headers":{"content-type":"text/html"},"body":"<html>hi</html>""#,
        r#""status":501"#,
        r#""chunks":["data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"error\":{\"code\":-32602,\"message\":\"no\"}}\n\n"]"#,
        r#""chunks":[]"#,
    ] {
        let rule = format!(r#"{{"on":"POST server/discover",{refusal}}}"#);
        let server = ScriptedHttp::of(&format!("{rule}\n{LEGACY}"));
        let start = Instant::now();
        let client = connect(&server).await;
        let client = client.unwrap_or_else(|error| panic!("{refusal}: {error}"));
        assert_eq!(start.elapsed(), Duration::ZERO, "{refusal}");
        assert_eq!(server.count("initialize"), 1, "{refusal}");
        close(&server, &client).await;
    }
}
