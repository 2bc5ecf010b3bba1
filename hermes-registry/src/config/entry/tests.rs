//! Entries as they are put together, and what they become.

use super::*;

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn pair(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

#[test]
fn what_is_given_again_adds_up_or_replaces() {
    let entry = ServerEntry::new("a")
        .with_text("command", "first")
        .with_text("command", "run")
        .with_texts("args", words(&["-x"]))
        .with_texts("args", words(&["two words"]))
        .with_texts("env_passthrough", [])
        .with_pairs("env", [pair("A", "1"), pair("B", "2")])
        .with_pairs("env", [pair("A", "3")])
        .with_number("timeout", "1.5")
        .with_number("connect_timeout", "5 # soon")
        .with_switch("enabled", false)
        .with_texts("tools.include", words(&["a*"]))
        .with_name("b c");
    let expected = "  \"b c\":\n    command: run\n    args:\n      - \"-x\"\n      - \"two words\"\n    env:\n      B: \"2\"\n      A: \"3\"\n    timeout: 1.5\n    connect_timeout: \"5 # soon\"\n    enabled: false\n    tools:\n      include:\n        - \"a*\"\n";
    assert_eq!(entry.to_yaml(), expected);
    let keys: Vec<&str> = entry.keys().collect();
    assert_eq!(keys[..2], ["command", "args"]);
    assert!(!format!("{entry:?}").contains("run"));
}

#[test]
fn an_entry_is_read_as_every_other_one() {
    let context = Context::new(&|_| None);
    let read = |entry: &ServerEntry| entry.read_in(&context).expect("it is short");
    let good = ServerEntry::new("a").with_text("command", "run");
    let loaded = read(&good);
    let server = loaded.config.server("a").expect("it can be used");
    assert!(server.source().is_none() && loaded.problems.is_empty());

    let bad = good
        .with_number("timeout", "soon")
        .with_text("url", "http://x/");
    let loaded = read(&bad);
    assert!(loaded.config.servers().is_empty());
    let paths: Vec<&str> = loaded.problems.iter().map(crate::Problem::path).collect();
    assert_eq!(paths, ["mcp_servers.a.timeout", "mcp_servers.a.url"]);
}

#[test]
fn secrets_that_are_written_out_are_told_with_a_variable() {
    let token = "ghp_0123456789abcdef0123456789abcdef0123";
    let entry = ServerEntry::new("my server")
        .with_text("command", "run")
        .with_texts(
            "args",
            words(&["-y", &format!("--token={token}"), "--token=${T}"]),
        )
        .with_pairs(
            "env",
            [
                pair("API_KEY", "short"),
                pair("OTHER_KEY", "${OTHER_KEY}"),
                pair("EMPTY_TOKEN", ""),
                pair("REGION", "eu"),
                pair("X", token),
            ],
        )
        .with_pairs(
            "headers",
            [
                pair("Authorization", "Bearer abcdefghijklmnop"),
                pair("X-Api-Key", "Bearer ${KEY}"),
                pair("Accept", "x"),
            ],
        );
    let told: Vec<(String, String)> = entry
        .plain_secrets()
        .into_iter()
        .map(|one| (one.key, one.variable))
        .collect();
    let expected = [
        pair("args[1]", "MY_SERVER_TOKEN"),
        pair("env.API_KEY", "API_KEY"),
        pair("env.X", "X"),
        pair("headers.Authorization", "MY_SERVER_TOKEN"),
    ];
    assert_eq!(told, expected);
    let sentence = entry.plain_secrets()[1].to_string();
    assert!(sentence.ends_with("write `${API_KEY}` in its place") && !sentence.contains("short"));
    assert_eq!(ServerEntry::new("7").variable(), "_7_TOKEN");
}

#[test]
fn a_value_takes_the_place_of_its_references_and_holds_none() {
    let entry = ServerEntry::new("a")
        .with_text("url", "https://${HOST}/")
        .with_texts("args", words(&["--k=${K}", "${K:-x}", "$K", "$${K}${"]))
        .with_pairs("headers", [pair("A", "Bearer ${K}")])
        .with_number("timeout", "5")
        .with_values(&BTreeMap::from([pair("K", "v${HOST}"), pair("HOST", "h")]));
    let expected = "  a:\n    url: \"https://h/\"\n    args:\n      - \"--k=v$${HOST}\"\n      - \"${K:-x}\"\n      - \"$K\"\n      - \"$${K}${\"\n    headers:\n      A: \"Bearer v$${HOST}\"\n    timeout: 5\n";
    assert_eq!(entry.to_yaml(), expected);
}

#[test]
fn a_file_is_to_be_kept_from_others_if_it_holds_values() {
    let entry = |text: &str| ServerEntry::new("a").with_pairs("env", [pair("A", text)]);
    for (text, expected) in [("x", true), ("$${A}", true), ("${A}", false), ("", false)] {
        assert_eq!(entry(text).has_written_values(), expected, "{text}");
    }
}
