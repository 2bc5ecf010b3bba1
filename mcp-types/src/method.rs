//! The names of all requests and notifications, and the revisions that have them.
//!
//! Which side may send what is for the client and the server to know.

use crate::version::Version;

/// Client to server, until 2025-11-25: opens a session.
pub const INITIALIZE: &str = "initialize";
/// Either way, until 2025-11-25: asks for a sign of life.
pub const PING: &str = "ping";
/// Client to server, since 2026-07-28: asks what the server can do.
pub const SERVER_DISCOVER: &str = "server/discover";
/// Client to server: lists tools.
pub const TOOLS_LIST: &str = "tools/list";
/// Client to server: calls a tool.
pub const TOOLS_CALL: &str = "tools/call";
/// Client to server: lists resources.
pub const RESOURCES_LIST: &str = "resources/list";
/// Client to server: lists resource templates.
pub const RESOURCES_TEMPLATES_LIST: &str = "resources/templates/list";
/// Client to server: reads a resource.
pub const RESOURCES_READ: &str = "resources/read";
/// Client to server, until 2025-11-25: asks for notices about one resource.
pub const RESOURCES_SUBSCRIBE: &str = "resources/subscribe";
/// Client to server, until 2025-11-25: ends such notices.
pub const RESOURCES_UNSUBSCRIBE: &str = "resources/unsubscribe";
/// Client to server, since 2026-07-28: opens a stream of notices.
pub const SUBSCRIPTIONS_LISTEN: &str = "subscriptions/listen";
/// Client to server: lists prompts.
pub const PROMPTS_LIST: &str = "prompts/list";
/// Client to server: gets a prompt with its arguments filled in.
pub const PROMPTS_GET: &str = "prompts/get";
/// Client to server: asks for completions of an argument.
pub const COMPLETION_COMPLETE: &str = "completion/complete";
/// Client to server, until 2025-11-25: sets the least severe log level.
pub const LOGGING_SET_LEVEL: &str = "logging/setLevel";
/// Either way, 2025-11-25 only: gets a task. The tasks extension has a method of this name too.
pub const TASKS_GET: &str = "tasks/get";
/// Either way, 2025-11-25 only: waits for the result of a task.
pub const TASKS_RESULT: &str = "tasks/result";
/// Either way, 2025-11-25 only: lists tasks.
pub const TASKS_LIST: &str = "tasks/list";
/// Either way, 2025-11-25 only: cancels a task. The tasks extension has a method of this name too.
pub const TASKS_CANCEL: &str = "tasks/cancel";
/// Client to server, tasks extension only: answers a task's questions. No core revision has it.
pub const TASKS_UPDATE: &str = "tasks/update";
/// Server to client: asks the client's model. Since 2026-07-28 inside a result only.
pub const SAMPLING_CREATE_MESSAGE: &str = "sampling/createMessage";
/// Server to client: lists roots. Since 2026-07-28 inside a result only.
pub const ROOTS_LIST: &str = "roots/list";
/// Server to client, since 2025-06-18: asks the user. Since 2026-07-28 inside a result only.
pub const ELICITATION_CREATE: &str = "elicitation/create";

/// Client to server, until 2025-11-25: the session is open.
pub const NOTIFICATIONS_INITIALIZED: &str = "notifications/initialized";
/// Either way: a request is no longer wanted.
pub const NOTIFICATIONS_CANCELLED: &str = "notifications/cancelled";
/// Either way, since 2026-07-28 server to client: how far a request got.
pub const NOTIFICATIONS_PROGRESS: &str = "notifications/progress";
/// Client to server, until 2025-11-25: the roots changed.
pub const NOTIFICATIONS_ROOTS_LIST_CHANGED: &str = "notifications/roots/list_changed";
/// Server to client: a log message.
pub const NOTIFICATIONS_MESSAGE: &str = "notifications/message";
/// Server to client: a resource changed.
pub const NOTIFICATIONS_RESOURCES_UPDATED: &str = "notifications/resources/updated";
/// Server to client: the list of resources changed.
pub const NOTIFICATIONS_RESOURCES_LIST_CHANGED: &str = "notifications/resources/list_changed";
/// Server to client: the list of tools changed.
pub const NOTIFICATIONS_TOOLS_LIST_CHANGED: &str = "notifications/tools/list_changed";
/// Server to client: the list of prompts changed.
pub const NOTIFICATIONS_PROMPTS_LIST_CHANGED: &str = "notifications/prompts/list_changed";
/// Server to client, 2025-11-25 only: an elicitation by URL is over.
pub const NOTIFICATIONS_ELICITATION_COMPLETE: &str = "notifications/elicitation/complete";
/// Either way, 2025-11-25 only: the status of a task changed.
pub const NOTIFICATIONS_TASKS_STATUS: &str = "notifications/tasks/status";
/// Server to client, since 2026-07-28: which notices a subscription will bring.
pub const NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED: &str =
    "notifications/subscriptions/acknowledged";

/// The first and the last known revision that has the method.
pub(crate) fn lifetime(name: &str) -> Option<(&'static Version, &'static Version)> {
    TABLE
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|(_, since, until)| (since, until))
}

/// All methods of the core protocol, with the first and the last known revision that has them.
///
/// What 2026-07-28 carries inside results only, such as `roots/list`, counts as known there.
static TABLE: &[(&str, Version, Version)] = &[
    (INITIALIZE, A, D),
    (PING, A, D),
    (SERVER_DISCOVER, E, E),
    (TOOLS_LIST, A, E),
    (TOOLS_CALL, A, E),
    (RESOURCES_LIST, A, E),
    (RESOURCES_TEMPLATES_LIST, A, E),
    (RESOURCES_READ, A, E),
    (RESOURCES_SUBSCRIBE, A, D),
    (RESOURCES_UNSUBSCRIBE, A, D),
    (SUBSCRIPTIONS_LISTEN, E, E),
    (PROMPTS_LIST, A, E),
    (PROMPTS_GET, A, E),
    (COMPLETION_COMPLETE, A, E),
    (LOGGING_SET_LEVEL, A, D),
    (TASKS_GET, D, D),
    (TASKS_RESULT, D, D),
    (TASKS_LIST, D, D),
    (TASKS_CANCEL, D, D),
    (SAMPLING_CREATE_MESSAGE, A, E),
    (ROOTS_LIST, A, E),
    (ELICITATION_CREATE, C, E),
    (NOTIFICATIONS_INITIALIZED, A, D),
    (NOTIFICATIONS_CANCELLED, A, E),
    (NOTIFICATIONS_PROGRESS, A, E),
    (NOTIFICATIONS_ROOTS_LIST_CHANGED, A, D),
    (NOTIFICATIONS_MESSAGE, A, E),
    (NOTIFICATIONS_RESOURCES_UPDATED, A, E),
    (NOTIFICATIONS_RESOURCES_LIST_CHANGED, A, E),
    (NOTIFICATIONS_TOOLS_LIST_CHANGED, A, E),
    (NOTIFICATIONS_PROMPTS_LIST_CHANGED, A, E),
    (NOTIFICATIONS_ELICITATION_COMPLETE, D, D),
    (NOTIFICATIONS_TASKS_STATUS, D, D),
    (NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED, E, E),
];

const A: Version = Version::V2024_11_05;
const C: Version = Version::V2025_06_18;
const D: Version = Version::V2025_11_25;
const E: Version = Version::V2026_07_28;
