//! The host's own tools beside those of servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hermes_registry::host::{Admission, HostTool, HostToolHandler};
use hermes_registry::schema::Flavor;
use hermes_registry::view::{AccessList, ViewPolicy};
use hermes_registry::{Config, Origin, Registry};
use mcp_types::{CallToolResult, ContentBlock, Implementation, RawJson, Tool};
use serde_json::{Value, json};

use super::{LIST, close, configured, offered, registry, say_tools, stage};

/// What a call of a tool comes to.
#[derive(Clone, Copy)]
enum Way {
    Answers,
    Fails,
    Hangs,
    Panics,
}

#[async_trait]
impl HostToolHandler for Way {
    async fn call(&self, arguments: RawJson) -> Result<CallToolResult, String> {
        match self {
            Self::Answers => Ok(CallToolResult::new(vec![ContentBlock::text(
                arguments.as_str(),
            )])),
            Self::Fails => Err("the disk is full".to_owned()),
            Self::Hangs => std::future::pending().await,
            Self::Panics => panic!("as it is meant to"),
        }
    }
}

fn tool(name: &str, way: Way) -> HostTool {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let schema = RawJson::parse(schema.to_string()).unwrap();
    HostTool::new("core", Tool::new(name, schema), way).unwrap()
}

fn alone() -> Registry {
    Registry::builder(Config::new(), Implementation::new("mcp-tests", "1")).open()
}

async fn dispatched(registry: &Registry, name: &str, arguments: &str) -> Value {
    serde_json::from_str(&registry.dispatch(name, arguments).await).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_tool_of_the_host_is_called_like_any_other_and_its_faults_are_errors_of_the_call() {
    let registry = alone();
    for (name, way) in [
        ("answers", Way::Answers),
        ("fails", Way::Fails),
        ("hangs", Way::Hangs),
        ("panics", Way::Panics),
    ] {
        registry.register(tool(name, way)).unwrap();
    }
    let said = dispatched(&registry, "answers", r#"{"n": 1}"#).await;
    assert_eq!(said, json!({"result": r#"{"n": 1}"#}));
    for (name, arguments, code, message) in [
        ("answers", r#"{"n": "x"}"#, "invalid_arguments", "integer"),
        ("answers", "[]", "invalid_arguments", "JSON object"),
        ("fails", "", "tool_error", "the disk is full"),
        ("hangs", "{}", "deadline", "120 s"),
        ("panics", "{}", "tool_panicked", "panicked"),
        ("answer", "{}", "unknown_tool", "answer"),
    ] {
        let shown = dispatched(&registry, name, arguments).await;
        assert_eq!(shown["error"]["code"], code, "{shown}");
        let text = shown["error"]["message"].as_str().unwrap();
        assert!(text.contains(message), "{text}");
    }
    let soon = Some(Duration::from_secs(1));
    let error = registry.call("hangs", "{}", soon, None).await.unwrap_err();
    assert!(error.to_string().contains("within 1 s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cannot_be_used_is_neither_offered_nor_called() {
    let registry = alone();
    let is_there = Arc::new(AtomicBool::new(false));
    let check = Arc::clone(&is_there);
    let checked = tool("checked", Way::Answers).with_check(move || check.load(Ordering::Relaxed));
    registry.register(checked).unwrap();
    let first = registry.catalog();
    assert_eq!(first.tools().len(), 0);
    let shown = dispatched(&registry, "checked", "{}").await;
    assert_eq!(shown["error"]["code"], "tool_unavailable", "{shown}");

    is_there.store(true, Ordering::Relaxed);
    tokio::time::advance(Duration::from_secs(29)).await;
    assert_eq!(
        registry.catalog().tools().len(),
        0,
        "the answer still counts"
    );
    tokio::time::advance(Duration::from_secs(1)).await;
    let second = registry.catalog();
    assert_eq!(second.tools()[0].origin, Origin::Host);
    assert!(second.generation() > first.generation());
    assert_eq!(second.definitions(Flavor::Strict).len(), 1);
    let shown = dispatched(&registry, "checked", "{}").await;
    assert_eq!(shown, json!({"result": "{}"}));
}

#[tokio::test]
async fn a_servers_tool_never_takes_the_name_of_one_of_the_host() {
    let first = say_tools(&["log", "push"]);
    let stage = stage(&[LIST, &first]);
    let registry = registry(json!({ "git": configured(&stage, json!({})) }));
    registry
        .register(tool("mcp_git_log", Way::Answers))
        .unwrap();
    registry.discover().await;
    let catalog = registry.catalog();
    let own = catalog.tool("mcp_git_log").unwrap();
    assert_eq!(own.origin, Origin::Host);
    let names: Vec<&str> = catalog
        .tools()
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names[1].starts_with("mcp_git_log_"), "{names:?}");
    assert_eq!(catalog.tool(names[1]).unwrap().route.tool.as_ref(), "log");

    // What a server has already is taken by an override alone, where the rules let it.
    let taken = registry
        .register(tool("mcp_git_push", Way::Answers))
        .unwrap_err();
    assert!(taken.to_string().contains("`mcp-git`"), "{taken}");
    let refused = registry.override_with(tool("mcp_git_push", Way::Answers));
    assert!(refused.is_err());
    assert_eq!(offered(&registry).len(), 3);
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_view_keeps_tools_of_the_host_from_an_agent_too() {
    let registry = Registry::builder(Config::new(), Implementation::new("mcp-tests", "1"))
        .admission(Admission::default())
        .open();
    registry.register(tool("read", Way::Answers)).unwrap();
    registry.register(tool("remove", Way::Answers)).unwrap();
    let view = registry.view(ViewPolicy::everything().with_tools(AccessList::only(["core/read"])));
    assert_eq!(view.tools().len(), 1);
    let refused = view.call("remove", "{}", None, None).await.unwrap_err();
    assert_eq!(refused.code(), "tool_not_permitted");
    assert_eq!(view.dispatch("read", "{}").await, r#"{"result":"{}"}"#);
}
