//! The servers over stdio, and a harmless call of each: what a test expects of them.

use mcp_client::Era;
use serde_json::{Value, json};

use super::folder;

/// What is expected of a server.
pub(super) struct Row {
    pub(super) server: &'static str,
    pub(super) era: Era,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    /// What the result must hold.
    pub(super) holds: &'static str,
    /// Whether the result is an error of the tool, which is an answer like any other.
    pub(super) is_error: bool,
}

/// In the order of the configuration.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = of_node();
    rows.extend(of_python());
    rows
}

fn row(server: &'static str, era: Era, tool: &'static str, arguments: Value) -> Row {
    Row {
        server,
        era,
        tool,
        arguments,
        holds: "",
        is_error: false,
    }
}

impl Row {
    fn holds(self, holds: &'static str) -> Self {
        Self { holds, ..self }
    }

    fn fails(self, holds: &'static str) -> Self {
        let is_error = true;
        Self {
            holds,
            is_error,
            ..self
        }
    }
}

fn of_node() -> Vec<Row> {
    let row = |server, tool, arguments| row(server, Era::Legacy, tool, arguments);
    let file = |name: &str| folder().join("files").join(name).display().to_string();
    let thought = json!({
        "thought": "one step", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1,
    });
    let greeting = json!({"message": "over there"});
    vec![
        row("everything", "echo", greeting.clone()).holds("over there"),
        row(
            "filesystem",
            "read_text_file",
            json!({"path": file("hello.txt")}),
        )
        .holds("hello from the peers"),
        row("memory", "read_graph", json!({})).holds("entities"),
        row("sequential-thinking", "sequentialthinking", thought).holds("thoughtNumber"),
        row("basic-vanillajs", "get-time", json!({})).holds("time"),
        row("pdf", "list_pdfs", json!({})).holds("localFiles"),
        row("system-monitor", "get-system-info", json!({})).holds("platform"),
        row(
            "video-resource",
            "play_video",
            json!({"videoId": "bunny-1mb"}),
        )
        .holds("videos://bunny-1mb"),
        row(
            "eslint",
            "lint-files",
            json!({"filePaths": [file("hello.js")]}),
        )
        .holds("hello.js"),
        row("hello-world", "echo", greeting).holds("over there"),
        // Its browser is configured to be missing.
        row("playwright", "browser_tabs", json!({"action": "list"}))
            .fails("executable doesn't exist"),
    ]
}

fn of_python() -> Vec<Row> {
    let row = |server, tool, arguments| row(server, Era::Modern, tool, arguments);
    let time = json!({
        "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo",
    });
    let repository = folder().join("repo").display().to_string();
    let log = json!({"repo_path": repository, "max_count": 1});
    vec![
        row("time", "convert_time", time).holds("21:00"),
        row("git", "git_log", log).holds("Say hello"),
        // It refuses addresses of this machine, and needs no other one for that.
        row("fetch", "fetch", json!({"url": "http://127.0.0.1:9/"})).fails("not a public address"),
        row("fastmcp", "multiply", json!({"a": 6, "b": 7})).holds("42"),
        row("mcp2", "add", json!({"a": 2, "b": 3})).holds("5"),
    ]
}
