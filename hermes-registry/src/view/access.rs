//! Lists of what is let in and what is kept out.

use crate::filter::Pattern;

/// What one entry of a list is about: things with such a name, of one server or of each.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Selector {
    /// `None` for every server.
    server: Option<Pattern>,
    name: Pattern,
}

impl Selector {
    /// Tools or prompts by a text: `name` of every server, or `server/name`.
    ///
    /// Both parts are exact names or globs, and the text is parted at its first slash; a name that
    /// has a slash itself is written `*/demo/read`.
    #[must_use]
    pub fn named(text: &str) -> Self {
        match text.split_once('/') {
            Some((server, name)) => Self::of(server, name),
            None => Self::any(text),
        }
    }

    /// Things of every server, by an exact name, an address or a glob.
    #[must_use]
    pub fn any(name: impl Into<Pattern>) -> Self {
        Self {
            server: None,
            name: name.into(),
        }
    }

    /// Things of the servers whose name matches, by an exact name, an address or a glob.
    #[must_use]
    pub fn of(server: impl Into<Pattern>, name: impl Into<Pattern>) -> Self {
        Self {
            server: Some(server.into()),
            name: name.into(),
        }
    }

    fn matches(&self, server: &str, name: &str) -> bool {
        let server_fits = self
            .server
            .as_ref()
            .is_none_or(|pattern| pattern.matches(server));
        server_fits && self.name.matches(name)
    }
}

impl From<&str> for Selector {
    fn from(text: &str) -> Self {
        Self::named(text)
    }
}

/// What is let in and what is kept out.
///
/// What is kept out wins, so that an entry can be relied on whatever else the list says.
/// The default lets in everything.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AccessList {
    /// `None` for everything.
    allow: Option<Vec<Selector>>,
    deny: Vec<Selector>,
}

impl AccessList {
    /// A list that lets in everything.
    #[must_use]
    pub fn everything() -> Self {
        Self::default()
    }

    /// A list that lets in nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self::only::<Selector>([])
    }

    /// A list that lets in these, and nothing else.
    #[must_use]
    pub fn only<S: Into<Selector>>(selectors: impl IntoIterator<Item = S>) -> Self {
        Self {
            allow: Some(selectors.into_iter().map(Into::into).collect()),
            deny: Vec::new(),
        }
    }

    /// The same list, which keeps these out too.
    #[must_use]
    pub fn without<S: Into<Selector>>(mut self, selectors: impl IntoIterator<Item = S>) -> Self {
        self.deny.extend(selectors.into_iter().map(Into::into));
        self
    }

    /// Whether the thing of this name of this server is let in.
    #[must_use]
    pub fn lets_in(&self, server: &str, name: &str) -> bool {
        let matches = |selector: &Selector| selector.matches(server, name);
        let is_allowed = self
            .allow
            .as_ref()
            .is_none_or(|allow| allow.iter().any(matches));
        is_allowed && !self.deny.iter().any(matches)
    }
}
