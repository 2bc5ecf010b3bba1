//! A link with a stream for each exchange, as HTTP has: what it is told and what it tells.

use bytes::Bytes;
use mcp_client::{Error, Sent};
use mcp_tests::script::{Heard, ScriptedServer};
use mcp_transport::link::{
    ExchangeFailure, ExchangeFailureKind, ExchangeId, Inbound, Origin, Outbound,
};
use mcp_types::RawJson;
use serde_json::json;
use tokio::time::{Duration, timeout};

use super::{connect_while, legacy, modern};

/// The exchange that a request opened.
fn exchange_of(request: &Heard) -> ExchangeId {
    request.exchange.expect("a request opens an exchange")
}

fn empty() -> RawJson {
    RawJson::empty_object()
}

#[tokio::test(start_paused = true)]
async fn the_transport_is_told_the_revision_the_method_and_the_name() {
    let (link, mut far) = ScriptedServer::pair();
    let (client, ()) = tokio::join!(mcp_tests::stage::builder().connect(link), async {
        far.open_modern().await;
    });
    let client = client.unwrap();
    let call = client.call_tool("add", &empty());
    let (_reply, ()) = tokio::join!(call, async {
        let Outbound::Session { version } = far.outbound().await else {
            panic!("no session")
        };
        assert_eq!(version, "2026-07-28");
        let call = far.expect("tools/call").await;
        assert_eq!(call.labels.method.as_deref(), Some("tools/call"));
        assert_eq!(call.labels.name.as_deref(), Some("add"));
        far.answer(&call, json!({"content": []})).await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_reply_on_the_stream_of_a_call_is_its_own_whatever_id_it_has() {
    let ids = [json!(4711), json!("other"), json!(null)];
    for id in ids {
        let (client, mut far) = modern().await;
        let (arguments, other) = (empty(), empty());
        let calls = async {
            tokio::join!(
                client.call_tool("one", &arguments),
                client.call_tool("two", &other)
            )
        };
        let serve = async {
            let one = far.expect("tools/call").await;
            let two = far.expect("tools/call").await;
            let head = Inbound::Head {
                exchange: exchange_of(&two),
                status: 200,
                media: "application/json".to_owned(),
                is_in_session: false,
            };
            far.inbound(head).await;
            let frame = json!({"jsonrpc": "2.0", "id": id, "error": {"code": 7, "message": "two"}});
            far.say_from(Origin::Reply(exchange_of(&two)), frame).await;
            far.answer(&one, json!({"content": []})).await;
        };
        let ((one, two), ()) = tokio::join!(calls, serve);
        assert!(one.is_ok());
        assert!(two.unwrap_err().to_string().contains("two"), "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_reply_on_the_stream_of_a_call_ends_it() {
    let (client, mut far) = modern().await;
    let (reply, ()) = tokio::join!(client.call_tool("t", &empty()), async {
        let call = far.expect("tools/call").await;
        far.say_from(
            Origin::Reply(exchange_of(&call)),
            "<html>Bad gateway</html>",
        )
        .await;
    });
    let error = reply.unwrap_err();
    assert!(matches!(error, Error::PeerMisbehaved(_)), "{error:?}");
    assert!(error.to_string().contains("Bad gateway"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_without_an_answer_ends_its_call_alone() {
    let (client, mut far) = modern().await;
    let (arguments, other) = (empty(), empty());
    let calls = async {
        tokio::join!(
            client.call_tool("one", &arguments),
            client.call_tool("two", &other)
        )
    };
    let ((one, two), ()) = tokio::join!(calls, async {
        let one = far.expect("tools/call").await;
        let two = far.expect("tools/call").await;
        far.inbound(Inbound::ExchangeEnded {
            exchange: exchange_of(&one),
        })
        .await;
        far.answer(&two, json!({"content": []})).await;
    });
    let error = one.unwrap_err();
    assert!(error.to_string().contains("without an answer"), "{error}");
    assert_eq!(error.sent(), Sent::Maybe);
    assert!(two.is_ok() && client.closed().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_ends_its_call_with_the_reason() {
    let (client, mut far) = modern().await;
    let (reply, ()) = tokio::join!(client.call_tool("t", &empty()), async {
        let call = far.expect("tools/call").await;
        let kind = ExchangeFailureKind::Broken;
        far.inbound(Inbound::ExchangeFailed {
            exchange: exchange_of(&call),
            failure: ExchangeFailure::new(kind, "connection reset by peer", true),
        })
        .await;
    });
    let error = reply.unwrap_err();
    assert!(
        error.to_string().contains("connection reset by peer"),
        "{error}"
    );
    assert!(client.closed().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_stream_after_its_answer_does_no_harm() {
    let (client, mut far) = modern().await;
    for _ in 0..2 {
        let (reply, ()) = tokio::join!(client.call_tool("t", &empty()), async {
            let call = far.expect("tools/call").await;
            far.answer(&call, json!({"content": []})).await;
            far.inbound(Inbound::ExchangeEnded {
                exchange: exchange_of(&call),
            })
            .await;
        });
        assert!(reply.is_ok());
    }
}

/// Everything that the client sends once its call is dropped.
async fn sent_after_a_drop(
    client: mcp_client::Client,
    mut far: ScriptedServer,
) -> Vec<Outbound<Bytes>> {
    let arguments = empty();
    let call = timeout(Duration::from_secs(1), client.call_tool("t", &arguments));
    let (dropped, request) = tokio::join!(call, far.expect("tools/call"));
    assert!(dropped.is_err());
    client.close().await;
    let sent = far.until_hung_up().await;
    assert!(
        sent.contains(&Outbound::Abort {
            exchange: exchange_of(&request)
        }),
        "{sent:?}"
    );
    sent
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_to_a_modern_server_closes_its_stream_and_says_nothing() {
    let (client, far) = modern().await;
    let sent = sent_after_a_drop(client, far).await;
    assert!(
        sent.iter()
            .all(|sent| !matches!(sent, Outbound::Notify { .. })),
        "{sent:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_to_a_legacy_server_says_so_too() {
    let (client, far) = legacy().await;
    let sent = sent_after_a_drop(client, far).await;
    let notices: Vec<_> = sent
        .into_iter()
        .filter_map(mcp_tests::script::heard)
        .collect();
    let [cancelled] = notices.as_slice() else {
        panic!("{notices:?}")
    };
    assert_eq!(cancelled.method(), "notifications/cancelled");
    assert_eq!(
        cancelled.labels.method.as_deref(),
        Some("notifications/cancelled")
    );
}

#[tokio::test(start_paused = true)]
async fn the_probe_ends_with_the_stream_it_was_asked_on() {
    let (client, _far, ()) = connect_while(mcp_tests::stage::builder(), async |far| {
        let probe = far.expect("server/discover").await;
        let kind = ExchangeFailureKind::Status(404);
        let failure = ExchangeFailure::new(kind, "404 Not Found", false);
        let exchange = exchange_of(&probe);
        far.inbound(Inbound::Head {
            exchange,
            status: 404,
            media: String::new(),
            is_in_session: false,
        })
        .await;
        far.inbound(Inbound::ExchangeFailed { exchange, failure })
            .await;
    })
    .await;
    // Whether to start again is for whoever made the link; here there is no second one.
    let error = client.unwrap_err();
    assert!(error.to_string().contains("404 Not Found"), "{error}");
}
