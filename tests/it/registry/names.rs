//! Which server and which tool a name leads to, where names look alike.

use std::cell::RefCell;
use std::time::Duration;

use hermes_registry::name::Naming;
use hermes_registry::{Config, Registry};
use mcp_tests::script::ScriptedServer;
use mcp_types::Implementation;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::memory::{answer_calls, memory, open};
use super::offered;

/// Case BR-091.
#[tokio::test(start_paused = true)]
async fn servers_whose_names_become_one_are_told_apart_in_whatever_order_they_come() {
    let names = [
        ("mcp_foo_bar_search_03ff6028", "foo_bar"),
        ("mcp_foo_bar_search_389f514d", "foo-bar"),
    ];
    for order in [["foo-bar", "foo_bar"], ["foo_bar", "foo-bar"]] {
        for late in order {
            let (memory, far_ends) = memory();
            let entries = order.map(|name| format!("  {name}: {{command: in-memory}}\n"));
            let text = format!("mcp_servers:\n{}", entries.concat());
            let loaded = Config::parse(&text, "config.yaml", &|_name| None).unwrap();
            let client = Implementation::new("mcp-tests", "1");
            let builder = Registry::builder(loaded.config, client);
            let registry = builder.connector(memory).open();
            let told = || {
                let catalog = registry.catalog();
                let name = |tool: &hermes_registry::CatalogTool| {
                    (tool.name.to_string(), tool.route.server.to_string())
                };
                catalog.tools().iter().map(name).collect::<Vec<_>>()
            };
            let calls = RefCell::default();
            let play = async |name: String, mut server: ScriptedServer| {
                if name == late {
                    sleep(Duration::from_secs(1)).await; // sleep: under paused time
                }
                open(&mut server, &["search"]).await;
                answer_calls(server, &name, &calls).await;
            };
            let test = async {
                let mut seen = registry.catalog();
                let both = async {
                    tokio::join!(registry.discover(), async {
                        while seen.tools().is_empty() {
                            seen = registry.changed(&seen).await;
                        }
                        told()
                    })
                };
                let (_catalog, early) = both.await;
                let expected = names.map(|(name, server)| (name.to_owned(), server.to_owned()));
                assert!(
                    early.len() == 1 && expected.contains(&early[0]),
                    "{early:?}"
                );
                assert_eq!(told(), expected, "{order:?} {late}");
                for (name, server) in names {
                    let answer = registry.dispatch(name, "{}").await;
                    assert_eq!(answer, json!({ "result": server }).to_string());
                }
            };
            far_ends.play_during(test, play).await;
            assert_eq!(calls.borrow().len(), 2);
        }
    }
}

/// Case BR-097.
#[tokio::test(start_paused = true)]
async fn a_filter_and_a_route_take_the_name_that_the_server_uses() {
    let (memory, far_ends) = memory();
    let settings = json!({"command": "in-memory", "tools": {"include": ["demo_read"]}});
    let registry = memory.registry(&json!({ "s": settings }));
    let calls = RefCell::default();
    let play = async |_name, mut server: ScriptedServer| {
        let tools = ["mem_add", "mem_del", "read", "demo/read", "demo_read"];
        open(&mut server, &tools).await;
        answer_calls(server, "ok", &calls).await;
    };
    let test = async {
        registry.discover().await;
        assert_eq!(offered(&registry), ["demo_read"]);
        let answer = registry.dispatch("mcp_s_demo_read", "{}").await;
        assert_eq!(answer, r#"{"result":"ok"}"#);
        let refused = registry.dispatch("s/demo/read", "{}").await;
        let refused: Value = serde_json::from_str(&refused).unwrap();
        assert_eq!(refused["error"]["code"], "tool_filtered", "{refused}");
    };
    far_ends.play_during(test, play).await;
    let calls = calls.into_inner();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].params()["name"], "demo_read");
}

#[tokio::test(start_paused = true)]
async fn a_host_chooses_what_stands_between_the_parts_of_a_name() {
    let (memory, far_ends) = memory();
    let servers = json!({"my-api": {"command": "in-memory"}});
    let builder = super::builder(&servers).naming(Naming::DoubleUnderscore);
    let registry = builder.connector(memory).open();
    let calls = RefCell::default();
    let play = async |_name, mut server: ScriptedServer| {
        open(&mut server, &["query.data"]).await;
        answer_calls(server, "ok", &calls).await;
    };
    let test = async {
        registry.discover().await;
        let name = "mcp__my_api__query_data";
        assert_eq!(registry.catalog().tools()[0].name.as_str(), name);
        assert_eq!(registry.dispatch(name, "{}").await, r#"{"result":"ok"}"#);
    };
    far_ends.play_during(test, play).await;
}
