//! Names, and what they stand for.

use super::*;
use crate::catalog::{Knowledge, Parts, Seen, Told};
use crate::config::{CommandLine, ServerConfig};
use crate::filter::{Pattern, ToolFilter};
use crate::life::State;
use crate::name::Naming;

fn names(names: &[&str]) -> Vec<ServerName> {
    names
        .iter()
        .map(|name| ServerName::new(name).unwrap())
        .collect()
}

fn toolsets(servers: &[&str]) -> Toolsets {
    Toolsets::new(&names(servers))
}

fn servers(toolsets: &Toolsets, asked: &[&str]) -> Vec<String> {
    let found = toolsets.resolve(asked);
    assert_eq!(found.unknown, [], "{asked:?}");
    found.servers.iter().map(ToString::to_string).collect()
}

#[test]
fn names_stand_for_servers() {
    let toolsets = toolsets(&["git", "fs", "github", "web search"]);
    for (asked, expected) in [
        (&["mcp-git"][..], &["git"][..]),
        (&["git"], &["git"]),
        (&["fs", "mcp-git", "git"], &["git", "fs"]),
        (&["mcp-web search"], &["web search"]),
        (&["g*"], &["git", "github"]),
        (&["mcp-*"], &["git", "fs", "github", "web search"]),
        (&["hermes-cli"], &["git", "fs", "github", "web search"]),
        (
            &["hermes-telegram", "-fs"],
            &["git", "github", "web search"],
        ),
        (&["-git"], &["fs", "github", "web search"]),
        (&["-mcp-g*", "-fs"], &["web search"]),
        (&["-fs", "*"], &["git", "github", "web search"]),
        (&["git", "-git"], &[]),
        (&["-hermes-cli"], &[]),
        (&[], &[]),
    ] {
        assert_eq!(servers(&toolsets, asked), expected, "{asked:?}");
    }
}

#[test]
fn an_unknown_name_tells_the_nearest_and_the_others_are_resolved() {
    let toolsets = toolsets(&["git", "gut", "fs"]);
    let found = toolsets.resolve(&["got", "mcp-fs", "-mcp-gti", "zzz*", "HERMES-cli"]);
    assert_eq!(found.servers, names(&["fs"]));
    let texts: Vec<String> = found.unknown.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "no toolset is called `got`; did you mean `git` or `gut`?",
            "no toolset is called `-mcp-gti`; did you mean `mcp-git` or `mcp-gut`?",
            "no toolset is called `zzz*`",
            "no toolset is called `HERMES-cli`",
        ]
    );
}

#[test]
fn a_platform_that_is_restricted_has_nothing_else() {
    let toolsets = toolsets(&["git", "fs", "web"])
        .with_platform("hermes-telegram", ["web", "git", "-g*", "gone"])
        .with_platform("hermes-none", Vec::<String>::new())
        .with_platform("hermes-loop", ["hermes-loop", "hermes-cli"]);
    assert_eq!(servers(&toolsets, &["hermes-telegram"]), ["web"]);
    assert_eq!(servers(&toolsets, &["hermes-none"]), Vec::<String>::new());
    assert_eq!(servers(&toolsets, &["hermes-loop"]), Vec::<String>::new());
    assert_eq!(servers(&toolsets, &["hermes-cli"]), ["git", "fs", "web"]);
    assert_eq!(servers(&toolsets, &["-hermes-telegram"]), ["git", "fs"]);
}

#[test]
fn a_name_means_the_same_whichever_servers_there_are() {
    let toolsets = toolsets(&["mcp-git", "git", "hermes-fs", "-x", "a[1]"]);
    assert_eq!(servers(&toolsets, &["mcp-git"]), ["git"]);
    assert_eq!(servers(&toolsets, &["mcp-mcp-git"]), ["mcp-git"]);
    assert_eq!(servers(&toolsets, &["hermes-fs"]), ["hermes-fs"]);
    assert_eq!(servers(&toolsets, &["-x"]), ["-x"]);
    assert_eq!(
        servers(&toolsets, &["*", "--x", "-a[1]"]),
        ["mcp-git", "git", "hermes-fs"]
    );
}

#[test]
fn only_enabled_servers_have_a_toolset_and_none_is_told() {
    let command = || CommandLine::new("true");
    let config = Config::new()
        .with_server(ServerConfig::stdio("git", command()).unwrap())
        .with_server(ServerConfig::stdio("fs", command()).unwrap().disabled());
    let configured = Toolsets::configured(&config);
    assert_eq!(configured.to_string(), "mcp-git (git)");
    assert_eq!(servers(&configured, &["hermes-cli"]), ["git"]);
    let both = toolsets(&["git", "fs"]).to_string();
    assert_eq!(both, "mcp-git (git)\nmcp-fs (fs)");

    let none = Toolsets::configured(&Config::new());
    assert!(none.is_empty());
    assert_eq!(none.to_string(), "No MCP servers configured");
    assert_eq!(servers(&none, &["hermes-cli"]), Vec::<String>::new());
    let disabled =
        Config::new().with_server(ServerConfig::stdio("fs", command()).unwrap().disabled());
    assert_eq!(
        Toolsets::configured(&disabled).to_string(),
        "No MCP server has a tool to offer"
    );
    assert_eq!(
        Toolsets::offered(&Catalog::default()).to_string(),
        "No MCP servers configured"
    );
}

#[test]
fn a_server_of_which_no_tool_is_left_has_no_toolset() {
    let stdio = |name: &str| ServerConfig::stdio(name, CommandLine::new("true")).unwrap();
    let nothing = ToolFilter::all().with_include(Vec::<Pattern>::new());
    let config = Config::new()
        .with_server(stdio("fs"))
        .with_server(stdio("empty"))
        .with_server(stdio("filtered").with_filter(nothing))
        .with_server(stdio("git"))
        .with_server(stdio("away"));
    let told = |names: &[&str]| {
        let mut known = Knowledge::default();
        known.tell(std::sync::Arc::new(Told::of(names)));
        known
    };
    let known = [
        told(&["read"]),
        told(&[]),
        told(&["a", "b"]),
        told(&["log", "push"]),
        Knowledge::default(),
    ];
    let seen: Vec<Seen<'_>> = known
        .iter()
        .map(|known| Seen {
            known,
            life: State::Ready,
        })
        .collect();
    let catalog = Catalog::new(&Parts {
        config: &config,
        naming: Naming::Underscore,
        seen: &seen,
        host: &crate::host::HostTools::default(),
        generation: 1,
    });
    let offered = Toolsets::offered(&catalog);
    assert_eq!(offered.to_string(), "mcp-fs (fs)\nmcp-git (git)");
    assert_eq!(Toolsets::configured(&config).iter().count(), 5);
}
