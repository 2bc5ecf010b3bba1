//! Lists that are still fresh, as a modern server says by `ttlMs`.
//!
//! Spec: section "caching" of 2026-07-28, CACHE-01 to CACHE-08. A cache belongs to one connection,
//! so nothing of it is ever shared between two sets of credentials (CACHE-03), and no timer asks
//! again when something expires (CACHE-05).

use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_types::{Prompt, Resource, ResourceTemplate, Tool};
use tokio::time::Instant;

use crate::page::Listing;

/// The lists of one connection.
#[derive(Debug, Default)]
pub(crate) struct ListCache {
    pub(crate) prompts: Slot<Prompt>,
    pub(crate) resources: Slot<Resource>,
    pub(crate) templates: Slot<ResourceTemplate>,
    pub(crate) tools: Slot<Tool>,
}

impl ListCache {
    pub(crate) fn clear(&self) {
        self.prompts.clear();
        self.resources.clear();
        self.templates.clear();
        self.tools.clear();
    }
}

/// One list, as long as it is fresh.
#[derive(Debug)]
pub(crate) struct Slot<T>(Mutex<Option<Kept<T>>>);

#[derive(Debug)]
struct Kept<T> {
    listing: Listing<T>,
    until: Instant,
    /// How many changes of the list had been told when it was asked for.
    changes: u64,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, Option<Kept<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The list, if it is fresh and no change was told since (CACHE-04, CACHE-06).
    pub(crate) fn fresh(&self, now: Instant, changes: u64) -> Option<Listing<T>> {
        let mut kept = self.lock();
        let is_fresh = kept
            .as_ref()
            .is_some_and(|kept| now < kept.until && kept.changes == changes);
        if !is_fresh {
            *kept = None;
        }
        kept.as_ref().map(|kept| kept.listing.clone())
    }

    /// Keeps a list until its server no longer says that it is fresh, if that is still to come.
    pub(crate) fn keep(&self, now: Instant, until: Instant, changes: u64, listing: &Listing<T>) {
        // A list that was cut short is not kept: the next caller may go further.
        let is_kept = now < until && listing.cut.is_none();
        *self.lock() = is_kept.then(|| Kept {
            listing: listing.clone(),
            until,
            changes,
        });
    }

    fn clear(&self) {
        *self.lock() = None;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::page::Cut;

    fn listing(cut: Option<Cut>) -> Listing<u8> {
        Listing {
            items: vec![7],
            diagnostics: Vec::new(),
            cut,
        }
    }

    #[test]
    fn a_list_is_fresh_until_its_time_is_over_or_a_change_is_told() {
        let (slot, now) = (Slot::default(), Instant::now());
        let ttl = Duration::from_secs(10);
        slot.keep(now, now + ttl, 3, &listing(None));
        assert!(slot.fresh(now + Duration::from_millis(9_999), 3).is_some());
        assert!(slot.fresh(now + ttl, 3).is_none());
        slot.keep(now, now + ttl, 3, &listing(None));
        assert!(slot.fresh(now, 4).is_none());
        assert!(slot.fresh(now, 3).is_none(), "what is stale is gone");
    }

    #[test]
    fn a_list_without_a_time_or_cut_short_is_not_kept() {
        let (slot, now) = (Slot::default(), Instant::now());
        slot.keep(now, now, 0, &listing(None));
        assert!(slot.fresh(now, 0).is_none());
        let until = now + Duration::from_secs(1);
        slot.keep(now, until, 0, &listing(Some(Cut::Pages)));
        assert!(slot.fresh(now, 0).is_none());
    }
}
