//! Values of an entry that would stand in a file for everyone to read.

use std::fmt;

use mcp_transport::redact::Redactor;

use super::super::is_secret_name;
use super::{ServerEntry, Setting};

/// A value that looks like a secret and is written out.
///
/// Its `Display` is a sentence that says what to write in its place, and does not show the value.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct PlainSecret {
    /// The key that it stands under, such as `env.API_KEY`.
    pub key: String,
    /// A variable that could hold it.
    pub variable: String,
}

impl fmt::Display for PlainSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, variable } = self;
        write!(
            f,
            "`{key}` looks like a secret and stands in the file as it is; to keep it out, put it \
             into the variable {variable} and write `${{{variable}}}` in its place"
        )
    }
}

impl ServerEntry {
    /// Its values that look like secrets, by their own look or by the name of their variable or
    /// header, and are no references to a variable.
    #[must_use]
    pub fn plain_secrets(&self) -> Vec<PlainSecret> {
        let redactor = Redactor::new();
        let is_secret = |text: &str| is_written_out(text) && redactor.redact(text) != text;
        let mut found = Vec::new();
        let mut tell = |key: String, variable: String| found.push(PlainSecret { key, variable });
        for (key, setting) in &self.settings {
            match setting {
                Setting::Map(pairs) => {
                    for (name, text) in pairs {
                        if is_secret(text) || is_secret_name(name) && is_written_out(text) {
                            let is_variable = *key == "env";
                            let own = is_variable.then(|| name.clone());
                            tell(
                                format!("{key}.{name}"),
                                own.unwrap_or_else(|| self.variable()),
                            );
                        }
                    }
                }
                Setting::Text(text) if is_secret(text) => tell((*key).to_owned(), self.variable()),
                Setting::Texts(texts) => {
                    for (index, _) in texts.iter().enumerate().filter(|(_, text)| is_secret(text)) {
                        tell(format!("{key}[{index}]"), self.variable());
                    }
                }
                Setting::Plain(_) | Setting::Text(_) => {}
            }
        }
        found
    }

    /// Whether a variable or a header has a value that is no reference.
    #[must_use]
    pub fn has_written_values(&self) -> bool {
        self.settings.iter().any(|(_, setting)| match setting {
            Setting::Map(pairs) => pairs.iter().any(|(_, text)| is_written_out(text)),
            _ => false,
        })
    }

    /// A variable for a secret that has no name of its own.
    pub(super) fn variable(&self) -> String {
        let plain = |char: char| {
            if char.is_ascii_alphanumeric() {
                char.to_ascii_uppercase()
            } else {
                '_'
            }
        };
        let name: String = self.name.chars().map(plain).collect();
        let mark = if name.starts_with(|char: char| char.is_ascii_digit()) {
            "_"
        } else {
            ""
        };
        format!("{mark}{name}_TOKEN")
    }
}

/// Whether a text holds something, and no reference.
fn is_written_out(text: &str) -> bool {
    !text.is_empty() && !text.replace("$${", "").contains("${")
}
