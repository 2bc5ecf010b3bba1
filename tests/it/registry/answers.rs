//! Answers that cannot be read, and secrets in texts about arguments and results.

use hermes_registry::view::ViewPolicy;
use mcp_tests::script::ScriptedServer;
use serde_json::{Value, json};

use super::memory::memory;
use super::offered;

const SECRET: &str = "hunter2hunter2";

/// Opens a session, lists these tools and answers each call with one of these results.
async fn serve(mut server: ScriptedServer, tools: &Value, results: &[Value]) {
    let capabilities = json!({"tools": {}});
    server.open_legacy_with("2025-11-25", capabilities).await;
    let list = server.expect("tools/list").await;
    server.answer(&list, json!({ "tools": tools })).await;
    for result in results {
        let call = server.expect("tools/call").await;
        server.answer(&call, result.clone()).await;
    }
    let rest = server.until_hung_up().await;
    assert!(rest.is_empty(), "no call is made again: {rest:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_leaves_open_what_the_tool_did() {
    let (memory, far_ends) = memory();
    let registry = memory.registry(&json!({"s": {"command": "in-memory"}}));
    let hints = json!({"readOnlyHint": true});
    let tools = json!([{"name": "a", "inputSchema": {"type": "object"}, "annotations": hints}]);
    let results = [json!(5), json!("done"), json!([])];
    let play = async |_name, server| serve(server, &tools, &results).await;
    let test = async {
        for _ in &results {
            let error = registry.call("s/a", "{}", None, None).await.unwrap_err();
            assert_eq!(error.code(), "call_failed", "{error}");
            assert!(
                error.is_outcome_uncertain() && !error.is_retryable(),
                "{error}"
            );
        }
        assert_eq!(memory.asked().len(), 1, "the server stays");
        registry.close().await;
    };
    far_ends.play_during(test, play).await;
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_a_schema_is_told_without_configured_secrets() {
    let (memory, far_ends) = memory();
    let settings = json!({"command": "in-memory", "env": {"THE_TOKEN": SECRET}});
    let registry = memory.registry(&json!({ "s": settings }));
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let tools = json!([{"name": "a", "inputSchema": schema, "outputSchema": schema}]);
    let results = [json!({"content": [], "structuredContent": {"n": SECRET}})];
    let play = async |_name, server| serve(server, &tools, &results).await;
    let test = async {
        registry.discover().await;
        let wrong = json!({ "n": SECRET }).to_string();
        let shown = registry.dispatch("s/a", &wrong).await;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let message = shown["error"]["message"].as_str().unwrap();
        assert!(message.contains("found \"[REDACTED]\""), "{message}");

        let called = registry.call("s/a", "{}", None, None).await.unwrap();
        let [warning] = &called.warnings[..] else {
            panic!("{:?}", called.warnings)
        };
        assert!(warning.contains("found \"[REDACTED]\""), "{warning}");
    };
    far_ends.play_during(test, play).await;
}

#[tokio::test(start_paused = true)]
async fn what_an_untrusted_server_says_of_its_tools_opens_no_view_that_only_reads() {
    let (memory, far_ends) = memory();
    let registry = memory.registry(&json!({
        "s": {"command": "in-memory"},
        "t": {"command": "in-memory", "trust": "untrusted"},
    }));
    let hints = json!({"readOnlyHint": true});
    let tools = json!([{"name": "a", "inputSchema": {"type": "object"}, "annotations": hints}]);
    let results = [json!({"content": [{"type": "text", "text": "read"}]})];
    let play = async |name: String, server| {
        let results = if name == "s" { &results[..] } else { &[] };
        serve(server, &tools, results).await;
    };
    let test = async {
        registry.discover().await;
        assert_eq!(offered(&registry), ["a", "a"]);
        let view = registry.view(ViewPolicy::everything().read_only());
        let seen = view.tools();
        let names: Vec<&str> = seen.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["mcp_s_a"]);
        assert_eq!(view.dispatch("s/a", "{}").await, r#"{"result":"read"}"#);
        let error = view.call("t/a", "{}", None, None).await.unwrap_err();
        assert_eq!(error.code(), "write_not_permitted");
        registry.close().await;
    };
    far_ends.play_during(test, play).await;
}
