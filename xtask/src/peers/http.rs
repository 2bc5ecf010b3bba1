//! The programs that serve over HTTP, as the list that the tests start them from.
//!
//! The tests pick the ports and put them in the place of [`PORT`].

use std::path::Path;

use serde_json::{Value, json};

use super::install::Programs;

/// What stands for the port in arguments and variables.
const PORT: &str = "{port}";

pub(super) fn servers(programs: &Programs, rmcp: &Path) -> Value {
    let show = |path: &Path| path.display().to_string();
    let peers = crate::shell::root().join("peers/pypi");
    let everything = |name, transport, path| {
        let package = "@modelcontextprotocol/server-everything/dist/index.js";
        let script = show(&programs.node_modules.join(package));
        json!({
            "name": name, "command": show(&programs.node), "args": [script, transport],
            "env": {"PORT": PORT}, "path": path,
        })
    };
    let python = |name, file, transport, path| {
        let script = show(&peers.join(file));
        json!({
            "name": name, "command": show(&programs.python_bin.join("python")),
            "args": [script, transport, PORT],
            // FastMCP would ask the network for a newer version of itself.
            "env": {"FASTMCP_CHECK_FOR_UPDATES": "off"}, "path": path,
        })
    };
    let fastmcp = "fastmcp_server.py";
    let mcp2 = "mcp2_server.py";
    json!([
        everything("everything-http", "streamableHttp", "/mcp"),
        everything("everything-sse", "sse", "/sse"),
        python("fastmcp-http", fastmcp, "http", "/mcp"),
        python("fastmcp-sse", fastmcp, "sse", "/sse"),
        python("mcp2-stateful", mcp2, "stateful", "/mcp"),
        python("mcp2-stateless", mcp2, "stateless", "/mcp"),
        {
            "name": "rmcp", "command": show(rmcp), "args": [PORT], "env": {}, "path": "/mcp",
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_seven_programs_is_told_its_port() {
        let programs = Programs {
            node: "/n/node".into(),
            node_modules: "/n/node_modules".into(),
            python_bin: "/v/bin".into(),
        };
        let list = servers(&programs, Path::new("/r/rmcp-peer"));
        let list = list.as_array().unwrap();
        assert_eq!(list.len(), 7);
        for server in list {
            assert!(server.to_string().contains("\"{port}\""), "{server}");
        }
    }
}
