//! Real servers as child processes, which `cargo xtask peers` names in one configuration.

use std::time::Duration;

use hermes_registry::{Config, Outcome, Registry, ServerState};
use mcp_types::Implementation;
use serde_json::json;
use tokio::time::timeout;

use super::table::{Row, rows};
use super::{folder, own_tools};

#[tokio::test]
async fn sixteen_real_servers_connect_at_once_and_each_answers_rightly() {
    let loaded = Config::load(&folder().join("config.yaml")).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let client = Implementation::new("mcp-tests", "1");
    let registry = Registry::builder(loaded.config, client).open();
    let catalog = timeout(Duration::from_secs(90), registry.discover())
        .await
        .unwrap();
    let rows = rows();
    let names = rows.iter().map(|row| row.server);
    let configured = catalog.servers().iter().map(|server| server.name.as_str());
    assert!(configured.eq(names));
    for row in &rows {
        is_ready(&registry, row);
        let shown = call(&registry, row.server, row.tool, &row.arguments.to_string()).await;
        assert_eq!(
            shown.is_error, row.is_error,
            "{}: {}",
            row.server, shown.json
        );
        assert!(
            shown.json.contains(row.holds),
            "{}: {}",
            row.server,
            shown.json
        );
    }
    // What one call creates, another reads back.
    let name = format!("Ada {}", std::process::id());
    let entity = json!({"name": name, "entityType": "person", "observations": ["wrote notes"]});
    let entities = json!({"entities": [entity]}).to_string();
    call(&registry, "memory", "create_entities", &entities).await;
    let graph = registry.dispatch("memory/read_graph", "{}").await;
    assert!(
        graph.contains(&name) && graph.contains("wrote notes"),
        "{graph}"
    );
    timeout(Duration::from_secs(30), registry.close())
        .await
        .unwrap();
}

/// Connected in the right era, with every tool in the catalog.
fn is_ready(registry: &Registry, row: &Row) {
    let catalog = registry.catalog();
    let ready = match &catalog.server(row.server).unwrap().state {
        ServerState::Ready(ready) => ready,
        state => panic!("{}: {state:?}", row.server),
    };
    assert_eq!(
        ready.era, row.era,
        "{} speaks {}",
        row.server, ready.version
    );
    let listed = own_tools(&catalog, row.server);
    assert!(
        !listed.is_empty() && listed.len() == ready.tools_listed,
        "{}",
        row.server
    );
    assert!(
        listed.iter().all(|tool| tool.tool.input_schema.is_some()),
        "{}",
        row.server
    );
}

async fn call(registry: &Registry, server: &str, tool: &str, arguments: &str) -> Outcome {
    let name = format!("{server}/{tool}");
    let call = registry.call(&name, arguments, None, None);
    let called = timeout(Duration::from_secs(60), call).await.unwrap();
    let called = called.unwrap_or_else(|error| panic!("{server}: {error}"));
    registry.outcome(&called)
}
