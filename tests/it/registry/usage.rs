//! What is measured and told of calls, and of servers.

use std::fs;
use std::future::Future as _;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use hermes_registry::usage::{UsageOutcome, UsageRecord};
use hermes_registry::view::{AccessList, Selector, ViewPolicy};
use hermes_registry::{Config, Event, Events, Registry};
use mcp_tests::stage::{PATIENCE, Stage};
use mcp_types::Implementation;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::requests::{everything, legacy, serving};
use super::{close, configured, registry};

/// A server with the tools `a` and `b`, which answers every call with this result.
fn answering(result: Value) -> Stage {
    let mut results = everything();
    results["tools/list"] = json!({"tools": [
        {"name": "a", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        {"name": "b", "inputSchema": {"type": "object"}},
    ]});
    results["tools/call"] = result;
    serving(&results)
}

fn fine() -> Value {
    json!({"content": [{"type": "text", "text": "ok"}]})
}

/// The next call that is told of.
async fn called(events: &mut Events) -> Arc<UsageRecord> {
    loop {
        let event = timeout(PATIENCE, events.next()).await.unwrap();
        if let Some(Event::Called(record)) = event {
            return record;
        }
    }
}

#[tokio::test]
async fn each_call_is_told_as_an_event_and_as_a_line_and_counted() {
    let (good, bad) = (
        answering(fine()),
        answering(json!({"content": [], "isError": true})),
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("usage.jsonl");
    let servers = json!({
        "good": configured(&good, legacy(json!({}))),
        "bad": configured(&bad, legacy(json!({}))),
    });
    let text = json!({ "mcp_servers": servers }).to_string();
    let config = Config::parse(&text, "config.yaml", &|_name| None).unwrap();
    let builder = Registry::builder(config.config, Implementation::new("mcp-tests", "1"));
    let registry = builder.usage_log(&path).open();
    registry.discover().await;
    let mut events = registry.events();
    let only_a = AccessList::everything().without([Selector::any("b")]);
    let view = registry.view(ViewPolicy::everything().with_tools(only_a).named("worker"));

    view.call("mcp_good_a", r#"{"n": 1}"#, None, None)
        .await
        .unwrap();
    let record = called(&mut events).await;
    assert_eq!((record.server.as_str(), &*record.tool), ("good", "a"));
    assert_eq!(record.name.as_deref(), Some("mcp_good_a"));
    assert_eq!(record.view.as_deref(), Some("worker"));
    assert_eq!(record.outcome, UsageOutcome::Answered);
    assert_eq!(record.sent, Some(8));
    assert!(record.took.is_some() && record.received > Some(0));

    registry.call("bad/b", "{}", None, None).await.unwrap();
    let record = called(&mut events).await;
    assert_eq!(record.outcome, UsageOutcome::ToolError);
    assert_eq!(record.view, None);

    for (name, arguments, code) in [
        ("mcp_good_b", "{}", "tool_not_permitted"),
        ("mcp_good_a", r#"{"n": "one"}"#, "invalid_arguments"),
        ("mcp_good_a", "[]", "invalid_arguments"),
    ] {
        let error = view.call(name, arguments, None, None).await.unwrap_err();
        assert_eq!(error.code(), code);
        let record = called(&mut events).await;
        assert_eq!(record.outcome, UsageOutcome::Refused(code));
        assert_eq!((record.took, record.sent), (None, None));
    }
    // What leads to no tool is no call of one.
    view.call("mcp_good_z", "{}", None, None).await.unwrap_err();

    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<_> = lines
        .iter()
        .map(|line| (&line["tool"], &line["outcome"], &line["error"]))
        .collect();
    assert_eq!(
        told,
        [
            (&json!("a"), &json!("answered"), &Value::Null),
            (&json!("b"), &json!("tool_error"), &Value::Null),
            (&json!("b"), &json!("refused"), &json!("tool_not_permitted")),
            (&json!("a"), &json!("refused"), &json!("invalid_arguments")),
            (&json!("a"), &json!("refused"), &json!("invalid_arguments")),
        ]
    );
    // The servers are in the order of their names, as `json` sorts them.
    let [bad_one, good_one] = &*registry.status() else {
        panic!("there are two servers")
    };
    let usage = &good_one.usage;
    assert_eq!((usage.calls, usage.answered, usage.refused), (4, 1, 3));
    assert_eq!(usage.latency.unwrap().count, 1);
    assert_eq!(bad_one.usage.error_rate, Some(1.0));
    close(&registry, &[&good, &bad]).await;
}

#[tokio::test]
async fn a_call_that_is_dropped_is_told_as_abandoned() {
    let stage = answering(fine());
    let registry = registry(json!({ "s": configured(&stage, legacy(json!({}))) }));
    registry.discover().await;
    let mut events = registry.events();
    {
        let mut call = pin!(registry.call("mcp_s_a", "{}", None, None));
        let mut context = Context::from_waker(Waker::noop());
        assert!(call.as_mut().poll(&mut context).is_pending());
    }
    let record = called(&mut events).await;
    assert_eq!(record.outcome, UsageOutcome::Abandoned);
    assert!(record.outcome_uncertain);
    let status = registry.status();
    assert_eq!(status[0].usage.abandoned, 1);
    assert_eq!(status[0].usage.latency, None);
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn what_is_counted_lasts_beyond_a_lost_connection_and_another_configuration() {
    let stage = answering(fine());
    let servers = |timeout: u64| {
        let more = legacy(json!({ "timeout": timeout }));
        json!({ "mcp_servers": { "s": configured(&stage, more) } }).to_string()
    };
    let config = |timeout| {
        let text = servers(timeout);
        let loaded = Config::parse(&text, "config.yaml", &|_name| None).unwrap();
        loaded.config
    };
    let client = Implementation::new("mcp-tests", "1");
    let registry = Registry::builder(config(20), client).open();
    registry.call("s/a", "{}", None, None).await.unwrap();
    stage.kill();
    let mut events = registry.events();
    while registry.status()[0].restarts == 0 {
        timeout(PATIENCE, events.next()).await.unwrap();
    }
    registry.call("s/a", "{}", None, None).await.unwrap();
    let before = registry.status();
    assert_eq!(before[0].usage.answered, 2);
    assert!(before[0].ledger.len() >= 4, "{:?}", before[0].ledger);

    registry.reload(config(21));
    registry.discover().await;
    registry.call("s/a", "{}", None, None).await.unwrap();
    let after = registry.status();
    assert_eq!((after[0].usage.answered, after[0].restarts), (3, 0));
    assert_eq!(after[0].tools[0].tool.as_deref(), Some("a"));
    assert_eq!(after[0].tools[0].usage.calls, 3);
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_report_tells_what_is_known_of_a_server_and_hides_its_secrets() {
    let mut results = everything();
    results["initialize"]["serverInfo"] = json!({"name": "hunter2hunter2", "version": "1"});
    results["tools/list"] = json!({"tools": [
        {"name": "a", "inputSchema": {"type": "object"}},
        {"name": "hunter2hunter2", "inputSchema": {"type": "object"}},
        {"name": 5},
    ]});
    let stage = serving(&results);
    let mut server = configured(&stage, legacy(json!({"tools": {"exclude": ["hunter*"]}})));
    server["env"]["THE_TOKEN"] = json!("hunter2hunter2");
    let missing = json!({"command": "hermes-no-such-command", "args": ["hunter2hunter2"],
        "env": {"THE_TOKEN": "hunter2hunter2", "PATH": "/nowhere/hunter2hunter2"}});
    let registry = registry(json!({
        "s": server,
        "gone": missing,
        "off": {"url": "https://example.com/mcp", "transport": "sse", "enabled": false},
    }));
    registry.discover().await;
    let status = registry.status();
    let shown = serde_json::to_value(&status).unwrap();
    let text = shown.to_string();
    assert!(!text.contains("hunter2hunter2"), "{text}");

    let [gone, off, good] = [&shown[0], &shown[1], &shown[2]];
    for (member, expected) in [
        ("name", json!("s")),
        ("transport", json!("stdio")),
        ("state", json!("ready")),
        ("last_error", Value::Null),
        ("next_attempt_seconds", Value::Null),
        ("restarts", json!(0)),
        (
            "breaker",
            json!({"state": "closed", "strikes": 0, "retry_seconds": null}),
        ),
        ("era", json!("legacy")),
        ("protocol_version", json!("2025-11-25")),
        (
            "server_info",
            json!({"name": "[REDACTED]", "title": null, "version": "1"}),
        ),
        ("tools_listed", json!(2)),
        ("left_out_count", json!(2)),
        ("in_flight", json!(0)),
        ("tools", json!([])),
    ] {
        assert_eq!(good[member], expected, "{member}");
    }
    assert_eq!(good["left_out"][0]["tool"], "tools[2]");
    assert_eq!(good["left_out"][0]["reason"], "unreadable");
    assert_eq!(good["left_out"][1]["tool"], "[REDACTED]");
    assert_eq!(good["left_out"][1]["detail"], "matches `tools.exclude`");
    assert_eq!(good["ledger"][0]["state"], "idle");
    assert_eq!(good["usage"]["calls"], 0);

    assert_eq!(gone["state"], "parked");
    assert_eq!(gone["last_error"]["kind"], "configuration");
    assert!(gone["last_error"]["text"].is_string());
    assert_eq!(gone["era"], Value::Null);
    assert_eq!(
        (&off["state"], &off["transport"]),
        (&json!("disabled"), &json!("sse"))
    );
    close(&registry, &[&stage]).await;
}
