//! The trace that a call belongs to, in `_meta` of every request that the call takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::error::Misuse;
use mcp_client::{Client, Error, TraceContext};
use mcp_tests::script::ScriptedServer;
use mcp_tests::stage::builder;
use mcp_transport::link::Outbound;
use mcp_types::RawJson;
use serde_json::{Value, json};

use super::{connect_while, legacy, modern};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

fn trace() -> TraceContext {
    TraceContext::new()
        .with_traceparent(PARENT)
        .with_tracestate("a=1")
        .with_baggage("user=%C3%A9")
}

fn arguments() -> RawJson {
    RawJson::parse("{}").unwrap()
}

/// The parameters of the request that comes next, as they stand on the wire.
async fn params_on_the_wire(far: &mut ScriptedServer) -> String {
    let body = loop {
        if let Outbound::Send { body, .. } = far.outbound().await {
            break String::from_utf8(body.to_vec()).unwrap();
        }
    };
    let (_head, params) = body.split_once(r#""params":"#).unwrap();
    let id: Value = serde_json::from_str(&body).unwrap();
    let token = format!(r#""progressToken":{}"#, id["id"]);
    params.replace(&token, r#""progressToken":ID"#)
}

#[tokio::test(start_paused = true)]
async fn a_trace_stands_in_meta_as_it_was_given_in_either_era() {
    let traced =
        format!(r#""traceparent":"{PARENT}","tracestate":"a=1","baggage":"user=%C3%A9"}}}}}}"#);
    let (client, mut far) = legacy().await;
    client
        .call_tool("t", &arguments())
        .trace(trace())
        .detach()
        .unwrap();
    let head = r#"{"name":"t","arguments":{},"_meta":{"progressToken":ID,"#;
    assert_eq!(
        params_on_the_wire(&mut far).await,
        format!("{head}{traced}")
    );
    client
        .list_tools_page(None)
        .trace(trace())
        .detach()
        .unwrap();
    let head = r#"{"_meta":{"#;
    assert_eq!(
        params_on_the_wire(&mut far).await,
        format!("{head}{traced}")
    );

    let (client, mut far) = modern().await;
    client
        .call_tool("t", &arguments())
        .trace(trace())
        .detach()
        .unwrap();
    let params = params_on_the_wire(&mut far).await;
    assert!(params.ends_with(&format!(",{traced}")), "{params}");
    assert!(
        params.contains(r#""_meta":{"progressToken":ID,"io.modelcontextprotocol/"#),
        "{params}"
    );
    client.call_tool("t", &arguments()).detach().unwrap();
    assert!(!params_on_the_wire(&mut far).await.contains("trace"));
}

async fn sourced(
    source: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
) -> (Client, ScriptedServer, Value) {
    let open = async |far: &mut ScriptedServer| far.open_modern().await;
    let (client, far, probe) = connect_while(builder().on_trace(source), open).await;
    (client.unwrap(), far, probe.params().clone())
}

#[tokio::test(start_paused = true)]
async fn the_application_is_asked_once_for_each_call_and_every_request_of_it_is_traced() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let (client, mut far, probe) = sourced(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        Some(TraceContext::new().with_traceparent(PARENT))
    })
    .await;
    assert!(
        probe["_meta"].get("traceparent").is_none(),
        "the session belongs to no trace"
    );
    let arguments = arguments();
    let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let first = far.expect("tools/call").await;
        far.refuse(&first, json!({"code": -32020, "message": "headers"}))
            .await;
        let list = far.expect("tools/list").await;
        let schema =
            json!({"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"}}});
        let tools = json!([{"name": "t", "inputSchema": schema}]);
        far.answer(&list, json!({"tools": tools})).await;
        for request in [first, list] {
            assert_eq!(request.params()["_meta"]["traceparent"], PARENT);
        }
    });
    assert!(reply.is_err(), "the list changed nothing");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let first = far.expect("tools/call").await;
        far.answer(
            &first,
            json!({"resultType": "input_required", "requestState": "s"}),
        )
        .await;
        let second = far.expect("tools/call").await;
        assert_eq!(second.params()["requestState"], "s");
        assert_eq!(second.params()["_meta"]["traceparent"], PARENT);
        far.answer(&second, json!({"content": []})).await;
    });
    reply.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_trace_of_another_shape_is_named_and_nothing_is_sent() {
    let (client, mut far, _probe) =
        sourced(|| Some(TraceContext::new().with_traceparent("00-xyz"))).await;
    let error = client.call_tool("t", &arguments()).await.unwrap_err();
    let Error::Misused(Misuse::BadTrace { field, .. }) = error else {
        panic!("{error:?}")
    };
    assert_eq!(field, "traceparent");
    // What is sent first is what comes after this.
    let error = client.list_tools().await.unwrap_err();
    assert!(error.to_string().contains("traceparent"), "{error}");
    let own = RawJson::parse(format!(r#"{{"_meta":{{"traceparent":"{PARENT}"}}}}"#)).unwrap();
    let raw = client.call_raw("any/thing", Some(&own));
    raw.detach().expect("the caller's own trace counts");
    assert!(params_on_the_wire(&mut far).await.contains(PARENT));
    let better = client.call_tool("t", &arguments()).trace(trace());
    better.detach().unwrap();
    assert!(params_on_the_wire(&mut far).await.contains(PARENT));
}

#[tokio::test(start_paused = true)]
async fn baggage_of_the_caller_stays_unless_the_trace_brings_its_own() {
    let own = RawJson::parse(r#"{"_meta":{"baggage":"mine=1"}}"#).unwrap();
    for (trace, baggage) in [
        (TraceContext::new().with_traceparent(PARENT), "mine=1"),
        (trace(), "user=%C3%A9"),
    ] {
        let (client, mut far, _probe) = sourced(move || Some(trace.clone())).await;
        client.call_raw("any/thing", Some(&own)).detach().unwrap();
        let meta = far.expect("any/thing").await.params()["_meta"].clone();
        assert_eq!(meta["traceparent"], PARENT);
        assert_eq!(meta["baggage"], baggage);
    }
}
