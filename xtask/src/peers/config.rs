//! The configuration that names the installed servers, in the format that `hermes` reads.
//!
//! JSON texts are YAML scalars, so every word is written as one.

use std::path::Path;

use super::install::Programs;

/// The variable by which a test finds the processes of a server again: what it is set to when the
/// configuration is read, and the name of the server.
const MARK: &str = "MCP_TESTS_STAGE";

/// One server of the configuration.
#[derive(Debug)]
pub(super) struct Server {
    name: &'static str,
    command: String,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

pub(super) fn servers(folder: &Path, programs: &Programs) -> Vec<Server> {
    let mut servers = nodes(folder, programs);
    servers.extend(pythons(folder, programs));
    for server in &mut servers {
        let mark = format!("${{{MARK}:-peers}}/{}", server.name);
        server.env.push((MARK, mark));
    }
    servers
}

fn nodes(folder: &Path, programs: &Programs) -> Vec<Server> {
    let node = |name, script: &str, args: &[&str]| {
        let mut words = vec![show(&programs.node_modules.join(script))];
        words.extend(args.iter().map(|arg| (*arg).to_owned()));
        Server {
            name,
            command: show(&programs.node),
            args: words,
            env: Vec::new(),
        }
    };
    let official = |name, package: &str, args: &[&str]| {
        let script = format!("@modelcontextprotocol/{package}/dist/index.js");
        node(name, &script, args)
    };
    let mut memory = official("memory", "server-memory", &[]);
    // Runs at the same time must not read what the other is writing.
    let graph = folder.join(format!("memory/${{{MARK}:-peers}}.jsonl"));
    memory.env.push(("MEMORY_FILE_PATH", show(&graph)));
    vec![
        official("everything", "server-everything", &["stdio"]),
        official(
            "filesystem",
            "server-filesystem",
            &[&show(&folder.join("files"))],
        ),
        memory,
        official("sequential-thinking", "server-sequential-thinking", &[]),
        official("basic-vanillajs", "server-basic-vanillajs", &["--stdio"]),
        official("pdf", "server-pdf", &["--stdio"]),
        official("system-monitor", "server-system-monitor", &["--stdio"]),
        official("video-resource", "server-video-resource", &["--stdio"]),
        node("eslint", "@eslint/mcp/src/mcp-cli.js", &[]),
        node("hello-world", "mcp-hello-world/build/stdio.js", &[]),
        // Without a browser on any machine, so that its calls end alike on all of them.
        node(
            "playwright",
            "@playwright/mcp/cli.js",
            &["--executable-path", "/no-browser"],
        ),
    ]
}

fn pythons(folder: &Path, programs: &Programs) -> Vec<Server> {
    let python = |name, program: &str, args: &[&str]| Server {
        name,
        command: show(&programs.python_bin.join(program)),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
    };
    let script = |file: &str| show(&crate::shell::root().join("peers/pypi").join(file));
    let mut fastmcp = python("fastmcp", "python", &[&script("fastmcp_server.py")]);
    // It would ask the network for a newer version of itself.
    fastmcp
        .env
        .push(("FASTMCP_CHECK_FOR_UPDATES", "off".to_owned()));
    let repository = show(&folder.join("repo"));
    vec![
        python("time", "mcp-server-time", &["--local-timezone", "UTC"]),
        python("git", "mcp-server-git", &["--repository", &repository]),
        python("fetch", "mcp-server-fetch", &[]),
        fastmcp,
        python("mcp2", "python", &[&script("mcp2_server.py")]),
    ]
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

pub(super) fn yaml(servers: &[Server]) -> String {
    let mut text = String::from("# Written by `cargo xtask peers`.\nmcp_servers:\n");
    for server in servers {
        let args: Vec<String> = server.args.iter().map(|arg| scalar(arg)).collect();
        text.push_str(&format_lines(&[
            format!("  {}:", server.name),
            format!("    command: {}", scalar(&server.command)),
            format!("    args: [{}]", args.join(", ")),
        ]));
        if !server.env.is_empty() {
            text.push_str("    env:\n");
        }
        for (name, value) in &server.env {
            text.push_str(&format_lines(&[format!("      {name}: {}", scalar(value))]));
        }
    }
    text
}

fn format_lines(lines: &[String]) -> String {
    lines
        .iter()
        .flat_map(|line| [line.as_str(), "\n"])
        .collect()
}

fn scalar(word: &str) -> String {
    serde_json::Value::from(word).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_servers_are_named_with_quoted_words() {
        let programs = Programs {
            node: "/n/node".into(),
            node_modules: "/n/node_modules".into(),
            python_bin: "/v/bin".into(),
        };
        let text = yaml(&servers(Path::new("/p q"), &programs));
        let names = text
            .lines()
            .filter(|line| line.starts_with("  ") && line.ends_with(':'));
        assert_eq!(
            names.filter(|line| !line.starts_with("   ")).count(),
            16,
            "{text}"
        );
        assert!(
            text.contains("    args: [\"--repository\", \"/p q/repo\"]\n"),
            "{text}"
        );
        assert!(
            text.contains(
                "      MEMORY_FILE_PATH: \"/p q/memory/${MCP_TESTS_STAGE:-peers}.jsonl\"\n"
            ),
            "{text}"
        );
        assert!(
            text.contains("      MCP_TESTS_STAGE: \"${MCP_TESTS_STAGE:-peers}/git\"\n"),
            "{text}"
        );
    }
}
