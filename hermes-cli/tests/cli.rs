//! The command as its users see it: real processes, real servers, exit status and what is printed.

mod support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use support::{Home, demo_server};

/// The demo server as a configured one, with more keys below.
fn good(name: &str) -> String {
    format!("  {name}:\n{}", demo_server())
}

#[test]
fn the_quick_start_works_without_a_configuration() {
    let home = Home::new();
    for words in [
        &["mcp", "tools", "--demo"][..],
        &["--demo", "mcp", "tools"],
        &["mcp", "tools"],
    ] {
        let run = home.run(words);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(
            run.stdout.starts_with("mcp_demo_add\tAdds two numbers.\n"),
            "{run:?}"
        );
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        assert!(
            run.stderr.contains("using the built-in demo server"),
            "{run:?}"
        );
    }
    let note = home.run(&["mcp", "tools"]).stderr;
    let expected = format!(
        "hermes: no configuration file at {}; using",
        home.file("config.yaml")
    );
    assert!(note.starts_with(&expected), "{note}");

    let arguments = r#"{"a":2,"b":3}"#;
    for name in ["mcp_demo_add", "demo/add"] {
        let run = home.run(&["mcp", "call", name, arguments, "--demo"]);
        assert_eq!((run.code, run.stdout.as_str()), (0, "5\n"), "{run:?}");
    }
}

#[test]
fn arguments_come_from_standard_input_too() {
    let home = Home::new();
    for words in [
        &["mcp", "call", "demo/add"][..],
        &["mcp", "call", "demo/add", "-"],
    ] {
        let run = home.run_with(words, "{\"a\": 2,\n \"b\": 3.5}\n");
        assert_eq!((run.code, run.stdout.as_str()), (0, "5.5\n"), "{run:?}");
    }
    // Nothing at all is an empty object, of which the tool complains.
    let run = home.run(&["mcp", "call", "demo/add"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("missing field `a`"), "{run:?}");
    for wrong in ["{a:1}", "[1]", "{} {}"] {
        let run = home.run(&["mcp", "call", "demo/add", wrong]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains("give one JSON object"), "{run:?}");
    }
}

#[test]
fn json_has_stable_shapes() {
    let home = Home::new();
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n{}    tools: [add]\n", good("calc")),
    );
    let info = format!(
        r#"{{"name":"hermes-demo","title":"Demo server of hermes","version":"{}"}}"#,
        env!("CARGO_PKG_VERSION")
    );
    let problem = format!(
        r#"{{"file":"{}","line":5,"column":12,"key":"mcp_servers.calc.tools","server":"calc","severity":"warning","message":"is a list, which is read as `tools.include`"}}"#,
        home.file("config.yaml")
    );

    let run = home.run(&["mcp", "tools", "--json"]);
    let expected = format!(
        r#"{{"version":1,"servers":[{{"name":"calc","state":"ready","era":"modern","protocolVersion":"2026-07-28","serverInfo":{info},"notes":[],"error":null}}],"tools":[{{"name":"mcp_calc_add","server":"calc","tool":"add","title":"Add","description":"Adds two numbers.","inputSchema":{{"type":"object","properties":{{"a":{{"type":"number"}},"b":{{"type":"number"}}}},"required":["a","b"],"additionalProperties":false}}}}],"problems":[{problem}]}}"#
    );
    assert_eq!(
        (run.code, run.stdout.trim_end()),
        (0, expected.as_str()),
        "{run:?}"
    );

    let run = home.run(&["mcp", "call", "calc/add", r#"{"a":2,"b":3}"#, "--json"]);
    let expected = format!(
        r#"{{"version":1,"server":"calc","tool":"add","name":"mcp_calc_add","isError":false,"result":{{"resultType":"complete","content":[{{"type":"text","text":"5"}}],"structuredContent":{{"sum":5}},"_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}}},"diagnostics":[],"problems":[{problem}]}}"#
    );
    assert_eq!(
        (run.code, run.stdout.trim_end()),
        (0, expected.as_str()),
        "{run:?}"
    );

    let run = home.run(&["mcp", "test", "calc", "--json"]);
    let start = r#"{"version":1,"server":"calc","state":"ready","connectMs":"#;
    let end = format!(
        r#","era":"modern","protocolVersion":"2026-07-28","serverInfo":{info},"instructions":"A server to try things with. Its tools change nothing.","toolsListed":5,"tools":["mcp_calc_add"],"notes":[],"problems":[{problem}]}}"#
    );
    let took = run
        .stdout
        .trim_end()
        .strip_prefix(start)
        .and_then(|rest| rest.strip_suffix(&end));
    assert!(
        took.is_some_and(|took| took.parse::<u64>().is_ok()),
        "{run:?}"
    );

    let run = home.run(&["mcp", "list", "--json"]);
    let expected = format!(
        r#"{{"version":1,"servers":[{{"name":"calc","enabled":true,"command":"{}","args":["mcp","demo-server"],"cwd":null,"env":[],"timeout":120.0,"connectTimeout":60.0,"protocol":"auto","include":["add"],"exclude":[],"file":"{}","line":2}}],"problems":[{problem}]}}"#,
        env!("CARGO_BIN_EXE_hermes"),
        home.file("config.yaml")
    );
    assert_eq!(
        (run.code, run.stdout.trim_end()),
        (0, expected.as_str()),
        "{run:?}"
    );

    let run = home.run(&["mcp", "tools", "clac", "--json"]);
    let expected = format!(
        r#"{{"version":1,"error":{{"code":"unknown_server","message":"no server is called `clac`","suggestion":"did you mean `calc`?","server":null,"retryable":false,"outcomeUncertain":false,"details":[]}},"problems":[{problem}]}}"#
    );
    assert_eq!(
        (run.code, run.stdout.trim_end()),
        (2, expected.as_str()),
        "{run:?}"
    );

    let run = home.run(&["mcp", "tolos", "--json"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.stdout
            .starts_with(r#"{"version":1,"error":{"code":"usage","#),
        "{run:?}"
    );
}

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
fn unknown_names_are_status_2_with_the_nearest_ones() {
    let home = Home::new();
    for (words, expected) in [
        (
            &["mcp", "call", "mcp_demo_ecoh", "{}"][..],
            "no tool is called `mcp_demo_ecoh`; did you mean `mcp_demo_echo`",
        ),
        (
            &["mcp", "call", "demo/ecoh", "{}"],
            "no tool is called `demo/ecoh`; did you mean `demo/echo`",
        ),
        (
            &["mcp", "call", "echo", "{}"],
            "did you mean `demo/echo` or `mcp_demo_echo`?",
        ),
        (
            &["mcp", "call", "dmo/echo", "{}"],
            "no server is called `dmo`; did you mean `demo`?",
        ),
        (
            &["mcp", "test", "dmo"],
            "no server is called `dmo`; did you mean `demo`?",
        ),
    ] {
        let run = home.run(words);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(expected), "{run:?}");
    }
}

#[test]
fn a_failing_tool_is_status_1_and_a_silent_one_status_4() {
    let home = Home::new();
    let run = home.run(&["mcp", "call", "demo/fail"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
    assert!(
        run.stderr
            .contains("failed and says: failing is what this tool does\n"),
        "{run:?}"
    );
    let run = home.run(&["mcp", "call", "demo/fail", "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains(r#""isError":true"#), "{run:?}");

    // Progress does not extend what `--timeout` allows.
    let run = home.run(&[
        "mcp",
        "call",
        "demo/slow",
        r#"{"seconds":60}"#,
        "--timeout",
        "0.4",
    ]);
    assert_eq!((run.code, run.stdout.as_str()), (4, ""), "{run:?}");
    let expected = "`slow` of server `demo` did not answer within 0.4 s; it may have run, so check \
                    its effect before calling it again; give it more time with `--timeout`\n";
    assert!(run.stderr.ends_with(expected), "{run:?}");
    let run = home.run(&[
        "mcp",
        "call",
        "demo/slow",
        r#"{"seconds":0.3}"#,
        "--timeout",
        "30",
    ]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "done after 0.3 s\n"),
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

#[test]
fn the_demo_server_speaks_both_eras() {
    let home = Home::new();
    for (protocol, era) in [
        ("legacy", r#""era":"legacy","protocolVersion":"2025-11-25""#),
        ("modern", r#""era":"modern","protocolVersion":"2026-07-28""#),
    ] {
        let text = format!("mcp_servers:\n{}    protocol: {protocol}\n", good("demo"));
        home.write("config.yaml", &text);
        let run = home.run(&["mcp", "test", "demo", "--json"]);
        assert!(run.code == 0 && run.stdout.contains(era), "{run:?}");
        let run = home.run(&["mcp", "call", "demo/add", r#"{"a":1,"b":1}"#, "--json"]);
        assert!(
            run.stdout.contains(r#""structuredContent":{"sum":2}"#),
            "{run:?}"
        );
        assert_eq!(
            run.stdout.contains("resultType"),
            protocol == "modern",
            "{run:?}"
        );
    }
}

#[test]
fn the_demo_server_answers_each_request_as_its_revision_demands() {
    let home = Home::new();
    let modern = |version: &str, more: &str| {
        format!(r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}"{more}}}"#)
    };
    let able = r#","io.modelcontextprotocol/clientCapabilities":{}"#;
    let (new, old) = (modern("2026-07-28", able), modern("2025-11-25", able));
    let bare = modern("2026-07-28", "");
    let initialize = |id: u32, version: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
        )
    };
    let rows = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(), r#""id":1,"error":{"code":-32602"#),
        (format!(r#"{{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{{{old}}}}}"#), r#""id":2,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2024-11-05""#),
        (format!(r#"{{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{{{bare}}}}}"#), r#""id":3,"error":{"code":-32602"#),
        (format!(r#"{{"jsonrpc":"2.0","id":4,"method":"server/discover","params":{{{new}}}}}"#), r#""id":4,"result":{"resultType":"complete","supportedVersions":["2024-11-05""#),
        (format!(r#"{{"jsonrpc":"2.0","id":5,"method":"ping","params":{{{new}}}}}"#), r#""id":5,"error":{"code":-32601"#),
        (format!(r#"{{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{{"name":"nope",{new}}}}}"#), r#""id":6,"error":{"code":-32602,"message":"Unknown tool: nope""#),
        (r#"{"jsonrpc":"2.0","id":"7","method":"ping"}"#.to_owned(), r#""id":"7","result":{}"#),
        (initialize(8, "2099-01-01"), r#""id":8,"result":{"protocolVersion":"2025-11-25""#),
        (initialize(9, "2024-11-05"), r#""id":9,"result":{"protocolVersion":"2024-11-05""#),
        (r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#.to_owned(), r#""id":10,"result":{"content":[{"type":"text","text":"3"}]}"#),
        (r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}"#.to_owned(), r#""isError":true"#),
        (r#"{"jsonrpc":"2.0","id":12,"method":"resources/list"}"#.to_owned(), r#""id":12,"error":{"code":-32601"#),
        (r#"{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":60}}}"#.to_owned(), ""),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":13}}"#.to_owned(), ""),
        ("not json".to_owned(), ""),
        (r#"{"jsonrpc":"2.0","id":14,"method":"ping"}"#.to_owned(), r#""id":14,"result":{}"#),
    ];
    let input: Vec<&str> = rows.iter().map(|(request, _)| request.as_str()).collect();
    let run = home.run_with(&["mcp", "demo-server"], &input.join("\n"));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let answers: Vec<&str> = run.stdout.lines().collect();
    let expected: Vec<&str> = rows
        .iter()
        .map(|(_, answer)| *answer)
        .filter(|answer| !answer.is_empty())
        .collect();
    assert_eq!(answers.len(), expected.len(), "{run:?}");
    for (answer, expected) in answers.iter().zip(expected) {
        assert!(answer.contains(expected), "{answer}\n{expected}");
    }
}

#[test]
fn an_interrupt_ends_the_servers_in_good_order_and_is_status_130() {
    let home = Home::new();
    let script = format!(
        "\"{}\" mcp demo-server; echo ended >&2",
        env!("CARGO_BIN_EXE_hermes")
    );
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n  demo:\n    command: sh\n    args: [-c, '{script}']\n"),
    );
    let mut command = home.command(&["mcp", "call", "demo/slow", r#"{"seconds":60}"#, "-v"]);
    let mut child = command
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(stderr.any(|line| line.unwrap().contains("calling demo/slow")));
    let kill = ["-INT", &child.id().to_string()].map(str::to_owned);
    assert!(
        std::process::Command::new("kill")
            .args(kill)
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
    assert_eq!(home.read("logs/mcp-stderr.log"), "[demo] ended\n");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = Home::new();
    let words = ["mcp", "call", "demo/big", r#"{"bytes":1000000}"#];
    let mut command = home.command(&words);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), stderr.lines().count()),
        (Some(0), 1),
        "{stderr}"
    );
}

#[test]
fn completions_and_help_are_printed() {
    let home = Home::new();
    let run = home.run(&["completion", "bash"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout.contains("_hermes()") && run.stderr.is_empty(),
        "{run:?}"
    );
    assert!(
        run.stdout.contains("--timeout") && run.stdout.contains("tools"),
        "{run:?}"
    );

    let run = home.run(&["mcp", "call", "-h"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert!(
        run.stdout
            .contains("Examples:\n  hermes mcp call mcp_demo_add"),
        "{run:?}"
    );
    let run = home.run(&["mcp", "tools", "--nope"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
}

#[test]
fn standard_input_that_stays_open_is_waited_for_with_a_word() {
    let home = Home::new();
    let mut command = home.command(&["mcp", "call", "demo/echo"]);
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(stderr.any(|line| line.unwrap().contains("waiting for the arguments")));
    child
        .stdin
        .take()
        .unwrap()
        .write_all(br#"{"text":"late"}"#)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(0), &b"late\n"[..])
    );
}
