//! Results as text for people, and as lines with tabs for pipes.

use std::fmt::Write as _;
use std::time::Duration;

use hermes_registry::config::Endpoint;
use hermes_registry::{CatalogTool, Origin, Ready, ServerConfig, ServerState, ServerStatus};
use mcp_transport::redact::Redactor;
use mcp_types::{CallToolResult, ContentBlock, Implementation, ResourceContents, Tool};

use super::Target;
use super::text::{count, cut, first_sentence, one_line, pretty, visible};

/// The widest column of names; a longer name pushes its description to the right.
const NAME_WIDTH_MAX: usize = 44;

/// The narrowest description that is worth printing.
const DESCRIPTION_WIDTH_MIN: usize = 16;

/// Bytes of base64 for each three bytes.
const BASE64_QUAD: usize = 4;

/// The tools, grouped by server for people; a line for each on a pipe.
pub(crate) fn tools(servers: &[&ServerStatus], tools: &[&CatalogTool], target: Target) -> String {
    let width = match target {
        Target::Pipe => {
            let line = |tool: &&CatalogTool| format!("{}\t{}\n", tool.name, about(&tool.tool));
            return tools.iter().map(line).collect();
        }
        Target::Terminal { width } => width,
    };
    let mut out = String::new();
    let longest = tools.iter().map(|tool| tool.name.as_str().len()).max();
    let column = longest.unwrap_or_default().min(NAME_WIDTH_MAX);
    for status in servers {
        let ServerState::Ready(ready) = &status.state else {
            continue;
        };
        let own = tools.iter().filter(|tool| tool.route.server == status.name);
        let _ = writeln!(out, "{} ({})", status.name, identity(ready));
        for tool in own {
            let name = format!("  {:column$}  ", tool.name.as_str());
            let room = width.saturating_sub(name.chars().count());
            let about = about(&tool.tool);
            let about = if room < DESCRIPTION_WIDTH_MIN {
                String::new()
            } else {
                cut(&about, room)
            };
            let _ = writeln!(out, "{}", format!("{name}{about}").trim_end());
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{}", totals(servers, tools.len()));
    out
}

fn totals(servers: &[&ServerStatus], tools: usize) -> String {
    let number =
        |is: fn(&ServerState) -> bool| servers.iter().filter(|status| is(&status.state)).count();
    let ready = number(|state| matches!(state, ServerState::Ready(_)));
    let mut line = format!("{} of {}", count(tools, "tool"), count(ready, "server"));
    for (number, what) in [
        (
            number(|state| matches!(state, ServerState::Failed(_))),
            "failed",
        ),
        (
            number(|state| matches!(state, ServerState::Disabled)),
            "disabled",
        ),
    ] {
        if number > 0 {
            let _ = write!(line, ", {number} {what}");
        }
    }
    line
}

fn about(tool: &Tool) -> String {
    let text = tool.description.as_deref().or(tool.title.as_deref());
    first_sentence(text.unwrap_or_default())
}

fn identity(ready: &Ready) -> String {
    let protocol = format!("MCP {}", ready.version);
    match &ready.server {
        Some(server) => format!("{}, {protocol}", implementation(server)),
        None => protocol,
    }
}

fn implementation(server: &Implementation) -> String {
    one_line(&format!("{} {}", server.name, server.version))
}

/// How connecting to one server went.
pub(crate) fn test(
    status: &ServerStatus,
    ready: &Ready,
    tools: &[&CatalogTool],
    took: Duration,
    verbose: bool,
) -> String {
    let server = ready
        .server
        .as_ref()
        .map_or_else(|| "does not say".to_owned(), implementation);
    let is_own = |tool: &&&CatalogTool| tool.origin == Origin::Server;
    let own = tools.iter().filter(is_own).count();
    let offered = if own == ready.tools_listed {
        count(own, "tool")
    } else {
        format!("{own} of {}", count(ready.tools_listed, "tool"))
    };
    let mut out = format!("server `{}` works\n", status.name);
    let mut row = |title: &str, text: &str| {
        let _ = writeln!(out, "  {title:<13} {text}");
    };
    row("connected in", &format!("{} ms", took.as_millis()));
    row(
        "protocol",
        &format!("{} ({})", ready.version, ready.era.as_str()),
    );
    // Each step that was tried, for whoever wonders why it is spoken with in this way.
    for (index, step) in ready.ledger.iter().filter(|_| verbose).enumerate() {
        let title = if index == 0 { "ledger" } else { "" };
        row(title, &one_line(&step.to_string()));
    }
    row("says it is", &server);
    if let Some(instructions) = &ready.instructions {
        row("instructions", &first_sentence(instructions));
    }
    row("offers", &offered);
    for tool in tools.iter().filter(is_own) {
        row("", tool.name.as_str());
    }
    // They are made here of what else it has.
    let made = tools.iter().filter(|tool| !is_own(tool));
    for (index, tool) in made.enumerate() {
        row(
            if index == 0 { "and made here" } else { "" },
            tool.name.as_str(),
        );
    }
    for note in &status.notes {
        row("note", &one_line(note));
    }
    out
}

/// The configured servers; `faulty` are the names of those that cannot be used.
pub(crate) fn list(servers: &[ServerConfig], faulty: &[&str], target: Target) -> String {
    let mut out = String::new();
    for server in servers {
        let state = if server.is_enabled() {
            "enabled"
        } else {
            "disabled"
        };
        let (title, address) = address(server);
        if target == Target::Pipe {
            let _ = writeln!(out, "{}\t{state}\t{address}", server.name());
            continue;
        }
        let _ = writeln!(out, "{} ({state})\n  {title:<8} {address}", server.name());
        if let Some(cwd) = server.command().and_then(|command| command.cwd()) {
            let _ = writeln!(out, "  in       {}", one_line(&cwd.to_string_lossy()));
        }
        let _ = writeln!(out, "  tools    {}", filter(server));
        let _ = writeln!(
            out,
            "  timeouts {} s for a call, {} s to connect",
            server.timeout().as_secs_f64(),
            server.connect_timeout().as_secs_f64()
        );
    }
    for name in faulty {
        out.push_str(&one_line(name));
        out.push_str(match target {
            Target::Pipe => "\tfaulty\t\n",
            Target::Terminal { .. } => " (not used: its entry has faults)\n",
        });
    }
    out
}

/// How a server is reached, and what that is called.
fn address(server: &ServerConfig) -> (&'static str, String) {
    let redactor = Redactor::new().with_secrets(server.secrets());
    match server.endpoint() {
        Endpoint::Http(http) => ("url", one_line(&redactor.redact(http.url()))),
        Endpoint::Stdio(command) => {
            let args = command.args().iter().map(String::as_str);
            let words = std::iter::once(command.program()).chain(args);
            let words: Vec<String> = words.map(|word| quoted(&redactor.redact(word))).collect();
            ("command", one_line(&words.join(" ")))
        }
        _ => ("command", "unknown, since its entry has faults".to_owned()),
    }
}

/// A word as a shell would want it, so that it can be pasted.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,[]".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Which of its tools a server offers.
pub(crate) fn filter(server: &ServerConfig) -> String {
    let filter = server.filter();
    let (words, patterns) = match filter.include() {
        Some([]) => return "none".to_owned(),
        Some(include) => ("only", include),
        None if filter.exclude().is_empty() => return "all".to_owned(),
        None => ("all but", filter.exclude()),
    };
    let patterns: Vec<&str> = patterns.iter().map(|pattern| pattern.as_str()).collect();
    one_line(&format!("{words} {}", patterns.join(", ")))
}

/// What a tool answered: its texts as they are, markers for what is no text, and the structured
/// content only where there is no text.
pub(crate) fn result(result: &CallToolResult, target: Target) -> String {
    let mut out = String::new();
    let mut has_text = false;
    for block in &result.content {
        let (part, is_text) = block_text(block);
        has_text |= is_text;
        out.push_str(&part);
        if !part.ends_with('\n') {
            out.push('\n');
        }
    }
    if let (false, Some(structured)) = (has_text, &result.structured_content) {
        out.push_str(&pretty(structured.as_str()));
        out.push('\n');
    }
    // A program gets what the server wrote; a terminal would obey control characters.
    match target {
        Target::Pipe => out,
        Target::Terminal { .. } => visible(&out).into_owned(),
    }
}

/// A block as text, and whether it is one.
pub(super) fn block_text(block: &ContentBlock) -> (String, bool) {
    let marker = match block {
        ContentBlock::Text(text) => return (text.text.clone(), true),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::Text(text) => return (text.text.clone(), true),
            ResourceContents::Blob(blob) => {
                format!("resource {}, {}", blob.uri, size(&blob.blob))
            }
            other => format!("resource {}", other.uri().unwrap_or("of an unknown kind")),
        },
        ContentBlock::Image(image) => format!("image {}, {}", image.mime_type, size(&image.data)),
        ContentBlock::Audio(audio) => format!("audio {}, {}", audio.mime_type, size(&audio.data)),
        ContentBlock::ResourceLink(link) => format!("link {} ({})", link.uri, link.name),
        other => format!("content of the kind {:?}", other.kind()),
    };
    (format!("[{}; --json shows it]", one_line(&marker)), false)
}

/// How many bytes a text in base64 stands for.
fn size(base64: &str) -> String {
    let digits = base64.trim_end_matches('=').len();
    count(digits * 3 / BASE64_QUAD, "byte")
}

#[cfg(test)]
mod tests {
    use mcp_types::Decode as _;

    use super::*;

    fn decoded(json: &str) -> CallToolResult {
        CallToolResult::decode(json).unwrap().value
    }

    #[test]
    fn texts_are_printed_and_other_blocks_get_markers() {
        for (json, expected) in [
            (
                r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b\n"}]}"#,
                "a\nb\n",
            ),
            (
                r#"{"content":[{"type":"text","text":"5"}],"structuredContent":{"sum":5}}"#,
                "5\n",
            ),
            (
                r#"{"content":[],"structuredContent":{"sum":5}}"#,
                "{\n  \"sum\": 5\n}\n",
            ),
            (
                r#"{"content":[{"type":"image","mimeType":"image/png","data":"QUJD"}]}"#,
                "[image image/png, 3 bytes; --json shows it]\n",
            ),
            (
                r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"t"}}]}"#,
                "t\n",
            ),
            (
                r#"{"content":[{"type":"hologram"}]}"#,
                "[content of the kind \"hologram\"; --json shows it]\n",
            ),
            (r#"{"content":[]}"#, ""),
        ] {
            assert_eq!(result(&decoded(json), Target::Pipe), expected, "{json}");
        }
    }

    #[test]
    fn only_a_terminal_is_protected_from_control_characters() {
        let json = r#"{"content":[{"type":"text","text":"\u001b[2J"}]}"#;
        assert_eq!(result(&decoded(json), Target::Pipe), "\u{1b}[2J\n");
        let terminal = Target::Terminal { width: 80 };
        assert_eq!(result(&decoded(json), terminal), "\u{fffd}[2J\n");
    }

    #[test]
    fn sizes_are_those_of_the_bytes() {
        assert_eq!(size("QQ=="), "1 byte");
        assert_eq!(size("QUI="), "2 bytes");
        assert_eq!(size(""), "0 bytes");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("@a/b-c"), "@a/b-c");
        assert_eq!(quoted("it's $X"), r"'it'\''s $X'");
        assert_eq!(quoted(""), "''");
    }
}
