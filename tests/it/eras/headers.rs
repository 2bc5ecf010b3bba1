//! Arguments of tools that a modern server wants repeated as headers, where a transport has them.

use mcp_client::{Client, Era, Error};
use mcp_tests::script::{Heard, ScriptedServer};
use mcp_transport::link::Outbound;
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

#[tokio::test(start_paused = true)]
async fn raw_calls_repeat_what_typed_ones_do() {
    let (client, mut far) = modern().await;
    list(&client, &mut far, &[annotated("good", "Region")]).await;
    let table = [
        (
            "tools/call",
            r#"{"name":"good","arguments":{"region":"eu"}}"#,
            Some("good"),
        ),
        ("tools/call", r#"{"name":"good"}"#, Some("good")),
        ("prompts/get", r#"{ "name" : "greet" }"#, Some("greet")),
        (
            "resources/read",
            r#"{"uri":"file:///\u00e9"}"#,
            Some("file:///é"),
        ),
        ("tasks/get", r#"{"taskId":"7"}"#, Some("7")),
        ("prompts/get", r#"{"name":7}"#, None),
        ("any/thing", r#"{"name":"x"}"#, None),
    ];
    for (method, json, name) in table {
        let given = RawJson::parse(json.to_owned()).unwrap();
        client.call_raw(method, Some(&given)).detach().unwrap();
        let request = far.expect(method).await;
        assert_eq!(request.labels.name.as_deref(), name, "{method} {json}");
        let is_annotated = json.contains("region");
        assert_eq!(params(&request).len(), usize::from(is_annotated), "{json}");
        assert_eq!(request.labels.version.as_deref(), Some("2026-07-28"));
        let members = request.params().as_object().unwrap().keys();
        assert_eq!(members.filter(|member| *member == "_meta").count(), 1);
    }
    let bad = RawJson::parse(r#"{"name":"good","arguments":{"region":[]}}"#.to_owned()).unwrap();
    let error = client.call_raw("tools/call", Some(&bad)).await.unwrap_err();
    assert!(matches!(error, Error::Misused(_)), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_raw_call_whose_headers_do_not_fit_is_sent_once_more_as_typed_ones_are() {
    let (client, mut far) = modern().await;
    let given = RawJson::parse(r#"{"name":"t","arguments":{"region":"eu"}}"#.to_owned()).unwrap();
    let (reply, ()) = tokio::join!(client.call_raw("tools/call", Some(&given)), async {
        let first = far.expect("tools/call").await;
        mismatch(&far, &first).await;
        let page = far.expect("tools/list").await;
        far.answer(&page, json!({"tools": [annotated("t", "Region")]}))
            .await;
        let second = far.expect("tools/call").await;
        assert_eq!(params(&second), [("Region", "eu")]);
        far.answer(&second, json!({"content": []})).await;
    });
    reply.unwrap();
}

#[tokio::test(start_paused = true)]
async fn meta_of_a_raw_call_is_joined_with_ours_and_stands_there_once() {
    const META: &str = r#"{"b":[1,12345678901234567890],"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"x","com.example/a":{"k":1}},"a":1}"#;
    let given = RawJson::parse(META.to_owned()).unwrap();
    for (client, mut far) in [modern().await, legacy().await] {
        let (call, _notices) = client.call_raw("any/thing", Some(&given)).notices(1);
        call.detach().unwrap();
        let outbound = loop {
            if let outbound @ Outbound::Send { .. } = far.outbound().await {
                break outbound;
            }
        };
        let Outbound::Send { body, .. } = &outbound else {
            panic!("a request is sent")
        };
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert_eq!(text.matches("_meta").count(), 1, "{text}");
        assert!(
            text.contains(r#""params":{"b":[1,12345678901234567890],"a":1,"_meta":{"#),
            "{text}"
        );
        let request = mcp_tests::script::heard(outbound).unwrap();
        let meta = &request.params()["_meta"];
        assert_eq!(meta["com.example/a"], json!({"k": 1}));
        assert_eq!(meta["progressToken"], request.id());
        let is_modern = client.session().era == Era::Modern;
        let version = if is_modern { "2026-07-28" } else { "x" };
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], version);
        assert_eq!(text.matches("protocolVersion").count(), 1, "{text}");
    }
    let bad = RawJson::parse(r#"{"_meta":1}"#.to_owned()).unwrap();
    let (client, _far) = modern().await;
    let error = client.call_raw("any/thing", Some(&bad)).await.unwrap_err();
    assert!(error.to_string().contains("_meta"), "{error}");
}
