//! Real servers behind URLs, in one configuration that says nothing but the URL of each.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_registry::{Config, Registry, ServerState};
use mcp_client::Era;
use mcp_types::{Implementation, ProgressParams};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::own_tools;
use super::serve::{Served, start};

const CALL_MAX: Duration = Duration::from_secs(60);

/// What is expected of a server.
pub(super) struct Row {
    pub(super) name: &'static str,
    era: Era,
    /// A tool, the arguments of a call, and what the result must hold.
    pub(super) tool: (&'static str, Value, &'static str),
    /// A tool that reports three steps, and its arguments.
    steps: (&'static str, Value),
    /// Whether it has the tool `wait`, which tells that it was cancelled.
    pub(super) tells: bool,
    /// Whether its connection is one stream, which ends with it. Otherwise only the exchange of a
    /// call breaks, which says nothing of the connection.
    pub(super) is_bound_to_a_stream: bool,
}

pub(super) fn expected() -> Vec<Row> {
    let everything = |name| Row {
        name,
        era: Era::Legacy,
        tool: ("echo", json!({"message": "over there"}), "over there"),
        steps: (
            "trigger-long-running-operation",
            json!({"duration": 0.3, "steps": 3}),
        ),
        tells: false,
        is_bound_to_a_stream: false,
    };
    let ours = |name, era, tool| Row {
        name,
        era,
        tool,
        steps: ("count", json!({"steps": 3})),
        tells: true,
        is_bound_to_a_stream: false,
    };
    let bound = |row| Row {
        is_bound_to_a_stream: true,
        ..row
    };
    let multiply = || ("multiply", json!({"a": 6, "b": 7}), "42");
    let add = || ("add", json!({"a": 2, "b": 3}), "5");
    let subtract = || ("subtract", json!({"a": 9, "b": 2}), "7");
    vec![
        everything("everything-http"),
        bound(everything("everything-sse")),
        ours("fastmcp-http", Era::Modern, multiply()),
        bound(ours("fastmcp-sse", Era::Legacy, multiply())),
        ours("mcp2-stateful", Era::Modern, add()),
        ours("mcp2-stateless", Era::Modern, add()),
        ours("rmcp", Era::Modern, subtract()),
    ]
}

fn open(servers: &[Served], more: &str) -> Registry {
    let mut text = String::from("mcp_servers:\n");
    for Served { name, url, .. } in servers {
        let lines = format!("  {name}:\n    url: {url}\n    transport: auto\n");
        write!(text, "{lines}{more}").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    std::fs::write(&file, text).unwrap();
    let loaded = Config::load(&file).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    Registry::builder(loaded.config, Implementation::new("mcp-tests", "1")).open()
}

async fn hold_to(registry: &Registry, served: &Served, row: &Row, waits: usize) {
    is_ready(registry, served, row);
    let (tool, arguments, holds) = &row.tool;
    let (json, _) = call(registry, served, tool, arguments).await;
    assert!(json.contains(holds), "{json} from {served}");
    let (tool, arguments) = &row.steps;
    let (json, steps) = call(registry, served, tool, arguments).await;
    assert_eq!(steps, [1.0, 2.0, 3.0], "{json} from {served}");
    if row.tells {
        cancel(registry, served, waits).await;
    }
}

/// Connected in the right era, with every tool in the catalog.
fn is_ready(registry: &Registry, served: &Served, row: &Row) {
    let catalog = registry.catalog();
    let ready = match &catalog.server(row.name).unwrap().state {
        ServerState::Ready(ready) => ready,
        state => panic!("{state:?}: {served}"),
    };
    assert_eq!(ready.era, row.era, "{} with {served}", ready.version);
    let listed = own_tools(&catalog, row.name).into_iter();
    let listed: Vec<_> = listed.map(|tool| tool.route.tool.as_ref()).collect();
    assert_eq!(listed.len(), ready.tools_listed, "{served}");
    for tool in [row.tool.0, row.steps.0] {
        assert!(listed.contains(&tool), "{listed:?} of {served}");
    }
}

/// What a model would see of the answer, and the progress before it.
async fn call(
    registry: &Registry,
    served: &Served,
    tool: &str,
    arguments: &Value,
) -> (String, Vec<f64>) {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&steps);
    let progress = move |told: ProgressParams| sink.lock().unwrap().push(told.progress);
    let (name, arguments) = (format!("{}/{tool}", served.name), arguments.to_string());
    let call = registry.call(&name, &arguments, None, Some(Box::new(progress)));
    let called = timeout(CALL_MAX, call).await;
    let called = called.unwrap_or_else(|_| panic!("`{tool}` takes too long: {served}"));
    let called = called.unwrap_or_else(|error| panic!("`{tool}`: {error}; {served}"));
    let shown = registry.outcome(&called);
    assert!(!shown.is_error, "{} from {served}", shown.json);
    let steps = steps.lock().unwrap().clone();
    (shown.json, steps)
}

/// A call that the server has begun is dropped, and the server's tool is told so.
async fn cancel(registry: &Registry, served: &Served, times: usize) {
    let name = format!("{}/wait", served.name);
    let mut call = Box::pin(registry.call(&name, "{}", None, None));
    tokio::select! {
        answer = &mut call => panic!("{answer:?} from {served}"),
        () = served.heard("tool wait: begun", times) => {}
    }
    assert_eq!(served.count("tool wait: cancelled"), times - 1, "{served}");
    drop(call);
    served.heard("tool wait: cancelled", times).await;
}

async fn end(registry: Registry, servers: Vec<Served>) {
    timeout(CALL_MAX, registry.close()).await.unwrap();
    futures_util::future::join_all(servers.into_iter().map(Served::end)).await;
}

#[tokio::test]
async fn seven_servers_behind_urls_connect_at_once_and_each_answers_reports_and_is_cancelled() {
    let servers = start(|_| true).await;
    let registry = open(&servers, "");
    timeout(CALL_MAX, registry.discover()).await.unwrap();
    let rows = expected();
    assert_eq!(servers.len(), rows.len());
    for (served, row) in servers.iter().zip(&rows) {
        hold_to(&registry, served, row, 1).await;
    }
    end(registry, servers).await;
}

/// The handshake, sessions and all, is spoken with the same servers when the configuration asks.
#[tokio::test]
async fn modern_servers_behind_urls_also_do_all_of_it_in_the_older_era() {
    let mut rows = expected();
    rows.retain(|row| row.era == Era::Modern);
    let servers = start(|name| rows.iter().any(|row| row.name == name)).await;
    let registry = open(&servers, "    protocol: legacy\n");
    timeout(CALL_MAX, registry.discover()).await.unwrap();
    assert_eq!(servers.len(), rows.len());
    for (served, row) in servers.iter().zip(&mut rows) {
        row.era = Era::Legacy;
        hold_to(&registry, served, row, 1).await;
    }
    end(registry, servers).await;
}
