//! Roots: the folders that a client opens to a server.
//!
//! Checking that they are permitted `file:` URIs is the client's job.

use crate::lifecycle::RequestParams;
use crate::map::Extra;
use crate::meta::Meta;
use crate::result::ResultType;

/// A folder or file that a server may work on. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Root {
    /// A `file:` URI.
    pub uri: String,
    /// The name for people.
    pub name: Option<String>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Root {
    /// A root.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Sets the name for people.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

wire_object! {
    Root {
        Required uri = "uri",
        Optional name = "name",
        Optional meta = "_meta",
    }
}

/// The parameters of `roots/list`, which has none of its own.
pub type ListRootsParams = RequestParams;

/// The result of `roots/list`. All revisions; since 2026-07-28 without `_meta` and `resultType`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Root>,
    /// Not a member of any revision, but legal in those with a handshake.
    pub result_type: Option<ResultType>,
    /// Open data. Until 2025-11-25.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ListRootsResult {
    /// The roots.
    #[must_use]
    pub fn new(roots: Vec<Root>) -> Self {
        Self {
            roots,
            ..Self::default()
        }
    }
}

wire_object! {
    ListRootsResult {
        Optional result_type = "resultType",
        Required roots = "roots",
        Optional meta = "_meta",
    }
}
