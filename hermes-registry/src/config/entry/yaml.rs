//! An entry as YAML, which says exactly what was gathered.
//!
//! Both styles are written, as a file may have either.

use super::{ServerEntry, Setting};

/// Spaces before a server's name, and between one level and the next.
const STEP: usize = 2;

/// A value as it is to be written, its texts quoted where that is needed.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    List(Vec<String>),
    Map(Vec<(String, Self)>),
    Scalar(String),
}

impl ServerEntry {
    /// The lines that stand for it under `mcp_servers`, indented by two spaces and with a line
    /// break at the end.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        self.written()
            .push_lines(&mut text, &scalar(&self.name), STEP, STEP);
        text
    }

    /// What stands under its name.
    ///
    /// What stands under one key is written together, wherever it was found.
    pub(crate) fn written(&self) -> Written {
        let mut written: Vec<(String, Written)> = Vec::new();
        for (key, setting) in &self.settings {
            let value = Written::from(setting);
            let Some((outer, inner)) = key.split_once('.') else {
                written.push(((*key).to_owned(), value));
                continue;
            };
            let entry = (inner.to_owned(), value);
            match written.iter_mut().find(|(known, _)| known == outer) {
                Some((_, Written::Map(below))) => below.push(entry),
                _ => written.push((outer.to_owned(), Written::Map(vec![entry]))),
            }
        }
        Written::Map(written)
    }
}

impl From<&Setting> for Written {
    fn from(setting: &Setting) -> Self {
        match setting {
            Setting::Map(pairs) => {
                let pair =
                    |(name, value): &(String, String)| (scalar(name), Self::Scalar(scalar(value)));
                Self::Map(pairs.iter().map(pair).collect())
            }
            Setting::Plain(value) => Self::Scalar(value.clone()),
            Setting::Text(text) => Self::Scalar(scalar(text)),
            Setting::Texts(items) => Self::List(items.iter().map(|item| scalar(item)).collect()),
        }
    }
}

impl Written {
    /// Adds the lines of this value under `key`, which is quoted already; each level stands `step`
    /// further to the right than the one above it.
    pub(crate) fn push_lines(&self, text: &mut String, key: &str, indent: usize, step: usize) {
        let below = indent + step;
        match self {
            Self::List(items) if !items.is_empty() => {
                push_line(text, indent, &format!("{key}:"));
                for item in items {
                    push_line(text, below, &format!("- {item}"));
                }
            }
            Self::Map(entries) if !entries.is_empty() => {
                push_line(text, indent, &format!("{key}:"));
                for (key, value) in entries {
                    value.push_lines(text, key, below, step);
                }
            }
            _ => push_line(text, indent, &format!("{key}: {}", self.in_line())),
        }
    }

    /// This value on one line, with brackets and braces.
    pub(crate) fn in_line(&self) -> String {
        match self {
            Self::List(items) => format!("[{}]", items.join(", ")),
            Self::Map(entries) => {
                let entry = |(key, value): &(String, Self)| format!("{key}: {}", value.in_line());
                let entries: Vec<String> = entries.iter().map(entry).collect();
                format!("{{{}}}", entries.join(", "))
            }
            Self::Scalar(text) => text.clone(),
        }
    }
}

fn push_line(text: &mut String, indent: usize, line: &str) {
    text.extend(std::iter::repeat_n(' ', indent));
    text.push_str(line);
    text.push('\n');
}

/// A text as YAML: as it is where nothing can be mistaken, else in double quotes.
pub(crate) fn scalar(text: &str) -> String {
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
