//! The front ends for callers without a runtime.

use std::thread;

use hermes_registry::blocking::Registry;
use mcp_client::blocking::{Client, Worker};
use mcp_tests::stage::Stage;
use mcp_transport::{Limits, stdio};
use mcp_types::RawJson;
use serde_json::json;

use super::requests::{everything, legacy, serving};
use super::{builder, configured};

fn with_calls() -> Stage {
    let mut results = everything();
    results["tools/list"]["tools"][0]["annotations"] = json!({"readOnlyHint": true});
    results["tools/call"] = json!({"content": [{"type": "text", "text": "done"}]});
    serving(&results)
}

#[test]
fn a_client_is_used_from_threads_without_a_runtime_and_leaves_no_process() {
    let stage = with_calls();
    let start = || Ok(stdio::spawn(stage.command(), Limits::default())?);
    let hint = mcp_client::EraHint::Legacy;
    let client = Client::connect_with(mcp_tests::stage::builder().era_hint(hint), start).unwrap();
    assert_eq!(client.list_tools().unwrap().items[0].name, "a");
    assert_eq!(client.list_prompts().unwrap().items[0].name, "greet");
    let text = |client: &Client| {
        let reply = client.call_tool("a", &RawJson::empty_object()).unwrap();
        reply.value.content[0].as_text().map(str::to_owned)
    };
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let client = client.clone();
            thread::spawn(move || text(&client))
        })
        .collect();
    for caller in callers {
        assert_eq!(caller.join().unwrap().as_deref(), Some("done"));
    }
    let closed = client.close().expect("it was a process");
    assert_eq!(closed.survivors, [0; 0]);
    drop(client);
    assert_eq!(stage.processes(), [""; 0]);
}

#[test]
fn a_registry_keeps_its_servers_between_calls_of_threads_without_a_runtime() {
    let stage = with_calls();
    let servers = json!({ "s": configured(&stage, legacy(json!({}))) });
    let registry = Registry::open(builder(&servers)).unwrap();
    assert_eq!(registry.discover().tools().len(), 7);
    assert_eq!(registry.dispatch("mcp_s_a", "{}"), r#"{"result":"done"}"#);
    let read = registry.read_resource("s", "file:///notes").unwrap();
    assert_eq!(read.value.contents.len(), 1);
    stage.kill();
    assert_eq!(registry.dispatch("s/a", "{}"), r#"{"result":"done"}"#);
    assert_eq!(stage.spawns(), 2);
    let unknown = registry.discover_server("z").unwrap_err();
    assert_eq!(unknown.code(), "unknown_server");
    registry.close();
    drop(registry);
    assert_eq!(stage.processes(), [""; 0]);
}

#[test]
fn one_worker_serves_many_and_ends_with_the_last() {
    let worker = Worker::start().unwrap();
    let (one, other) = (with_calls(), with_calls());
    let registries = [&one, &other].map(|stage| {
        let servers = json!({ "s": configured(stage, legacy(json!({}))) });
        Registry::on(worker.clone(), builder(&servers))
    });
    drop(worker);
    for registry in &registries {
        assert_eq!(registry.dispatch("s/a", ""), r#"{"result":"done"}"#);
    }
    registries.iter().for_each(Registry::close);
}
