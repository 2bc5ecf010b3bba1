//! A server as lines of YAML, which say exactly what was gathered.

use super::Imported;
use super::entry::{ImportedServer, Setting};

impl Imported {
    /// All servers as a configuration of their own.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut text = "mcp_servers:\n".to_owned();
        if self.servers.is_empty() {
            text = "mcp_servers: {}\n".to_owned();
        }
        for server in &self.servers {
            text.push_str(&server.to_yaml());
        }
        text
    }
}

impl ImportedServer {
    /// The lines that stand for it under `mcp_servers`, indented by two spaces and with a line
    /// break at the end.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut text = format!("  {}:\n", scalar(&self.name));
        let mut opened: Vec<&str> = Vec::new();
        for (key, setting) in &self.settings {
            let Some((outer, _)) = key.split_once('.') else {
                write(&mut text, 4, key, setting);
                continue;
            };
            if opened.contains(&outer) {
                continue;
            }
            // What stands under one key is written together, wherever it was found.
            opened.push(outer);
            push_line(&mut text, 4, &format!("{outer}:"));
            for (key, setting) in &self.settings {
                let inner = key
                    .strip_prefix(outer)
                    .and_then(|rest| rest.strip_prefix('.'));
                if let Some(inner) = inner {
                    write(&mut text, 6, inner, setting);
                }
            }
        }
        text
    }
}

fn write(text: &mut String, indent: usize, key: &str, setting: &Setting) {
    match setting {
        Setting::Plain(value) => push_line(text, indent, &format!("{key}: {value}")),
        Setting::Text(value) => push_line(text, indent, &format!("{key}: {}", scalar(value))),
        Setting::Texts(items) if items.is_empty() => {
            push_line(text, indent, &format!("{key}: []"));
        }
        Setting::Texts(items) => {
            push_line(text, indent, &format!("{key}:"));
            for item in items {
                push_line(text, indent + 2, &format!("- {}", scalar(item)));
            }
        }
        Setting::Map(pairs) if pairs.is_empty() => {
            push_line(text, indent, &format!("{key}: {{}}"));
        }
        Setting::Map(pairs) => {
            push_line(text, indent, &format!("{key}:"));
            for (name, value) in pairs {
                let line = format!("{}: {}", scalar(name), scalar(value));
                push_line(text, indent + 2, &line);
            }
        }
    }
}

fn push_line(text: &mut String, indent: usize, line: &str) {
    text.extend(std::iter::repeat_n(' ', indent));
    text.push_str(line);
    text.push('\n');
}

/// A text as YAML: as it is where nothing can be mistaken, else in double quotes.
fn scalar(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut quoted = "\"".to_owned();
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // What no editor shows is written so that it can be seen.
            _ if is_unseen(char) => {
                let code = u32::from(char);
                let escape = if code <= 0xffff {
                    format!("\\u{code:04x}")
                } else {
                    format!("\\U{code:08x}")
                };
                quoted.push_str(&escape);
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    text.starts_with(|char: char| char.is_ascii_alphabetic() || matches!(char, '/' | '_'))
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "/_.@+-".contains(char))
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(char, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}
