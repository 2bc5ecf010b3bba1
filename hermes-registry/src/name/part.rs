//! The two kinds of names that have rules: of servers, and for models.

use std::fmt;
use std::sync::Arc;

/// The most characters of a public name; some model APIs refuse longer ones.
pub const PUBLIC_NAME_LEN_MAX: usize = 64;

/// The most characters of a server's name.
pub const SERVER_NAME_LEN_MAX: usize = 64;

/// The name of a configured server: 1 to 64 characters, none of them a control character.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ServerName(Arc<str>);

impl ServerName {
    /// The server name that is written so.
    ///
    /// # Errors
    ///
    /// [`InvalidServerName`] for a text that is empty, too long or has control characters.
    pub fn new(name: &str) -> Result<Self, InvalidServerName> {
        let fits = (1..=SERVER_NAME_LEN_MAX).contains(&name.chars().count());
        if !fits || name.chars().any(char::is_control) {
            return Err(InvalidServerName);
        }
        Ok(Self(Arc::from(name)))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ServerName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A text that cannot be the name of a server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct InvalidServerName;

impl fmt::Display for InvalidServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a server has 1 to 64 characters, none of them a control character")
    }
}

impl std::error::Error for InvalidServerName {}

/// The name under which a model knows a tool: 1 to 64 characters of `[A-Za-z0-9_]`; one of the
/// host's own tools may have `-` too.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct PublicName(pub(super) Arc<str>);

impl PublicName {
    /// The name of one of the host's own tools, if it can be that.
    pub(crate) fn of_host(name: &str) -> Option<Self> {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
        let fits = (1..=PUBLIC_NAME_LEN_MAX).contains(&name.len()) && name.chars().all(is_plain);
        fits.then(|| Self(name.into()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PublicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for PublicName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for PublicName {
    fn borrow(&self) -> &str {
        &self.0
    }
}
