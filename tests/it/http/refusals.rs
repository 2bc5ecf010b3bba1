//! What is shown of a refusal, and how long it is waited for.

use std::time::Duration;

use mcp_client::error::ExchangeFailureKind;
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
