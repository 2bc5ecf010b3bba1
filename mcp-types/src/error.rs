//! The `data` of errors that the protocol gives a meaning to, and their codes.
//!
//! The five codes of JSON-RPC itself, and error objects as such, are the message layer's.

use crate::capability::ClientCapabilities;
use crate::elicitation::ElicitParams;
use crate::map::Extra;
use crate::version::Version;

/// Until 2025-11-25: the resource does not exist. Since 2026-07-28 that is -32602.
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// Since 2026-07-28: headers and body of a request contradict each other.
pub const HEADER_MISMATCH: i64 = -32020;
/// Since 2026-07-28: the request needs a capability that the client did not declare.
pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// Since 2026-07-28: the server does not speak the revision of the request.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
/// 2025-11-25 only: the request needs elicitations by URL first.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// Until 2025-11-25: the user refused a sampling request (SAMP-07).
pub const USER_REJECTED: i64 = -1;

/// The data of [`UNSUPPORTED_PROTOCOL_VERSION`]. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct UnsupportedVersionData {
    /// The revisions that the server speaks.
    pub supported: Vec<Version>,
    /// The revision that was asked for. Required by the schema, but of no use to who asked.
    pub requested: Option<Version>,
    /// Members without a field here.
    pub extra: Extra,
}

impl UnsupportedVersionData {
    /// The revisions that are spoken, and the one that was asked for.
    #[must_use]
    pub fn new(supported: Vec<Version>, requested: Version) -> Self {
        Self {
            supported,
            requested: Some(requested),
            extra: Extra::new(),
        }
    }
}

wire_object! {
    UnsupportedVersionData {
        Required supported = "supported",
        Optional requested = "requested",
    }
}

/// The data of [`MISSING_REQUIRED_CLIENT_CAPABILITY`]. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MissingCapabilityData {
    /// What the client would have to declare.
    pub required_capabilities: ClientCapabilities,
    /// Members without a field here.
    pub extra: Extra,
}

impl MissingCapabilityData {
    /// What the client would have to declare.
    #[must_use]
    pub const fn new(required_capabilities: ClientCapabilities) -> Self {
        Self {
            required_capabilities,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    MissingCapabilityData { Required required_capabilities = "requiredCapabilities", }
}

/// The data of [`URL_ELICITATION_REQUIRED`]. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct UrlElicitationRequiredData {
    /// What the user has to do first (ELIC-12).
    pub elicitations: Vec<ElicitParams>,
    /// Members without a field here.
    pub extra: Extra,
}

impl UrlElicitationRequiredData {
    /// What the user has to do first.
    #[must_use]
    pub const fn new(elicitations: Vec<ElicitParams>) -> Self {
        Self {
            elicitations,
            extra: Extra::new(),
        }
    }
}

wire_object! { UrlElicitationRequiredData { Required elicitations = "elicitations", } }
