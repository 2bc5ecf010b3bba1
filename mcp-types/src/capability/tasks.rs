//! Which requests a side can run as tasks. 2025-11-25 only.

use crate::map::Extra;
use crate::raw::RawJson;

/// A side's tasks. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TasksCapability {
    /// It lists them, an object.
    pub list: Option<RawJson>,
    /// It cancels them, an object.
    pub cancel: Option<RawJson>,
    /// Which requests can be tasks.
    pub requests: Option<TaskRequestsCapability>,
    /// Members without a field here.
    pub extra: Extra,
}

impl TasksCapability {
    /// Whether `tools/call` can be a task.
    #[must_use]
    pub fn has_tool_calls(&self) -> bool {
        let tools = self
            .requests
            .as_ref()
            .and_then(|requests| requests.tools.as_ref());
        tools.is_some_and(|tools| tools.call.is_some())
    }
}

wire_object! {
    TasksCapability {
        Optional list = "list",
        Optional cancel = "cancel",
        Optional requests = "requests",
    }
}

/// Which requests can be tasks. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TaskRequestsCapability {
    /// Requests to a server's tools.
    pub tools: Option<TaskToolsCapability>,
    /// Requests to a client's model.
    pub sampling: Option<TaskSamplingCapability>,
    /// Requests to a client's user.
    pub elicitation: Option<TaskElicitationCapability>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! {
    TaskRequestsCapability {
        Optional tools = "tools",
        Optional sampling = "sampling",
        Optional elicitation = "elicitation",
    }
}

/// Requests to tools that can be tasks. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TaskToolsCapability {
    /// `tools/call`, an object.
    pub call: Option<RawJson>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { TaskToolsCapability { Optional call = "call", } }

/// Requests to a model that can be tasks. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TaskSamplingCapability {
    /// `sampling/createMessage`, an object.
    pub create_message: Option<RawJson>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { TaskSamplingCapability { Optional create_message = "createMessage", } }

/// Requests to a user that can be tasks. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TaskElicitationCapability {
    /// `elicitation/create`, an object.
    pub create: Option<RawJson>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { TaskElicitationCapability { Optional create = "create", } }
