//! The demo server, by the command and by itself.

use crate::support::{Home, good};

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
        (r#"{"jsonrpc":"2.0","id":12,"method":"completion/complete"}"#.to_owned(), r#""id":12,"error":{"code":-32601"#),
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
