//! Resources: what servers list, and what is read of them.

use serde_json::Value;

use crate::support::{Home, finish, good};

/// The picture of one pixel that the demo server has.
const PNG_LEN: usize = 70;

fn two(home: &Home) {
    let exits = "  exits:\n    command: sh\n    args: [-c, 'exit 7']\n";
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n{}{exits}", good("calc")),
    );
}

#[test]
fn resources_and_templates_are_lines_and_a_server_that_is_away_is_status_3() {
    let home = Home::new();
    two(&home);
    let expected = "calc\tresource\tdemo://greeting\tA text.\n\
                    calc\tresource\tdemo://pixel\tA picture of one pixel.\n\
                    calc\ttemplate\tdemo://echo/{text}\tWhatever stands in its address.\n";
    let run = home.run(&["mcp", "resources"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, expected), "{run:?}");
    assert!(
        run.stderr.contains("server `exits` could not be"),
        "{run:?}"
    );
    let run = home.run(&["mcp", "resources", "calc"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert_eq!(run.stdout, expected);
    let run = home.run(&["mcp", "resources", "clac"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
}

#[test]
fn json_of_the_lists_has_all_members() {
    let home = Home::new();
    let run = home.run(&["mcp", "resources", "--demo", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let lists = concat!(
        r#""resources":[{"server":"demo","uri":"demo://greeting","name":"greeting","title":null,"#,
        r#""description":"A text.","mimeType":"text/plain","size":null},{"server":"demo","#,
        r#""uri":"demo://pixel","name":"pixel","title":null,"#,
        r#""description":"A picture of one pixel.","mimeType":"image/png","size":null}],"#,
        r#""templates":[{"server":"demo","uriTemplate":"demo://echo/{text}","name":"echo","#,
        r#""title":null,"description":"Whatever stands in its address.","#,
        r#""mimeType":"text/plain"}],"problems":[]}"#,
    );
    assert!(run.stdout.trim_end().ends_with(lists), "{run:?}");
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(told["servers"][0]["state"], "ready", "{run:?}");
}

#[test]
fn a_server_without_resources_says_so() {
    let home = Home::new();
    let script = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"bare","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\n' "$id" ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
  esac
done
"#;
    home.write("bare.sh", script);
    let bare = format!(
        "mcp_servers:\n  bare:\n    command: sh\n    args: ['{}']\n",
        home.file("bare.sh")
    );
    home.write("config.yaml", &bare);
    for (words, what) in [
        (["mcp", "resources", "bare"], "resources"),
        (["mcp", "prompts", "bare"], "prompts"),
    ] {
        let run = home.run(&words);
        let told = format!("hermes: server `bare` does not say that it has {what}\n");
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
        assert_eq!(run.stderr, told);
    }
    let run = home.run(&["mcp", "read", "bare", "a:b"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
    assert!(
        run.stderr
            .contains("`resources/read` of server `bare` failed"),
        "{run:?}"
    );
}

#[test]
fn a_resource_is_read_by_its_server_or_by_its_address_alone() {
    let home = Home::new();
    two(&home);
    let greeting = "Hello from the demo server.\n";
    let run = home.run(&["mcp", "read", "calc", "demo://greeting"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert_eq!(run.stdout, greeting);
    let run = home.run(&["mcp", "read", "demo://greeting"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, greeting), "{run:?}");
    let run = home.run(&["mcp", "read", "calc", "demo://echo/hé"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "hé"), "{run:?}");

    let run = home.run(&["mcp", "read", "calc", "demo://nope"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
    let told = "Unknown resource: demo://nope";
    assert!(run.stderr.contains(told), "{run:?}");
    let hint = "`hermes mcp resources calc` lists what it has\n";
    assert!(run.stderr.ends_with(hint), "{run:?}");
    // A server that is away may have it.
    let run = home.run(&["mcp", "read", "demo://nope"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{run:?}");
    assert!(
        run.stderr.contains("server `exits` could not be"),
        "{run:?}"
    );

    let both = format!("mcp_servers:\n{}{}", good("one"), good("two"));
    home.write("config.yaml", &both);
    let run = home.run(&["mcp", "read", "demo://greeting"]);
    let told = "servers `one` and `two` list a resource `demo://greeting`; name the server before";
    assert!(run.code == 2 && run.stderr.contains(told), "{run:?}");
    let run = home.run(&["mcp", "read", "demo://nope"]);
    let told = "no server lists a resource `demo://nope`; name the server before it";
    assert!(run.code == 2 && run.stderr.contains(told), "{run:?}");
}

#[test]
fn bytes_go_to_a_pipe_as_they_are_and_to_a_file() {
    let home = Home::new();
    let words = ["mcp", "read", "demo", "demo://pixel", "--demo"];
    let output = home.command(&words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stdout.len(), PNG_LEN);
    assert!(output.stdout.starts_with(b"\x89PNG\r\n"));

    let file = home.file("pixel.png");
    let run = home.run(&[&words[..], &["--output", &file]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
    assert!(
        run.stderr
            .ends_with(&format!("wrote {PNG_LEN} bytes to {file}\n"))
    );
    assert_eq!(std::fs::read(&file).unwrap(), output.stdout);
    let run = home.run(&[&words[..], &["--output", "/no/such/folder/x"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");

    let run = finish(home.command(&[&words[..], &["--json"]].concat()), "");
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(told["uri"], "demo://pixel", "{run:?}");
    assert_eq!(told["result"]["contents"][0]["mimeType"], "image/png");
    assert_eq!(
        (&told["server"], &told["file"]),
        (&"demo".into(), &Value::Null)
    );
}
