//! Tasks: requests whose results are fetched later. 2025-11-25 only, and experimental there.
//!
//! The tasks extension of 2026-07-28 has another wire form (T-44), which is not modelled here.

use crate::map::Extra;
use crate::meta::Meta;
use crate::nullable::Nullable;
use crate::result::ResultType;

/// A task. 2025-11-25 only.
///
/// It is also the result of `tasks/get` and `tasks/cancel` and the parameters of
/// `notifications/tasks/status`, which is why it has the members of results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// Its id.
    pub task_id: String,
    /// How far it is.
    pub status: TaskStatus,
    /// More about that, for people.
    pub status_message: Option<String>,
    /// When it began, in ISO 8601.
    pub created_at: String,
    /// When it changed, in ISO 8601.
    pub last_updated_at: String,
    /// How long it is kept after its beginning, in milliseconds; `null` means without limit.
    pub ttl: Nullable<i64>,
    /// How long to wait before the next look, in milliseconds.
    pub poll_interval: Option<i64>,
    /// Not a member of 2025-11-25, but legal.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Task {
    /// A task that began at a time, in ISO 8601, and is kept without limit.
    pub fn new(task_id: impl Into<String>, status: TaskStatus, created_at: &str) -> Self {
        Self {
            task_id: task_id.into(),
            status,
            status_message: None,
            created_at: created_at.to_owned(),
            last_updated_at: created_at.to_owned(),
            ttl: Nullable::Null,
            poll_interval: None,
            result_type: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    Task {
        Optional result_type = "resultType",
        Required task_id = "taskId",
        Required status = "status",
        Optional status_message = "statusMessage",
        Required created_at = "createdAt",
        Required last_updated_at = "lastUpdatedAt",
        Nullish ttl = "ttl",
        Optional poll_interval = "pollInterval",
        Optional meta = "_meta",
    }
}

/// The result of `tasks/get`.
pub type GetTaskResult = Task;
/// The result of `tasks/cancel`.
pub type CancelTaskResult = Task;
/// The parameters of `notifications/tasks/status`.
pub type TaskStatusParams = Task;

/// How far a task is.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum TaskStatus {
    /// It runs.
    Working,
    /// It waits for an answer.
    InputRequired,
    /// It has its result.
    Completed,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! {
    TaskStatus {
        Working = "working",
        InputRequired = "input_required",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether the task will not change any more.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// The wish to make a request a task. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TaskMetadata {
    /// How long to keep it, in milliseconds.
    pub ttl: Option<i64>,
    /// Members without a field here.
    pub extra: Extra,
}

impl TaskMetadata {
    /// The receiver decides how long.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

wire_object! { TaskMetadata { Optional ttl = "ttl", } }

/// The task that a message belongs to, in its `_meta`. 2025-11-25 only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RelatedTaskMetadata {
    /// The id of the task.
    pub task_id: String,
    /// Members without a field here.
    pub extra: Extra,
}

impl RelatedTaskMetadata {
    /// A task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            extra: Extra::new(),
        }
    }
}

wire_object! { RelatedTaskMetadata { Required task_id = "taskId", } }

/// The result of a request that became a task. 2025-11-25 only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task.
    pub task: Task,
    /// Not a member of 2025-11-25, but legal.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl CreateTaskResult {
    /// A task.
    #[must_use]
    pub const fn new(task: Task) -> Self {
        Self {
            task,
            result_type: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    CreateTaskResult {
        Optional result_type = "resultType",
        Required task = "task",
        Optional meta = "_meta",
    }
}

/// The parameters of `tasks/get`, `tasks/result` and `tasks/cancel`. 2025-11-25 only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskParams {
    /// The id of the task.
    pub task_id: String,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl TaskParams {
    /// A task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    TaskParams {
        Required task_id = "taskId",
        Optional meta = "_meta",
    }
}

/// The result of `tasks/list`. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ListTasksResult {
    /// The tasks of this page.
    pub tasks: Vec<Task>,
    /// Where the next page begins; an empty one is valid, absent means the end (PAGE-02).
    pub next_cursor: Option<String>,
    /// Not a member of 2025-11-25, but legal.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ListTasksResult {
    /// The only page.
    #[must_use]
    pub fn new(tasks: Vec<Task>) -> Self {
        Self {
            tasks,
            ..Self::default()
        }
    }
}

wire_object! {
    ListTasksResult {
        Optional result_type = "resultType",
        Required tasks = "tasks",
        Optional next_cursor = "nextCursor",
        Optional meta = "_meta",
    }
}
