//! Whose file it is: told by its name, and by what is in it.

use std::fmt;

use crate::config::tree::{Node, Value};

/// An agent whose configuration of servers can be read.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Format {
    /// `.mcp.json` and `~/.claude.json`.
    ClaudeCode,
    /// `claude_desktop_config.json`.
    ClaudeDesktop,
    /// `config.toml` in a folder `.codex`.
    Codex,
    /// `mcp.json` in a folder `.cursor`.
    Cursor,
    /// `mcp.json` in a folder `.vscode`, and `settings.json`.
    VsCode,
    /// `mcp_config.json` in a folder `windsurf`.
    Windsurf,
}

impl Format {
    /// All there are.
    pub const ALL: [Self; 6] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::Cursor,
        Self::VsCode,
        Self::Windsurf,
    ];

    /// How it is written on a command line, such as `claude-code`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Windsurf => "windsurf",
        }
    }

    /// The format that is written so.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word)
    }

    /// Whether its files are TOML; the others are JSON.
    pub(super) fn is_toml(self) -> bool {
        self == Self::Codex
    }

    /// Where its files have servers, for an error.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Codex => "`mcp_servers`",
            Self::VsCode => "`servers`, `mcp.servers` or `mcpServers`",
            _ => "`mcpServers`",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Windsurf => "Windsurf",
        })
    }
}

/// The format that the name of a file tells.
///
/// A name that several agents use tells nothing without its folder.
pub(super) fn by_name(file_name: &str) -> Option<Format> {
    let path = file_name.replace('\\', "/").to_lowercase();
    let is_in = |folder: &str| path.split('/').any(|part| part == folder);
    let name = path.rsplit('/').next().unwrap_or_default();
    match name {
        "claude_desktop_config.json" => Some(Format::ClaudeDesktop),
        ".mcp.json" | ".claude.json" => Some(Format::ClaudeCode),
        "settings.json" if is_in(".claude") => Some(Format::ClaudeCode),
        "mcp_config.json" => Some(Format::Windsurf),
        "mcp.json" if is_in(".cursor") => Some(Format::Cursor),
        "mcp.json" | "settings.json" if is_in(".vscode") => Some(Format::VsCode),
        _ if name.ends_with(".toml") => Some(Format::Codex),
        _ => None,
    }
}

/// Whether a text is TOML rather than JSON, by how it begins.
pub(super) fn looks_like_toml(text: &str) -> bool {
    !text.trim_start().starts_with(['{', '/'])
}

/// The format that a JSON file is in, by what is in it.
///
/// Where it could be several, the one whose references it uses; else that of Claude Code, which
/// most documents of servers show.
pub(super) fn by_content(root: &Node, text: &str) -> Format {
    let has_servers =
        find(root, &["servers"]).is_some() || find(root, &["mcp", "servers"]).is_some();
    if has_servers && find(root, &["mcpServers"]).is_none() || text.contains("${input:") {
        Format::VsCode
    } else if text.contains("\"serverUrl\"") || text.contains("\"disabledTools\"") {
        Format::Windsurf
    } else if text.contains("${env:") {
        Format::Cursor
    } else {
        Format::ClaudeCode
    }
}

/// The mapping of servers in a file of this format, and the key it stands under.
pub(super) fn servers(format: Format, root: &Node) -> Option<&Node> {
    let paths: &[&[&str]] = match format {
        Format::Codex => &[&["mcp_servers"]],
        Format::VsCode => &[&["servers"], &["mcp", "servers"], &["mcpServers"]],
        _ => &[&["mcpServers"]],
    };
    paths.iter().find_map(|path| find(root, path))
}

/// The value at this path of keys; of keys that stand twice, the last, as all of these agents do.
pub(super) fn find<'n>(root: &'n Node, path: &[&str]) -> Option<&'n Node> {
    let Some((first, rest)) = path.split_first() else {
        return Some(root);
    };
    let Value::Mapping(entries) = &root.value else {
        return None;
    };
    let mut found = entries.iter().rev();
    let entry = found.find(|entry| entry.key.text.as_deref() == Some(*first))?;
    find(&entry.value, rest)
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    #[test]
    fn names_tell_formats_where_only_one_agent_uses_them() {
        for (name, expected) in [
            ("/home/ada/.cursor/mcp.json", Some(Format::Cursor)),
            ("app/.vscode/mcp.json", Some(Format::VsCode)),
            (
                "C:\\Users\\Ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
                Some(Format::ClaudeDesktop),
            ),
            (".mcp.json", Some(Format::ClaudeCode)),
            ("/home/ada/.claude/settings.json", Some(Format::ClaudeCode)),
            (".vscode/settings.json", Some(Format::VsCode)),
            ("/home/ada/.config/Code/User/settings.json", None),
            (
                "/home/ada/.codeium/windsurf/mcp_config.json",
                Some(Format::Windsurf),
            ),
            ("config.toml", Some(Format::Codex)),
            ("mcp.json", None),
            ("", None),
        ] {
            assert_eq!(by_name(name), expected, "{name}");
        }
        for format in Format::ALL {
            assert_eq!(Format::parse(format.as_str()), Some(format));
        }
    }

    #[test]
    fn what_is_in_a_file_tells_the_rest() {
        for (text, expected) in [
            (r#"{"servers": {}}"#, Format::VsCode),
            (r#"{"mcp": {"servers": {}}}"#, Format::VsCode),
            (
                r#"{"mcpServers": {"a": {"args": ["${input:key}"]}}}"#,
                Format::VsCode,
            ),
            (
                r#"{"mcpServers": {"a": {"serverUrl": "https://x/"}}}"#,
                Format::Windsurf,
            ),
            (
                r#"{"mcpServers": {"a": {"args": ["${env:KEY}"]}}}"#,
                Format::Cursor,
            ),
            (
                r#"{"mcpServers": {"a": {"args": ["${KEY}"]}}}"#,
                Format::ClaudeCode,
            ),
        ] {
            let root = json::parse(text).expect("it is JSON");
            assert_eq!(by_content(&root, text), expected, "{text}");
            assert!(servers(expected, &root).is_some(), "{text}");
        }
        assert!(looks_like_toml("\n# Codex\n[mcp_servers.a]"));
        assert!(!looks_like_toml(" // VS Code\n{}"));
    }
}
