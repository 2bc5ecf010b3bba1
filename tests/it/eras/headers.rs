//! Arguments of tools that a modern server wants repeated as headers, where a transport has them.

use mcp_client::{Client, Error};
use mcp_tests::script::{Heard, ScriptedServer};
use mcp_types::RawJson;
use serde_json::{Value, json};

use super::{legacy, modern};

fn tool(name: &str, property: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"region": property}});
    json!({"name": name, "inputSchema": schema})
}

fn annotated(name: &str, header: &str) -> Value {
    tool(name, json!({"type": "string", "x-mcp-header": header}))
}

async fn list(client: &Client, far: &mut ScriptedServer, tools: &[Value]) -> Vec<String> {
    let (listing, ()) = tokio::join!(client.list_tools(), async {
        let list = far.expect("tools/list").await;
        far.answer(&list, json!({"tools": tools})).await;
    });
    let listing = listing.unwrap();
    listing.items.into_iter().map(|tool| tool.name).collect()
}

fn arguments() -> RawJson {
    RawJson::parse(r#"{"region":"eu"}"#.to_owned()).unwrap()
}

fn params(request: &Heard) -> Vec<(&str, &str)> {
    let params = request.labels.params.iter();
    params
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

const MISMATCH: &str = "the headers do not fit";

async fn mismatch(far: &ScriptedServer, request: &Heard) {
    far.refuse(request, json!({"code": -32020, "message": MISMATCH}))
        .await;
}

#[tokio::test(start_paused = true)]
async fn annotated_arguments_are_repeated_and_tools_that_cannot_be_called_are_left_out() {
    let (client, mut far) = modern().await;
    let bad = tool("bad", json!({"type": "number", "x-mcp-header": "Region"}));
    let names = list(&client, &mut far, &[annotated("good", "Region"), bad]).await;
    assert_eq!(names, ["good"]);
    let arguments = arguments();
    let (_reply, ()) = tokio::join!(client.call_tool("good", &arguments), async {
        let call = far.expect("tools/call").await;
        assert_eq!(params(&call), [("Region", "eu")]);
        assert_eq!(call.labels.version.as_deref(), Some("2026-07-28"));
        far.answer(&call, json!({"content": []})).await;
    });
}

#[tokio::test(start_paused = true)]
async fn headers_that_do_not_fit_are_taken_from_the_list_anew_and_sent_once_more() {
    let (client, mut far) = modern().await;
    let arguments = arguments();
    // Nothing is known of the tool yet, so the first call has no headers.
    let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let first = far.expect("tools/call").await;
        assert_eq!(params(&first), []);
        mismatch(&far, &first).await;
        let page = far.expect("tools/list").await;
        far.answer(&page, json!({"tools": [], "nextCursor": "2"}))
            .await;
        let page = far.expect("tools/list").await;
        assert_eq!(page.params()["cursor"], "2");
        far.answer(&page, json!({"tools": [annotated("t", "Region")]}))
            .await;
        let second = far.expect("tools/call").await;
        assert_eq!(params(&second), [("Region", "eu")]);
        assert_ne!(first.id(), second.id());
        far.answer(&second, json!({"content": []})).await;
    });
    reply.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_second_mismatch_and_a_list_that_changes_nothing_end_the_call() {
    for tools in [json!([annotated("t", "Region")]), json!([])] {
        let (client, mut far) = modern().await;
        let arguments = arguments();
        let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
            let first = far.expect("tools/call").await;
            mismatch(&far, &first).await;
            let page = far.expect("tools/list").await;
            far.answer(&page, json!({"tools": tools})).await;
            if tools != json!([]) {
                let second = far.expect("tools/call").await;
                mismatch(&far, &second).await;
            }
        });
        let error = reply.unwrap_err();
        assert!(error.to_string().contains(MISMATCH), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_argument_that_no_header_can_carry_is_refused_before_it_is_sent() {
    let (client, mut far) = modern().await;
    list(&client, &mut far, &[annotated("t", "Region")]).await;
    let arguments = RawJson::parse(r#"{"region":[1]}"#.to_owned()).unwrap();
    let error = client.call_tool("t", &arguments).await.unwrap_err();
    assert!(matches!(error, Error::Misused(_)), "{error:?}");
    assert!(error.to_string().contains("region"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn legacy_servers_have_no_such_headers() {
    let (client, mut far) = legacy().await;
    let bad = tool("bad", json!({"type": "number", "x-mcp-header": "Region"}));
    let names = list(&client, &mut far, &[annotated("t", "Region"), bad]).await;
    assert_eq!(names, ["t", "bad"]);
    let arguments = arguments();
    let (_reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let call = far.expect("tools/call").await;
        assert_eq!(params(&call), []);
        far.answer(&call, json!({"content": []})).await;
    });
}
