//! Which tools of a server are offered, chosen by options and at a terminal.

use crate::support::{Home, good};
use crate::terminal::Terminal;

const PROMPT: &str = "Enter takes what is shown: ";

/// A file with this text under `tools`.
fn with_tools(tools: &str) -> String {
    format!(
        "mcp_servers:\n{}{tools}    timeout: 5 # stays\n",
        good("calc")
    )
}

#[test]
fn options_change_the_filter_and_nothing_else() {
    let home = Home::new();
    let file = home.file("config.yaml");
    let prompts = |filter: &str| format!("    tools:\n      prompts: false # stays\n{filter}");
    for (before, words, after, told) in [
        (
            prompts(""),
            &["--include", "a*", "--include", "add"][..],
            prompts("      include:\n        - \"a*\"\n        - add\n"),
            "only a*, add",
        ),
        (
            prompts("      include: [b, add] # two\n"),
            &["--all"],
            prompts(""),
            "all",
        ),
        (
            prompts("      exclude: [b]\n"),
            &["--none"],
            prompts("      include: []\n"),
            "none",
        ),
        (
            prompts("      include:\n        - b # first\n        - c\n"),
            &["--enable", "d", "--disable", "c"],
            prompts("      include:\n        - b # first\n        - d\n"),
            "only b, d",
        ),
        (
            prompts("      exclude: [b, c]\n"),
            &["--enable", "b", "--disable", "d"],
            prompts("      exclude: [c, d]\n"),
            "all but c, d",
        ),
        (
            "    tools: [b]\n".to_owned(),
            &["--exclude", "c"],
            String::new(),
            "all but c",
        ),
    ] {
        home.write("config.yaml", &with_tools(&before));
        let run = home.run(&[&["mcp", "configure", "calc"], words].concat());
        let told = format!("tools of `calc` that are offered: {told} (in {file})\n");
        assert_eq!((run.code, run.stdout), (0, told), "{words:?}");
        let end = if after.is_empty() {
            "    tools:\n      exclude:\n        - c\n"
        } else {
            ""
        };
        let expected = format!("{}{end}", with_tools(&after));
        assert_eq!(home.read("config.yaml"), expected, "{words:?}");
    }
}

#[test]
fn options_that_cannot_be_followed_are_status_2_and_change_nothing() {
    let home = Home::new();
    for (tools, words, expected) in [
        (
            "    tools: {exclude: ['a*']}\n",
            &["calc", "--enable", "add"][..],
            "`add` is covered by the pattern `a*`, as others may be; say what is offered with `--include`",
        ),
        (
            "    tools: {include: ['${HOME}', add]}\n",
            &["calc", "--disable", "add"],
            "what tools `calc` offers depends on variables; change the file by hand, or",
        ),
        (
            "",
            &["calc"],
            "nobody can be asked which tools are to be offered; give `--include`",
        ),
        (
            "",
            &["clac", "--all"],
            "no server is called `clac`; did you mean `calc`?",
        ),
        ("", &["calc", "--all", "--none"], "cannot be used with"),
        (
            "    nope: 1\n",
            &["calc", "--all"],
            "server `calc` is not used",
        ),
    ] {
        let text = with_tools(tools);
        home.write("config.yaml", &text);
        let run = home.run(&[&["mcp", "configure"], words].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(expected), "{run:?}");
        assert_eq!(home.read("config.yaml"), text);
    }
}

#[test]
fn json_tells_the_filter() {
    let home = Home::new();
    home.write("config.yaml", &with_tools(""));
    let words = ["mcp", "configure", "calc", "--disable", "add", "--json"];
    for changed in [true, false] {
        let run = home.run(&words);
        let told = format!(
            "{{\"version\":1,\"server\":\"calc\",\"file\":\"{}\",\"include\":null,\"exclude\":[\"add\"],\"changed\":{changed},\"problems\":[]}}\n",
            home.file("config.yaml")
        );
        assert_eq!((run.code, run.stdout), (0, told));
    }
}

#[test]
fn a_person_chooses_from_the_tools_that_the_server_has() {
    let home = Home::new();
    let filtered = with_tools(
        "    tools:\n      include:\n        - echo # kept\n        - gone\n      resources: false\n",
    );
    home.write("config.yaml", &filtered);
    let mut terminal = Terminal::start(home.command(&["mcp", "configure", "calc"]));
    terminal.answer(PROMPT, "9");
    terminal.answer(PROMPT, "1");
    terminal.answer(PROMPT, "");
    let (code, stdout, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(
        stdout.starts_with("tools of `calc` that are offered: only echo, add (in "),
        "{stdout}"
    );
    assert!(
        shown.contains("   1 [ ] add  Adds two numbers.\n"),
        "{shown}"
    );
    assert!(shown.contains("`9` is no number from 1 to 5\n"), "{shown}");
    assert!(
        shown.contains("   1 [x] add  Adds two numbers.\n"),
        "{shown}"
    );
    let chosen = filtered.replace("        - gone\n", "        - add\n");
    assert_eq!(home.read("config.yaml"), chosen);

    // Nothing is switched, so patterns stay as they are.
    let mut terminal = Terminal::start(home.command(&["mcp", "configure", "calc"]));
    terminal.answer(PROMPT, "");
    assert_eq!(terminal.end().0, 0);
    assert_eq!(home.read("config.yaml"), chosen);

    let mut terminal = Terminal::start(home.command(&["mcp", "configure", "calc"]));
    terminal.answer(PROMPT, "all");
    terminal.answer(PROMPT, "");
    assert_eq!(terminal.end().0, 0);
    let open = with_tools("    tools:\n      resources: false\n");
    assert_eq!(home.read("config.yaml"), open);
}
