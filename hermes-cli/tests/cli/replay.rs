//! Logs of frames, and servers that are played back from them.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::Home;

/// A configuration whose server `demo` is played back from `frames.jsonl`.
fn play_back(home: &Home, more: &[&str]) {
    let program = env!("CARGO_BIN_EXE_hermes");
    let args: Vec<String> = ["mcp", "replay", &*home.file("frames.jsonl")]
        .iter()
        .chain(more)
        .map(|&word| word.to_owned())
        .collect();
    let config = json!({"mcp_servers": {"demo": {"command": program, "args": args}}});
    home.write("config.yaml", &config.to_string());
}

#[test]
fn a_recorded_server_answers_as_it_did() {
    let home = Home::new();
    let log = home.file("frames.jsonl");
    let commands = [
        &["mcp", "tools"][..],
        &["mcp", "call", "demo/add", r#"{"a": 2, "b": 3}"#],
        &["mcp", "call", "demo/add", r#"{"a": 2, "b": 3}"#, "--json"],
        &["mcp", "call", "demo/fail", "{}"],
        &["mcp", "call", "demo/slow", r#"{"seconds": 0.3}"#],
        &["mcp", "test", "demo"],
    ];
    let with = |words: &[&str], more: &[&str]| home.run(&[words, more].concat());
    let recorded = commands.map(|words| with(words, &["--demo", "--frame-log", &log]));
    let mode = std::fs::metadata(&log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = home.read("frames.jsonl");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.iter().all(|line| line["frame"].is_object()), "{text}");

    play_back(&home, &[]);
    for (words, recorded) in commands.iter().zip(recorded) {
        let played = with(words, &[]);
        // How long it took is another time.
        let out = |text: &str| {
            let lines = text.lines().filter(|line| !line.contains("connected in"));
            lines.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            out(&played.stdout),
            out(&recorded.stdout),
            "{words:?} {played:?}"
        );
        assert_eq!(played.code, recorded.code, "{words:?}");
    }
    let unknown = home.run(&["mcp", "call", "demo/add", r#"{"a": 2, "b": 4}"#]);
    assert_eq!(unknown.code, 1, "{unknown:?}");
    assert!(
        unknown
            .stderr
            .contains("the log holds `tools/call` with other parameters only"),
        "{unknown:?}"
    );
}

#[test]
fn what_cannot_be_played_back_or_recorded_says_why() {
    let home = Home::new();
    let missing = home.file("missing");
    for (words, text) in [
        (&["mcp", "replay", &*missing][..], "cannot be read"),
        (
            &[
                "mcp",
                "tools",
                "--demo",
                "--frame-log",
                "/no/such/folder/log",
            ],
            "cannot be kept",
        ),
    ] {
        let run = home.run(words);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(text), "{run:?}");
    }
    home.write("frames.jsonl", "no log\n");
    let run = home.run(&["mcp", "replay", &home.file("frames.jsonl"), "--json"]);
    let shown: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(shown["error"]["code"], "bad_log", "{shown}");
}

#[test]
fn of_several_servers_one_is_chosen() {
    let home = Home::new();
    let program = env!("CARGO_BIN_EXE_hermes");
    let server = json!({"command": program, "args": ["mcp", "demo-server"]});
    let config = json!({"mcp_servers": {"one": server, "two": server}});
    home.write("config.yaml", &config.to_string());
    let log = home.file("frames.jsonl");
    let run = home.run(&["mcp", "tools", "--frame-log", &log]);
    assert_eq!(run.code, 0, "{run:?}");
    let run = home.run(&["mcp", "replay", &log]);
    assert!(
        run.code == 2 && run.stderr.contains("`one`, `two`"),
        "{run:?}"
    );
    play_back(&home, &["--server", "two"]);
    let run = home.run(&["mcp", "tools"]);
    assert!(run.stdout.starts_with("mcp_demo_add\t"), "{run:?}");
}
