//! Hints for caching, which 2026-07-28 gives on lists, on reads and on discovery.
//!
//! The cache itself, with its rules CACHE-01 to CACHE-08, is the client's.

use std::time::Duration;

/// Who may share a cached result. Since 2026-07-28.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum CacheScope {
    /// Everybody.
    Public,
    /// Requests with the same authorization only.
    Private,
    /// A value that this crate does not know; treat it as private.
    Other(String),
}

wire_enum! { CacheScope { Public = "public", Private = "private" } }

/// A result with hints for caching.
pub trait Cacheable {
    /// The member `ttlMs`, as it came.
    fn ttl_ms(&self) -> Option<i64>;

    /// The member `cacheScope`, as it came.
    fn cache_scope(&self) -> Option<&CacheScope>;

    /// How long the result is fresh; nothing if absent or negative (CACHE-04).
    fn ttl(&self) -> Duration {
        let ttl_ms = self.ttl_ms().and_then(|ttl_ms| u64::try_from(ttl_ms).ok());
        Duration::from_millis(ttl_ms.unwrap_or(0))
    }

    /// Whether requests of other authorization may share the result; only if it is said
    /// (CACHE-03).
    fn is_public(&self) -> bool {
        self.cache_scope() == Some(&CacheScope::Public)
    }
}

macro_rules! cacheable {
    ($($type:ty),+ $(,)?) => {
        $(impl Cacheable for $type {
            fn ttl_ms(&self) -> Option<i64> {
                self.ttl_ms
            }

            fn cache_scope(&self) -> Option<&CacheScope> {
                self.cache_scope.as_ref()
            }
        })+
    };
}

cacheable!(
    crate::lifecycle::DiscoverResult,
    crate::prompt::ListPromptsResult,
    crate::resource::ListResourceTemplatesResult,
    crate::resource::ListResourcesResult,
    crate::resource::ReadResourceResult,
    crate::tool::ListToolsResult,
);
