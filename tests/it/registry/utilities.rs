//! Tools that are made of a server's resources, prompts and completions.

use hermes_registry::schema::Flavor;
use hermes_registry::view::{AccessList, Selector, ViewPolicy};
use hermes_registry::{Registry, ServerState};
use mcp_tests::stage::PATIENCE;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::requests::{everything, legacy, serving};
use super::{close, configured, offered, registry};

async fn dispatched(registry: &Registry, tool: &str, arguments: &Value) -> Value {
    let name = format!("mcp_s_{tool}");
    let arguments = arguments.to_string();
    let shown = timeout(PATIENCE, registry.dispatch(&name, &arguments)).await;
    serde_json::from_str(&shown.unwrap()).unwrap()
}

/// Report NousResearch/hermes-agent#18051.
#[tokio::test]
async fn a_model_reaches_resources_prompts_and_completions_by_tools() {
    let stage = serving(&everything());
    let registry = registry(json!({ "s": configured(&stage, legacy(json!({}))) }));
    registry.discover().await;
    assert_eq!(
        offered(&registry),
        [
            "a",
            "complete",
            "get_prompt",
            "list_prompts",
            "list_resource_templates",
            "list_resources",
            "read_resource",
        ]
    );
    for (tool, arguments, result) in [
        (
            "list_resources",
            json!({}),
            json!({"resources": [
                {"uri": "file:///notes", "name": "notes", "mimeType": "text/plain"},
                {"uri": "file:///picture", "name": "picture"},
            ]}),
        ),
        (
            "list_resource_templates",
            json!({}),
            json!({"resourceTemplates": [{"uriTemplate": "file:///{path}", "name": "files"}]}),
        ),
        (
            "read_resource",
            json!({"uri": "file:///notes"}),
            json!("remember"),
        ),
        (
            "list_prompts",
            json!({}),
            json!({"prompts": [
                {"name": "greet", "description": "Says hello", "arguments": [{"name": "who", "required": true}]},
            ]}),
        ),
        (
            "get_prompt",
            json!({"name": "greet", "arguments": {"who": "Ada", "times": 2, "why": null}}),
            json!({"messages": [{"role": "user", "content": "Hello, Ada"}]}),
        ),
        (
            "complete",
            json!({"prompt": "greet", "argument": "who", "value": "A", "filled_in": {"times": "2"}}),
            json!({"values": ["Ada", "Alan"], "hasMore": false}),
        ),
    ] {
        let shown = dispatched(&registry, tool, &arguments).await;
        assert_eq!(shown, json!({ "result": result }), "{tool}");
    }
    let record = stage.record();
    let got = record.of("prompts/get")[0].at("params.arguments").unwrap();
    assert_eq!(*got, json!({"who": "Ada", "times": "2"}));
    let completed = record.of("completion/complete");
    let context = completed[0].at("params.context").unwrap();
    assert_eq!(*context, json!({"arguments": {"times": "2"}}));

    let missing = dispatched(&registry, "read_resource", &json!({})).await;
    assert_eq!(missing["error"]["code"], "invalid_arguments", "{missing}");
    let both = json!({"prompt": "p", "uri": "u", "argument": "a", "value": ""});
    let both = dispatched(&registry, "complete", &both).await;
    assert_eq!(both["error"]["code"], "invalid_arguments", "{both}");
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_configuration_keeps_them_back_and_a_server_without_tools_is_of_use_all_the_same() {
    let mut results = everything();
    let capabilities = json!({"resources": {}, "prompts": {}});
    results["initialize"]["capabilities"] = capabilities;
    let stage = serving(&results);
    let no_prompts = json!({"tools": {"prompts": false, "include": []}});
    let registry = registry(json!({ "s": configured(&stage, legacy(no_prompts)) }));
    let catalog = registry.discover().await;
    assert!(matches!(
        &catalog.server("s").unwrap().state,
        ServerState::Ready(ready) if ready.tools_listed == 0
    ));
    assert_eq!(
        offered(&registry),
        ["list_resource_templates", "list_resources", "read_resource"]
    );
    assert_eq!(stage.record().of("tools/list").len(), 0);
    let refused = dispatched(&registry, "get_prompt", &json!({"name": "greet"})).await;
    assert_eq!(refused["error"]["code"], "unknown_tool", "{refused}");
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn an_agent_sees_and_reads_only_the_resources_and_prompts_that_are_for_it() {
    let stage = serving(&everything());
    let registry = registry(json!({ "s": configured(&stage, legacy(json!({}))) }));
    registry.discover().await;
    let policy = ViewPolicy::everything()
        .read_only()
        .with_resources(AccessList::only([Selector::any("file:///notes")]))
        .with_prompts(AccessList::nothing());
    let view = registry.view(policy);
    let tools: Vec<String> = view
        .tools()
        .iter()
        .map(|tool| tool.name.to_string())
        .collect();
    assert!(!tools.contains(&"mcp_s_a".to_owned()), "{tools:?}");
    assert!(
        tools.contains(&"mcp_s_read_resource".to_owned()),
        "{tools:?}"
    );
    let definitions = view.definitions(Flavor::Strict);
    assert_eq!(definitions.len(), tools.len());
    assert!(std::sync::Arc::ptr_eq(
        &definitions,
        &view.definitions(Flavor::Strict)
    ));
    for (tool, arguments, expected) in [
        (
            "list_resources",
            "{}",
            json!({"result": {"resources": [
                {"uri": "file:///notes", "name": "notes", "mimeType": "text/plain"},
            ]}}),
        ),
        ("list_prompts", "{}", json!({"result": {"prompts": []}})),
    ] {
        let shown = timeout(PATIENCE, view.dispatch(&format!("s/{tool}"), arguments)).await;
        let shown: Value = serde_json::from_str(&shown.unwrap()).unwrap();
        assert_eq!(shown, expected, "{tool}");
    }
    for (tool, arguments, code) in [
        (
            "read_resource",
            r#"{"uri": "file:///picture"}"#,
            "resource_not_permitted",
        ),
        ("get_prompt", r#"{"name": "greet"}"#, "prompt_not_permitted"),
        ("a", "{}", "write_not_permitted"),
    ] {
        let error = view.call(&format!("s/{tool}"), arguments, None, None).await;
        assert_eq!(error.unwrap_err().code(), code, "{tool}");
    }
    assert_eq!(stage.record().of("resources/read").len(), 0);
    close(&registry, &[&stage]).await;
}
