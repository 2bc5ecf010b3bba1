//! Lists that come in pages.
//!
//! A cursor is opaque: it is neither read nor changed nor guessed (PAGE-01), and the empty text is
//! one like any other (PAGE-02).

use crate::map::Extra;
use crate::meta::Meta;

/// The parameters of a request for a list. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PaginatedParams {
    /// Where the page begins; absent for the first.
    pub cursor: Option<String>,
    /// Open data; required since 2026-07-28.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl PaginatedParams {
    /// The first page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets where the page begins.
    #[must_use]
    pub fn with_cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }

    /// Sets the open data.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

wire_object! {
    PaginatedParams {
        Optional cursor = "cursor",
        Optional meta = "_meta",
    }
}

/// A result that is one page of a list.
pub trait Page {
    /// What the list is of.
    type Item;

    /// Where the next page begins; `None` at the end.
    fn next_cursor(&self) -> Option<&str>;

    /// The items of this page.
    fn into_items(self) -> Vec<Self::Item>;
}

macro_rules! page {
    ($($result:ty { $items:ident: $item:ty }),+ $(,)?) => {
        $(impl Page for $result {
            type Item = $item;

            fn next_cursor(&self) -> Option<&str> {
                self.next_cursor.as_deref()
            }

            fn into_items(self) -> Vec<$item> {
                self.$items
            }
        })+
    };
}

page!(
    crate::tool::ListToolsResult {
        tools: crate::tool::Tool
    },
    crate::prompt::ListPromptsResult {
        prompts: crate::prompt::Prompt
    },
    crate::resource::ListResourcesResult {
        resources: crate::resource::Resource
    },
    crate::resource::ListResourceTemplatesResult {
        resource_templates: crate::resource::ResourceTemplate
    },
    crate::task::ListTasksResult {
        tasks: crate::task::Task
    },
);
