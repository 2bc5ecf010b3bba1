//! How a session begins: `initialize` until 2025-11-25, `server/discover` since 2026-07-28.
//!
//! Which of them to send, and which version to choose, is the client's business.

use crate::cache::CacheScope;
use crate::capability::{ClientCapabilities, Implementation, ServerCapabilities};
use crate::map::Extra;
use crate::meta::Meta;
use crate::result::ResultType;
use crate::version::Version;

/// The parameters of `initialize`. Until 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InitializeParams {
    /// The revision that the client would like.
    pub protocol_version: Version,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// Who the client is.
    pub client_info: Implementation,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl InitializeParams {
    /// What a client has to say.
    #[must_use]
    pub fn new(
        protocol_version: Version,
        capabilities: ClientCapabilities,
        client_info: Implementation,
    ) -> Self {
        Self {
            protocol_version,
            capabilities,
            client_info,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    InitializeParams {
        Required protocol_version = "protocolVersion",
        Required capabilities = "capabilities",
        Required client_info = "clientInfo",
        Optional meta = "_meta",
    }
}

/// The result of `initialize`. Until 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InitializeResult {
    /// The revision that the server chose.
    pub protocol_version: Version,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Who the server is.
    pub server_info: Implementation,
    /// How to use the server, for models.
    pub instructions: Option<String>,
    /// Not a member of any revision with a handshake, but legal in each.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl InitializeResult {
    /// What a server has to say.
    #[must_use]
    pub fn new(
        protocol_version: Version,
        capabilities: ServerCapabilities,
        server_info: Implementation,
    ) -> Self {
        Self {
            protocol_version,
            capabilities,
            server_info,
            instructions: None,
            result_type: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    InitializeResult {
        Optional result_type = "resultType",
        Required protocol_version = "protocolVersion",
        Required capabilities = "capabilities",
        Required server_info = "serverInfo",
        Optional instructions = "instructions",
        Optional meta = "_meta",
    }
}

/// The parameters of a request that has none of its own, as `ping` and `server/discover`. All
/// revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RequestParams {
    /// Open data; required since 2026-07-28.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl RequestParams {
    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the open data.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

wire_object! { RequestParams { Optional meta = "_meta", } }

/// The parameters of `server/discover`.
pub type DiscoverParams = RequestParams;

/// The parameters of a notification that has none of its own, as the `list_changed` ones. All
/// revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NotificationParams {
    /// Open data; since 2026-07-28 it names the subscription.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl NotificationParams {
    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the open data.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

wire_object! { NotificationParams { Optional meta = "_meta", } }

/// The result of `server/discover`. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DiscoverResult {
    /// The revisions that the server speaks; they may all be ones with a handshake (T-56).
    pub supported_versions: Vec<Version>,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Who the server is, where drafts had it; see [`Self::server_info`].
    pub top_level_server_info: Option<Implementation>,
    /// How to use the server, for models.
    pub instructions: Option<String>,
    /// How long it is fresh, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// Who may share it.
    pub cache_scope: Option<CacheScope>,
    /// What kind of result this is.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl DiscoverResult {
    /// What a server has to say.
    #[must_use]
    pub fn new(supported_versions: Vec<Version>, capabilities: ServerCapabilities) -> Self {
        Self {
            supported_versions,
            capabilities,
            ..Self::default()
        }
    }

    /// Who the server is: by `_meta`, else by a top-level `serverInfo`.
    // Interop: drafts had `serverInfo` at the top, and mocks of the conformance suite still do.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        let by_meta = self.meta.as_ref().and_then(Meta::server_info);
        by_meta.or_else(|| self.top_level_server_info.clone())
    }
}

wire_object! {
    DiscoverResult {
        Optional result_type = "resultType",
        Required supported_versions = "supportedVersions",
        Required capabilities = "capabilities",
        Optional top_level_server_info = "serverInfo",
        Optional instructions = "instructions",
        Optional ttl_ms = "ttlMs",
        Optional cache_scope = "cacheScope",
        Optional meta = "_meta",
    }
}
