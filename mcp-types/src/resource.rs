//! Resources: lists, templates, reading, and notices about changes.
//!
//! Templates follow RFC 6570; expanding them is left to others.

use crate::cache::CacheScope;
use crate::capability::Icon;
use crate::content::{Annotations, ResourceContents};
use crate::input::InputResponses;
use crate::map::Extra;
use crate::meta::Meta;
use crate::result::ResultType;

/// A resource, as a server lists it. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resource {
    /// Where it is.
    pub uri: String,
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// What it is, for models.
    pub description: Option<String>,
    /// The media type.
    pub mime_type: Option<String>,
    /// The size in bytes before any encoding.
    pub size: Option<i64>,
    /// How it may be used.
    pub annotations: Option<Annotations>,
    /// Its pictures. Since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Resource {
    /// A resource with its name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    Resource {
        Required uri = "uri",
        Required name = "name",
        Optional title = "title",
        Optional description = "description",
        Optional mime_type = "mimeType",
        Optional size = "size",
        Optional annotations = "annotations",
        Optional icons = "icons",
        Optional meta = "_meta",
    }
}

/// A family of resources. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The URI template, in the form of RFC 6570.
    pub uri_template: String,
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// What they are, for models.
    pub description: Option<String>,
    /// The media type, if all have the same.
    pub mime_type: Option<String>,
    /// How they may be used.
    pub annotations: Option<Annotations>,
    /// Their pictures. Since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ResourceTemplate {
    /// A template with its name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    ResourceTemplate {
        Required uri_template = "uriTemplate",
        Required name = "name",
        Optional title = "title",
        Optional description = "description",
        Optional mime_type = "mimeType",
        Optional annotations = "annotations",
        Optional icons = "icons",
        Optional meta = "_meta",
    }
}

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

/// The parameters of `resources/read`. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadResourceParams {
    /// Where the resource is.
    pub uri: String,
    /// Answers to what the last result asked. Since 2026-07-28.
    pub input_responses: Option<InputResponses>,
    /// The state that the last result gave, unchanged. Since 2026-07-28.
    pub request_state: Option<String>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ReadResourceParams {
    /// A resource.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Sets the open data.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

wire_object! {
    ReadResourceParams {
        Required uri = "uri",
        Optional input_responses = "inputResponses",
        Optional request_state = "requestState",
        Optional meta = "_meta",
    }
}

/// The result of `resources/read`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReadResourceResult {
    /// The contents of the resource, or of its parts; empty if it exists and is empty.
    pub contents: Vec<ResourceContents>,
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

impl ReadResourceResult {
    /// The contents.
    #[must_use]
    pub fn new(contents: Vec<ResourceContents>) -> Self {
        Self {
            contents,
            ..Self::default()
        }
    }
}

wire_object! {
    ReadResourceResult {
        Optional result_type = "resultType",
        Required contents = "contents",
        Optional ttl_ms = "ttlMs",
        Optional cache_scope = "cacheScope",
        Optional meta = "_meta",
    }
}

/// The parameters of `resources/subscribe`. Until 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SubscribeParams {
    /// Where the resource is.
    pub uri: String,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SubscribeParams {
    /// A resource.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    SubscribeParams {
        Required uri = "uri",
        Optional meta = "_meta",
    }
}

/// The parameters of `resources/unsubscribe`, which are those of `resources/subscribe`.
pub type UnsubscribeParams = SubscribeParams;

/// The parameters of `notifications/resources/updated`. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceUpdatedParams {
    /// What changed; it may be a part of what was subscribed to.
    pub uri: String,
    /// Open data; since 2026-07-28 it names the subscription.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ResourceUpdatedParams {
    /// A resource.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    ResourceUpdatedParams {
        Required uri = "uri",
        Optional meta = "_meta",
    }
}
