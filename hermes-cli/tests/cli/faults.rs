//! Configurations with faults, and servers that cannot be reached: what is told, and what still works.

use crate::support::{Home, good};

#[test]
fn a_faulty_configuration_is_status_2_with_file_line_and_key_and_the_rest_works() {
    let home = Home::new();
    let bad = |lines: &str| format!("mcp_servers:\n{}  bad:\n{lines}", good("good"));
    let rows = [
        (
            "wrong type",
            bad("    command: sh\n    timeout: soon\n"),
            ":7:14: mcp_servers.bad.timeout: must be",
        ),
        (
            "unknown key",
            bad("    command: sh\n    timeuot: 5\n"),
            ":7:5: mcp_servers.bad.timeuot: unknown key; did you mean `timeout`?",
        ),
        (
            "command and url",
            bad("    command: sh\n    url: https://example.com/\n"),
            "mcp_servers.bad.url: a server has either `command` (line 6) or `url` (line 7), not both",
        ),
        (
            "missing variable",
            bad("    command: sh\n    args: ['${HERMES_TEST_UNSET}']\n"),
            ":7:12: mcp_servers.bad.args[0]: the environment variable `HERMES_TEST_UNSET` is not set",
        ),
        (
            "duplicate server",
            bad("    command: sh\n  bad:\n    command: sh\n"),
            ":7:3: mcp_servers.bad: a server of this name stands already in line 5",
        ),
    ];
    for (what, text, expected) in rows {
        home.write("config.yaml", &text);
        let file = home.file("config.yaml");
        for words in [
            &["mcp", "tools"][..],
            &["mcp", "call", "mcp_good_add", r#"{"a":2,"b":3}"#],
            &["mcp", "test", "good"],
            &["mcp", "list"],
        ] {
            let run = home.run(words);
            assert_eq!(run.code, 2, "{what}: {run:?}");
            let is_named = |line: &str| {
                line.strip_prefix("hermes: ")
                    .is_some_and(|line| line.starts_with(&file))
                    && line.contains(expected)
            };
            assert!(run.stderr.lines().any(is_named), "{what}: {run:?}");
            let works = match words {
                [_, "tools"] => run.stdout.contains("mcp_good_add\t"),
                [_, "call", ..] => run.stdout == "5\n",
                [_, "test", _] => run.stdout.starts_with("server `good` works\n"),
                _ => run.stdout.ends_with("bad\tfaulty\t\n"),
            };
            assert!(works, "{what}: {run:?}");
        }
        let run = home.run(&["mcp", "call", "mcp_bad_tool", "{}"]);
        assert!(
            run.stderr.contains("server `bad` is not used"),
            "{what}: {run:?}"
        );
    }
}

#[test]
fn a_file_that_is_not_yaml_and_one_that_is_missing_are_status_2() {
    let home = Home::new();
    home.write("config.yaml", "mcp_servers:\n  a: [1,\n  b: }\n");
    let run = home.run(&["mcp", "tools"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    let start = format!("hermes: {}:2:6: not YAML: ", home.file("config.yaml"));
    assert!(run.stderr.starts_with(&start), "{run:?}");

    let missing = home.file("missing.yaml");
    let run = home.run(&["mcp", "tools", "--config", &missing]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    let expected =
        format!("hermes: {missing}: the file does not exist; give another file with `--config`\n");
    assert_eq!(run.stderr, expected);

    home.write("other.yaml", &format!("mcp_servers:\n{}", good("other")));
    let other = home.file("other.yaml");
    let run = home.run(&["mcp", "--config", &other, "tools"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout.starts_with("mcp_other_add\t") && run.stderr.is_empty(),
        "{run:?}"
    );
}

#[test]
fn a_server_that_exits_is_status_3_and_the_others_are_listed() {
    let home = Home::new();
    let script = "for n in 1 2 3 4; do echo cannot open the database $n >&2; done; exit 7";
    let broken = format!("  broken:\n    command: sh\n    args: [-c, '{script}']\n");
    let text = format!(
        "mcp_servers:\n{broken}  gone:\n    command: no-such-program-here\n{}",
        good("good")
    );
    home.write("config.yaml", &text);

    let run = home.run(&["mcp", "tools"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stdout.starts_with("mcp_good_add\t"), "{run:?}");
    let broken = "hermes: server `broken` could not be reached: ";
    assert!(
        run.stderr.contains(broken) && run.stderr.contains("exited with code 7"),
        "{run:?}"
    );
    assert!(run.stderr.contains("cannot open the database 4"), "{run:?}");
    assert!(
        run.stderr.contains("cannot start `no-such-program-here`"),
        "{run:?}"
    );

    for words in [
        &["mcp", "test", "broken"][..],
        &["mcp", "call", "mcp_broken_x", "{}"],
    ] {
        let run = home.run(words);
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{run:?}");
        assert!(
            run.stderr.contains("\n    cannot open the database 1\n"),
            "{run:?}"
        );
        let place = format!("({}:2)", home.file("config.yaml"));
        assert!(
            run.stderr.contains(&place) && !run.stderr.contains("gone"),
            "{run:?}"
        );
    }
    let log = home.read("logs/mcp-stderr.log");
    assert!(
        log.contains("[broken] cannot open the database 1\n"),
        "{log}"
    );

    let run = home.run(&["mcp", "tools", "--json"]);
    assert_eq!(run.code, 3, "{run:?}");
    let failed = r#"{"name":"gone","state":"failed","era":null,"protocolVersion":null,"serverInfo":null,"notes":[],"error":{"code":"server_unavailable","#;
    assert!(run.stdout.contains(failed), "{run:?}");
}

#[test]
fn a_call_starts_only_the_server_that_it_needs() {
    let home = Home::new();
    let trap = format!(
        "  trap:\n    command: touch\n    args: ['{}']\n",
        home.file("started")
    );
    let off = format!("{}    enabled: false\n", good("off"));
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n{trap}{}{off}", good("good")),
    );
    for words in [
        &["mcp", "call", "mcp_good_echo", r#"{"text":"hi"}"#][..],
        &["mcp", "call", "good/echo", r#"{"text":"hi"}"#],
        &["mcp", "tools", "good"],
        &["mcp", "test", "good"],
        &["mcp", "list"],
    ] {
        let run = home.run(words);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    }
    for name in ["mcp_off_echo", "off/echo"] {
        let run = home.run(&["mcp", "call", name, "{}"]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("server `off` is disabled"), "{run:?}");
    }
    assert!(!home.has("started"));
    let run = home.run(&["mcp", "tools"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(home.has("started"));
}

/// Case BR-097.
#[test]
fn a_pattern_that_matches_no_tool_is_told_with_the_server() {
    let home = Home::new();
    let filter = "    tools: {exclude: ['ec*', nope, ehco]}\n";
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n{}{filter}", good("calc")),
    );
    let notes = [
        "`nope` in its `tools` filter matches no tool",
        "`ehco` in its `tools` filter matches no tool; did you mean `echo`?",
    ];

    let run = home.run(&["mcp", "tools"]);
    assert!(
        run.code == 0 && !run.stdout.contains("mcp_calc_echo"),
        "{run:?}"
    );
    let told = notes.map(|note| format!("hermes: server `calc`: {note}\n"));
    assert_eq!(run.stderr, told.concat());

    let run = home.run(&["mcp", "test", "calc"]);
    for note in notes {
        let is_row = |line: &str| line.trim_start().starts_with("note ") && line.ends_with(note);
        assert!(run.stdout.lines().any(is_row), "{run:?}");
    }

    let run = home.run(&["mcp", "tools", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!(told["servers"][0]["notes"], serde_json::json!(notes));
}
