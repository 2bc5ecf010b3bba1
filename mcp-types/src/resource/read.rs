//! Reading a resource, and hearing of its changes.

use crate::cache::CacheScope;
use crate::content::ResourceContents;
use crate::input::InputResponses;
use crate::map::Extra;
use crate::meta::Meta;
use crate::result::ResultType;

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
