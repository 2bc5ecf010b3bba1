//! `Version`: the revisions of the protocol.
//!
//! Versions are opaque texts that are compared for equality. Their order is the order of
//! [`Version::KNOWN`], never that of the texts. Choosing a version is the client's job.

use std::borrow::Cow;
use std::fmt;

use crate::method;

/// A revision of the protocol, as in `"2025-11-25"`. It may be one that this crate does not know.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Version(Cow<'static, str>);

impl Version {
    /// The first revision: HTTP with SSE, no authorization.
    pub const V2024_11_05: Self = Self(Cow::Borrowed("2024-11-05"));
    /// Streamable HTTP, batches, tool annotations, audio.
    pub const V2025_03_26: Self = Self(Cow::Borrowed("2025-03-26"));
    /// Structured results, elicitation, resource links, titles; batches are gone.
    pub const V2025_06_18: Self = Self(Cow::Borrowed("2025-06-18"));
    /// Icons, tools in sampling, elicitation by URL, tasks.
    pub const V2025_11_25: Self = Self(Cow::Borrowed("2025-11-25"));
    /// The stateless revision: no handshake, input inside results, subscriptions, caching.
    pub const V2026_07_28: Self = Self(Cow::Borrowed("2026-07-28"));

    /// The newest revision.
    pub const LATEST: Self = Self::V2026_07_28;
    /// The newest revision with a handshake.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// All revisions that this crate knows, oldest first.
    pub const KNOWN: &'static [Self] = &[
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is one of [`Version::KNOWN`].
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.rank().is_some()
    }

    /// Whether this is a known revision without handshake, which is 2026-07-28 or later.
    #[must_use]
    pub fn is_modern(&self) -> bool {
        self.is_at_least(&Self::V2026_07_28)
    }

    /// Whether both are known and this one is not the older one.
    #[must_use]
    pub fn is_at_least(&self, other: &Self) -> bool {
        matches!((self.rank(), other.rank()), (Some(this), Some(other)) if this >= other)
    }

    /// Whether both are known and this one is the older one. What is to be said to an unknown
    /// revision is thus what is said to the latest.
    #[must_use]
    pub fn is_before(&self, other: &Self) -> bool {
        matches!((self.rank(), other.rank()), (Some(this), Some(other)) if this < other)
    }

    /// Whether the core protocol of this revision has the request or notification. An unknown
    /// revision has none.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        method::lifetime(name)
            .is_some_and(|(since, until)| self.is_at_least(since) && until.is_at_least(self))
    }

    /// The place among the known revisions.
    fn rank(&self) -> Option<usize> {
        Self::KNOWN.iter().position(|known| known == self)
    }

    fn known(text: &str) -> Option<Self> {
        Self::KNOWN
            .iter()
            .find(|known| known.as_str() == text)
            .cloned()
    }
}

impl From<&str> for Version {
    fn from(text: &str) -> Self {
        Self::known(text).unwrap_or_else(|| Self(Cow::Owned(text.to_owned())))
    }
}

impl From<String> for Version {
    fn from(text: String) -> Self {
        Self::known(&text).unwrap_or(Self(Cow::Owned(text)))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq<str> for Version {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Version {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

wire_text!(Version);

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn unknown_versions_are_neither_modern_nor_ordered() {
        let future = Version::from("2099-01-01");
        assert!(!future.is_known());
        assert!(!future.is_modern());
        assert!(!future.is_at_least(&Version::V2024_11_05));
        assert!(!Version::LATEST.is_at_least(&future));
        assert!(!future.knows("tools/list"));
        assert_eq!(future, "2099-01-01");
    }

    #[test]
    fn the_order_is_that_of_the_list() {
        assert!(Version::V2025_06_18.is_at_least(&Version::V2025_03_26));
        assert!(!Version::V2025_03_26.is_at_least(&Version::V2025_06_18));
        assert!(Version::LATEST.is_modern());
        assert!(!Version::LATEST_LEGACY.is_modern());
        assert_eq!(
            Version::from(String::from("2024-11-05")),
            Version::V2024_11_05
        );
    }
}
