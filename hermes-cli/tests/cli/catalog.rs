//! Known servers: what is told of them, and how they are installed.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::support::{Home, finish};
use crate::terminal::Terminal;

/// Puts a program of this name first on the path; it is the demo server.
fn with_program(home: &Home, name: &str) -> String {
    let program = env!("CARGO_BIN_EXE_hermes");
    home.write(
        name,
        &format!("#!/bin/sh\nexec '{program}' mcp demo-server\n"),
    );
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.file(name), mode).expect("it can be started");
    format!(
        "{}:{}",
        home.file(""),
        std::env::var("PATH").unwrap_or_default()
    )
}

#[test]
fn known_servers_are_listed_and_searched() {
    let home = Home::new();
    let run = home.run(&["mcp", "catalog"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert!(run.stdout.lines().count() >= 12, "{run:?}");
    assert!(
        run.stdout.contains("\nfetch\tGets pages from the web"),
        "{run:?}"
    );

    let run = home.run(&["mcp", "catalog", "gITHUB"]);
    assert_eq!(
        run.stdout,
        "github\tRepositories, issues and pull requests on GitHub.\n"
    );
    let run = home.run(&["mcp", "catalog", "xyzzy"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
    assert!(
        run.stderr.contains("no known server is about `xyzzy`"),
        "{run:?}"
    );

    let run = home.run(&["mcp", "catalog", "sqlite", "--json"]);
    let told = r#"{"version":1,"servers":[{"name":"sqlite","title":"SQLite","description":"Reads a SQLite database; writing is left out until it is enabled.","homepage":"https://github.com/modelcontextprotocol/servers-archived/tree/main/src/sqlite","transport":"stdio","needs":[{"name":"SQLITE_FILE","about":"the file of the database","from":null}],"include":null,"exclude":["append_insight","create_table","write_query"]}],"problems":[]}"#;
    assert_eq!((run.code, run.stdout.trim_end()), (0, told));
    let run = home.run(&["mcp", "catalog", "github", "--json"]);
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(told["servers"][0]["transport"], "http");
    assert_eq!(
        told["servers"][0]["needs"][0]["from"],
        "https://github.com/settings/personal-access-tokens"
    );
}

#[test]
fn a_known_server_is_installed_once_it_has_answered() {
    let home = Home::new();
    let path = with_program(&home, "codex");
    let mut command = home.command(&["mcp", "install", "codex"]);
    command.env("PATH", &path);
    let run = finish(command, "");
    let start = format!(
        "added `codex` in {}\nserver `codex` works\n",
        home.file("config.yaml")
    );
    assert!(run.code == 0 && run.stdout.starts_with(&start), "{run:?}");
    let entry = |name: &str| {
        format!("  {name}:\n    command: codex\n    args:\n      - mcp-server\n    timeout: 600\n")
    };
    assert_eq!(
        home.read("config.yaml"),
        format!("mcp_servers:\n{}", entry("codex"))
    );

    let run = home.run(&["mcp", "install", "codex"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.stderr.contains("a server is called `codex` already"),
        "{run:?}"
    );

    // The same under another name, with more of what an entry may have.
    let words = [
        "mcp",
        "add",
        "coder",
        "--preset",
        "codex",
        "--env",
        "A=b",
        "--timeout",
        "9",
    ];
    let mut command = home.command(&words);
    command.env("PATH", &path);
    let run = finish(command, "");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let coder = "  coder:\n    command: codex\n    args:\n      - mcp-server\n    env:\n      A: b\n    timeout: 9\n";
    assert_eq!(
        home.read("config.yaml"),
        format!("mcp_servers:\n{}{coder}", entry("codex"))
    );
}

#[test]
fn values_come_from_options_or_stay_in_variables() {
    let home = Home::new();
    let words = ["mcp", "install", "filesystem", "--no-check"];
    let args = "  filesystem:\n    command: npx\n    args:\n      - \"-y\"\n      - \"@modelcontextprotocol/server-filesystem\"\n";
    let given = [&words[..], &["--env", "FILESYSTEM_ROOT=/srv/my notes"]].concat();
    let run = home.run(&given);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let expected =
        format!("mcp_servers:\n{args}      - \"/srv/my notes\"\n    tools:\n      exclude:\n");
    assert!(
        home.read("config.yaml").starts_with(&expected),
        "{}",
        home.read("config.yaml")
    );

    let mut command = home.command(&[&words[..], &["--replace"]].concat());
    command.env("FILESYSTEM_ROOT", "/srv");
    let run = finish(command, "");
    // The file is read without that variable by others, who should know.
    let hint = "hermes: the entry refers to the variable FILESYSTEM_ROOT, which has to be set wherever the server is used\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, hint), "{run:?}");
    let expected = format!("mcp_servers:\n{args}      - \"${{FILESYSTEM_ROOT}}\"\n");
    assert!(
        home.read("config.yaml").starts_with(&expected),
        "{}",
        home.read("config.yaml")
    );
}

#[test]
fn what_is_missing_or_unknown_is_told_and_nothing_is_written() {
    let home = Home::new();
    for (words, expected) in [
        (
            &["install", "github"][..],
            "`github` needs GITHUB_PERSONAL_ACCESS_TOKEN: a personal access token (https://github.com/settings/personal-access-tokens); give `--env GITHUB_PERSONAL_ACCESS_TOKEN=…`, or set the variable",
        ),
        (
            &["add", "g", "--preset", "github"],
            "`github` needs GITHUB_PERSONAL_ACCESS_TOKEN: ",
        ),
        (
            &["install", "github", "--env", "GITHUB_TOKEN=hidden-words"],
            "`github` needs no `GITHUB_TOKEN`; it needs GITHUB_PERSONAL_ACCESS_TOKEN",
        ),
        (
            &["install", "fetch", "--env", "A=b"],
            "`fetch` needs no `A`; leave it out",
        ),
        (
            &["install", "postgre"],
            "no server is known as `postgre`; did you mean `postgres`?",
        ),
        (
            &["add", "x", "--preset", "xyzzy"],
            "no server is known as `xyzzy`; `hermes mcp catalog` lists those that are",
        ),
    ] {
        let mut command = home.command(&[&["mcp"], words].concat());
        command.env_remove("GITHUB_PERSONAL_ACCESS_TOKEN");
        let run = finish(command, "");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(expected), "{run:?}");
        assert!(
            !run.stderr.contains("hidden-words") && !home.has("config.yaml"),
            "{run:?}"
        );
    }
}

#[test]
fn a_person_is_asked_for_what_is_missing_and_secrets_are_not_shown() {
    let home = Home::new();
    let start = |name: &str| {
        let mut command = home.command(&["mcp", "install", name, "--no-check"]);
        command
            .env_remove("GITHUB_PERSONAL_ACCESS_TOKEN")
            .env_remove("FILESYSTEM_ROOT");
        Terminal::start(command)
    };
    let mut terminal = start("github");
    let question = "GITHUB_PERSONAL_ACCESS_TOKEN: a personal access token (https://github.com/settings/personal-access-tokens): ";
    terminal.answer(question, "hidden-words");
    let (code, _, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("hidden-words"), "{shown}");
    assert!(
        home.read("config.yaml")
            .contains("Authorization: \"Bearer hidden-words\"\n")
    );
    let mode = std::fs::metadata(home.file("config.yaml"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    let mut terminal = start("filesystem");
    terminal.answer(
        "FILESYSTEM_ROOT: the folder that it may see: ",
        "/srv/shown",
    );
    let (code, _, shown) = terminal.end();
    assert!(code == 0 && shown.contains("/srv/shown"), "{shown}");
    assert!(home.read("config.yaml").contains("- /srv/shown\n"));

    let before = home.read("config.yaml");
    let mut terminal = start("sqlite");
    terminal.answer("SQLITE_FILE: the file of the database: ", "");
    let (code, _, shown) = terminal.end();
    assert!(
        code == 2 && shown.contains("`sqlite` needs SQLITE_FILE"),
        "{shown}"
    );
    assert_eq!(home.read("config.yaml"), before);
}
