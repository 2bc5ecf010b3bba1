//! Servers of other agents, from files that are named and from those that are found.

use serde_json::{Value, json};

use crate::support::{Home, Run, finish};
use crate::terminal::Terminal;

const CLAUDE: &str = r#"{
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "x"], "env": {"API_KEY": "hidden-words"}},
    "tracker": {"type": "http", "url": "https://t.test/mcp", "alwaysLoad": true},
    "mine": {"command": "other"},
    "same": {"command": "run"}
  }
}
"#;

const OURS: &str = "mcp_servers:\n  mine: {command: x} # mine\n  same:\n    command: run\n";

/// Runs the command with the home folder as the folder of work.
fn run(home: &Home, words: &[&str]) -> Run {
    let mut command = home.command(words);
    command.current_dir(home.file(""));
    for name in ["CODEX_HOME", "XDG_CONFIG_HOME"] {
        command.env_remove(name);
    }
    finish(command, "")
}

#[test]
fn a_file_is_taken_over_and_everything_is_told() {
    let home = Home::new();
    home.write("config.yaml", OURS);
    home.write("claude.json", CLAUDE);
    let (file, config) = (home.file("claude.json"), home.file("config.yaml"));
    let imported = run(&home, &["mcp", "import", &file, "--yes"]);
    let expected = format!(
        "{file} (Claude Code): 4 servers
  files: command, args, env (new)
  tracker: url, transport (new)
  mine: command (left out, since another one has its name; --replace puts it in its place)
  same: command (configured already, just so)
  carried over:
    line 4: tracker: `type` is `transport` here
  conflicts:
    line 5: mine: a server of this name is configured in line 2, and otherwise
    line 6: same: is configured in line 4 already, just so
  not carried over:
    line 4: tracker: `alwaysLoad`: the tools of every server are offered at once
wrote 2 servers to {config}
"
    );
    assert_eq!((imported.code, imported.stdout), (0, expected));
    let hint = "hermes: files: `env.API_KEY` looks like a secret and stands in the file as it is; ";
    assert!(imported.stderr.starts_with(hint), "{}", imported.stderr);
    let new = "  files:\n    command: npx\n    args:\n      - \"-y\"\n      - x\n    env:\n      API_KEY: hidden-words\n  tracker:\n    url: \"https://t.test/mcp\"\n    transport: http\n";
    assert_eq!(home.read("config.yaml"), format!("{OURS}{new}"));

    let words = [
        "mcp",
        "import",
        &file,
        "--only",
        "mine",
        "--replace",
        "--yes",
    ];
    let imported = run(&home, &words);
    assert_eq!(imported.code, 0, "{imported:?}");
    let replaced = OURS.replace("{command: x}", "{command: other}");
    assert_eq!(home.read("config.yaml"), format!("{replaced}{new}"));
    let again = run(&home, &words);
    assert!(
        again.code == 0 && again.stdout.ends_with("nothing is to be written\n"),
        "{again:?}"
    );
}

#[test]
fn nothing_is_written_in_a_dry_run_or_without_a_yes() {
    let home = Home::new();
    home.write("claude.json", CLAUDE);
    let file = home.file("claude.json");
    let dry = run(
        &home,
        &["mcp", "import", &file, "--only", "tracker", "--dry-run"],
    );
    let end = format!(
        "1 server would be written to {}\n",
        home.file("config.yaml")
    );
    assert!(dry.code == 0 && dry.stdout.ends_with(&end), "{dry:?}");
    assert!(
        !dry.stdout.contains("files") && dry.stderr.is_empty(),
        "{dry:?}"
    );

    let unasked = run(&home, &["mcp", "import", &file]);
    assert_eq!(unasked.code, 2, "{unasked:?}");
    assert!(
        unasked.stdout.contains("  tracker: url, transport (new)\n"),
        "{unasked:?}"
    );
    let expected = "nobody can be asked whether to write 4 servers; give `--yes`";
    assert!(unasked.stderr.contains(expected), "{unasked:?}");
    assert!(!home.has("config.yaml") && !home.has("logs"));

    let question = format!("Write 4 servers to {}? [y/N] ", home.file("config.yaml"));
    for (answer, is_written) in [("", false), ("y", true)] {
        let mut terminal = Terminal::start(home.command(&["mcp", "import", &file]));
        terminal.answer(&question, answer);
        let (code, stdout, shown) = terminal.end();
        assert_eq!(code, 0, "{shown}");
        assert!(
            stdout.contains("  tracker: url, transport (new)\n"),
            "{stdout}"
        );
        assert_eq!(home.has("config.yaml"), is_written);
    }
}

#[test]
fn files_of_every_agent_are_found_and_the_first_of_one_name_counts() {
    let home = Home::new();
    let server =
        |key: &str, name: &str| format!(r#"{{"{key}": {{"{name}": {{"command": "run"}}}}}}"#);
    for folder in [
        ".cursor",
        ".vscode",
        ".codeium/windsurf",
        ".codex",
        ".config/Claude",
        ".config/Code/User",
    ] {
        std::fs::create_dir_all(home.file(folder)).unwrap();
    }
    for (file, text) in [
        (
            ".config/Claude/claude_desktop_config.json",
            server("mcpServers", "desktop"),
        ),
        (
            ".config/Code/User/settings.json",
            "{\"editor.tabSize\": 2}".to_owned(),
        ),
        (".claude.json", server("mcpServers", "code")),
        (".cursor/mcp.json", server("mcpServers", "desktop")),
        (
            ".codeium/windsurf/mcp_config.json",
            server("mcpServers", "surf"),
        ),
        (
            ".codex/config.toml",
            "[mcp_servers.codex]\ncommand = \"run\"\n".to_owned(),
        ),
        (".vscode/mcp.json", server("servers", "vs")),
        (".mcp.json", "{".to_owned()),
    ] {
        home.write(file, &text);
    }
    let found = run(&home, &["mcp", "import", "--yes", "--json"]);
    assert_eq!(found.code, 0, "{found:?}");
    let told: Value = serde_json::from_str(&found.stdout).unwrap();
    let sources: Vec<(&str, &str)> = told["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| {
            let action = source["servers"][0]["action"].as_str().unwrap();
            (source["format"].as_str().unwrap(), action)
        })
        .collect();
    let expected = [
        ("claude-desktop", "added"),
        ("claude-code", "added"),
        ("cursor", "elsewhere_too"),
        ("windsurf", "added"),
        ("codex", "added"),
        ("vscode", "added"),
    ];
    assert_eq!(sources, expected);
    assert_eq!(
        (&told["written"], &told["dryRun"]),
        (&json!(true), &json!(false))
    );
    // A file that cannot be read keeps no other one from being taken over.
    let hint = format!("{}:1:1: not JSON: ", home.file(".mcp.json"));
    assert!(found.stderr.contains(&hint), "{found:?}");
    let listed = run(&home, &["mcp", "list"]);
    let listed: Vec<&str> = listed
        .stdout
        .lines()
        .map(|line| line.split('\t').next().unwrap())
        .collect();
    assert_eq!(listed, ["desktop", "code", "surf", "codex", "vs"]);

    let one = run(&home, &["mcp", "import", "--from", "windsurf", "--dry-run"]);
    let start = format!(
        "{} (Windsurf): 1 server\n",
        home.file(".codeium/windsurf/mcp_config.json")
    );
    assert!(one.code == 0 && one.stdout.starts_with(&start), "{one:?}");
}

#[test]
fn what_cannot_be_imported_is_status_2() {
    let home = Home::new();
    home.write("claude.json", CLAUDE);
    home.write("empty.json", "{}");
    let (file, empty, missing) = (
        home.file("claude.json"),
        home.file("empty.json"),
        home.file("x"),
    );
    for (words, expected) in [
        (&[missing.as_str()][..], "x: cannot be read: "),
        (
            &[&empty],
            "empty.json: has no servers; they are expected under `mcpServers`",
        ),
        (&[&file, "--from", "codex"], "claude.json:1:1: not TOML: "),
        (
            &[&file, "--from", "emacs"],
            "[possible values: claude-code, ",
        ),
        (
            &[&file, "--only", "flies"],
            "no server is called `flies` in what was found; did you mean `files`?",
        ),
        (
            &[],
            "no servers of other agents were found in the home folder or in this one; name a file",
        ),
    ] {
        let failed = run(&home, &[&["mcp", "import"], words].concat());
        assert_eq!((failed.code, failed.stdout.as_str()), (2, ""), "{failed:?}");
        assert!(failed.stderr.contains(expected), "{failed:?}");
    }
    // What means nothing here is written as it is, so that nothing runs without it.
    let text = r#"{"servers": {"s": {"command": "run", "args": ["${command:pick}"]}}}"#;
    home.write("mcp.json", text);
    let half = run(&home, &["mcp", "import", &home.file("mcp.json"), "--yes"]);
    assert_eq!(half.code, 2, "{half:?}");
    assert!(
        half.stderr
            .contains("config.yaml:5:9: mcp_servers.s.args[0]: "),
        "{half:?}"
    );
}
