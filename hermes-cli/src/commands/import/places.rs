//! Where other agents keep their servers, in the home folder and in the folder of work.

use std::path::{Path, PathBuf};

use hermes_registry::import::Format;

/// Files that may be there, each with the agent whose it is.
///
/// `lookup` is asked for environment variables; an empty one counts as not set.
pub(super) fn places(
    lookup: &dyn Fn(&str) -> Option<String>,
    work: Option<&Path>,
) -> Vec<(Format, PathBuf)> {
    let set = |name: &str| {
        let value = lookup(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    let mut places = Vec::new();
    let mut add = |format: Format, folder: &Path, files: &[&str]| {
        places.extend(files.iter().map(|file| (format, folder.join(file))));
    };
    if let Some(home) = set("HOME") {
        let config = set("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        for apps in [config, home.join("Library/Application Support")] {
            add(
                Format::ClaudeDesktop,
                &apps,
                &["Claude/claude_desktop_config.json"],
            );
            let files = ["Code/User/mcp.json", "Code/User/settings.json"];
            add(Format::VsCode, &apps, &files);
        }
        add(Format::ClaudeCode, &home, &[".claude.json"]);
        add(Format::Cursor, &home, &[".cursor/mcp.json"]);
        add(
            Format::Windsurf,
            &home,
            &[".codeium/windsurf/mcp_config.json"],
        );
        let codex = set("CODEX_HOME").unwrap_or_else(|| home.join(".codex"));
        add(Format::Codex, &codex, &["config.toml"]);
    }
    if let Some(work) = work {
        add(Format::ClaudeCode, work, &[".mcp.json"]);
        let files = [".vscode/mcp.json", ".vscode/settings.json"];
        add(Format::VsCode, work, &files);
        add(Format::Cursor, work, &[".cursor/mcp.json"]);
        add(Format::Codex, work, &[".codex/config.toml"]);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_agent_are_looked_for_where_its_variables_say() {
        let lookup = |name: &str| match name {
            "HOME" => Some("/home/ada".to_owned()),
            "CODEX_HOME" => Some("/codex".to_owned()),
            _ => Some(String::new()),
        };
        let found = places(&lookup, Some(Path::new("/app")));
        for format in Format::ALL {
            assert!(found.iter().any(|(known, _)| *known == format), "{format}");
        }
        for path in [
            "/home/ada/.config/Claude/claude_desktop_config.json",
            "/home/ada/Library/Application Support/Code/User/mcp.json",
            "/codex/config.toml",
            "/app/.mcp.json",
        ] {
            assert!(
                found.iter().any(|(_, known)| known == Path::new(path)),
                "{path}"
            );
        }
        assert_eq!(places(&|_| None, None), []);
    }
}
