//! The lists of resources and of templates.

use crate::cache::CacheScope;
use crate::map::Extra;
use crate::meta::Meta;
use crate::resource::{Resource, ResourceTemplate};
use crate::result::ResultType;

/// The result of `resources/list`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ListResourcesResult {
    /// The resources of this page.
    pub resources: Vec<Resource>,
    /// Where the next page begins; an empty one is valid, absent means the end (PAGE-02).
    pub next_cursor: Option<String>,
    /// How long it is fresh, in milliseconds. Since 2026-07-28.
    pub ttl_ms: Option<i64>,
    /// Who may share it. Since 2026-07-28.
    pub cache_scope: Option<CacheScope>,
    /// What kind of result this is. Since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ListResourcesResult {
    /// The only page.
    #[must_use]
    pub fn new(resources: Vec<Resource>) -> Self {
        Self {
            resources,
            ..Self::default()
        }
    }
}

wire_object! {
    ListResourcesResult {
        Optional result_type = "resultType",
        Required resources = "resources",
        Optional next_cursor = "nextCursor",
        Optional ttl_ms = "ttlMs",
        Optional cache_scope = "cacheScope",
        Optional meta = "_meta",
    }
}

/// The result of `resources/templates/list`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ListResourceTemplatesResult {
    /// The templates of this page.
    pub resource_templates: Vec<ResourceTemplate>,
    /// Where the next page begins; an empty one is valid, absent means the end (PAGE-02).
    pub next_cursor: Option<String>,
    /// How long it is fresh, in milliseconds. Since 2026-07-28.
    pub ttl_ms: Option<i64>,
    /// Who may share it. Since 2026-07-28.
    pub cache_scope: Option<CacheScope>,
    /// What kind of result this is. Since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ListResourceTemplatesResult {
    /// The only page.
    #[must_use]
    pub fn new(resource_templates: Vec<ResourceTemplate>) -> Self {
        Self {
            resource_templates,
            ..Self::default()
        }
    }
}

wire_object! {
    ListResourceTemplatesResult {
        Optional result_type = "resultType",
        Required resource_templates = "resourceTemplates",
        Optional next_cursor = "nextCursor",
        Optional ttl_ms = "ttlMs",
        Optional cache_scope = "cacheScope",
        Optional meta = "_meta",
    }
}
