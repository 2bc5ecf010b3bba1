//! What the layer above tells a transport about a frame, since transports never parse.

use std::borrow::Cow;
use std::sync::Arc;

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
    /// Arguments that are repeated outside of the frame, by the names they have there.
    pub params: Vec<(String, String)>,
    /// The revision that the frame itself states, as each one does in a stateless era; `None` if
    /// the session knows it.
    pub version: Option<Arc<str>>,
    /// What the frame does to the session.
    pub step: Step,
}

/// What a frame does to the session of its link.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// It confirms the session; nothing that follows may arrive before it was accepted.
    Confirmation,
    /// It opens a session, and so belongs to none yet.
    Opening,
    /// Nothing.
    #[default]
    Ordinary,
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

    /// Adds the revision that the frame states.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<Arc<str>>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Says what the frame does to the session.
    #[must_use]
    pub fn with_step(mut self, step: Step) -> Self {
        self.step = step;
        self
    }
}
