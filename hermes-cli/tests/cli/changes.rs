//! Servers that are removed, enabled and disabled in a file with comments.

use crate::support::Home;

const TEXT: &str = "\
# mine
mcp_servers:
  # the first
  first: # own
    command: one  # why
    # timeout: 5
  second: {command: two}
  faulty:
    nope: 1
other: 'x'
";

#[test]
fn servers_are_removed_with_what_belongs_to_them() {
    let home = Home::new();
    home.write("config.yaml", TEXT);
    let file = home.file("config.yaml");
    let run = home.run(&["mcp", "remove", "faulty", "first", "faulty", "--yes"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert_eq!(
        run.stdout,
        format!("removed `faulty`, `first` from {file}\n")
    );
    let expected = "# mine\nmcp_servers:\n  # the first\n  second: {command: two}\nother: 'x'\n";
    assert_eq!(home.read("config.yaml"), expected);

    let run = home.run(&["mcp", "rm", "second", "-y", "--json"]);
    let told =
        format!("{{\"version\":1,\"servers\":[\"second\"],\"file\":\"{file}\",\"problems\":[]}}\n");
    assert_eq!((run.code, run.stdout), (0, told));
    let run = home.run(&["mcp", "list"]);
    let told = format!(
        "hermes: No MCP servers configured in {file}; `hermes mcp add` adds one, and --demo shows what one does\n"
    );
    assert_eq!((run.code, run.stdout.as_str(), run.stderr), (0, "", told));
}

#[test]
fn nothing_is_removed_if_a_name_is_unknown_or_nobody_says_yes() {
    let home = Home::new();
    home.write("config.yaml", TEXT);
    for (words, expected) in [
        (
            &["first", "secnd", "--yes"][..],
            "no server is called `secnd`; did you mean `second`?",
        ),
        (
            &["fautly", "--yes"],
            "no server is called `fautly`; did you mean `faulty`?",
        ),
        (
            &["first"],
            "nobody can be asked whether to remove `first`; give `--yes`",
        ),
    ] {
        let run = home.run(&[&["mcp", "remove"], words].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(expected), "{run:?}");
        assert_eq!(home.read("config.yaml"), TEXT);
    }
}

#[test]
fn a_server_is_switched_off_and_on_and_the_rest_stays() {
    let home = Home::new();
    home.write("config.yaml", TEXT);
    let file = home.file("config.yaml");
    // The other entry still has its fault, which is told and is status 2.
    let run = home.run(&["mcp", "disable", "first"]);
    assert_eq!(
        (run.code, run.stdout),
        (2, format!("`first` is disabled in {file}\n"))
    );
    assert!(
        run.stderr.contains("mcp_servers.faulty.nope: unknown key"),
        "{}",
        run.stderr
    );
    let off = TEXT.replace("# timeout: 5\n", "# timeout: 5\n    enabled: false\n");
    assert_eq!(home.read("config.yaml"), off);

    let run = home.run(&["mcp", "disable", "faulty", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let told = format!(
        r#"{{"version":1,"server":"faulty","file":"{file}","enabled":false,"changed":true,"problems":["#
    );
    assert!(run.stdout.starts_with(&told), "{run:?}");

    let run = home.run(&["mcp", "enable", "first"]);
    assert_eq!(run.stdout, format!("`first` is enabled in {file}\n"));
    let run = home.run(&["mcp", "enable", "second"]);
    assert_eq!(
        run.stdout,
        format!("`second` is enabled already in {file}\n")
    );
    let on = off.replace("enabled: false", "enabled: true");
    let expected = on.replace("    nope: 1\n", "    nope: 1\n    enabled: false\n");
    assert_eq!(home.read("config.yaml"), expected);

    let run = home.run(&["mcp", "enable", "frist"]);
    assert!(
        run.code == 2 && run.stderr.contains("did you mean `first`?"),
        "{run:?}"
    );
}

#[test]
fn a_file_that_cannot_be_changed_safely_is_left_alone() {
    let home = Home::new();
    let text = "base: &base {command: x}\nmcp_servers:\n  a: *base\n  b: *base\n";
    home.write("config.yaml", text);
    let run = home.run(&["mcp", "disable", "a"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    let expected = format!(
        "hermes: {}:3: `a` comes from an alias or a merge key, where it may belong to others too; \
         nothing was changed; change the file by hand\n",
        home.file("config.yaml")
    );
    assert_eq!(run.stderr, expected);
    assert_eq!(home.read("config.yaml"), text);
}
