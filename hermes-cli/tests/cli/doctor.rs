//! Why a tool is not there: what is found, with which exit status.

use serde_json::Value;

use crate::support::{Home, good};

/// A server that works, one that exits and one that is disabled.
fn servers(home: &Home, more: &str) {
    let exits = "  exits:\n    command: sh\n    args: [-c, 'echo no database >&2; exit 7']\n";
    let off = format!("{}    enabled: false\n", good("off"));
    let calc = format!("{}    tools: {{exclude: ['f*', nope]}}\n", good("calc"));
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n{calc}{exits}{off}{more}"),
    );
}

#[test]
fn every_server_is_gone_through_and_one_that_exits_is_status_3() {
    let home = Home::new();
    servers(&home, "");
    let file = home.file("config.yaml");
    let run = home.run(&["mcp", "doctor"]);
    assert_eq!((run.code, run.stderr.as_str()), (3, ""), "{run:?}");
    for line in [
        format!("ok\tconfiguration\tcalc\tits entry is sound ({file}:2)\t"),
        "ok\ttools\tcalc\tit told 5 tools\t".to_owned(),
        format!(
            "warning\tfilter\tcalc\t`nope` in its `tools` filter matches no tool\tcorrect it or \
             take it out ({file}:2)"
        ),
        format!(
            "note\tfilter\tcalc\t`tools.exclude` keeps back `fail`\tto offer more, change \
             `tools.exclude` ({file}:2)"
        ),
        "ok\toffer\tcalc\tit offers 4 of 5 tools, and 5 tools to reach what else it has\t"
            .to_owned(),
        "ok\tcommand\texits\tits command `sh` was found and started\t".to_owned(),
        format!("note\tenabled\toff\tit is disabled\tset `enabled: true` ({file}:9)"),
    ] {
        assert!(
            run.stdout.lines().any(|told| told == line),
            "{line}\n{run:?}"
        );
    }
    let exits = "error\tconnection\texits\tit could not be reached: the server exited with code 7";
    let found = run.stdout.lines().find(|line| line.starts_with(exits));
    assert!(
        found.is_some_and(|line| line.contains("no database")),
        "{run:?}"
    );
}

#[test]
fn a_faulty_entry_is_a_finding_and_status_2() {
    let home = Home::new();
    servers(&home, "  bad:\n    command: sh\n    timeuot: 5\n");
    let run = home.run(&["mcp", "doctor"]);
    assert_eq!((run.code, run.stderr.as_str()), (2, ""), "{run:?}");
    let told = "timeuot: unknown key; did you mean `timeout`?\tcorrect it; the server is not used";
    assert!(run.stdout.contains(told), "{run:?}");

    home.write("config.yaml", "mcp_servers: [\n");
    let run = home.run(&["mcp", "doctor"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.contains("not YAML"), "{run:?}");
}

#[test]
fn a_tool_is_asked_for_by_any_of_its_names() {
    let home = Home::new();
    servers(&home, "");
    let offered = "ok\toffer\tcalc\t`add` of server `calc` is offered as `mcp_calc_add`\t\n";
    for name in ["mcp_calc_add", "calc/add", "add"] {
        let run = home.run(&["mcp", "doctor", name]);
        assert_eq!(run.stdout, offered, "{run:?}");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    }
    for (name, code, expected) in [
        (
            "calc/fail",
            2,
            "`f*` in `tools.exclude` keeps it back\ttake `f*` out",
        ),
        ("mcp_calc_fail", 2, "`f*` in `tools.exclude` keeps it back"),
        (
            "calc/ad",
            2,
            "has no tool that it calls `ad`\tdid you mean `add`?",
        ),
        ("off/add", 2, "server `off` is disabled"),
        (
            "mcp_exits_query",
            3,
            "server `exits` offers nothing: it could not be reached",
        ),
        (
            "exits/query",
            3,
            "server `exits` offers nothing: it could not be reached",
        ),
        ("clac/add", 2, "did you mean `calc/add`"),
        (
            "nothing_like_it",
            2,
            "no server and no tool of any server is called",
        ),
    ] {
        let run = home.run(&["mcp", "doctor", name]);
        assert_eq!((run.code, run.stderr.as_str()), (code, ""), "{run:?}");
        assert!(run.stdout.contains(expected), "{name}: {run:?}");
    }
}

#[test]
fn a_question_about_one_server_starts_no_other() {
    let home = Home::new();
    let trap = format!(
        "  trap:\n    command: touch\n    args: ['{}']\n",
        home.file("started")
    );
    servers(&home, &trap);
    for name in ["calc", "calc/add", "mcp_calc_add", "mcp_calc_fail"] {
        home.run(&["mcp", "doctor", name]);
    }
    assert!(!home.has("started"));
    home.run(&["mcp", "doctor", "some_tool"]);
    assert!(home.has("started"));
}

#[test]
fn findings_have_all_members() {
    let home = Home::new();
    servers(&home, "");
    let run = home.run(&["mcp", "doctor", "exits", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (3, ""), "{run:?}");
    let first = format!(
        "{{\"version\":1,\"findings\":[{{\"severity\":\"ok\",\"topic\":\"configuration\",\
         \"server\":\"exits\",\"tool\":null,\"message\":\"its entry is sound ({}:6)\",\
         \"wayOut\":null,\"details\":[]}},",
        home.file("config.yaml")
    );
    assert!(run.stdout.starts_with(&first), "{run:?}");
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    let details = &told["findings"][2]["details"];
    assert_eq!(details[1], "last stderr:", "{run:?}");
    assert_eq!(details[2], "  no database", "{run:?}");
    assert_eq!(told["problems"], Value::Array(Vec::new()));
}
