//! A server as it is to be written here.

use std::fmt;

/// What a key is set to.
#[derive(Clone, Eq, PartialEq)]
pub(super) enum Setting {
    /// A mapping of names to texts.
    Map(Vec<(String, String)>),
    /// A number or a switch, which stands without quotes.
    Plain(String),
    Text(String),
    Texts(Vec<String>),
}

/// A server of another agent as it is to be written here.
///
/// `Debug` shows which keys it has and none of their values, as they may be secrets.
#[derive(Clone, Eq, PartialEq)]
pub struct ImportedServer {
    pub(super) name: String,
    /// Keys of ours, a dot between one and the one below it.
    pub(super) settings: Vec<(&'static str, Setting)>,
}

impl ImportedServer {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The keys it has here, such as `command` and `tools.include`.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.settings.iter().map(|(key, _)| *key)
    }
}

impl fmt::Debug for ImportedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.keys().collect();
        f.debug_struct("ImportedServer")
            .field("name", &self.name)
            .field("keys", &keys)
            .finish_non_exhaustive()
    }
}
