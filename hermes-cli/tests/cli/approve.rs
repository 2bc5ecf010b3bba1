//! Which tools were approved, and what is done about those that were not.

use serde_json::Value;

use crate::support::Home;
use crate::terminal::Terminal;

/// A server with a tool that reads and one that writes; what the first says of itself stands in a
/// file.
const SCRIPT: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"two","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","description":"%s","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"write","inputSchema":{"type":"object"}}]}}\n' "$id" "$(cat "$1")" ;;
    *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}\n' "$id" ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
  esac
done
"#;

fn home(trust: &str) -> Home {
    let home = Home::new();
    home.write("two.sh", SCRIPT);
    home.write("about.txt", "Looks.");
    let (script, about) = (home.file("two.sh"), home.file("about.txt"));
    let config = format!(
        "mcp_servers:\n  two:\n    command: sh\n    args: ['{script}', '{about}']\n    trust: {trust}\n"
    );
    home.write("config.yaml", &config);
    home
}

#[test]
fn a_changed_tool_of_a_trusted_server_is_told_in_every_run_until_it_is_approved() {
    let home = home("full");
    let note = "hermes: server `two`: tool `look`: its description changed since it was approved\n";
    let run = home.run(&["mcp", "tools"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    home.write("about.txt", "Looks, and mails it away.");
    for _ in 0..2 {
        let run = home.run(&["mcp", "tools"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, note), "{run:?}");
    }
    let run = home.run(&["mcp", "approve", "two"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("nobody can be asked"), "{run:?}");
    let run = home.run(&["mcp", "approve", "two", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(
        run.stdout,
        "changed  look (description)\n    description:\n    - Looks.\n    + Looks, and mails it \
         away.\nthese are approved\n"
    );
    let run = home.run(&["mcp", "tools"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let run = home.run(&["mcp", "approve", "two"]);
    assert_eq!(run.stdout, "every tool of `two` is approved as it is\n");
}

#[test]
fn tools_of_an_untrusted_server_are_approved_and_its_writing_is_allowed_by_name() {
    let home = home("untrusted");
    let run = home.run(&["mcp", "call", "two/look", "{}"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.stderr.contains("never approved") && run.stderr.contains("hermes mcp approve two"),
        "{run:?}"
    );
    let run = home.run(&["mcp", "approve", "two", "look", "--yes", "--json"]);
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(told["approved"], true, "{run:?}");
    assert_eq!(told["added"], serde_json::json!(["look"]));
    let run = home.run(&["mcp", "call", "two/look", "{}"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "done\n"), "{run:?}");
    let run = home.run(&["mcp", "call", "two/write", "{}"]);
    assert_eq!(run.code, 2, "{run:?}");

    let run = home.run(&["mcp", "approve", "two", "--yes"]);
    assert_eq!(run.stdout, "new      write\nthese are approved\n");
    let run = home.run(&["mcp", "call", "two/write", "{}"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.stderr.contains("not trusted") && run.stderr.contains("--yes"),
        "{run:?}"
    );
    let run = home.run(&["mcp", "call", "two/write", "{}", "--yes"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "done\n"), "{run:?}");
    let run = home.run(&["mcp", "approve", "two", "wriet", "--yes"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("`write`"), "{run:?}");
}

#[test]
fn a_person_is_shown_what_changed_and_what_is_called_and_can_say_no() {
    let home = home("untrusted");
    let mut terminal = Terminal::start(home.command(&["mcp", "approve", "two"]));
    terminal.answer("Approve? [y/N] ", "y");
    let (code, stdout, stderr) = terminal.end();
    assert_eq!(code, 0, "{stdout} {stderr}");
    for (answer, code) in [("n", 2), ("y", 0)] {
        let call = home.command(&["mcp", "call", "two/write", r#"{"a":1}"#]);
        let mut terminal = Terminal::start(call);
        terminal.answer(r#"Call it with {"a":1}? [y/N] "#, answer);
        let (ended, stdout, stderr) = terminal.end();
        assert_eq!(ended, code, "{stdout} {stderr}");
    }
}
