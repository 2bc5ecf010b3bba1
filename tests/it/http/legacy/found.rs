//! How HTTP+SSE is found where nothing tells that it is there, and what is told if it is not.

use std::time::Duration;

use mcp_client::error::{ExchangeFailureKind as Kind, Incompatible};
use mcp_client::{Error, HttpTransport, Sent};
use mcp_tests::http::ScriptedHttp;
use mcp_tests::stage::builder;

use super::{NO_POST, STREAM, address, served};

#[tokio::test(start_paused = true)]
async fn the_older_transport_is_found_in_three_steps() {
    let server = served(&[NO_POST, STREAM]);
    let client = builder().connect_http(address(&server)).await.unwrap();
    let ledger: Vec<_> = client.ledger().iter().map(ToString::to_string).collect();
    assert_eq!(
        ledger,
        [
            "POST server/discover (2026-07-28): 405; the server answered 405 Method Not Allowed: no",
            "POST initialize (2025-11-25): 405; the server answered 405 Method Not Allowed: no",
            "GET: it tells where to post",
            "POST initialize (2025-11-25): 202; it opens 2024-11-05",
        ]
    );
    client.close().await;
    assert_eq!(server.count("GET"), 1);
    assert_eq!(server.count("server/discover"), 1);
    assert_eq!(server.record().failures(), Vec::<&str>::new());
}

#[tokio::test(start_paused = true)]
async fn where_nothing_speaks_mcp_the_error_names_all_three_answers() {
    let page = r#"{"on":"GET","headers":{"content-type":"text/html"},"body":"hello"}"#;
    let server = ScriptedHttp::of(&[NO_POST, page].join("\n"));
    let error = builder().connect_http(address(&server)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "no MCP server answers at this URL. \
         POST server/discover (2026-07-28): 405; the server answered 405 Method Not Allowed: no. \
         POST initialize (2025-11-25): 405; the server answered 405 Method Not Allowed: no. \
         GET: the server opened no stream of events, it answered GET by 200 OK text/html: hello."
    );
    assert_eq!(error.sent(), Sent::No);
    let Error::PeerIncompatible(incompatible) = error else {
        panic!("{error:?}")
    };
    let Incompatible::NoTransport { tried } = *incompatible else {
        panic!("{incompatible:?}")
    };
    assert_eq!(tried.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn missing_credentials_and_outages_of_the_stream_are_told_as_they_are() {
    for status in [401, 403, 503] {
        let get = format!(r#"{{"on":"GET","status":{status}}}"#);
        let server = ScriptedHttp::of(&[NO_POST, &get].join("\n"));
        let error = builder().connect_http(address(&server)).await.unwrap_err();
        let Error::Exchange(error) = error else {
            panic!("{error:?}")
        };
        assert_eq!(error.kind, Kind::Status(status));
    }
}

#[tokio::test(start_paused = true)]
async fn streamable_http_alone_is_tried_where_it_is_asked_for() {
    let server = served(&[NO_POST, STREAM]);
    let address = address(&server).with_transport(HttpTransport::Streamable);
    builder().connect_http(address).await.unwrap_err();
    assert_eq!(server.count("GET"), 0);
}

#[tokio::test(start_paused = true)]
async fn pings_without_an_endpoint_are_told_with_what_was_tried_before() {
    let pings =
        r#"{"on":"GET","chunks":[{"text":": ping\n\n","times":100,"every":100}],"then":"hold"}"#;
    let server = ScriptedHttp::of(&[NO_POST, pings].join("\n"));
    let connecting = builder().connect_timeout(Duration::from_secs(1));
    let error = connecting.connect_http(address(&server)).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::TimedOut(_)), "{error:?}");
    for part in [
        "did not tell where to post",
        "POST initialize",
        "POST server/discover",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_confirmation_that_is_never_taken_is_told_as_the_step_that_hung() {
    let never = r#"{"on":"POST notifications/initialized","path":"/m","then":"never"}"#;
    let server = served(&[never, STREAM]);
    let address = address(&server).with_transport(HttpTransport::Sse);
    let connecting = builder().connect_timeout(Duration::from_secs(1));
    let error = connecting.connect_http(address).await.unwrap_err();
    let text = error.to_string();
    let hung = "no answer to POST notifications/initialized";
    assert!(text.contains(hung), "{text}");
}
