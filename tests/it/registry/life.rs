//! Servers that die, hang, flap and sleep, in a registry that keeps them.

use std::time::Duration;

use hermes_registry::life::State;
use hermes_registry::{Config, Registry, RegistryError, ServerState};
use mcp_tests::stage::{PATIENCE, Stage, until};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{LIST, SERVER, close, configured, offered, registry, say_tools, stage, tools};

/// A server that is tried again fast.
fn fast(more: Value) -> Value {
    let mut settings = json!({"reconnect": {"backoff_first": 0.1, "backoff_max": 1}});
    settings
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    settings
}

/// A script in which each process plays a part of its own.
fn processes(parts: &[&[&str]]) -> Stage {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| format!("{{\"handshake\":true}}\n{}", part.join("\n")))
        .collect();
    let script = parts.join("\n{\"next_process\":true}\n");
    Stage::new(SERVER, &format!("{script}\n"))
}

/// Answers every list and every call.
fn healthy(text: &str) -> String {
    let answer = json!({"content": [{"type": "text", "text": text}]});
    format!(
        r#"{{"serve":{{"tools/list":{},"tools/call":{answer}}}}}"#,
        tools(&["a"])
    )
}

fn life(registry: &Registry) -> State {
    registry.lives()[0].1.state
}

async fn dispatched(registry: &Registry) -> Value {
    let answer = timeout(PATIENCE, registry.dispatch("mcp_s_a", "{}")).await;
    serde_json::from_str(&answer.unwrap()).unwrap()
}

const DIES_OF_A_CALL: &str = r#"{"wait":"tools/call"}"#;

/// Case BR-103.
#[tokio::test]
async fn a_call_that_was_lost_with_its_server_is_not_made_again_and_the_server_comes_back() {
    let (first, healthy) = (say_tools(&["a"]), healthy("ok"));
    let stage = processes(&[
        &[LIST, &first, DIES_OF_A_CALL, r#"{"exit":0}"#],
        &[&healthy],
    ]);
    let registry = registry(json!({ "s": configured(&stage, fast(json!({}))) }));
    registry.discover().await;
    let lost = dispatched(&registry).await;
    assert_eq!(lost["error"]["outcome_uncertain"], true, "{lost}");
    assert_eq!(lost["error"]["code"], "server_unavailable", "{lost}");
    assert_eq!(lost["error"]["retryable"], false, "{lost}");
    until("the server is back", || life(&registry) == State::Ready).await;
    assert_eq!(stage.record().of("tools/call").len(), 1);
    assert_eq!(offered(&registry), ["a"]);
    let answered = dispatched(&registry).await;
    assert_eq!(answered, json!({"result": "ok"}));
    assert_eq!(stage.spawns(), 2);
    close(&registry, &[&stage]).await;
    // The next process would have answered it at whatever time.
    assert_eq!(
        stage.record().of("tools/call").len(),
        2,
        "the lost and ours"
    );
}

/// Case BR-100.
#[tokio::test]
async fn the_call_that_tries_a_broken_server_gets_a_new_process_and_the_others_wait_for_it() {
    let (first, healthy) = (say_tools(&["a"]), healthy("ok"));
    let stage = processes(&[
        &[LIST, &first, DIES_OF_A_CALL, r#"{"exit":1}"#],
        &[&healthy],
    ]);
    let settings = fast(json!({"breaker": {"failures": 1, "cooldown": 1}}));
    let registry = registry(json!({ "s": configured(&stage, settings) }));
    registry.discover().await;
    let lost = dispatched(&registry).await;
    assert_eq!(lost["error"]["outcome_uncertain"], true, "{lost}");
    assert_eq!(lost["error"]["code"], "server_unavailable", "{lost}");
    assert_eq!(lost["error"]["retryable"], false, "{lost}");
    let refused = dispatched(&registry).await;
    assert_eq!(refused["error"]["code"], "breaker_open", "{refused}");
    assert_eq!(refused["error"]["retry_after_seconds"], 1, "{refused}");
    let is_open = || registry.lives()[0].1.breaker;
    until("the breaker lets a call through", || {
        !format!("{:?}", is_open()).starts_with("Open")
    })
    .await;
    let calls = (0..5).map(|_| dispatched(&registry));
    for answered in futures_util::future::join_all(calls).await {
        assert_eq!(answered, json!({"result": "ok"}));
    }
    assert_eq!(stage.spawns(), 2);
    close(&registry, &[&stage]).await;
}

/// Case BR-014.
#[tokio::test]
async fn a_server_that_answers_and_exits_is_started_a_few_times_and_then_given_up() {
    let first = say_tools(&["a"]);
    let stage = stage(&[LIST, &first, r#"{"exit":0}"#]);
    let settings = json!({"reconnect": {"backoff_first": 0.1, "backoff_max": 1, "retries": 3}});
    let registry = registry(json!({ "s": configured(&stage, settings) }));
    registry.discover().await;
    until("the server is given up", || {
        life(&registry) == State::Parked
    })
    .await;
    assert_eq!(stage.spawns(), 4);
    assert_eq!(offered(&registry), Vec::<String>::new());
    let refused = dispatched(&registry).await;
    assert_eq!(refused["error"]["code"], "parked", "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("exited with code 0"), "{message}");
    let catalog = registry.catalog();
    let state = &catalog.server("s").unwrap().state;
    assert!(matches!(state, ServerState::Failed(_)), "{state:?}");
    close(&registry, &[&stage]).await;
}

/// Case BR-104.
#[tokio::test]
async fn a_missing_command_and_a_mute_server_delay_nobody_and_a_missing_one_is_not_tried_again() {
    let good = stage(&[&healthy("ok")]);
    let mute = Stage::new(SERVER, "{\"swallow\":\"initialize\",\"times\":9}\n");
    let registry = registry(json!({
        "s": configured(&good, json!({})),
        "missing": {"command": "hermes-no-such-command"},
        "mute": configured(&mute, json!({"connect_timeout": 2})),
    }));
    let used = async {
        until("the good one is on offer", || offered(&registry) == ["a"]).await;
        let answered = dispatched(&registry).await;
        let lives = registry.lives();
        let mute = lives.iter().find(|(name, _)| name.as_str() == "mute");
        (answered, mute.unwrap().1.state)
    };
    let (catalog, (answered, mute_is)) = tokio::join!(registry.discover(), used);
    assert_eq!(answered, json!({"result": "ok"}));
    assert_eq!(mute_is, State::Connecting);
    for (name, expected) in [
        ("missing", "cannot start `hermes-no-such-command`"),
        ("mute", "not connected within 2s"),
    ] {
        let ServerState::Failed(error) = &catalog.server(name).unwrap().state else {
            panic!("{name} works");
        };
        assert!(error.to_string().contains(expected), "{error}");
    }
    let lives = registry.lives();
    let missing = lives.iter().find(|(name, _)| name.as_str() == "missing");
    let missing = &missing.unwrap().1;
    assert_eq!(missing.state, State::Parked);
    assert_eq!(missing.next_attempt_in, None, "a person has to mend it");
    close(&registry, &[&good, &mute]).await;
}

#[tokio::test]
async fn killing_a_server_under_load_ends_every_call_and_leaves_no_process() {
    let hangs = r#"{"swallow":"tools/call","times":8}"#;
    let (first, healthy) = (say_tools(&["a"]), healthy("ok"));
    let stage = processes(&[&[LIST, &first, hangs, hangs], &[&healthy]]);
    let settings = fast(json!({"supports_parallel_tool_calls": true, "max_parallel_calls": 8}));
    let registry = registry(json!({ "s": configured(&stage, settings) }));
    registry.discover().await;
    let calls = (0..8).map(|_| registry.call("mcp_s_a", "{}", None, None));
    let calls = timeout(PATIENCE, futures_util::future::join_all(calls));
    let killing = async {
        stage
            .until("all calls run", |record| record.of("tools/call").len() == 8)
            .await;
        stage.kill();
    };
    let (ended, ()) = tokio::join!(calls, killing);
    for ended in ended.unwrap() {
        let error = ended.unwrap_err();
        assert!(error.is_outcome_uncertain(), "{error}");
    }
    until("the server is back", || life(&registry) == State::Ready).await;
    assert_eq!(dispatched(&registry).await, json!({"result": "ok"}));
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_server_that_nobody_uses_is_ended_and_the_next_call_wakes_it() {
    let stage = stage(&[&healthy("ok")]);
    let settings = json!({"idle_timeout_seconds": 1});
    let registry = registry(json!({ "s": configured(&stage, settings) }));
    registry.discover().await;
    until("it sleeps", || life(&registry) == State::Recycled).await;
    until("its process is gone", || stage.processes().is_empty()).await;
    assert_eq!(offered(&registry), ["a"], "its tools stay");
    assert_eq!(dispatched(&registry).await, json!({"result": "ok"}));
    assert_eq!(stage.spawns(), 2);
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn calls_of_a_server_that_does_one_at_a_time_wait_for_each_other_and_say_how_long() {
    let answer = r#"{"say":{"jsonrpc":"2.0","id":"$C","result":{"content":[]}}}"#;
    let call = r#"{"wait":"tools/call","id":"C"}"#;
    let steps = [
        LIST,
        &say_tools(&["a"]),
        call,
        r#"{"pause":300}"#,
        answer,
        call,
        answer,
    ];
    let stage = stage(&steps);
    let registry = registry(json!({ "s": configured(&stage, json!({})) }));
    registry.discover().await;
    let call = || registry.call("mcp_s_a", "{}", None, None);
    let (first, second) = tokio::join!(call(), call());
    assert_eq!(first.unwrap().queued, Duration::ZERO);
    // The server takes 300 ms; the second call was asked for a little after the first.
    let queued = second.unwrap().queued;
    assert!(queued >= Duration::from_millis(100), "{queued:?}");
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_call_that_is_given_up_while_it_waits_is_never_made() {
    let hangs = r#"{"swallow":"tools/call","times":8}"#;
    let stage = stage(&[LIST, &say_tools(&["a"]), hangs, hangs]);
    let registry = registry(json!({ "s": configured(&stage, json!({})) }));
    registry.discover().await;
    let mut first = Box::pin(registry.call("mcp_s_a", "{}", None, None));
    let runs = stage.until("the first call runs", |record| {
        record.of("tools/call").len() == 1
    });
    tokio::select! {
        _answer = &mut first => panic!("the server never answers"),
        () = runs => {}
    }
    let soon = Duration::from_millis(200);
    let error = registry.call("mcp_s_a", "{}", Some(soon), None).await;
    let error = error.unwrap_err();
    assert!(
        matches!(&error, RegistryError::Refused { refusal, .. } if refusal.code() == "waited_too_long"),
        "{error}"
    );
    assert_eq!(stage.record().of("tools/call").len(), 1);
    drop(first);
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_server_is_told_the_folders_that_its_configuration_names() {
    let asks = r#"{"say":{"jsonrpc":"2.0","id":7,"method":"roots/list"}}"#;
    let stage = stage(&[LIST, &say_tools(&["a"]), asks, r#"{"wait_answer":7}"#]);
    let settings = json!({"roots": ["/srv/data", "file:///etc"]});
    let registry = registry(json!({ "s": configured(&stage, settings) }));
    registry.discover().await;
    stage
        .until("the server is told", |record| record.is_finished())
        .await;
    let record = stage.record();
    let answer = record.answer_to("7").unwrap();
    assert_eq!(
        answer.at("result.roots"),
        Some(&json!([{"uri": "file:///srv/data"}, {"uri": "file:///etc"}]))
    );
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn another_configuration_disturbs_only_the_servers_that_it_changes() {
    let (kept, changed, gone, new) = (
        stage(&[&healthy("kept")]),
        stage(&[&healthy("changed")]),
        stage(&[&healthy("gone")]),
        stage(&[&healthy("new")]),
    );
    let servers = |changed_timeout: u32, third: (&str, &Stage)| {
        json!({
            "s": configured(&kept, json!({})),
            "t": configured(&changed, json!({"timeout": changed_timeout})),
            (third.0): configured(third.1, json!({})),
        })
    };
    let registry = registry(servers(50, ("gone", &gone)));
    registry.discover().await;
    assert_eq!(offered(&registry).len(), 3);
    let text = json!({ "mcp_servers": servers(60, ("new", &new)) }).to_string();
    let next = Config::parse(&text, "config.yaml", &|_name| None).unwrap();
    let reloaded = registry.reload(next.config);
    let names = |servers: &[hermes_registry::name::ServerName]| {
        let names = servers.iter().map(|name| name.as_str().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&reloaded.unchanged), ["s"]);
    assert_eq!(names(&reloaded.restarted), ["t"]);
    assert_eq!(names(&reloaded.started), ["new"]);
    assert_eq!(names(&reloaded.stopped), ["gone"]);
    let tools = |registry: &Registry| {
        let catalog = registry.catalog();
        let names = catalog.tools().iter().map(|tool| tool.name.to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        tools(&registry),
        ["mcp_s_a", "mcp_t_a"],
        "what is known stays"
    );
    until("the new one is there", || {
        tools(&registry) == ["mcp_new_a", "mcp_s_a", "mcp_t_a"]
    })
    .await;
    until("the old one is gone", || gone.processes().is_empty()).await;
    until("the changed one is there again", || changed.spawns() == 2).await;
    assert_eq!(kept.spawns(), 1);
    for (tool, text) in [
        ("mcp_s_a", "kept"),
        ("mcp_t_a", "changed"),
        ("mcp_new_a", "new"),
    ] {
        let answer = timeout(PATIENCE, registry.dispatch(tool, "{}"))
            .await
            .unwrap();
        assert_eq!(answer, json!({ "result": text }).to_string());
    }
    close(&registry, &[&kept, &changed, &gone, &new]).await;
}

#[tokio::test]
async fn a_server_that_dies_of_its_calls_is_given_up_with_what_it_died_of() {
    let dies = [LIST, &say_tools(&["a"]), DIES_OF_A_CALL, r#"{"exit":7}"#];
    let stage = stage(&dies);
    let settings = fast(json!({"reconnect": {"retries": 0}}));
    let registry = registry(json!({ "s": configured(&stage, settings) }));
    registry.discover().await;
    let lost = dispatched(&registry).await;
    assert_eq!(lost["error"]["outcome_uncertain"], true, "{lost}");
    until("the server is given up", || {
        life(&registry) == State::Parked
    })
    .await;
    let catalog = registry.discover_server("s").await.unwrap();
    assert_eq!(life(&registry), State::Ready, "it was asked for");
    assert!(matches!(
        catalog.server("s").unwrap().state,
        ServerState::Ready(_)
    ));
    let lost = dispatched(&registry).await;
    assert_eq!(lost["error"]["outcome_uncertain"], true, "{lost}");
    until("the server is given up", || {
        life(&registry) == State::Parked
    })
    .await;
    let catalog = registry.changed(&catalog).await;
    let failure = match &catalog.server("s").unwrap().state {
        ServerState::Failed(error) => error.to_string(),
        state => panic!("{state:?}"),
    };
    assert!(failure.contains("code 7"), "{failure}");
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn dropping_a_registry_ends_its_servers() {
    let stage = stage(&[&healthy("ok")]);
    let registry = registry(json!({ "s": configured(&stage, json!({})) }));
    registry.discover().await;
    assert!(!stage.processes().is_empty());
    drop(registry);
    until("no process is left", || stage.processes().is_empty()).await;
}

#[tokio::test]
async fn a_lazy_server_is_left_alone_by_a_discovery_and_connected_by_its_first_call() {
    let stage = stage(&[&healthy("ok")]);
    let registry = registry(json!({ "s": configured(&stage, json!({"lazy": true})) }));
    registry.discover().await;
    assert_eq!((stage.spawns(), life(&registry)), (0, State::Idle));
    let answer = timeout(PATIENCE, registry.dispatch("s/a", "{}")).await;
    assert_eq!(answer.unwrap(), r#"{"result":"ok"}"#);
    assert_eq!(stage.spawns(), 1);
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn a_call_of_a_server_that_is_replaced_meanwhile_goes_to_the_new_one_and_hides_as_before() {
    let hangs = r#"{"swallow":"tools/call","times":1}"#;
    let old = stage(&[LIST, &say_tools(&["a"]), hangs, hangs]);
    let new = stage(&[&healthy("new")]);
    let registry = registry(json!({ "s": configured(&old, json!({})) }));
    registry.discover().await;
    let first = registry.call("mcp_s_a", "{}", Some(Duration::from_secs(2)), None);
    let second = async {
        old.until("the first call runs", |record| {
            record.of("tools/call").len() == 1
        })
        .await;
        // It waits behind the first, since the server does one at a time.
        let waits = registry.dispatch("mcp_s_a", "{}");
        let reload = async {
            until("it waits", || registry.lives()[0].1.queued == 1).await;
            let servers = json!({ "s": configured(&new, json!({})) });
            let text = json!({ "mcp_servers": servers }).to_string();
            let next = Config::parse(&text, "config.yaml", &|_name| None).unwrap();
            registry.reload(next.config)
        };
        tokio::join!(waits, reload).0
    };
    let both = async { tokio::join!(first, second) };
    let (first, second) = timeout(PATIENCE, both).await.unwrap();
    assert!(first.is_err(), "it was never answered");
    assert_eq!(second, r#"{"result":"new"}"#);
    assert_eq!(old.record().of("tools/call").len(), 1);
    close(&registry, &[&old, &new]).await;
}

#[tokio::test]
async fn closing_ends_whoever_waits_for_something_new() {
    let registry = registry(json!({ "s": {"command": "never-started"} }));
    let seen = registry.catalog();
    let both = async { tokio::join!(registry.changed(&seen), registry.close()) };
    timeout(PATIENCE, both).await.unwrap();
    // Nothing hangs afterwards either.
    let catalog = timeout(PATIENCE, registry.discover()).await.unwrap();
    timeout(PATIENCE, registry.changed(&catalog)).await.unwrap();
    assert_eq!(life(&registry), State::Closed);
}

/// A list of one tool with these hints.
fn say_tool(hints: &Value) -> String {
    let tool = json!({"name": "a", "inputSchema": {"type": "object"}, "annotations": hints});
    json!({"say": {"jsonrpc": "2.0", "id": "$L", "result": {"tools": [tool]}}}).to_string()
}

/// Report NousResearch/hermes-agent#88821.
#[tokio::test]
async fn what_can_be_done_twice_is_done_once_more_when_its_server_dies_of_it_and_no_more() {
    let (reads, repeats) = (
        json!({"readOnlyHint": true}),
        json!({"idempotentHint": true}),
    );
    let full = json!({});
    let untrusted = json!({"trust": "untrusted"});
    for (hints, trust, calls) in [
        (&reads, &full, 2),
        (&repeats, &full, 2),
        (&json!({}), &full, 1),
        (&reads, &untrusted, 1),
    ] {
        let first = say_tool(hints);
        let dies: &[&str] = &[LIST, &first, DIES_OF_A_CALL, r#"{"exit":1}"#];
        let stage = processes(&[dies, dies, dies]);
        let registry = registry(json!({ "s": configured(&stage, fast(trust.clone())) }));
        registry.discover().await;
        let lost = dispatched(&registry).await;
        assert_eq!(lost["error"]["code"], "server_unavailable", "{lost}");
        until("the server is tried again", || stage.spawns() == calls + 1).await;
        assert_eq!(
            stage.record().of("tools/call").len(),
            calls,
            "{hints} {trust}"
        );
        timeout(PATIENCE, registry.close()).await.unwrap();
    }
    let (first, healthy) = (say_tool(&reads), healthy("ok"));
    let stage = processes(&[
        &[LIST, &first, DIES_OF_A_CALL, r#"{"exit":1}"#],
        &[&healthy],
    ]);
    let registry = registry(json!({ "s": configured(&stage, fast(json!({}))) }));
    registry.discover().await;
    assert_eq!(dispatched(&registry).await, json!({"result": "ok"}));
    assert_eq!(stage.record().of("tools/call").len(), 2);
    close(&registry, &[&stage]).await;
}
