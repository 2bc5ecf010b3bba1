//! Ten policies over one set of servers.

use mcp_types::ToolAnnotations;

use super::*;
use crate::name::ServerName;

/// Server, tool, and whether the tool says that it only reads.
const TOOLS: [(&str, &str, Option<bool>); 8] = [
    ("git", "log", Some(true)),
    ("git", "push", Some(false)),
    ("git", "delete_branch", None),
    ("fs", "read", Some(true)),
    ("fs", "demo/read", Some(true)),
    ("fs", "delete", None),
    ("demo", "read", Some(true)),
    ("demo", "write", None),
];

fn server(name: &str) -> ServerName {
    ServerName::new(name).unwrap()
}

fn hints(read_only: Option<bool>) -> ToolAnnotations {
    let mut hints = ToolAnnotations::new();
    hints.read_only_hint = read_only;
    hints
}

fn ask(policy: &ViewPolicy, tool: (&str, &str, Option<bool>)) -> Result<(), Refusal> {
    policy.permits(&server(tool.0), tool.1, Some(&hints(tool.2)))
}

/// The tools of which an agent with this policy knows.
fn seen(policy: &ViewPolicy) -> Vec<String> {
    let tools = TOOLS.into_iter();
    let tools = tools.filter(|tool| ask(policy, *tool).is_ok());
    tools
        .map(|(server, tool, _)| format!("{server} {tool}"))
        .collect()
}

fn list(allow: Option<&[&str]>, deny: &[&str]) -> AccessList {
    let list = match allow {
        Some(allow) => AccessList::only(allow.iter().copied()),
        None => AccessList::everything(),
    };
    list.without(deny.iter().copied())
}

#[test]
fn ten_policies_give_ten_views_of_the_same_tools() {
    let all = ViewPolicy::everything;
    let everything: Vec<String> = TOOLS
        .iter()
        .map(|(server, tool, _)| format!("{server} {tool}"))
        .collect();
    let everything: Vec<&str> = everything.iter().map(String::as_str).collect();
    let table: [(ViewPolicy, &[&str]); 10] = [
        (all(), &everything),
        (
            all().read_only(),
            &["git log", "fs read", "fs demo/read", "demo read"],
        ),
        (
            all().with_servers(list(Some(&["git"]), &[])),
            &["git log", "git push", "git delete_branch"],
        ),
        (
            all().with_servers(list(None, &["g*", "fs"])),
            &["demo read", "demo write"],
        ),
        (
            all().with_tools(list(None, &["delete*"])),
            &[
                "git log",
                "git push",
                "fs read",
                "fs demo/read",
                "demo read",
                "demo write",
            ],
        ),
        (
            all().with_tools(list(Some(&["demo/read"]), &[])),
            &["demo read"],
        ),
        (
            all().with_tools(list(Some(&["*/demo/read", "git/*"]), &["git/delete_*"])),
            &["git log", "git push", "fs demo/read"],
        ),
        // What is kept out stays out, however often it is let in.
        (
            all().with_tools(list(Some(&["read", "fs/read", "write"]), &["fs/*"])),
            &["demo read", "demo write"],
        ),
        (
            all()
                .with_servers(list(Some(&["git", "demo"]), &[]))
                .with_tools(list(None, &["log"]))
                .read_only(),
            &["demo read"],
        ),
        (all().with_tools(AccessList::nothing()), &[]),
    ];
    for (policy, expected) in &table {
        assert_eq!(seen(policy), *expected, "{policy:?}");
    }
}

#[test]
fn a_tool_writes_unless_it_says_that_it_only_reads() {
    let policy = ViewPolicy::everything().read_only();
    assert!(!policy.writes());
    let ask = |hints: Option<&ToolAnnotations>| policy.permits(&server("s"), "t", hints);
    assert_eq!(ask(Some(&hints(Some(true)))), Ok(()));
    for not_said in [Some(hints(None)), Some(hints(Some(false))), None] {
        assert_eq!(
            ask(not_said.as_ref()).unwrap_err().code(),
            "write_not_permitted"
        );
    }
}

#[test]
fn resources_and_prompts_have_lists_of_their_own() {
    let files = [Selector::of("fs", "file:///srv/*"), Selector::any("note:*")];
    let policy = ViewPolicy::everything()
        .with_servers(list(None, &["secret"]))
        .with_tools(AccessList::nothing())
        .with_resources(AccessList::only(files).without([Selector::any("*/.env")]))
        .with_prompts(list(Some(&["git/review"]), &[]));
    for (name, uri, expected) in [
        ("fs", "file:///srv/a/b", None),
        ("git", "file:///srv/a/b", Some("resource_not_permitted")),
        ("git", "note:1", None),
        ("fs", "file:///srv/.env", Some("resource_not_permitted")),
        ("fs", "file:///etc/passwd", Some("resource_not_permitted")),
        ("secret", "note:1", Some("server_not_permitted")),
    ] {
        let found = policy.permits_resource(&server(name), uri).err();
        assert_eq!(
            found.map(|refusal| refusal.code()),
            expected,
            "{name} {uri}"
        );
    }
    for (name, prompt, expected) in [
        ("git", "review", None),
        ("fs", "review", Some("prompt_not_permitted")),
        ("secret", "review", Some("server_not_permitted")),
    ] {
        let found = policy.permits_prompt(&server(name), prompt).err();
        assert_eq!(
            found.map(|refusal| refusal.code()),
            expected,
            "{name} {prompt}"
        );
    }
}

#[test]
fn a_refusal_says_what_is_kept_out() {
    let policy = ViewPolicy::everything()
        .with_servers(list(None, &["demo"]))
        .with_tools(list(None, &["git/log"]))
        .with_prompts(AccessList::nothing())
        .with_resources(AccessList::nothing())
        .read_only();
    let refusals = [
        (
            ask(&policy, TOOLS[0]),
            "this agent may not use the tool `log` of server `git`",
        ),
        (
            ask(&policy, TOOLS[1]),
            "this agent may only read, and the tool `push` of server `git` does not say that it \
             changes nothing",
        ),
        (
            ask(&policy, TOOLS[6]),
            "this agent may not use server `demo`",
        ),
        (
            policy.permits_prompt(&server("git"), "p"),
            "this agent may not use the prompt `p` of server `git`",
        ),
        (
            policy.permits_resource(&server("fs"), "file:///a"),
            "this agent may not read the resource `file:///a` of server `fs`",
        ),
    ];
    for (refused, expected) in refusals {
        assert_eq!(refused.unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_role_has_its_policy_and_an_unknown_one_none() {
    let reader = ViewPolicy::everything().read_only();
    let roles = Roles::new()
        .with("reader", ViewPolicy::everything())
        .with("operator", ViewPolicy::everything())
        .with("reader", reader.clone());
    assert_eq!(roles.policy("reader"), Ok(&reader));
    let names: Vec<&str> = roles.iter().map(|(role, _)| role).collect();
    assert_eq!(names, ["operator", "reader"]);
    let error = roles.policy("raeder").unwrap_err().to_string();
    assert_eq!(error, "no role is called `raeder`; did you mean `reader`?");
    let error = Roles::new().policy("any").unwrap_err().to_string();
    assert_eq!(error, "no role is called `any`");
}
