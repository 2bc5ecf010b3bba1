//! Files before and after a change.

mod properties;

use super::*;
use crate::config::entry::Setting;

/// An entry with a command and nothing else.
fn entry(name: &str, command: &str) -> ServerEntry {
    ServerEntry {
        name: name.to_owned(),
        settings: vec![("command", Setting::Text(command.to_owned()))],
    }
}

fn add(name: &str) -> Change {
    Change::Add(entry(name, "run"))
}

fn enable(server: &str, enabled: bool) -> Change {
    let server = server.to_owned();
    Change::Enable { server, enabled }
}

fn remove(server: &str) -> Change {
    let server = server.to_owned();
    Change::Remove { server }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn offer(server: &str, include: Option<&[&str]>, exclude: &[&str]) -> Change {
    Change::Offer {
        server: server.to_owned(),
        include: include.map(owned),
        exclude: owned(exclude),
    }
}

fn edited(text: &str, change: Change) -> String {
    edit(text, "c.yaml", std::slice::from_ref(&change))
        .unwrap_or_else(|error| panic!("{error}\n{change:?}\n{text}"))
}

fn refused(text: &str, change: Change) -> String {
    match edit(text, "c.yaml", std::slice::from_ref(&change)) {
        Ok(after) => panic!("{change:?}\n{text}\n{after}"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn becomes(change: Change, rows: &[(&str, &str)]) {
    for (before, after) in rows {
        assert_eq!(edited(before, change.clone()), *after, "\n{before}");
    }
}

#[test]
fn a_server_is_added_below_the_others_as_they_are_written() {
    becomes(
        add("new"),
        &[
            ("", "mcp_servers:\n  new:\n    command: run\n"),
            ("# mine", "# mine\nmcp_servers:\n  new:\n    command: run\n"),
            (
                "a: 1\n...\n",
                "a: 1\nmcp_servers:\n  new:\n    command: run\n...\n",
            ),
            ("---\n", "---\nmcp_servers:\n  new:\n    command: run\n"),
            (
                "model: x # y\n\n# end\n",
                "model: x # y\n\n# end\nmcp_servers:\n  new:\n    command: run\n",
            ),
            (
                "mcp_servers:\n  a:\n    command: x # why\n\nother: 1\n",
                "mcp_servers:\n  a:\n    command: x # why\n  new:\n    command: run\n\nother: 1\n",
            ),
            (
                "mcp_servers:\n    a:\n        command: x\n    # b:\n    #   command: y\n# end\n",
                "mcp_servers:\n    a:\n        command: x\n    # b:\n    #   command: y\n    new:\n        command: run\n# end\n",
            ),
            (
                "mcp_servers:\n  a: {command: x}  # one line\nother: 1\n",
                "mcp_servers:\n  a: {command: x}  # one line\n  new:\n    command: run\nother: 1\n",
            ),
            (
                "mcp_servers:\n  a:\n    command: |-\n      x\n\nother: 1\n",
                "mcp_servers:\n  a:\n    command: |-\n      x\n  new:\n    command: run\n\nother: 1\n",
            ),
            (
                "mcp_servers:\n  a:\n    command: |+\n      x\n\nother: 1\n",
                "mcp_servers:\n  a:\n    command: |+\n      x\n\n  new:\n    command: run\nother: 1\n",
            ),
            (
                "a: 1\r\nmcp_servers:\r\n  a:\r\n    command: x\r\n",
                "a: 1\r\nmcp_servers:\r\n  a:\r\n    command: x\r\n  new:\r\n    command: run\r\n",
            ),
            (
                "\u{feff}mcp_servers:\n  a: {command: x}",
                "\u{feff}mcp_servers:\n  a: {command: x}\n  new:\n    command: run\n",
            ),
            (
                "  mcp_servers:\n    a:\n      command: é\n  z: 1\n",
                "  mcp_servers:\n    a:\n      command: é\n    new:\n      command: run\n  z: 1\n",
            ),
        ],
    );
}

#[test]
fn a_first_server_is_added_where_there_is_none() {
    let lines = "  new:\n    command: run\n";
    becomes(
        add("new"),
        &[
            ("mcp_servers:", &format!("mcp_servers:\n{lines}")),
            (
                "mcp_servers:  # mine\n  # none yet\n# end\n",
                &format!("mcp_servers:  # mine\n  # none yet\n{lines}# end\n"),
            ),
            (
                "mcp_servers: {}  # none\nz: 1\n",
                &format!("mcp_servers:  # none\n{lines}z: 1\n"),
            ),
            ("mcp_servers: ~\n", &format!("mcp_servers:\n{lines}")),
            (
                "mcp_servers: null # none\n",
                &format!("mcp_servers: # none\n{lines}"),
            ),
            (
                "mcp_servers: {\n  # none\n}\n",
                "mcp_servers: {new: {command: run}\n  # none\n}\n",
            ),
            ("{}\n", "{mcp_servers: {new: {command: run}}}\n"),
            (
                "{a: 1, mcp_servers}",
                "{a: 1, mcp_servers: {new: {command: run}}}",
            ),
            (
                "{mcp_servers: , a: 1}",
                "{mcp_servers: {new: {command: run}} , a: 1}",
            ),
        ],
    );
}

#[test]
fn a_server_is_added_within_braces() {
    becomes(
        add("new"),
        &[
            (
                "mcp_servers: {a: {command: x}}\n",
                "mcp_servers: {a: {command: x}, new: {command: run}}\n",
            ),
            (
                "mcp_servers: {a: {command: x}, } # end\n",
                "mcp_servers: {a: {command: x}, new: {command: run}, } # end\n",
            ),
            (
                "{\n  \"mcp_servers\": {\n    \"a\": {\"command\": \"x\"} # a\n  }\n}\n",
                "{\n  \"mcp_servers\": {\n    \"a\": {\"command\": \"x\"},\n    new: {command: run} # a\n  }\n}\n",
            ),
        ],
    );
}

#[test]
fn a_server_goes_with_its_own_comments_and_no_others() {
    becomes(
        remove("b"),
        &[
            (
                "mcp_servers:\n  a: {command: x}\n  # above\n  b: # same line\n    # within\n    command: y\n    # timeout: 5\n  # below\n  c: {command: z}\n",
                "mcp_servers:\n  a: {command: x}\n  # above\n  # below\n  c: {command: z}\n",
            ),
            (
                "mcp_servers:\n  b:\n    command: x\n\nz: 1\n",
                "mcp_servers:\n\nz: 1\n",
            ),
            ("mcp_servers: {b: {command: x}}\n", "mcp_servers: {}\n"),
            (
                "mcp_servers: {a: {url: x}, b: {command: x}}\n",
                "mcp_servers: {a: {url: x}}\n",
            ),
            (
                "mcp_servers: {b: {command: x}, c: {url: x}}\n",
                "mcp_servers: {c: {url: x}}\n",
            ),
            (
                "mcp_servers: {\n  a: {url: x}, # a\n  b: {command: x},\n  # c\n  c: {url: x}\n}\n",
                "mcp_servers: {\n  a: {url: x}, # a\n  # c\n  c: {url: x}\n}\n",
            ),
            (
                "mcp_servers: {\n  a: {url: x}, # a\n  b: {command: x}\n}\n",
                "mcp_servers: {\n  a: {url: x} # a\n}\n",
            ),
            ("mcp_servers:\n  b:\nz: 1\n", "mcp_servers:\nz: 1\n"),
        ],
    );
}

#[test]
fn a_server_is_put_in_the_place_of_another() {
    let long = ServerEntry {
        name: "a".to_owned(),
        settings: vec![
            ("command", Setting::Text("new".to_owned())),
            ("args", Setting::Texts(owned(&["-x", "it's"]))),
            ("tools.include", Setting::Texts(Vec::new())),
        ],
    };
    becomes(
        Change::Put(long),
        &[
            (
                "mcp_servers:\n  # above\n  'a':\n    command: x\n    env: {A: b}\n  b: {url: x}\n",
                "mcp_servers:\n  # above\n  'a':\n    command: new\n    args:\n      - \"-x\"\n      - \"it's\"\n    tools:\n      include: []\n  b: {url: x}\n",
            ),
            (
                "mcp_servers:\n  a: {url: x} # one line\n",
                "mcp_servers:\n  a: {command: new, args: [\"-x\", \"it's\"], tools: {include: []}} # one line\n",
            ),
            (
                "mcp_servers:\n  a:\n",
                "mcp_servers:\n  a:\n    command: new\n    args:\n      - \"-x\"\n      - \"it's\"\n    tools:\n      include: []\n",
            ),
        ],
    );
}

#[test]
fn a_switch_is_turned_where_it_stands_or_added() {
    becomes(
        enable("a", false),
        &[
            (
                "mcp_servers:\n  a:\n    enabled: true  # for now\n    command: x\n",
                "mcp_servers:\n  a:\n    enabled: false  # for now\n    command: x\n",
            ),
            (
                "mcp_servers:\n  a:\n    command: x\n    # timeout: 5\n\n  b: {url: x}\n",
                "mcp_servers:\n  a:\n    command: x\n    # timeout: 5\n    enabled: false\n\n  b: {url: x}\n",
            ),
            (
                "mcp_servers:\n  a: {command: x}\n",
                "mcp_servers:\n  a: {command: x, enabled: false}\n",
            ),
            (
                "mcp_servers:\n  a:\n    enabled:\n    command: x\n",
                "mcp_servers:\n  a:\n    enabled: false\n    command: x\n",
            ),
            (
                "mcp_servers:\n  a: {enabled: no, command: x}\n",
                "mcp_servers:\n  a: {enabled: no, command: x}\n",
            ),
        ],
    );
    let off = "mcp_servers:\n  a: {command: x, enabled: off}\n";
    let on = "mcp_servers:\n  a: {command: x, enabled: true}\n";
    becomes(enable("a", true), &[(off, on), (on, on)]);
}

#[test]
fn patterns_that_stay_keep_their_comments() {
    becomes(
        offer("a", Some(&["keep", "new one"]), &[]),
        &[
            (
                "mcp_servers:\n  a:\n    tools:\n      include:\n        - drop # gone\n        - keep # stays\n      prompts: false\n    command: x\n",
                "mcp_servers:\n  a:\n    tools:\n      include:\n        - keep # stays\n        - \"new one\"\n      prompts: false\n    command: x\n",
            ),
            (
                "mcp_servers:\n  a:\n    tools:\n      include:\n      - keep\n      exclude: [b]\n    command: x\n",
                "mcp_servers:\n  a:\n    tools:\n      include:\n      - keep\n      - \"new one\"\n    command: x\n",
            ),
            (
                "mcp_servers:\n  a:\n    tools: {include: [drop, 'keep'], resources: no}\n    command: x\n",
                "mcp_servers:\n  a:\n    tools: {include: ['keep', \"new one\"], resources: no}\n    command: x\n",
            ),
            (
                "mcp_servers:\n  a:\n    command: x\n",
                "mcp_servers:\n  a:\n    command: x\n    tools:\n      include:\n        - keep\n        - \"new one\"\n",
            ),
            (
                "mcp_servers:\n  a:\n    tools: [keep, z]\n    command: x\n",
                "mcp_servers:\n  a:\n    command: x\n    tools:\n      include:\n        - keep\n        - \"new one\"\n",
            ),
            (
                "mcp_servers: {a: {command: x, tools: {include: z}}}\n",
                "mcp_servers: {a: {command: x, tools: {include: [keep, \"new one\"]}}}\n",
            ),
        ],
    );
}

#[test]
fn a_filter_that_is_open_leaves_no_key_behind() {
    becomes(
        offer("a", None, &[]),
        &[
            (
                "mcp_servers:\n  a:\n    command: x\n    tools:\n      include: [b]\n",
                "mcp_servers:\n  a:\n    command: x\n",
            ),
            (
                "mcp_servers:\n  a:\n    command: x\n    tools:\n      include: [b]\n      prompts: false # p\n",
                "mcp_servers:\n  a:\n    command: x\n    tools:\n      prompts: false # p\n",
            ),
            (
                "mcp_servers: {a: {tools: {exclude: [b], include: []}, command: x}}\n",
                "mcp_servers: {a: {command: x}}\n",
            ),
            (
                "mcp_servers:\n  a:\n    command: x\n    tools: b\n",
                "mcp_servers:\n  a:\n    command: x\n",
            ),
            (
                "mcp_servers: {a: {command: x}}",
                "mcp_servers: {a: {command: x}}",
            ),
        ],
    );
    becomes(
        offer("a", Some(&[]), &[]),
        &[(
            "mcp_servers:\n  a:\n    command: x\n    tools:\n      include:\n        - b\n",
            "mcp_servers:\n  a:\n    command: x\n    tools:\n      include: []\n",
        )],
    );
}

#[test]
fn what_cannot_be_changed_alone_is_refused() {
    let aliased = "base: &base {a: {command: x}}\nmcp_servers: *base\n";
    let shared = "mcp_servers:\n  a: &a\n    command: x\n  b: *a\n";
    // The empty line would become a part of the text above it, which keeps such lines.
    let kept = "mcp_servers:\n  a:\n    command: |+\n      x\n\n  b: {url: x}\n\n# end\n";
    let merged = "base: &base {command: x, enabled: true}\nmcp_servers:\n  a:\n    <<: *base\n";
    let not_alone =
        "c.yaml: the change cannot be made without changing something else, as the file is written";
    let elsewhere = |key: &str, line: usize| {
        format!(
            "c.yaml:{line}: `{key}` comes from an alias or a merge key, where it may belong to others too"
        )
    };
    for (text, change, expected) in [
        (aliased, add("new"), elsewhere("mcp_servers", 2)),
        (aliased, remove("a"), elsewhere("mcp_servers", 2)),
        (shared, enable("b", false), elsewhere("b", 4)),
        (shared, enable("a", false), not_alone.to_owned()),
        (shared, remove("a"), not_alone.to_owned()),
        (kept, remove("b"), not_alone.to_owned()),
        (
            "mcp_servers:\n  a: [x]\n",
            enable("a", false),
            not_alone.to_owned(),
        ),
        ("--- ~\n", add("new"), not_alone.to_owned()),
        (
            "? mcp_servers\n: {a: {url: x}}\nb: 1\n",
            add("a"),
            "c.yaml:2: a server is called `a` already".to_owned(),
        ),
        (
            shared,
            add("b"),
            "c.yaml:4: a server is called `b` already".to_owned(),
        ),
        (
            shared,
            remove("c"),
            "c.yaml: no server is called `c`".to_owned(),
        ),
        (
            "mcp_servers:\n  a: {url: x}\n  a: {url: y}\n",
            remove("a"),
            "c.yaml:3: `a` stands in line 2 already, and either may be meant".to_owned(),
        ),
        (
            "mcp_servers: {}\nmcp_servers: {}\n",
            add("a"),
            "c.yaml:2: `mcp_servers` stands in line 1 already, and either may be meant".to_owned(),
        ),
        (
            "mcp_servers: [a]\n",
            add("a"),
            "c.yaml:1:14: mcp_servers: must be a mapping of names to servers, but is a list"
                .to_owned(),
        ),
    ] {
        assert_eq!(refused(text, change), expected, "{text}");
    }
    let broken = refused("mcp_servers: [\n", add("a"));
    assert!(broken.contains("not YAML"), "{broken}");
    // What is merged can be said again for one server.
    let after = format!("{merged}    enabled: false\n");
    becomes(enable("a", false), &[(merged, &after)]);
    // What others refer to can be added to others.
    becomes(
        remove("b"),
        &[(shared, "mcp_servers:\n  a: &a\n    command: x\n")],
    );
}

#[test]
fn a_file_that_would_be_too_long_is_not_made() {
    let room = usize::try_from(crate::config::FILE_LEN_MAX).unwrap() - 20;
    let text = format!("#{}\n", "x".repeat(room));
    assert!(refused(&text, add("new")).contains("longer than"));
}

#[test]
fn all_changes_are_made_or_none() {
    let text = "mcp_servers:\n  a: {url: x}\n";
    let changes = [remove("a"), remove("b")];
    assert!(edit(text, "c.yaml", &changes).is_err());
    let changes = [add("b"), remove("a"), enable("b", false)];
    let after = edit(text, "c.yaml", &changes).unwrap();
    assert_eq!(
        after,
        "mcp_servers:\n  b:\n    command: run\n    enabled: false\n"
    );
}
