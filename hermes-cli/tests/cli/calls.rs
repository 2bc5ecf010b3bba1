//! Tools and calls as a newcomer uses them: quick start, arguments, status of each outcome.

use crate::support::Home;

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
    // Nothing at all is an empty object, which is not what the tool takes.
    let run = home.run(&["mcp", "call", "demo/add"]);
    assert_eq!(run.code, 2, "{run:?}");
    let told = "`a`: expected a number, found nothing";
    assert!(run.stderr.contains(told), "{run:?}");
    for wrong in ["{a:1}", "[1]", "{} {}"] {
        let run = home.run(&["mcp", "call", "demo/add", wrong]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains("give one JSON object"), "{run:?}");
    }
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

    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let [short, long] = [&["completion", shell][..], &["mcp", "completions", shell]];
        let (short, long) = (home.run(short), home.run(long));
        assert_eq!((short.code, long.code), (0, 0), "{shell}");
        assert!(short.stdout.contains("completions"), "{shell}");
        assert_eq!(short.stdout, long.stdout, "{shell}");
    }

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
