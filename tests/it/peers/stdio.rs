//! Real servers as child processes, which `cargo xtask peers` names in one configuration.

use std::time::Duration;

use hermes_registry::{Config, Registry, ServerState};
use mcp_client::Era;
use mcp_types::Implementation;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{folder, own_tools};

/// Each server, its era, a tool, the arguments of a call, and what the result must hold.
fn expected(folder: &str) -> [(&'static str, Era, &'static str, Value, &'static str); 8] {
    let thought = json!({
        "thought": "one step", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1,
    });
    let time = json!({
        "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo",
    });
    // Not what an earlier run may have left.
    let name = format!("Ada {}", std::process::id());
    let entity = json!({"name": name, "entityType": "person", "observations": ["wrote notes"]});
    [
        (
            "everything",
            Era::Legacy,
            "echo",
            json!({"message": "over there"}),
            "over there",
        ),
        (
            "filesystem",
            Era::Legacy,
            "read_text_file",
            json!({"path": format!("{folder}/files/hello.txt")}),
            "hello from the peers",
        ),
        (
            "memory",
            Era::Legacy,
            "create_entities",
            json!({"entities": [entity]}),
            "Ada",
        ),
        (
            "sequential-thinking",
            Era::Legacy,
            "sequentialthinking",
            thought,
            "thoughtNumber",
        ),
        ("time", Era::Modern, "convert_time", time, "21:00"),
        (
            "git",
            Era::Modern,
            "git_log",
            json!({"repo_path": format!("{folder}/repo"), "max_count": 1}),
            "Say hello",
        ),
        (
            "fastmcp",
            Era::Modern,
            "multiply",
            json!({"a": 6, "b": 7}),
            "42",
        ),
        ("mcp2", Era::Modern, "add", json!({"a": 2, "b": 3}), "5"),
    ]
}

#[tokio::test]
async fn eight_real_servers_connect_at_once_and_each_answers_rightly() {
    let folder = folder();
    let loaded = Config::load(&folder.join("config.yaml")).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let client = Implementation::new("mcp-tests", "1");
    let registry = Registry::builder(loaded.config, client).open();
    let catalog = timeout(Duration::from_secs(90), registry.discover())
        .await
        .unwrap();
    assert_eq!(catalog.servers().len(), 8);
    for (name, era, tool, arguments, holds) in expected(&folder.display().to_string()) {
        let ready = match &catalog.server(name).unwrap().state {
            ServerState::Ready(ready) => ready,
            state => panic!("{name}: {state:?}"),
        };
        assert_eq!(ready.era, era, "{name} speaks {}", ready.version);
        let listed = own_tools(&catalog, name);
        assert!(
            !listed.is_empty() && listed.len() == ready.tools_listed,
            "{name}"
        );
        assert!(
            listed.iter().all(|tool| tool.tool.input_schema.is_some()),
            "{name}"
        );
        let (public, arguments) = (format!("{name}/{tool}"), arguments.to_string());
        let call = registry.call(&public, &arguments, None, None);
        let called = timeout(Duration::from_secs(60), call).await.unwrap();
        let called = called.unwrap_or_else(|error| panic!("{name}: {error}"));
        let shown = registry.outcome(&called);
        assert!(
            !shown.is_error && shown.json.contains(holds),
            "{name}: {}",
            shown.json
        );
    }
    // What one call created, another reads back.
    let graph = registry.dispatch("memory/read_graph", "{}").await;
    assert!(
        graph.contains("Ada") && graph.contains("wrote notes"),
        "{graph}"
    );
    timeout(Duration::from_secs(30), registry.close())
        .await
        .unwrap();
}
