//! A server as it is to be written into a configuration.
//!
//! An entry knows nothing of what a key means: what is written of it is read as every other
//! configuration is, and that tells what is wrong with it.

mod secrets;
mod yaml;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

pub use secrets::PlainSecret;
pub(crate) use yaml::{Written, scalar};

use super::{Config, ConfigError, Context, Loaded, SERVERS};

/// What a key is set to.
#[derive(Clone, Eq, PartialEq)]
pub(crate) enum Setting {
    /// A mapping of names to texts.
    Map(Vec<(String, String)>),
    /// A number or a switch, which stands without quotes.
    Plain(String),
    Text(String),
    Texts(Vec<String>),
}

/// A server as it is to be written into a configuration.
///
/// `Debug` shows which keys it has and none of their values, as they may be secrets.
#[derive(Clone, Eq, PartialEq)]
pub struct ServerEntry {
    pub(crate) name: String,
    /// Keys of ours, a dot between one and the one below it.
    pub(crate) settings: Vec<(&'static str, Setting)>,
}

impl ServerEntry {
    /// An entry without any key.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            settings: Vec::new(),
        }
    }

    /// The same entry under another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same entry with this text under `key`, in place of what was there.
    ///
    /// Here and below, a dot stands between a key and the one below it, as in `tools.include`.
    #[must_use]
    pub fn with_text(self, key: &'static str, text: impl Into<String>) -> Self {
        self.with(key, Setting::Text(text.into()))
    }

    /// The same entry with this switch under `key`, in place of what was there.
    #[must_use]
    pub fn with_switch(self, key: &'static str, is_on: bool) -> Self {
        self.with(key, Setting::Plain(is_on.to_string()))
    }

    /// The same entry with a number under `key`, in place of what was there.
    ///
    /// What is no number is written as a text, for whoever reads it to refuse.
    #[must_use]
    pub fn with_number(self, key: &'static str, number: &str) -> Self {
        let is_digit = |char: char| char.is_ascii_digit() || char == '.';
        let is_number = number.parse::<f64>().is_ok() && number.chars().all(is_digit);
        self.with(
            key,
            match is_number {
                true => Setting::Plain(number.to_owned()),
                false => Setting::Text(number.to_owned()),
            },
        )
    }

    /// The same entry with these texts under `key`, behind those that are there; without any texts,
    /// the same entry.
    #[must_use]
    pub fn with_texts(
        mut self,
        key: &'static str,
        texts: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut all = match self.take(key) {
            Some(Setting::Texts(known)) => known,
            _ => Vec::new(),
        };
        all.extend(texts);
        if all.is_empty() {
            return self;
        }
        self.with(key, Setting::Texts(all))
    }

    /// The same entry with these names and texts in the mapping under `key`, where the last text of
    /// a name counts; without any, the same entry.
    #[must_use]
    pub fn with_pairs(
        mut self,
        key: &'static str,
        pairs: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut all = match self.take(key) {
            Some(Setting::Map(known)) => known,
            _ => Vec::new(),
        };
        for (name, text) in pairs {
            all.retain(|(known, _)| *known != name);
            all.push((name, text));
        }
        if all.is_empty() {
            return self;
        }
        self.with(key, Setting::Map(all))
    }

    /// The same entry with these values, by the names of variables, in the place of references that
    /// have no default.
    #[must_use]
    pub fn with_values(mut self, values: &BTreeMap<String, String>) -> Self {
        let fill = |text: &mut String| *text = filled(text, values);
        for (_, setting) in &mut self.settings {
            match setting {
                Setting::Map(pairs) => pairs.iter_mut().for_each(|(_, text)| fill(text)),
                Setting::Text(text) => fill(text),
                Setting::Texts(texts) => texts.iter_mut().for_each(fill),
                Setting::Plain(_) => {}
            }
        }
        self
    }

    fn with(mut self, key: &'static str, setting: Setting) -> Self {
        self.settings.retain(|(known, _)| *known != key);
        self.settings.push((key, setting));
        self
    }

    fn take(&mut self, key: &str) -> Option<Setting> {
        let at = self.settings.iter().position(|(known, _)| *known == key)?;
        Some(self.settings.remove(at).1)
    }

    /// What reading makes of it in this context: the server, unless faults keep it from being used,
    /// and what is wrong with it.
    ///
    /// It stands in no file yet, so the server has no source, and positions of problems are those
    /// within the entry.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the entry is longer than a file may be.
    pub fn read_in(&self, context: &Context<'_>) -> Result<Loaded, ConfigError> {
        let text = format!("{SERVERS}:\n{}", self.to_yaml());
        let mut loaded = Config::parse_in(&text, "the new entry", context)?;
        for server in &mut loaded.config.servers {
            server.source = None;
        }
        Ok(loaded)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The keys it has, such as `command` and `tools.include`.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.settings.iter().map(|(key, _)| *key)
    }
}

/// A text with these values in the place of its references.
fn filled(text: &str, values: &BTreeMap<String, String>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, tail)) = rest.split_once("${") {
        out.push_str(before);
        let inside = tail.split_once('}').filter(|_| !before.ends_with('$'));
        match inside.and_then(|(name, after)| Some((values.get(name)?, after))) {
            // What stands in a value is no reference.
            Some((value, after)) => {
                out.push_str(&value.replace("${", "$${"));
                rest = after;
            }
            None => {
                out.push_str("${");
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}

impl fmt::Debug for ServerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.keys().collect();
        f.debug_struct("ServerEntry")
            .field("name", &self.name)
            .field("keys", &keys)
            .finish_non_exhaustive()
    }
}
