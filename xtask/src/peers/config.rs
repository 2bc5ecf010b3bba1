//! The configuration that names the installed servers, in the format that `hermes` reads.
//!
//! JSON texts are YAML scalars, so every word is written as one.

use std::path::Path;

use super::install::Programs;

/// One server of the configuration.
#[derive(Debug)]
pub(super) struct Server {
    name: &'static str,
    command: String,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

pub(super) fn servers(folder: &Path, programs: &Programs) -> Vec<Server> {
    let show = |path: &Path| path.display().to_string();
    let node = |name, package: &str, args: &[String]| {
        let script = programs
            .node_modules
            .join("@modelcontextprotocol")
            .join(package);
        let mut words = vec![show(&script.join("dist/index.js"))];
        words.extend_from_slice(args);
        Server {
            name,
            command: show(&programs.node),
            args: words,
            env: Vec::new(),
        }
    };
    let python = |name, program: &str, args: &[String]| Server {
        name,
        command: show(&programs.python_bin.join(program)),
        args: args.to_vec(),
        env: Vec::new(),
    };
    let script = |file: &str| show(&crate::shell::root().join("peers/pypi").join(file));

    let mut memory = node("memory", "server-memory", &[]);
    memory
        .env
        .push(("MEMORY_FILE_PATH", show(&folder.join("memory.jsonl"))));
    let mut fastmcp = python("fastmcp", "python", &[script("fastmcp_server.py")]);
    // It would ask the network for a newer version of itself.
    fastmcp
        .env
        .push(("FASTMCP_CHECK_FOR_UPDATES", "off".to_owned()));
    let repository = ["--repository".to_owned(), show(&folder.join("repo"))];
    vec![
        node("everything", "server-everything", &["stdio".to_owned()]),
        node(
            "filesystem",
            "server-filesystem",
            &[show(&folder.join("files"))],
        ),
        memory,
        node("sequential-thinking", "server-sequential-thinking", &[]),
        python(
            "time",
            "mcp-server-time",
            &["--local-timezone".to_owned(), "UTC".to_owned()],
        ),
        python("git", "mcp-server-git", &repository),
        fastmcp,
        python("mcp2", "python", &[script("mcp2_server.py")]),
    ]
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
    fn eight_servers_are_named_with_quoted_words() {
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
            8,
            "{text}"
        );
        assert!(
            text.contains("    args: [\"--repository\", \"/p q/repo\"]\n"),
            "{text}"
        );
        assert!(
            text.contains("      MEMORY_FILE_PATH: \"/p q/memory.jsonl\"\n"),
            "{text}"
        );
    }
}
