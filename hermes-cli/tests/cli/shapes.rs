//! The JSON of each command, member by member.

use crate::support::{Home, good};

#[test]
fn json_has_stable_shapes() {
    let home = Home::new();
    home.write(
        "config.yaml",
        &format!(
            "mcp_servers:\n{}    timeout: '120'\n    tools: {{include: [add], resources: no, prompts: no}}\n",
            good("calc")
        ),
    );
    let info = format!(
        r#"{{"name":"hermes-demo","title":"Demo server of hermes","version":"{}"}}"#,
        env!("CARGO_PKG_VERSION")
    );
    let problem = format!(
        r#"{{"file":"{}","line":5,"column":14,"key":"mcp_servers.calc.timeout","server":"calc","severity":"warning","message":"is a number in quotes; it is read as the number"}}"#,
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
        r#","era":"modern","protocolVersion":"2026-07-28","serverInfo":{info},"instructions":"A server to try things with. Its tools change nothing.","ledger":["server/discover (2026-07-28): it speaks 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28"],"toolsListed":5,"tools":["mcp_calc_add"],"notes":[],"problems":[{problem}]}}"#
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
        r#"{{"version":1,"servers":[{{"name":"calc","enabled":true,"command":"{}","args":["mcp","demo-server"],"cwd":null,"env":[],"timeout":120.0,"connectTimeout":60.0,"protocol":"auto","include":["add"],"exclude":[],"file":"{}","line":2,"url":null}}],"problems":[{problem}]}}"#,
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
        r#"{{"version":1,"error":{{"code":"unknown_server","message":"no server is called `clac`","suggestion":"did you mean `calc`?","server":null,"retryable":false,"outcomeUncertain":false,"details":[],"cause":null}},"problems":[{problem}]}}"#
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
