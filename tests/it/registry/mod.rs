//! The registry over fake servers: what a filter, a storm of changes or a bad neighbour does.

mod answers;
mod blocking;
mod budgets;
mod dispatch;
mod frames;
mod gateway;
mod host;
mod keepalive;
mod life;
mod lists;
mod logging;
mod memory;
mod names;
mod neighbours;
mod requests;
mod spans;
mod trust;
mod usage;
mod utilities;

use hermes_registry::{Builder, Config, Registry, ServerState};
use mcp_tests::record::Record;
use mcp_tests::stage::{PATIENCE, STAGE_MARK, Stage, until};
use mcp_types::Implementation;
use serde_json::json;
use tokio::time::timeout;

const SERVER: &str = env!("CARGO_BIN_EXE_fake-server");
const LIST: &str = r#"{"wait":"tools/list","id":"L"}"#;

/// The configuration of a server, as one JSON object, which is YAML too.
fn configured(stage: &Stage, more: serde_json::Value) -> serde_json::Value {
    let [program, script, folder] = stage.words();
    let mut server = json!({
        "command": program,
        "args": [script, folder],
        "env": {STAGE_MARK: stage.mark()},
    });
    server
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    server
}

fn registry(servers: serde_json::Value) -> Registry {
    builder(&servers).open()
}

fn builder(servers: &serde_json::Value) -> Builder {
    let text = json!({ "mcp_servers": servers }).to_string();
    let loaded = Config::parse(&text, "config.yaml", &|_name| None).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    Registry::builder(loaded.config, Implementation::new("mcp-tests", "1"))
}

/// The raw names of all tools on offer.
fn offered(registry: &Registry) -> Vec<String> {
    let catalog = registry.catalog();
    catalog
        .tools()
        .iter()
        .map(|tool| tool.route.tool.to_string())
        .collect()
}

fn tools(names: &[&str]) -> String {
    let tool = |name: &&str| json!({"name": name, "inputSchema": {"type": "object"}});
    json!({ "tools": names.iter().map(tool).collect::<Vec<_>>() }).to_string()
}

fn say_tools(names: &[&str]) -> String {
    format!(
        r#"{{"say":{{"jsonrpc":"2.0","id":"$L","result":{}}}}}"#,
        tools(names)
    )
}

fn stage(steps: &[&str]) -> Stage {
    Stage::new(
        SERVER,
        &format!("{{\"handshake\":true}}\n{}\n", steps.join("\n")),
    )
}

async fn close(registry: &Registry, stages: &[&Stage]) {
    timeout(PATIENCE, registry.close()).await.unwrap();
    for stage in stages {
        until("no process is left", || stage.processes().is_empty()).await;
        assert_eq!(stage.record().failures(), Vec::<&str>::new());
    }
}

/// Case BR-098; reports NousResearch/hermes-agent#72553, #61184 and odysseus-dev/odysseus#6150.
#[tokio::test]
async fn an_excluded_tool_is_neither_listed_nor_called_after_the_list_has_changed() {
    let change = r#"{"say":{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}}"#;
    let (first, second) = (
        say_tools(&["a", "delete"]),
        say_tools(&["a", "delete", "new"]),
    );
    let none = r#"{"none":"tools/call","within":500}"#;
    let stage = stage(&[LIST, &first, change, LIST, &second, none]);
    let filter = json!({"tools": {"exclude": ["delete"]}});
    let registry = registry(json!({ "s": configured(&stage, filter) }));
    registry.discover().await;
    until("the new tool is on offer", || {
        offered(&registry) == ["a", "new"]
    })
    .await;
    for (name, code) in [
        ("mcp_s_delete", "unknown_tool"),
        ("s/delete", "tool_filtered"),
    ] {
        let error = registry.call(name, "{}", None, None).await.unwrap_err();
        assert!(error.to_string().contains("delete"), "{error}");
        let shown: serde_json::Value =
            serde_json::from_str(&registry.dispatch(name, "{}").await).unwrap();
        assert_eq!(shown["error"]["code"], code, "{shown}");
    }
    stage
        .until("half a second passed without a call", |record| {
            record.is_finished()
        })
        .await;
    assert_eq!(stage.record().of("tools/call").len(), 0);
    close(&registry, &[&stage]).await;
}

/// Case BR-052, with the registry's own loop.
#[tokio::test]
async fn a_server_whose_list_changes_whenever_it_is_read_costs_few_lists() {
    let change = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let storm = format!(r#"{{"say":{change},"times":200}}"#);
    let serve = format!(
        r#"{{"serve":{{"tools/list":{}}},"then":{change}}}"#,
        tools(&["a", "z"])
    );
    let first = say_tools(&["a"]);
    let stage = stage(&[LIST, &first, &storm, &serve]);
    let registry = registry(json!({ "s": configured(&stage, json!({})) }));
    let start = tokio::time::Instant::now();
    registry.discover().await;
    until("the new tool is on offer", || {
        offered(&registry) == ["a", "z"]
    })
    .await;
    stage
        .until("four lists were read", |record| {
            record.of("tools/list").len() >= 4
        })
        .await;
    let lists = stage.record().of("tools/list").len();
    // Two lists a second, the first two at once.
    let bound = 3 + usize::try_from(start.elapsed().as_millis() / 500).unwrap();
    assert!(lists <= bound, "{lists} lists in {:?}", start.elapsed());
    close(&registry, &[&stage]).await;
}

/// Cases BR-047 and BR-048, as a model sees the results.
#[tokio::test]
async fn results_without_text_and_with_rare_content_are_shown_to_a_model() {
    let results = [
        r#"{"content":[],"structuredContent":{"answer":42}}"#,
        r#"{"structuredContent":{}}"#,
        r#"{"content":null,"structuredContent":[]}"#,
        r#"{"content":[{"type":"text","text":"t1"},{"type":"resource_link","uri":"file:///r.pdf","name":"r.pdf"},{"type":"hologram","payload":1},{"type":"text","text":"t2"}]}"#,
    ];
    let answers = results
        .map(|result| format!(r#"{{"result":{result}}}"#))
        .join(",");
    let serve = format!(r#"{{"serve_sequence":"tools/call","answers":[{answers}]}}"#);
    let first = say_tools(&["a"]);
    let stage = stage(&[LIST, &first, &serve]);
    let registry = registry(json!({ "s": configured(&stage, json!({})) }));
    registry.discover().await;
    for expected in [
        r#"{"result":{"answer":42}}"#,
        r#"{"result":{}}"#,
        r#"{"result":[]}"#,
    ] {
        assert_eq!(registry.dispatch("mcp_s_a", "{}").await, expected);
    }
    let shown = registry.dispatch("mcp_s_a", "{}").await;
    let (first, last) = (shown.find("t1").unwrap(), shown.find("t2").unwrap());
    assert!(first < last && shown.contains("file:///r.pdf"), "{shown}");
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_dead_and_a_silent_server_cost_the_good_one_nothing() {
    let first = say_tools(&["a"]);
    let good = stage(&[LIST, &first]);
    let dead = Stage::new(SERVER, "{\"stderr\":\"no licence\\n\"}\n{\"exit\":5}\n");
    let silent = Stage::new(SERVER, "{\"swallow\":\"initialize\",\"times\":9}\n");
    let registry = registry(json!({
        "dead": configured(&dead, json!({})),
        "good": configured(&good, json!({})),
        "silent": configured(&silent, json!({"connect_timeout": 1})),
    }));
    let catalog = timeout(PATIENCE, registry.discover()).await.unwrap();
    assert_eq!(offered(&registry), ["a"]);
    let failure = |name: &str| match &catalog.server(name).unwrap().state {
        ServerState::Failed(error) => error.to_string(),
        state => panic!("{name}: {state:?}"),
    };
    assert!(failure("dead").contains("code 5") && failure("dead").contains("no licence"));
    assert!(
        failure("silent").contains("not connected within 1s"),
        "{}",
        failure("silent")
    );
    assert!(matches!(
        catalog.server("good").unwrap().state,
        ServerState::Ready(_)
    ));
    close(&registry, &[&good, &dead, &silent]).await;
}

/// A server that answers no `initialize`, and is given a minute for it.
fn slow() -> Stage {
    Stage::new(SERVER, "{\"swallow\":\"initialize\",\"times\":9}\n")
}

async fn is_being_connected(stage: &Stage) {
    let asked = |record: &Record| !record.of("initialize").is_empty();
    stage.until("the server is asked", asked).await;
}

#[tokio::test]
async fn closing_gives_up_a_server_that_is_being_connected_and_waits_for_its_end() {
    let slow = slow();
    let registry = registry(json!({ "slow": configured(&slow, json!({})) }));
    let closing = async {
        is_being_connected(&slow).await;
        registry.close().await;
        assert_eq!(slow.processes(), Vec::<String>::new());
    };
    let both = async { tokio::join!(registry.discover(), closing) };
    let (catalog, ()) = timeout(PATIENCE, both).await.unwrap();
    assert!(matches!(
        catalog.server("slow").unwrap().state,
        ServerState::Idle
    ));
    // Nothing is connected any more.
    registry.discover().await;
    assert_eq!(slow.processes(), Vec::<String>::new());
}

#[tokio::test]
async fn closing_waits_for_the_end_of_a_server_that_nobody_waits_for_any_more() {
    let slow = slow();
    let registry = registry(json!({ "slow": configured(&slow, json!({})) }));
    tokio::select! {
        _catalog = registry.discover() => panic!("the server never answers"),
        () = is_being_connected(&slow) => {}
    }
    timeout(PATIENCE, registry.close()).await.unwrap();
    assert_eq!(slow.processes(), Vec::<String>::new());
}
