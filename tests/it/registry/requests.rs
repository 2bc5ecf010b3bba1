//! What a registry asks of a server beside calls of tools, and what it tells of the answers.

use hermes_registry::life::State;
use hermes_registry::{Event, Events};
use mcp_client::{Change, ResourceUpdate};
use mcp_tests::stage::{PATIENCE, Stage};
use mcp_types::completion::{CompletionArgument, PromptReference};
use mcp_types::{CompleteParams, GetPromptParams, LoggingLevel};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{SERVER, close, configured, registry};

/// What a server with everything answers, each to its method.
pub(crate) fn everything() -> Value {
    json!({
        "initialize": {
            "protocolVersion": "2025-11-25",
            "serverInfo": {"name": "rich", "version": "1"},
            "capabilities": {
                "completions": {},
                "logging": {},
                "prompts": {"listChanged": true},
                "resources": {"subscribe": true, "listChanged": true},
                "tools": {},
            },
        },
        "tools/list": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]},
        "resources/list": {"resources": [
            {"uri": "file:///notes", "name": "notes", "mimeType": "text/plain"},
            {"uri": "file:///picture", "name": "picture"},
        ]},
        "resources/templates/list": {"resourceTemplates": [
            {"uriTemplate": "file:///{path}", "name": "files"},
        ]},
        "resources/read": {"contents": [{"uri": "file:///notes", "text": "remember"}]},
        "resources/subscribe": {},
        "prompts/list": {"prompts": [
            {"name": "greet", "description": "Says hello", "arguments": [{"name": "who", "required": true}]},
        ]},
        "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": "Hello, Ada"}}]},
        "completion/complete": {"completion": {"values": ["Ada", "Alan"], "hasMore": false}},
        "logging/setLevel": {},
    })
}

/// A server that answers these methods, each in the same way, after it has said something.
pub(crate) fn serving(results: &Value) -> Stage {
    Stage::new(SERVER, &format!("{{\"serve\":{results}}}\n"))
}

/// Without a question for the era, which such a server does not refuse.
pub(crate) fn legacy(more: Value) -> Value {
    let mut settings = json!({"protocol": "legacy", "reconnect": {"backoff_first": 0.1}});
    let more = more.as_object().unwrap().clone();
    settings.as_object_mut().unwrap().extend(more);
    settings
}

/// What a runtime of many threads can be given.
fn for_any_thread<T: Send>(future: T) -> T {
    future
}

#[tokio::test]
async fn resources_prompts_and_completions_of_a_server_are_had_by_its_name() {
    let stage = serving(&everything());
    let registry = registry(json!({
        "s": configured(&stage, legacy(json!({}))),
        "off": {"command": "nothing", "enabled": false},
    }));
    let resources = for_any_thread(registry.resources("s")).await.unwrap();
    let uris: Vec<&str> = resources.items.iter().map(|one| one.uri.as_str()).collect();
    assert_eq!(uris, ["file:///notes", "file:///picture"]);
    let templates = registry.resource_templates("s").await.unwrap();
    assert_eq!(templates.items[0].uri_template, "file:///{path}");
    let read = registry.read_resource("s", "file:///notes").await.unwrap();
    assert_eq!(read.value.contents.len(), 1);
    let prompts = registry.prompts("s").await.unwrap();
    assert_eq!(prompts.items[0].name, "greet");
    let filled = GetPromptParams::new("greet").with_argument("who", "Ada");
    let prompt = registry.prompt("s", &filled).await.unwrap();
    assert_eq!(prompt.value.messages.len(), 1);
    let reference = PromptReference::new("greet");
    let typed = CompleteParams::new(reference, CompletionArgument::new("who", "A"));
    let completed = registry.complete("s", &typed).await.unwrap();
    assert_eq!(completed.value.completion.values, ["Ada", "Alan"]);

    let unknown = registry.resources("z").await.unwrap_err();
    assert_eq!(unknown.code(), "unknown_server");
    let disabled = registry.prompts("off").await.unwrap_err();
    assert_eq!(disabled.code(), "server_disabled");
    assert_eq!(stage.spawns(), 1);
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn what_a_server_does_not_offer_is_refused_without_asking_it() {
    let mut results = everything();
    results["initialize"]["capabilities"] = json!({"tools": {}});
    let stage = serving(&results);
    let registry = registry(json!({ "s": configured(&stage, legacy(json!({}))) }));
    let error = registry.prompts("s").await.unwrap_err();
    let text = error.to_model_json(&Default::default());
    assert!(
        text.contains("prompts/list") && text.contains("`s`"),
        "{text}"
    );
    assert_eq!(stage.record().of("prompts/list").len(), 0);
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_watched_resource_is_watched_again_after_its_server_was_killed() {
    let stage = serving(&everything());
    let registry = registry(json!({ "s": configured(&stage, legacy(json!({}))) }));
    let mut watch = registry.watch("s", ["file:///notes"]).await.unwrap();
    assert_eq!(stage.record().of("resources/subscribe").len(), 1);
    stage.kill();
    let update = timeout(PATIENCE, watch.next()).await.unwrap();
    assert_eq!(update, Some(ResourceUpdate::Many));
    assert_eq!(stage.record().of("resources/subscribe").len(), 2);
    assert_eq!(stage.spawns(), 2);
    timeout(PATIENCE, registry.close()).await.unwrap();
    let over = timeout(PATIENCE, watch.next()).await.unwrap();
    assert_eq!(over, None);
    close(&registry, &[&stage]).await;
}

/// All that was told, in order.
struct Heard {
    events: Events,
    so_far: Vec<Event>,
}

impl Heard {
    /// The first event of this kind, whether or not it was told already.
    async fn first<T>(&mut self, of_kind: impl Fn(&Event) -> Option<T>) -> T {
        let found = async {
            loop {
                if let Some(found) = self.so_far.iter().find_map(&of_kind) {
                    return found;
                }
                let event = self.events.next().await;
                self.so_far.push(event.expect("the registry is open"));
            }
        };
        timeout(PATIENCE, found).await.expect("the event comes")
    }
}

#[tokio::test]
async fn states_tools_logs_and_lists_are_told_as_they_change() {
    let mut results = everything();
    let initialize = results
        .as_object_mut()
        .unwrap()
        .remove("initialize")
        .unwrap();
    let told = json!({"jsonrpc": "2.0", "method": "notifications/message",
        "params": {"level": "warning", "logger": "disk", "data": "token=abcdefgh12345678 is full"}});
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"});
    let script = [
        json!({"wait": "initialize", "id": "I"}),
        json!({"say": {"jsonrpc": "2.0", "id": "$I", "result": initialize}}),
        json!({"wait": "tools/list", "id": "L"}),
        json!({"say": {"jsonrpc": "2.0", "id": "$L", "result": results["tools/list"]}}),
        json!({"say": told}),
        json!({"say": changed}),
        json!({ "serve": results }),
    ];
    let script = script.map(|step| step.to_string()).join("\n");
    let stage = Stage::new(SERVER, &format!("{script}\n"));
    let registry = registry(json!({ "s": configured(&stage, legacy(json!({}))) }));
    let (events, so_far) = (registry.events(), Vec::new());
    let mut heard = Heard { events, so_far };
    registry.discover().await;
    let state = |wanted: State| {
        move |event: &Event| match event {
            Event::State { server, state, why } if *state == wanted => {
                Some(format!("{server}: {why}"))
            }
            _ => None,
        }
    };
    let ready = heard.first(state(State::Ready)).await;
    assert_eq!(ready, "s: it was connected");
    let tools = |event: &Event| match event {
        Event::Tools { added, .. } => Some(added.clone()),
        _ => None,
    };
    assert_eq!(heard.first(tools).await[0].as_str(), "mcp_s_a");
    let log = |event: &Event| match event {
        Event::Log {
            level,
            logger,
            text,
            ..
        } => Some((level.clone(), logger.clone(), text.clone())),
        _ => None,
    };
    let (level, logger, text) = heard.first(log).await;
    assert_eq!(
        (level, logger.as_deref()),
        (LoggingLevel::Warning, Some("disk"))
    );
    assert_eq!(text, "token=[REDACTED] is full");
    let list = |event: &Event| match event {
        Event::List { change, .. } => Some(*change),
        _ => None,
    };
    assert_eq!(heard.first(list).await, Change::Prompts);
    timeout(PATIENCE, registry.close()).await.unwrap();
    heard.first(state(State::Closed)).await;
    let rest = async { while heard.events.next().await.is_some() {} };
    timeout(PATIENCE, rest).await.expect("the events end");
    close(&registry, &[&stage]).await;
}
