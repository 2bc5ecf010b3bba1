//! How long calls may take, and what it says of a server when one takes too long; under paused time.

use std::cell::Cell;
use std::time::Duration;

use hermes_registry::life::{BreakerStatus, State};
use hermes_registry::{Registry, RegistryError};
use mcp_tests::script::ScriptedServer;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::memory::{memory, open};

const TOOLS: [&str; 3] = ["a", "slow_a", "slow_b"];

/// Never answers a call, but gives signs of life, and may tell of progress every ten seconds.
async fn never_done(mut server: ScriptedServer, tells: bool, pings: &Cell<u32>) {
    open(&mut server, &TOOLS).await;
    let (mut token, mut progress) = (Value::Null, 0);
    loop {
        match timeout(Duration::from_secs(10), server.heard_or_end()).await {
            Ok(None) => return,
            Ok(Some(heard)) => match heard.method() {
                "tools/call" if tells => token = heard.params()["_meta"]["progressToken"].clone(),
                "notifications/cancelled" => token = Value::Null,
                "ping" => {
                    pings.set(pings.get() + 1);
                    server.answer(&heard, json!({})).await;
                }
                _ => {}
            },
            Err(_quiet) if token.is_null() => {}
            Err(_quiet) => {
                progress += 1;
                let params = json!({"progressToken": token, "progress": progress});
                let method = "notifications/progress";
                server
                    .say(json!({"jsonrpc": "2.0", "method": method, "params": params}))
                    .await;
            }
        }
    }
}

/// The budget that a call ran out of, after how many seconds.
async fn spent(registry: &Registry, tool: &str, own: Option<u64>) -> (String, u64) {
    let begun = Instant::now();
    let own = own.map(Duration::from_secs);
    let name = format!("s/{tool}");
    match registry.call(&name, "{}", own, None).await {
        Err(RegistryError::Deadline {
            budget,
            after,
            outcome_uncertain,
            ..
        }) => {
            assert!(outcome_uncertain, "it was sent");
            assert_eq!(after.as_secs(), begun.elapsed().as_secs());
            (budget.to_owned(), after.as_secs())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn each_tool_has_the_time_that_is_configured_for_it() {
    let (memory, far_ends) = memory();
    let settings = json!({
        "command": "in-memory",
        "timeout": 20,
        "tools": {"timeouts": {"slow_*": 60, "slow_b": 300}},
        "breaker": {"failures": 9},
    });
    let registry = memory.registry(&json!({ "s": settings }));
    let pings = Cell::new(0);
    let test = async {
        for (tool, seconds) in [("a", 20), ("slow_a", 60), ("slow_b", 300)] {
            let expected = ("timeout".to_owned(), seconds);
            assert_eq!(spent(&registry, tool, None).await, expected, "{tool}");
        }
    };
    let play = async |_name, server| never_done(server, false, &pings).await;
    far_ends.play_during(test, play).await;
    // Each made it suspect, and it showed that it works.
    assert_eq!(memory.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn progress_keeps_a_call_alive_for_half_an_hour_unless_more_or_less_is_given() {
    let hard = "the most that a call may take";
    for (configured, own, budget, seconds) in [
        (20, None, hard, 1_800),
        (3_600, None, hard, 3_600),
        (20, Some(45), "the call's timeout", 45),
    ] {
        let (memory, far_ends) = memory();
        let settings = json!({"command": "in-memory", "timeout": configured});
        let registry = memory.registry(&json!({ "s": settings }));
        let pings = Cell::new(0);
        let test = async {
            registry.discover().await;
            let spent = spent(&registry, "a", own).await;
            assert_eq!(spent, (budget.to_owned(), seconds), "{configured} {own:?}");
        };
        let play = async |_name, server| never_done(server, true, &pings).await;
        far_ends.play_during(test, play).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_has_less_patience_than_the_server_may_take_says_nothing_against_it() {
    let (memory, far_ends) = memory();
    let settings = json!({"command": "in-memory", "timeout": 20, "breaker": {"failures": 1}});
    let registry = memory.registry(&json!({ "s": settings }));
    let status = || registry.lives()[0].1.clone();
    let pings = Cell::new(0);
    let test = async {
        registry.discover().await;
        for _ in 0..3 {
            let (budget, _) = spent(&registry, "a", Some(1)).await;
            assert_eq!(budget, "the call's timeout");
            let now = status();
            assert_eq!((now.state, now.fault), (State::Ready, None));
            assert_eq!(now.breaker, BreakerStatus::Closed { strikes: 0 });
        }
        assert_eq!(pings.get(), 0, "nobody doubts it");

        // One that had as long as is configured does.
        spent(&registry, "a", Some(20)).await;
        assert!(matches!(status().breaker, BreakerStatus::Open { .. }));
        assert_eq!(status().state, State::Suspect);
    };
    let play = async |_name, server| never_done(server, false, &pings).await;
    far_ends.play_during(test, play).await;
}
