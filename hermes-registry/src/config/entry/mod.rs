//! A server as it is to be written into a configuration.
//!
//! An entry knows nothing of what a key means: what is written of it is read as every other
//! configuration is, and that tells what is wrong with it.

mod yaml;

use std::fmt;

pub(crate) use yaml::{Written, scalar};

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

impl fmt::Debug for ServerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.keys().collect();
        f.debug_struct("ServerEntry")
            .field("name", &self.name)
            .field("keys", &keys)
            .finish_non_exhaustive()
    }
}
