//! What servers that cannot be reached cost the others, under paused time.

use std::cell::RefCell;
use std::time::Duration;

use hermes_registry::life::State;
use hermes_registry::{Config, ServerState};
use mcp_tests::script::ScriptedServer;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::memory::{MISSING, answer_calls, memory, open};
use super::offered;

/// Case BR-104.
#[tokio::test(start_paused = true)]
async fn missing_and_mute_servers_delay_nobody_however_many_they_are() {
    for mute in [1, 13] {
        let (memory, far_ends) = memory();
        let mut servers = json!({
            "good": {"command": "in-memory"},
            "missing": {"command": MISSING},
        });
        for number in 1..=mute {
            let settings = json!({"command": "in-memory", "connect_timeout": 2});
            servers[format!("mute{number}")] = settings;
        }
        let registry = memory.registry(&servers);
        let calls = RefCell::default();
        let play = async |name: String, mut server: ScriptedServer| {
            if name == "good" {
                open(&mut server, &["a"]).await;
                answer_calls(server, "ok", &calls).await;
            } else {
                server.until_hung_up().await;
            }
        };
        let begun = Instant::now();
        let first = async {
            let mut seen = registry.catalog();
            while offered(&registry).is_empty() {
                seen = registry.changed(&seen).await;
            }
            // It is of use while the others are being connected.
            let answer = registry.dispatch("mcp_good_a", "{}").await;
            assert_eq!(answer, r#"{"result":"ok"}"#);
            begun.elapsed()
        };
        let test = async {
            let (catalog, first) = tokio::join!(registry.discover(), first);
            (catalog, first, begun.elapsed())
        };
        let (catalog, first, all) = far_ends.play_during(test, play).await;
        assert!(first < Duration::from_millis(10), "{first:?}");
        let limit = Duration::from_secs(2);
        assert!(
            all >= limit && all < limit + Duration::from_millis(10),
            "{all:?}"
        );
        for (name, expected) in [
            ("missing", "it cannot be started"),
            ("mute1", "not connected within 2s"),
        ] {
            let ServerState::Failed(error) = &catalog.server(name).unwrap().state else {
                panic!("{name} works");
            };
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}

/// Case BR-098.
#[tokio::test(start_paused = true)]
async fn a_server_that_is_switched_off_while_it_waits_is_not_tried_until_it_is_switched_on() {
    let (memory, far_ends) = memory();
    let servers = |enabled: bool, command: &str| {
        let settings = json!({"command": command, "enabled": enabled});
        json!({ "s": settings })
    };
    let config = |servers: &Value| {
        let text = json!({ "mcp_servers": servers }).to_string();
        let loaded = Config::parse(&text, "config.yaml", &|_name| None);
        loaded.unwrap().config
    };
    let registry = memory.registry(&servers(true, MISSING));
    let calls = RefCell::default();
    let play = async |_name, mut server: ScriptedServer| {
        open(&mut server, &["a"]).await;
        answer_calls(server, "ok", &calls).await;
    };
    let code = async || {
        let shown = registry.dispatch("s/a", "{}").await;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        shown["error"]["code"].clone()
    };
    let state = || registry.lives()[0].1.state;
    let test = async {
        registry.discover().await;
        assert_eq!((state(), memory.asked().len()), (State::Waiting, 1));
        registry.reload(config(&servers(false, MISSING)));
        assert_eq!(state(), State::Disabled);
        sleep(Duration::from_secs(3_600)).await; // sleep: under paused time
        assert_eq!(memory.asked().len(), 1);
        assert_eq!(code().await, "server_disabled");

        registry.reload(config(&servers(true, "in-memory")));
        registry.discover().await;
        assert_eq!((state(), memory.asked().len()), (State::Ready, 2));
        assert_eq!(registry.dispatch("s/a", "{}").await, r#"{"result":"ok"}"#);

        // One that works is ended.
        registry.reload(config(&servers(false, "in-memory")));
        assert_eq!(code().await, "server_disabled");
        assert_eq!(offered(&registry), [""; 0]);
        sleep(Duration::from_secs(3_600)).await; // sleep: under paused time
        assert_eq!((state(), memory.asked().len()), (State::Disabled, 2));
    };
    far_ends.play_during(test, play).await;
    assert_eq!(calls.borrow().len(), 1);
}
