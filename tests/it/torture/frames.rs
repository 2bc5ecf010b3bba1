//! Single frames that are not as they should be.

use mcp_client::Error;
use mcp_jsonrpc::Malformed;

use super::{call, close, error, frame_fault, result, server_that_answers, text};

/// Plays one odd reply, then a good one to a second call, which shows that nothing else was lost.
async fn odd_then_good(odd: &[&str]) -> (Result<String, Error>, String) {
    let mut steps = odd.to_vec();
    steps.push(r#"{"wait":"tools/call","id":"C"}"#);
    steps.push(r#"{"say":{"jsonrpc":"2.0","id":"$C","result":{"content":[{"type":"text","text":"good"}]}}}"#);
    let (stage, client) = server_that_answers(&steps).await;
    let first = super::within(super::PATIENCE, call(&client)).await;
    let first = first.map(|reply| text(&reply));
    let second = text(&result(&client).await);
    close(&stage, &client).await;
    (first, second)
}

async fn is_delivered(odd: &[&str], expected: &str) {
    let (first, second) = odd_then_good(odd).await;
    assert_eq!(
        (first.unwrap().as_str(), second.as_str()),
        (expected, "good")
    );
}

/// The error of the first call.
async fn fails(odd: &[&str]) -> Error {
    let (first, second) = odd_then_good(odd).await;
    assert_eq!(second, "good");
    first.unwrap_err()
}

async fn is_answered_with_an_error(odd: &str, says: &str) {
    let error = fails(&[odd]).await;
    assert!(matches!(error, Error::Answered(_)), "{error:?}");
    assert!(error.to_string().contains(says), "{error}");
}

#[tokio::test]
async fn a_reply_without_jsonrpc_is_a_reply() {
    let odd = r#"{"say":{"id":"$C","result":{"content":[{"type":"text","text":"bare"}]}}}"#;
    is_delivered(&[odd], "bare").await;
}

#[tokio::test]
async fn a_result_and_an_error_together_fail_the_call_at_once() {
    let odd = r#"{"say":{"jsonrpc":"2.0","id":"$C","result":{},"error":{"code":1,"message":"m"}}}"#;
    let error = fails(&[odd]).await;
    assert_eq!(*frame_fault(&error), Malformed::ResultAndError);
    assert!(
        error.to_string().contains("both a result and an error"),
        "{error}"
    );
}

#[tokio::test]
async fn an_error_without_a_message_ends_the_call_with_its_code() {
    let odd = r#"{"say":{"jsonrpc":"2.0","id":"$C","error":{"code":-32099}}}"#;
    is_answered_with_an_error(odd, "-32099").await;
}

#[tokio::test]
async fn an_error_with_a_code_in_words_ends_the_call_with_its_message() {
    let odd =
        r#"{"say":{"jsonrpc":"2.0","id":"$C","error":{"code":"E_IO","message":"disk full"}}}"#;
    is_answered_with_an_error(odd, "disk full").await;
}

#[tokio::test]
async fn an_error_that_is_a_string_ends_the_call_with_it() {
    let odd = r#"{"say":{"jsonrpc":"2.0","id":"$C","error":"it broke"}}"#;
    is_answered_with_an_error(odd, "it broke").await;
}

#[tokio::test]
async fn a_batch_of_one_reply_is_a_reply() {
    let odd = r#"{"say":[{"jsonrpc":"2.0","id":"$C","result":{"content":[{"type":"text","text":"one"}]}}]}"#;
    is_delivered(&[odd], "one").await;
}

#[tokio::test]
async fn an_error_without_an_id_ends_the_only_call() {
    let odd =
        r#"{"say":{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}}"#;
    is_answered_with_an_error(odd, "parse error").await;
}

#[tokio::test]
async fn an_id_echoed_as_a_string_names_its_call() {
    let odd = r#"{"write":"{\"jsonrpc\":\"2.0\",\"id\":\"{{C}}\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"s\"}]}}\n"}"#;
    is_delivered(&[odd], "s").await;
}

#[tokio::test]
async fn a_reply_printed_over_many_lines_fails_the_call_at_once() {
    let odd = r#"{"write":"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": {{C}},\n  \"result\": {\n    \"content\": []\n  }\n}\n"}"#;
    let error = fails(&[odd]).await;
    assert!(matches!(
        frame_fault(&error),
        Malformed::NotJson(_) | Malformed::NotAMessage
    ));
}

#[tokio::test]
async fn a_reply_with_its_id_twice_is_a_reply() {
    let odd = r#"{"write":"{\"jsonrpc\":\"2.0\",\"id\":{{C}},\"id\":{{C}},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"two\"}]}}\n"}"#;
    is_delivered(&[odd], "two").await;
}

#[tokio::test]
async fn a_reply_five_thousand_levels_deep_fails_the_call_at_once() {
    let odd = r#"{"write":"{\"jsonrpc\":\"2.0\",\"id\":{{C}},\"result\":{\"structuredContent\":@NEST@}}\n","nest":{"open":"[","core":"1","close":"]","count":5000}}"#;
    let error = fails(&[odd]).await;
    assert!(error.to_string().contains("deep"), "{error}");
    assert!(matches!(frame_fault(&error), Malformed::NotJson(_)));
}

#[tokio::test]
async fn a_byte_order_mark_before_a_reply_is_skipped() {
    let odd = r#"{"write":"\ufeff{\"jsonrpc\":\"2.0\",\"id\":{{C}},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"bom\"}]}}\n"}"#;
    is_delivered(&[odd], "bom").await;
}

#[tokio::test]
async fn a_line_of_invalid_utf8_is_skipped() {
    let good = r#"{"say":{"jsonrpc":"2.0","id":"$C","result":{"content":[{"type":"text","text":"after"}]}}}"#;
    is_delivered(&[r#"{"hex":"ff fe 80 80 0a"}"#, good], "after").await;
}

#[tokio::test]
async fn invalid_utf8_inside_a_reply_is_replaced() {
    let odd = [
        r#"{"write":"{\"jsonrpc\":\"2.0\",\"id\":{{C}},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a"}"#,
        r#"{"hex":"ff"}"#,
        r#"{"write":"b\"}]}}\n"}"#,
    ];
    is_delivered(&odd, "a\u{fffd}b").await;
}

#[tokio::test]
async fn an_unknown_kind_of_content_arrives_beside_the_text() {
    let odd = r#"{"say":{"jsonrpc":"2.0","id":"$C","result":{"content":[{"type":"text","text":"t"},{"type":"scent","name":"rose"}]}}}"#;
    let (stage, client) = server_that_answers(&[odd]).await;
    let reply = result(&client).await;
    let kinds: Vec<_> = reply
        .value
        .content
        .iter()
        .map(|block| block.kind())
        .collect();
    assert_eq!(kinds, ["text", "scent"]);
    assert_eq!(text(&reply), "t");
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_big_integer_arrives_exactly_raw_and_structured() {
    let odd = r#"{"write":"{\"jsonrpc\":\"2.0\",\"id\":{{C}},\"result\":{\"content\":[],\"structuredContent\":{\"n\":12345678901234567890123}}}\n"}"#;
    let (stage, client) = server_that_answers(&[odd]).await;
    let reply = result(&client).await;
    let structured = reply.value.structured_content.unwrap();
    assert_eq!(structured.as_str(), r#"{"n":12345678901234567890123}"#);
    let raw = reply.raw.to_json().unwrap();
    assert_eq!(
        raw.as_str(),
        r#"{"content":[],"structuredContent":{"n":12345678901234567890123}}"#
    );
    close(&stage, &client).await;
}

#[tokio::test]
async fn a_frame_tied_to_no_call_ends_none() {
    let odd = [
        r#"{"say":{"jsonrpc":"2.0","id":4711,"result":{}}}"#,
        r#"{"say":{"jsonrpc":"2.0","id":"other","error":{"code":1,"message":"m"}}}"#,
        r#"{"write":"Server ready, id: 5\n"}"#,
        r#"{"say":{"jsonrpc":"2.0","id":"$C","result":{"content":[{"type":"text","text":"mine"}]}}}"#,
    ];
    let (stage, client) = server_that_answers(&odd[..1]).await;
    drop(error_after(&client).await);
    close(&stage, &client).await;
    is_delivered(&[odd[0], odd[2], odd[3]], "mine").await;
}

/// A call with a short deadline, which is what ends it.
async fn error_after(client: &mcp_client::Client) -> Error {
    let short = std::time::Duration::from_millis(200);
    let ended = call(client).timeout(short).await.unwrap_err();
    assert!(matches!(ended, Error::TimedOut(_)), "{ended:?}");
    ended
}

#[tokio::test]
async fn an_error_names_the_method_and_shows_how_the_frame_begins() {
    let odd = r#"{"write":"{\"jsonrpc\":\"2.0\",\"id\":{{C}},\"result\":{\"password\":\"hunter2secret\",\"x\":tru}}\n"}"#;
    let (stage, client) = server_that_answers(&[odd]).await;
    let said = error(&client).await.to_string();
    assert!(
        said.contains("tools/call") && said.contains("jsonrpc"),
        "{said}"
    );
    assert!(!said.contains("hunter2secret"), "{said}");
    close(&stage, &client).await;
}
