//! What was negotiated: decided once, never changed, asked by `match`.

use std::sync::Arc;

use mcp_types::{Implementation, ServerCapabilities, Version};

/// The two ways in which MCP is spoken.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Era {
    /// With a handshake: revisions up to 2025-11-25.
    Legacy,
    /// Without: 2026-07-28 and later, where every request speaks for itself.
    Modern,
}

impl Era {
    /// The era as a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

/// The outcome of connecting.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Session {
    /// How MCP is spoken on this connection.
    pub era: Era,
    /// The revision.
    pub version: Version,
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// Who the server says it is. Never decide anything by it (LIFE-20).
    pub server: Option<Implementation>,
    /// How the server wants to be used, for a model to read.
    pub instructions: Option<String>,
    /// What every request carries in `_meta`, encoded once: nothing in the legacy era.
    pub(crate) request_meta: Option<Arc<str>>,
    /// What every message says of its revision outside of the frame: nothing in the legacy era.
    pub(crate) version_label: Option<Arc<str>>,
}
