//! One call of a tool, as it is told to whoever learns from calls.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::latency::{as_seconds, seconds};
use crate::name::ServerName;

/// One call of a tool, however it ended.
///
/// A name of a tool is the server's word: it is shown with credentials hidden, and cut after 256
/// bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UsageRecord {
    /// The server.
    pub server: ServerName,
    /// The tool, by the name that the server uses.
    pub tool: String,
    /// The tool, by its public name, if it is on offer.
    pub name: Option<String>,
    /// The name of the view through which it was called, if it was and has one.
    pub view: Option<Arc<str>>,
    /// When the call ended.
    pub at: SystemTime,
    /// How long it waited before it was sent, or until it was refused.
    pub queued: Duration,
    /// How long it took from then on; `None` if it was not sent.
    pub took: Option<Duration>,
    /// How it ended.
    pub outcome: UsageOutcome,
    /// Whether the tool may have run although no answer tells.
    pub outcome_uncertain: bool,
    /// Bytes of its arguments; `None` if none were sent.
    pub sent: Option<u64>,
    /// Bytes of its result; `None` if none came, or if it was put together here.
    pub received: Option<u64>,
}

/// How a call of a tool ended.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum UsageOutcome {
    /// The caller did not wait for its end.
    Abandoned,
    /// The tool did what it should.
    Answered,
    /// It was sent, and no result came: the code of the error, as of
    /// [`crate::RegistryError::code`].
    Failed(&'static str),
    /// It was not sent: the code of the error, as of [`crate::RegistryError::code`].
    Refused(&'static str),
    /// The tool reported an error of its own.
    ToolError,
}

impl UsageOutcome {
    /// A word for programs; it never changes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Abandoned => "abandoned",
            Self::Answered => "answered",
            Self::Failed(_) => "failed",
            Self::Refused(_) => "refused",
            Self::ToolError => "tool_error",
        }
    }

    /// The code of the error, if there is one.
    #[must_use]
    pub fn code(self) -> Option<&'static str> {
        match self {
            Self::Failed(code) | Self::Refused(code) => Some(code),
            Self::Abandoned | Self::Answered | Self::ToolError => None,
        }
    }
}

/// The members of a record, in their order.
#[derive(Serialize)]
struct Line<'r> {
    at: f64,
    server: &'r str,
    tool: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<&'r str>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    #[serde(skip_serializing_if = "is_certain")]
    outcome_uncertain: bool,
    #[serde(serialize_with = "seconds")]
    queued_seconds: Duration,
    #[serde(
        serialize_with = "seconds_if_known",
        skip_serializing_if = "Option::is_none"
    )]
    took_seconds: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received_bytes: Option<u64>,
}

impl UsageRecord {
    /// The record as one line of JSON, without its end:
    ///
    /// ```json
    /// {"at":1767225600.25,"server":"files","tool":"read","name":"mcp_files_read","view":"worker",
    ///  "outcome":"failed","error":"deadline","outcome_uncertain":true,
    ///  "queued_seconds":0.0,"took_seconds":1.5,"sent_bytes":14,"received_bytes":210}
    /// ```
    ///
    /// `at` is a number of seconds since 1970. What is not known is left out, as
    /// is `outcome_uncertain` if it is not.
    #[must_use]
    pub fn to_json(&self) -> String {
        let since = self.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = Line {
            at: as_seconds(since),
            server: self.server.as_str(),
            tool: &self.tool,
            name: self.name.as_deref(),
            view: self.view.as_deref(),
            outcome: self.outcome.as_str(),
            error: self.outcome.code(),
            outcome_uncertain: self.outcome_uncertain,
            queued_seconds: self.queued,
            took_seconds: self.took,
            sent_bytes: self.sent,
            received_bytes: self.received,
        };
        // Texts and numbers can always be written.
        serde_json::to_string(&line).unwrap_or_default()
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is that of serde"
)]
fn is_certain(is_uncertain: &bool) -> bool {
    !is_uncertain
}

#[expect(clippy::ref_option, reason = "the signature is that of serde")]
pub(crate) fn seconds_if_known<S: serde::Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => seconds(time, serializer),
        None => serializer.serialize_none(),
    }
}
