//! What a server can do.

use crate::capability::TasksCapability;
use crate::map::{Extra, OrderedMap};
use crate::raw::RawJson;

/// What a server can do. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// What no revision names, each an object.
    pub experimental: Option<OrderedMap<RawJson>>,
    /// It sends log messages, an object.
    pub logging: Option<RawJson>,
    /// It completes arguments, an object. Since 2025-03-26; 2024-11-05 had completions without
    /// saying so.
    pub completions: Option<RawJson>,
    /// It has prompts.
    pub prompts: Option<PromptsCapability>,
    /// It has resources.
    pub resources: Option<ResourcesCapability>,
    /// It has tools.
    pub tools: Option<ToolsCapability>,
    /// It runs tasks. 2025-11-25 only.
    pub tasks: Option<TasksCapability>,
    /// Extensions by identifier, each an object of settings. A member since 2026-07-28.
    pub extensions: Option<OrderedMap<RawJson>>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ServerCapabilities {
    /// A server without features.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

wire_object! {
    ServerCapabilities {
        Optional experimental = "experimental",
        Optional logging = "logging",
        Optional completions = "completions",
        Optional prompts = "prompts",
        Optional resources = "resources",
        Optional tools = "tools",
        Optional tasks = "tasks",
        Optional extensions = "extensions",
    }
}

/// A server's prompts.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PromptsCapability {
    /// It tells when the list changes.
    pub list_changed: Option<bool>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { PromptsCapability { Optional list_changed = "listChanged", } }

/// A server's resources.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResourcesCapability {
    /// It tells when a single resource changes.
    pub subscribe: Option<bool>,
    /// It tells when the list changes.
    pub list_changed: Option<bool>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! {
    ResourcesCapability {
        Optional subscribe = "subscribe",
        Optional list_changed = "listChanged",
    }
}

/// A server's tools.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolsCapability {
    /// It tells when the list changes.
    pub list_changed: Option<bool>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { ToolsCapability { Optional list_changed = "listChanged", } }
