//! What is shown of a refusal or of an answer that does not fit, and how long it is waited for.

use std::time::Duration;

use mcp_client::error::{ExchangeFailureKind, PeerFault};
use mcp_client::{Client, Error, HttpServer};
use mcp_tests::http::ScriptedHttp;
use mcp_tests::stage::builder;
use mcp_transport::redact::Redactor;
use mcp_types::RawJson;
use tokio::time::Instant;

const SECRET: &str = "correct-horse-battery-staple";

async fn connect(rules: &str) -> Client {
    let server = ScriptedHttp::of(&format!("{rules}\n{{\"handshake\":\"s1\"}}"));
    let address = HttpServer::new(server.backend(), server.target("/mcp"));
    let redactor = Redactor::new().with_secrets([SECRET.to_owned()]);
    let builder = builder().redactor(redactor);
    builder.connect_http(address).await.unwrap()
}

async fn refused(rules: &str) -> (Error, Duration) {
    let client = connect(rules).await;
    let start = Instant::now();
    let called = client.call_tool("t", &RawJson::parse("{}").unwrap()).await;
    let took = start.elapsed();
    client.close().await;
    (called.unwrap_err(), took)
}

#[tokio::test(start_paused = true)]
async fn a_configured_secret_is_hidden_where_the_text_of_a_refusal_is_cut() {
    for (status, media) in [(502, "text/html"), (200, "text/html"), (404, "text/plain")] {
        let body = format!("{}{SECRET} and more", "x".repeat(190));
        let rule = format!(
            r#"{{"on":"POST tools/call","status":{status},"headers":{{"content-type":"{media}"}},"body":"{body}"}}"#
        );
        let (error, _took) = refused(&rule).await;
        let text = error.to_string();
        assert!(text.contains("xxx") && !text.contains("corr"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_header_says_is_shown_as_far_as_it_matters() {
    let long = "x".repeat(100_000);
    for rule in [
        format!(
            r#"{{"on":"POST tools/call","headers":{{"content-type":"text/{long}"}},"body":"x"}}"#
        ),
        format!(
            r#"{{"on":"POST tools/call","status":302,"headers":{{"location":"/{long}"}},"body":"x"}}"#
        ),
    ] {
        let (error, _took) = refused(&rule).await;
        let text = error.to_string();
        assert!(text.contains("xxx") && text.len() < 1_200, "{}", text.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_not_utf_8_is_repaired_in_a_refusal_too() {
    // {"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"a?b"}}, with 0xFF for the mark.
    let rule = r#"{"on":"POST tools/call","status":500,"chunks":[{"hex":"7b 22 6a 73 6f 6e 72 70 63 22 3a 22 32 2e 30 22 2c 22 69 64 22 3a 6e 75 6c 6c 2c 22 65 72 72 6f 72 22 3a 7b 22 63 6f 64 65 22 3a 31 2c 22 6d 65 73 73 61 67 65 22 3a 22 61 ff 62 22 7d 7d"}]}"#;
    let (error, _took) = refused(rule).await;
    let Error::Answered(answered) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(answered.message, "a\u{FFFD}b");
}

#[tokio::test(start_paused = true)]
async fn a_configured_secret_is_hidden_where_the_excerpt_of_a_result_is_cut() {
    for before in [60, 70, 200] {
        let text = format!("{}{SECRET} and more", "x".repeat(before));
        let rule = format!(r#"{{"on":"POST tools/call","result":"{text}"}}"#);
        let (error, _took) = refused(&rule).await;
        let Error::PeerMisbehaved(misbehaved) = &error else {
            panic!("{error:?}")
        };
        let PeerFault::Result(fault) = &misbehaved.fault else {
            panic!("{error:?}")
        };
        assert!(fault.excerpt.contains("xxx"), "{fault:?}");
        assert!(!format!("{error:?}").contains("corr"), "{error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_does_not_end_costs_a_second() {
    let hold = r#"{"on":"POST tools/call","status":503,"headers":{"content-type":"text/plain"},"chunks":["too busy"],"then":"hold"}"#;
    let (error, took) = refused(hold).await;
    let Error::Exchange(exchange) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(exchange.kind, ExchangeFailureKind::Status(503));
    assert!(error.to_string().ends_with(": too busy"), "{error}");
    assert_eq!(took, Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_message_in_a_refusal_is_the_answer_however_long_it_is() {
    let data = "x".repeat(100_000);
    let rule = format!(
        r#"{{"on":"POST tools/call","status":400,"error":{{"code":-32602,"message":"bad","data":"{data}"}}}}"#
    );
    let (error, _took) = refused(&rule).await;
    let Error::Answered(answered) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(answered.message, "bad");
}
