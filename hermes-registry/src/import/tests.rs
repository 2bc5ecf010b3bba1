//! Files of each agent, and what becomes of them.

use proptest::prelude::*;

use super::*;
use crate::config::{Config, Context};

fn imported(format: Option<Format>, file_name: &str, text: &str) -> Imported {
    let found = import(text, file_name, format, &Existing::none());
    found.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refused(imported: &Imported) -> Vec<String> {
    let lines = imported.not_carried.iter();
    lines.map(|one| format!("{}: {one}", one.line)).collect()
}

fn notes(imported: &Imported) -> Vec<String> {
    let noted = imported.carried.iter().filter(|one| one.note.is_some());
    noted.map(ToString::to_string).collect()
}

/// What our configuration makes of the lines, with every variable set to its own name.
fn read(imported: &Imported) -> crate::Loaded {
    let vars = |name: &str| Some(name.to_owned());
    let context = Context::new(&vars).with_workspace_folder("/srv/app");
    let text = imported.to_yaml();
    Config::parse_in(&text, "c", &context).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn a_file_of_claude_code() {
    let text = r#"{
  "mcpServers": {
    "files": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "${HOME}", "${ROOT:-/srv}"],
      "env": {"DEBUG": "true", "PORT": 8080, "UNSET": null},
      "timeout": 90000,
      "alwaysLoad": true
    },
    "tracker": {
      "type": "http",
      "url": "https://tracker.example.com/mcp",
      "headers": {"Authorization": "Bearer ${TOKEN}"},
      "headersHelper": "make-headers",
      "oauth": {"clientId": "me", "callbackPort": 8123, "scopes": "read write", "x": 1}
    },
    "old": {"type": "sse", "url": "https://old.example.com/sse", "disabled": true},
    "socket": {"type": "ws", "url": "wss://x/"},
    "nothing": {"args": []},
    "wrong": "npx"
  },
  "projects": {"/srv/app": {"mcpServers": {"own": {"command": "x"}}}}
}
"#;
    let found = imported(None, "/home/ada/.claude.json", text);
    assert_eq!(found.format, Format::ClaudeCode);
    let expected = r#"mcp_servers:
  files:
    command: npx
    args:
      - "-y"
      - "@modelcontextprotocol/server-filesystem"
      - "${HOME}"
      - "${ROOT:-/srv}"
    env:
      DEBUG: "true"
      PORT: "8080"
    timeout: 90
    transport: stdio
  tracker:
    url: "https://tracker.example.com/mcp"
    headers:
      Authorization: "Bearer ${TOKEN}"
    oauth:
      client_id: me
      redirect_port: 8123
      scope: "read write"
    transport: http
  old:
    url: "https://old.example.com/sse"
    enabled: false
    transport: sse
"#;
    assert_eq!(found.to_yaml(), expected);
    assert_eq!(
        refused(&found),
        [
            "7: files: `env.UNSET`: is null, so nothing is set",
            "9: files: `alwaysLoad`: the tools of every server are offered at once",
            "15: tracker: `headersHelper`: no command is run for headers; write them under `headers`",
            "16: tracker: `oauth.x`: means nothing here",
            "19: socket: is reached in a way that is not spoken here",
            "20: nothing: has neither a command nor a URL",
            "21: wrong: is a text, and not a mapping of keys",
            "23: own: is for one project alone; put it into a file of its own to import it",
        ]
    );
    assert!(!read(&found).has_errors(), "{:?}", read(&found).problems);
}

#[test]
fn a_server_with_a_value_of_the_wrong_sort_is_left_out_as_a_whole() {
    for (keys, expected) in [
        (
            r#""args": ["a", {}]"#,
            "1: s: `args[1]` is a mapping, and not a text",
        ),
        (
            r#""args": "a""#,
            "1: s: `args` is a text, and not a list of texts",
        ),
        (
            r#""env": {"A": ["b"]}"#,
            "1: s: `env.A` is a list, and not a text",
        ),
        (
            r#""env": {"": "b"}"#,
            "1: s: `env`: a name has no or more than 200 characters",
        ),
        (
            r#""disabled": "maybe""#,
            "1: s: `disabled` is a text, and not true or false",
        ),
        (
            r#""disabledTools": "a""#,
            "1: s: `disabledTools` is a text, and not a list of texts",
        ),
    ] {
        let text = format!(r#"{{"mcpServers": {{"s": {{"command": "x", {keys}}}}}}}"#);
        let found = imported(None, "", &text);
        assert_eq!(refused(&found), [expected], "{keys}");
        assert!(
            found.servers.is_empty() && found.carried.is_empty(),
            "{found:?}"
        );
    }
    let text = r#"{"mcpServers": {"s": {"url": "http://a/", "serverUrl": "http://b/"}}}"#;
    let found = imported(None, "", text);
    let expected = "1: s: `serverUrl`: another key is `url` here already";
    assert_eq!(refused(&found), [expected]);
    assert!(found.to_yaml().contains("http://a/"));
}

#[test]
fn a_file_of_claude_desktop_has_no_references() {
    let text = r#"{"mcpServers": {"a": {"command": "sh", "args": ["-c", "echo ${HOME}"]}}}"#;
    let found = imported(None, "claude_desktop_config.json", text);
    let expected = "a: `args`: `${` is plain text there and stays that, written `$${`";
    assert_eq!(notes(&found), [expected]);
    let loaded = read(&found);
    let command = loaded.config.servers()[0].command().expect("it has one");
    assert_eq!(command.args(), ["-c", "echo ${HOME}"]);
}

#[test]
fn a_file_of_vs_code_has_comments_and_questions() {
    let text = r#"{
  // Asked once, and kept.
  "inputs": [
    {"type": "promptString", "id": "api-key", "password": true, "default": "never-shown"},
    {"type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu"},
  ],
  "servers": {
    "api": {
      "type": "http",
      "url": "https://${input:region}.example.com/mcp",
      "headers": {"X-Key": "${input:api-key}", "X-Region": "${input:region}"},
      "gallery": true,
    },
    "local": {
      "command": "${workspaceFolder}/bin/server",
      "args": ["--file", "${file}", "${env:MODE}"],
      "envFile": "${workspaceFolder}/.env",
      "dev": {"watch": "src/**"}, /* for its author */
      "sandboxEnabled": true
    }
  }
}"#;
    let found = imported(None, "app/.vscode/mcp.json", text);
    assert_eq!(found.format, Format::VsCode);
    let expected = r#"mcp_servers:
  api:
    url: "https://${REGION:-eu}.example.com/mcp"
    headers:
      X-Key: "${API_KEY}"
      X-Region: "${REGION:-eu}"
    transport: auto
  local:
    command: "${workspaceFolder}/bin/server"
    args:
      - "--file"
      - "${file}"
      - "${env:MODE}"
"#;
    assert_eq!(found.to_yaml(), expected);
    assert_eq!(
        notes(&found),
        [
            "api: `url`: the question `region` is the variable `REGION` here; set it",
            "api: `headers`: the question `api-key` is the variable `API_KEY` here; set it; the \
             question `region` is the variable `REGION` here; set it",
        ]
    );
    assert_eq!(
        refused(&found),
        [
            "12: api: `gallery`: is for the editor that wrote it",
            "16: local: `args`: `${file}` stays as it is: what the editor knows is not known here; \
             write the value",
            "17: local: `envFile`: no file of variables is read; name them under `env` or \
             `env_passthrough`",
            "18: local: `dev`: a server is not started anew when its files change",
            "19: local: `sandboxEnabled`: a server is not confined; start it by a program that does \
             that",
        ]
    );
    let settings = r#"{"editor.fontSize": 12, "mcp": {"servers": {"a": {"command": "x"}}}}"#;
    let found = imported(None, "settings.json", settings);
    assert_eq!((found.format, found.servers.len()), (Format::VsCode, 1));
}

#[test]
fn a_reference_that_means_nothing_here_makes_the_configuration_an_error() {
    let text = r#"{"servers": {"a": {"command": "x", "args": ["${command:pick}"]}}}"#;
    let found = imported(None, "", text);
    let loaded = read(&found);
    assert!(
        loaded.has_errors() && loaded.config.servers().is_empty(),
        "{loaded:?}"
    );
}

#[test]
fn a_file_of_cursor() {
    let text = r#"{"mcpServers": {
      "a": {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"},
            "auth": {"CLIENT_ID": "me", "CLIENT_SECRET": "s3cr3t", "scopes": ["read", "write"]}},
      "b": {"command": "${userHome}/bin/b", "args": ["${KEY}"], "autoApprove": ["x"]}}}"#;
    let found = imported(None, ".cursor/mcp.json", text);
    assert_eq!(found.format, Format::Cursor);
    let yaml = found.to_yaml();
    for line in [
        "${env:TOKEN}",
        "client_secret: s3cr3t",
        "scope: \"read write\"",
        "- \"$${KEY}\"",
    ] {
        assert!(yaml.contains(line), "{yaml}");
    }
    let expected = "4: b: `autoApprove`: which calls need approval is for the host to say";
    assert_eq!(refused(&found), [expected]);
    assert!(!read(&found).has_errors());
    let said = format!("{found:?}");
    assert!(!said.contains("s3cr3t"), "{said}");
}

#[test]
fn a_file_of_windsurf() {
    let text = r#"{"mcpServers": {"a": {
      "serverUrl": "https://x/mcp", "headers": {"X-Key": "${file:/run/key}"},
      "disabled": false, "disabledTools": ["drop", "wipe_*"]}}}"#;
    let found = imported(None, "mcp.json", text);
    assert_eq!(found.format, Format::Windsurf);
    let expected = "mcp_servers:\n  a:\n    url: \"https://x/mcp\"\n    headers:\n      X-Key: \
                    \"${file:/run/key}\"\n    enabled: true\n    tools:\n      exclude:\n        \
                    - drop\n        - \"wipe_*\"\n";
    assert_eq!(found.to_yaml(), expected);
    let expected = "2: a: `headers`: `${file:/run/key}` stays as it is: no file is read into a value \
                    here; put it into a variable";
    assert_eq!(refused(&found), [expected]);
}

#[test]
fn a_file_of_codex() {
    let text = r#"
model = "o9"

[mcp_servers.docs]
command = "docs-server"
args = ["--root", "${HOME}"]
env_vars = ["DOCS_KEY", {name = "B_KEY", source = "local"}, {name = "C", source = "remote"}, "A*"]
cwd = "/srv"
startup_timeout_ms = 20000
tool_timeout_sec = 2.5
enabled = false
required = true

[mcp_servers.docs.env]
"LEVEL" = "debug"

[mcp_servers.web]
url = "https://web.example.com/mcp"
bearer_token_env_var = "WEB_TOKEN"
http_headers = {"X-Team" = "core", authorization = "Basic x"}
env_http_headers = {"X-Key" = "WEB_KEY"}
enabled_tools = ["search", "open", "close"]
disabled_tools = ["close"]
startup_timeout_sec = 0
supports_parallel_tool_calls = true
scopes = ["read", "write"]
oauth = {client_id = "me"}
default_tools_approval_mode = "prompt"
tools.search.approval_mode = "auto"
"#;
    let found = imported(None, "/home/ada/.codex/config.toml", text);
    assert_eq!(found.format, Format::Codex);
    let expected = r#"mcp_servers:
  docs:
    command: docs-server
    args:
      - "--root"
      - "$${HOME}"
    env_passthrough:
      - DOCS_KEY
      - B_KEY
    cwd: /srv
    connect_timeout: 20
    timeout: 2.5
    enabled: false
    env:
      LEVEL: debug
  web:
    url: "https://web.example.com/mcp"
    supports_parallel_tool_calls: true
    oauth:
      scope: "read write"
      client_id: me
    tools:
      include:
        - search
        - open
    headers:
      X-Team: core
      authorization: "Basic x"
      X-Key: "${WEB_KEY}"
"#;
    assert_eq!(found.to_yaml(), expected);
    assert_eq!(
        refused(&found),
        [
            "7: docs: `env_vars[2]`: there is no other machine to take it from",
            "7: docs: `env_vars[3]`: is not the name of a variable",
            "12: docs: `required`: a server that is missing costs itself alone",
            "19: web: `bearer_token_env_var`: the header `Authorization` is written out already",
            "24: web: `startup_timeout_sec`: is not a time above zero and of at most a day",
            "28: web: `default_tools_approval_mode`: which calls need approval is for the host to say",
            "29: web: `tools`: which calls need approval is for the host to say",
        ]
    );
    assert!(!read(&found).has_errors(), "{:?}", read(&found).problems);
    let bearer = "mcp_servers.a = {url = \"https://x/\", bearer_token_env_var = \"KEY\"}";
    let found = imported(Some(Format::Codex), "", bearer);
    assert!(found.to_yaml().contains("Authorization: \"Bearer ${KEY}\""));
}

#[test]
fn names_that_stand_twice_or_here_already_are_told_of() {
    let existing =
        "# mine\nmcp_servers:\n  same: {args: [\"-v\"], command: x}\n  other:\n    command: y\n";
    let existing = Existing::parse(existing, "config.yaml").expect("it is a file");
    let text = r#"{"mcpServers": {
  "same": {"command": "x", "args": ["-v"]},
  "other": {"command": "z"},
  "new": {"command": "a"},
  "new": {"command": "b"}
}}"#;
    let found = import(text, "mcp.json", None, &existing).expect("it is a file");
    let conflicts: Vec<String> = found.conflicts.iter().map(ToString::to_string).collect();
    assert_eq!(
        conflicts,
        [
            "same: is configured in line 3 already, just so",
            "other: a server of this name is configured in line 5, and otherwise",
            "new: stands in line 4 already; what stands last counts",
        ]
    );
    let new: Vec<&str> = found.new_servers().map(ServerEntry::name).collect();
    assert_eq!((new, found.servers.len()), (vec!["new"], 3));
    assert!(
        found.to_yaml().ends_with("  new:\n    command: b\n"),
        "{}",
        found.to_yaml()
    );
    assert!(Existing::parse("a: [", "config.yaml").is_err());
}

#[test]
fn what_is_no_file_of_servers_says_so() {
    for (name, text, expected) in [
        ("a.json", "{\"mcpServers\": {,}}", "a.json:1:17: not JSON: "),
        (
            "a.json",
            "{}",
            "a.json: has no servers; they are expected under `mcpServers`",
        ),
        (
            "a.json",
            "{\"mcpServers\": []}",
            "a.json: has no servers; they are expected under ",
        ),
        (
            "a.toml",
            "a = 1",
            "a.toml: has no servers; they are expected under `mcp_servers`",
        ),
        (
            "a.toml",
            "a = 1\na = 2",
            "a.toml:2:1: not TOML: duplicate key",
        ),
        (
            "a.toml",
            "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a]",
            "a.toml:3:14: not TOML: ",
        ),
        (
            "",
            "",
            ": has no servers; they are expected under `mcp_servers`",
        ),
        ("", "// nothing", ":1:1: not JSON: it is empty"),
    ] {
        let error = import(text, name, None, &Existing::none()).expect_err(text);
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let long = " ".repeat(IMPORT_LEN_MAX + 1);
    let error = import(&long, "a", None, &Existing::none()).expect_err("it is too long");
    assert_eq!(
        error.to_string(),
        "a: the file is longer than 16777216 bytes"
    );
    let deep = format!(
        "{{\"mcpServers\": {}{}}}",
        "[".repeat(9_999),
        "]".repeat(9_999)
    );
    assert!(import(&deep, "a.json", None, &Existing::none()).is_err());
    let empty = imported(None, "a.json", "\u{feff}{\"mcpServers\": {}}");
    assert_eq!(empty.to_yaml(), "mcp_servers: {}\n");
}

/// Pieces of texts, of which any sequence must arrive as it is.
const TEXT: [&str; 26] = [
    "a",
    "1",
    " ",
    "\"",
    "\\",
    "$",
    "{",
    "}",
    "${",
    "${A}",
    "$${",
    ": ",
    " #",
    "-",
    "'",
    "%",
    "@",
    "é",
    "🦀",
    "\u{a0}",
    "\n",
    "\t",
    "\u{0}",
    "\u{85}",
    "\u{2028}",
    "\u{e0041}",
];

/// Pieces of files, sound and unsound.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"mcpServers\"",
    "\"servers\"",
    "\"inputs\"",
    "\"a\"",
    "\"command\"",
    "\"args\"",
    "\"env\"",
    "\"url\"",
    "\"type\"",
    "\"http\"",
    "null",
    "true",
    "1.5",
    "\"${env:A}\"",
    "\"${\"",
    "// x\n",
    "[mcp_servers.a]\n",
    "command = \"x\"\n",
];

fn texts(pieces: &'static [&'static str], count_max: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(0..pieces.len(), 0..count_max)
        .prop_map(|indices| indices.into_iter().map(|index| pieces[index]).collect())
}

#[test]
fn what_is_written_with_references_is_told_from_what_is_not() {
    let text = "mcp_servers:\n  a: {command: '${X}', tools: {include: [x, '${X}*']}}\n  b: {tools: [x]}\n  c: {}\n";
    let existing = Existing::parse(text, "c").unwrap();
    for (server, key, expected) in [
        ("a", "tools", true),
        ("a", "command", true),
        ("b", "tools", false),
        ("c", "tools", false),
        ("d", "tools", false),
    ] {
        assert_eq!(existing.has_marks(server, key), expected, "{server} {key}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_arrives_as_it_was(text in texts(&TEXT, 12), name in texts(&TEXT, 6)) {
        let json = |text: &str| serde_json::to_string(text).expect("a text is JSON");
        let file = format!(
            "{{\"mcpServers\": {{{name}: {{\"command\": \"x\", \"args\": [{text}], \
             \"env\": {{{name}: {text}}}}}}}}}",
            name = json(&name),
            text = json(&text),
        );
        let found = imported(Some(Format::ClaudeDesktop), "", &file);
        let Some(server) = found.servers.first() else {
            prop_assert!(ServerName::new(&name).is_err());
            return Ok(());
        };
        prop_assert_eq!(server.name(), &name);
        let loaded = read(&found);
        if text.contains('\0') || name.contains(['\0', '=']) || name.is_empty() {
            return Ok(());
        }
        prop_assert!(!loaded.has_errors(), "{:?}\n{}", loaded.problems, found.to_yaml());
        let command = loaded.config.servers()[0].command().expect("it has one");
        prop_assert_eq!(command.args(), [text.clone()]);
        prop_assert_eq!(command.env().collect::<Vec<_>>(), [(&*name, &*text)]);
    }

    #[test]
    fn no_file_panics_and_every_key_is_told_of(text in texts(&PIECES, 30)) {
        for format in [None, Some(Format::VsCode), Some(Format::Codex)] {
            let Ok(found) = import(&text, "", format, &Existing::none()) else {
                continue;
            };
            let root = if found.format.is_toml() { toml::parse(&text) } else { json::parse(&text) };
            let root = root.expect("it was read");
            for server in &found.servers {
                let servers = format::servers(found.format, &root).expect("there are servers");
                let node = format::find(servers, &[server.name()]).expect("it is one of them");
                for source in source::below(node, "") {
                    let own = |of: &str, key: &str| {
                        of == server.name() && (key == source.key || key.starts_with(&source.key))
                    };
                    let carried = found.carried.iter().any(|one| own(&one.server, &one.key));
                    let mut refused = found.not_carried.iter();
                    let refused = refused.any(|one| {
                        own(one.server.as_deref().unwrap_or_default(), one.key.as_deref().unwrap_or_default())
                    });
                    prop_assert!(carried || refused, "{}\n{}", source.key, text);
                }
            }
            let _: crate::Loaded = read(&found);
        }
    }
}
