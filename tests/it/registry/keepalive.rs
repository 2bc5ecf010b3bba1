//! Signs of life of servers that nobody uses, under paused time.

use std::cell::RefCell;
use std::time::Duration;

use hermes_registry::Registry;
use hermes_registry::life::{LifeStatus, State};
use mcp_tests::script::ScriptedServer;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::memory::{Memory, memory, open};

/// Asked for a sign of life after five seconds of quiet.
fn registry(memory: &Memory) -> Registry {
    memory.registry(&json!({"s": {"command": "in-memory", "keepalive_interval": 5}}))
}

fn status(registry: &Registry) -> LifeStatus {
    registry.lives()[0].1.clone()
}

/// What a server that is asked for a sign of life may answer.
fn signs() -> [(&'static str, Value); 3] {
    let unknown = json!({"code": -32601, "message": "no such method"});
    let inner = json!({"code": -32603, "message": "out of paper"});
    [("result", json!({})), ("error", unknown), ("error", inner)]
}

/// Answers every question of this method after a moment, with each of the signs in turn, and notes
/// when it was asked.
async fn show_signs(mut server: ScriptedServer, method: &str, asked: &RefCell<Vec<u64>>) {
    let begun = Instant::now();
    let mut signs = signs().into_iter().cycle();
    while let Some(heard) = server.heard_or_end().await {
        assert_eq!(heard.method(), method);
        asked.borrow_mut().push(begun.elapsed().as_secs());
        sleep(Duration::from_millis(300)).await; // sleep: under paused time
        let (member, value) = signs.next().unwrap();
        let id = heard.id();
        server
            .say(json!({"jsonrpc": "2.0", "id": id, member: value}))
            .await;
    }
}

/// Case BR-102.
#[tokio::test(start_paused = true)]
async fn any_answer_is_a_sign_of_life_in_either_era() {
    for (is_modern, method) in [(false, "ping"), (true, "server/discover")] {
        let (memory, far_ends) = memory();
        let registry = registry(&memory);
        let asked = RefCell::default();
        let play = async |_name, mut server: ScriptedServer| {
            if is_modern {
                server.open_modern().await;
                let list = server.expect("tools/list").await;
                server.answer(&list, json!({"tools": []})).await;
            } else {
                open(&mut server, &["a"]).await;
            }
            show_signs(server, method, &asked).await;
        };
        let test = async {
            registry.discover().await;
            sleep(Duration::from_secs(24)).await; // sleep: under paused time
            let status = status(&registry);
            assert_eq!((status.state, status.restarts), (State::Ready, 0));
            assert_eq!(status.fault, None);
            assert_eq!(memory.asked().len(), 1, "{method}");
        };
        far_ends.play_during(test, play).await;
        assert_eq!(*asked.borrow(), [5, 10, 15, 20], "{method}");
    }
}

/// Case BR-102.
#[tokio::test(start_paused = true)]
async fn a_server_that_falls_silent_is_checked_once_and_replaced_once() {
    let (memory, far_ends) = memory();
    let registry = registry(&memory);
    let asked = RefCell::new(Vec::new());
    let play = async |_name, mut server: ScriptedServer| {
        open(&mut server, &["a"]).await;
        if memory.asked().len() > 1 {
            return show_signs(server, "ping", &RefCell::default()).await;
        }
        let begun = Instant::now();
        while let Some(heard) = server.heard_or_end().await {
            let is_first = asked.borrow().is_empty();
            asked
                .borrow_mut()
                .push((heard.method().to_owned(), begun.elapsed().as_secs()));
            if is_first {
                server.answer(&heard, json!({})).await;
            }
        }
    };
    let test = async {
        registry.discover().await;
        sleep(Duration::from_secs(300)).await; // sleep: under paused time
        let status = status(&registry);
        assert_eq!((status.state, status.restarts), (State::Ready, 1));
    };
    far_ends.play_during(test, play).await;
    let links: Vec<u64> = memory.asked().iter().map(Duration::as_secs).collect();
    // Half a minute for the sign that nobody waits for, five seconds for the check.
    assert_eq!(links, [0, 45]);
    let pings: Vec<(String, u64)> = asked
        .into_inner()
        .into_iter()
        .filter(|(method, _)| method == "ping")
        .collect();
    assert_eq!(pings, [5, 10, 40].map(|at| ("ping".to_owned(), at)));
}
