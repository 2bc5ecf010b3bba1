//! Lists over several pages, with the guards that keep a broken server from paging for ever.

use std::collections::HashSet;

use mcp_types::{
    Cacheable, Diagnostic, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, Prompt, Resource, ResourceTemplate, Tool,
};

use tokio::time::Instant;

use crate::cache::{ListCache, Slot};
use crate::call::{Call, Reply};
use crate::notice::Change;
use crate::session::Era;
use crate::{Client, Error};

/// How far a list is followed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PageLimits {
    /// Pages. Default 50: a cursor that never ends.
    pub pages_max: usize,
    /// Items. Default 10,000: memory.
    pub items_max: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self {
            pages_max: 50,
            items_max: 10_000,
        }
    }
}

/// A whole list, as far as it could be had.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listing<T> {
    /// The items, in the server's order.
    pub items: Vec<T>,
    /// What was wrong with items that were left out, or with parts of items that were.
    pub diagnostics: Vec<Diagnostic>,
    /// Why the list may be incomplete, if it may.
    pub cut: Option<Cut>,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            diagnostics: Vec::new(),
            cut: None,
        }
    }
}

/// Why a list was not followed to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Cut {
    /// It has more items than allowed.
    Items,
    /// It has more pages than allowed.
    Pages,
    /// The server gave a cursor that it had given before, so the list would never end.
    RepeatedCursor,
}

/// A result that is a page of something.
pub(crate) trait PageOf: Cacheable {
    type Item: Clone;

    /// Which change makes the list stale.
    const CHANGE: Change;

    fn slot(cache: &ListCache) -> &Slot<Self::Item>;

    fn into_parts(self) -> (Vec<Self::Item>, Option<String>);
}

macro_rules! page_of {
    ($result:ident: $items:ident of $item:ident, $slot:ident, $change:ident) => {
        impl PageOf for $result {
            type Item = $item;

            const CHANGE: Change = Change::$change;

            fn slot(cache: &ListCache) -> &Slot<$item> {
                &cache.$slot
            }

            fn into_parts(self) -> (Vec<$item>, Option<String>) {
                (self.$items, self.next_cursor)
            }
        }
    };
}

page_of!(ListPromptsResult: prompts of Prompt, prompts, Prompts);
page_of!(ListResourcesResult: resources of Resource, resources, Resources);
page_of!(ListResourceTemplatesResult: resource_templates of ResourceTemplate, templates, Resources);
page_of!(ListToolsResult: tools of Tool, tools, Tools);

impl Client {
    /// Follows a list from its first page on, unless the last time it was followed is fresh.
    pub(crate) async fn collect<P: PageOf>(
        &self,
        page: impl Fn(Option<&str>) -> Call<Reply<P>>,
    ) -> Result<Listing<P::Item>, Error> {
        let is_modern = self.session().era == Era::Modern;
        let changes = self.changes_of(P::CHANGE);
        let slot = P::slot(self.lists());
        if is_modern && let Some(listing) = slot.fresh(Instant::now(), changes) {
            return Ok(listing);
        }
        let mut until = None;
        let listing = self.follow(page, &mut until).await?;
        if let Some(until) = until.filter(|_until| is_modern) {
            slot.keep(Instant::now(), until, changes, &listing);
        }
        Ok(listing)
    }

    /// Follows a list, and sets `until` to when the first of its pages expires (CACHE-04): each is
    /// fresh from when it came, not from when the whole list was there.
    async fn follow<P: PageOf>(
        &self,
        page: impl Fn(Option<&str>) -> Call<Reply<P>>,
        until: &mut Option<Instant>,
    ) -> Result<Listing<P::Item>, Error> {
        let limits = self.page_limits();
        let mut listing = Listing {
            items: Vec::new(),
            diagnostics: Vec::new(),
            cut: None,
        };
        let mut seen = HashSet::new();
        let mut cursor: Option<String> = None;
        for _ in 0..limits.pages_max {
            let reply = page(cursor.as_deref()).await?;
            let now = Instant::now();
            // A time that cannot be told is taken for none.
            let expires = now.checked_add(reply.value.ttl()).unwrap_or(now);
            *until = Some(until.map_or(expires, |until| until.min(expires)));
            let (items, next) = reply.value.into_parts();
            listing.diagnostics.extend(reply.diagnostics);
            listing.items.extend(items);
            if listing.items.len() > limits.items_max {
                listing.items.truncate(limits.items_max);
                listing.cut = Some(Cut::Items);
                return Ok(listing);
            }
            // Spec: PAGE-02. An empty cursor is one.
            let Some(next) = next else { return Ok(listing) };
            if !seen.insert(next.clone()) {
                listing.cut = Some(Cut::RepeatedCursor);
                return Ok(listing);
            }
            cursor = Some(next);
        }
        listing.cut = Some(Cut::Pages);
        Ok(listing)
    }
}
