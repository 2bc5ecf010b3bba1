//! The call of a tool, and its result.

use crate::content::ContentBlock;
use crate::input::InputResponses;
use crate::map::Extra;
use crate::meta::Meta;
use crate::raw::RawJson;
use crate::result::ResultType;
use crate::task::TaskMetadata;

/// The parameters of `tools/call`. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallToolParams {
    /// The tool.
    pub name: String,
    /// The arguments, an object. Absent is legal, but `{}` is accepted by more servers (T-49).
    pub arguments: Option<RawJson>,
    /// Asks for a task. 2025-11-25 only.
    pub task: Option<TaskMetadata>,
    /// Answers to what the last result asked. Since 2026-07-28.
    pub input_responses: Option<InputResponses>,
    /// The state that the last result gave, unchanged. Since 2026-07-28.
    pub request_state: Option<String>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl CallToolParams {
    /// A call without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            task: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Sets the arguments.
    #[must_use]
    pub fn with_arguments(mut self, arguments: RawJson) -> Self {
        self.arguments = Some(arguments);
        self
    }

    /// Asks for a task.
    #[must_use]
    pub fn with_task(mut self, task: TaskMetadata) -> Self {
        self.task = Some(task);
        self
    }

    /// Sets the open data.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

wire_object! {
    CallToolParams {
        Required name = "name",
        Optional arguments = "arguments",
        Optional task = "task",
        Optional input_responses = "inputResponses",
        Optional request_state = "requestState",
        Optional meta = "_meta",
    }
}

/// The result of `tools/call`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CallToolResult {
    /// The result for people and models; absent and `null` are read as empty.
    pub content: Vec<ContentBlock>,
    /// The result for programs: an object since 2025-06-18, any value since 2026-07-28, where
    /// `null` is one (T-37).
    pub structured_content: Option<RawJson>,
    /// Whether the tool failed; see [`Self::failed`].
    pub is_error: Option<bool>,
    /// What kind of result this is. Since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl CallToolResult {
    /// A result for people and models.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }

    /// Whether the tool failed; false unless said.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.is_error.unwrap_or(false)
    }
}

wire_object! {
    CallToolResult {
        Optional result_type = "resultType",
        List content = "content",
        Raw structured_content = "structuredContent",
        Optional is_error = "isError",
        Optional meta = "_meta",
    }
}
