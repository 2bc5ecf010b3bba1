//! What a server is asked to log, and where that goes.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_registry::life::State;
use hermes_registry::{Event, Registry};
use mcp_tests::script::ScriptedServer;
use serde_json::{Value, json};
use tokio::time::Instant;
use tracing::subscriber::DefaultGuard;

use super::memory::{Memory, memory};

/// What was logged by us, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Collects what this thread logs.
    fn collect() -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    /// The line that holds this text.
    fn line(&self, text: &str) -> String {
        let log = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let line = log.lines().find(|line| line.contains(text));
        line.unwrap_or_else(|| panic!("{text}: {log}")).to_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn registry(memory: &Memory, level: Option<&str>) -> Registry {
    let mut settings = json!({"command": "in-memory"});
    if let Some(level) = level {
        settings["log_level"] = json!(level);
    }
    memory.registry(&json!({ "s": settings }))
}

async fn list(server: &mut ScriptedServer) {
    let list = server.expect("tools/list").await;
    let tools = serde_json::from_str(&super::tools(&["a"])).unwrap();
    server.answer(&list, tools).await;
}

/// What a server does when it is told the level.
#[derive(Clone, Copy, Debug)]
enum Told {
    Takes,
    Refuses,
    IsSilent,
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_that_logs_is_told_the_level_and_works_whatever_it_says_to_that() {
    let (log, _guard) = Log::collect();
    for (told, seconds) in [(Told::Takes, 0), (Told::Refuses, 0), (Told::IsSilent, 5)] {
        let (memory, far_ends) = memory();
        let registry = registry(&memory, Some("warning"));
        let play = async |_name, mut server: ScriptedServer| {
            let capabilities = json!({"tools": {}, "logging": {}});
            server.open_legacy_with("2025-11-25", capabilities).await;
            let level = server.expect("logging/setLevel").await;
            assert_eq!(*level.params(), json!({"level": "warning"}));
            match told {
                Told::Takes => server.answer(&level, json!({})).await,
                Told::Refuses => {
                    let error = json!({"code": -32602, "message": "no such level here"});
                    server.refuse(&level, error).await;
                }
                Told::IsSilent => {
                    server.expect("notifications/cancelled").await;
                }
            }
            list(&mut server).await;
            server.until_hung_up().await;
        };
        let begun = Instant::now();
        far_ends.play_during(registry.discover(), play).await;
        assert_eq!(begun.elapsed().as_secs(), seconds, "{told:?}");
        assert_eq!(registry.lives()[0].1.state, State::Ready, "{told:?}");
    }
    let refused = log.line("no such level here");
    assert!(refused.contains(" WARN ") && refused.contains("the log level could not be set"));
}

/// `expect` fails if it is asked for anything else.
#[tokio::test(start_paused = true)]
async fn a_legacy_server_is_told_no_level_unless_it_logs_and_one_is_configured() {
    for (level, capabilities) in [
        (Some("warning"), json!({"tools": {}})),
        (None, json!({"tools": {}, "logging": {}})),
    ] {
        let (memory, far_ends) = memory();
        let registry = registry(&memory, level);
        let play = async |_name, mut server: ScriptedServer| {
            let capabilities = capabilities.clone();
            server.open_legacy_with("2025-11-25", capabilities).await;
            list(&mut server).await;
            server.until_hung_up().await;
        };
        far_ends.play_during(registry.discover(), play).await;
        assert_eq!(registry.lives()[0].1.state, State::Ready);
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_told_the_level_with_each_call() {
    for (level, expected) in [(Some("debug"), json!("debug")), (None, Value::Null)] {
        let (memory, far_ends) = memory();
        let registry = registry(&memory, level);
        let play = async |_name, mut server: ScriptedServer| {
            server.open_modern().await;
            list(&mut server).await;
            for _ in 0..2 {
                let call = server.expect("tools/call").await;
                let told = &call.params()["_meta"]["io.modelcontextprotocol/logLevel"];
                assert_eq!(*told, expected);
                server.answer(&call, json!({"content": []})).await;
            }
            server.until_hung_up().await;
        };
        let test = async {
            for _ in 0..2 {
                let shown = registry.dispatch("s/a", "{}").await;
                assert_eq!(shown, r#"{"result":""}"#);
            }
        };
        far_ends.play_during(test, play).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_server_logs_is_in_our_log_at_a_level_of_ours_cut_and_without_credentials() {
    let (log, _guard) = Log::collect();
    let rows = [
        ("debug", json!("said 1"), "DEBUG", "said 1"),
        ("info", json!("said 2"), "INFO", "said 2"),
        ("notice", json!("said 3"), "INFO", "said 3"),
        ("warning", json!({"said": 4}), "WARN", r#"{"said":4}"#),
        ("error", json!("said 5"), "ERROR", "said 5"),
        (
            "alert",
            json!("token=abcdefgh12345678"),
            "ERROR",
            "token=[REDACTED]",
        ),
        (
            "emergency",
            json!("x".repeat(3_000)),
            "ERROR",
            "xx… (1000 more bytes)",
        ),
    ];
    let (memory, far_ends) = memory();
    let registry = registry(&memory, None);
    let mut events = registry.events();
    let play = async |_name, mut server: ScriptedServer| {
        let capabilities = json!({"tools": {}, "logging": {}});
        server.open_legacy_with("2025-11-25", capabilities).await;
        list(&mut server).await;
        for (level, data, ..) in &rows {
            let params = json!({"level": level, "logger": "disk", "data": data});
            let method = "notifications/message";
            server
                .say(json!({"jsonrpc": "2.0", "method": method, "params": params}))
                .await;
        }
        server.until_hung_up().await;
    };
    let test = async {
        registry.discover().await;
        let mut logged = 0;
        while logged < rows.len() {
            let event = tokio::time::timeout(Duration::from_secs(9), events.next());
            let event = event.await.unwrap().unwrap();
            logged += usize::from(matches!(event, Event::Log { .. }));
        }
    };
    far_ends.play_during(test, play).await;
    for (level, _, ours, text) in &rows {
        let line = log.line(text);
        let is_right = line.contains(&format!(" {ours} ")) && line.contains("server=\"s\"");
        assert!(is_right && line.contains("disk"), "{level}: {line}");
    }
}
