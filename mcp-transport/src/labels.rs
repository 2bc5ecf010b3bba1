//! What the layer above tells a transport about a frame, since transports never parse.

use std::borrow::Cow;

/// Facts about an outgoing frame that some transports repeat outside of it.
///
/// Streamable HTTP mirrors them as headers (`Mcp-Method`, `Mcp-Name`, `MCP-Protocol-Version`,
/// `Mcp-Param-*`; HTTP-11 to HTTP-14); stdio has no place for them and
/// [`crate::LinkSender::wants_labels`] says so.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Labels {
    /// The method of a request or notification; `None` for an answer.
    pub method: Option<Cow<'static, str>>,
    /// The tool, prompt or resource that is meant.
    pub name: Option<String>,
    /// Further names and values.
    pub extra: Vec<(String, String)>,
}

impl Labels {
    /// The labels of a request or notification.
    pub fn of_method(method: impl Into<Cow<'static, str>>) -> Self {
        Self {
            method: Some(method.into()),
            ..Self::default()
        }
    }

    /// Adds the name of what is called, got or read.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}
