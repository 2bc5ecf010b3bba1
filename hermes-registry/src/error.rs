//! Why a call could not be made or finished.
//!
//! A tool that reports an error of its own is an outcome, not one of these.
//! Every error names the server where there is one, and has a form for a model that says what to do
//! next and whether the tool may have run all the same.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use mcp_transport::redact::Redactor;

use crate::host::HostFailure;
use crate::life::Refusal;
use crate::name::ServerName;
use crate::outcome::ModelError;
use crate::pins::Unapproved;
use crate::policy::Decision;
use crate::view;

/// What lies behind an error; its text is shown, so its own crate has redacted it.
pub type Cause = Box<dyn StdError + Send + Sync>;

/// Why a call could not be made or finished.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegistryError {
    /// The server answered with a protocol error, or broke the protocol.
    CallFailed {
        /// The server.
        server: ServerName,
        /// The tool, by the name the server uses.
        tool: String,
        /// What happened.
        cause: Cause,
        /// Whether the tool may have run.
        outcome_uncertain: bool,
    },
    /// No answer came in time.
    Deadline {
        /// The server.
        server: ServerName,
        /// The tool, by the name the server uses.
        tool: String,
        /// The key or rule that set the limit, such as `timeout`.
        budget: &'static str,
        /// The limit.
        after: Duration,
        /// Whether the tool may have run.
        outcome_uncertain: bool,
    },
    /// One of the host's own tools could not be called, or did not finish.
    HostTool {
        /// The tool.
        tool: String,
        /// Why.
        failure: HostFailure,
    },
    /// The arguments are not what the tool takes.
    InvalidArguments {
        /// The server.
        server: ServerName,
        /// The tool, by the name the server uses.
        tool: String,
        /// What is wrong with them.
        cause: Cause,
    },
    /// The call was not allowed by whoever decides on calls of servers that are not trusted; it has
    /// not run.
    NotAllowed {
        /// The server.
        server: ServerName,
        /// The tool, by the name the server uses.
        tool: String,
        /// What was decided.
        decision: Decision,
    },
    /// The definition of the tool is not one that was approved, and its server is not trusted.
    NotApproved {
        /// The server.
        server: ServerName,
        /// The tool, by the name the server uses.
        tool: String,
        /// What is not approved.
        why: Unapproved,
    },
    /// The agent may not use the tool.
    NotPermitted {
        /// What keeps it from doing so.
        refusal: Box<view::Refusal>,
    },
    /// The call was not let through to the server; it has not run.
    Refused {
        /// The server.
        server: ServerName,
        /// Why.
        refusal: Box<Refusal>,
    },
    /// The server is configured with `enabled: false`.
    ServerDisabled {
        /// The server.
        server: ServerName,
    },
    /// The server could not be reached; the request was not sent, unless the outcome is uncertain.
    ServerUnavailable {
        /// The server.
        server: ServerName,
        /// Why.
        cause: Cause,
        /// Whether the tool may have run.
        outcome_uncertain: bool,
    },
    /// `tools.include` or `tools.exclude` of the server keeps the tool from being called.
    ToolFiltered {
        /// The server.
        server: ServerName,
        /// The tool, by the name the server uses.
        tool: String,
    },
    /// No server of this name is configured.
    UnknownServer {
        /// The name that was asked for.
        name: String,
        /// Names that were probably meant, the most likely first.
        nearest: Vec<String>,
    },
    /// No tool of this name is offered.
    UnknownTool {
        /// The name that was asked for.
        name: String,
        /// Names that were probably meant, the most likely first.
        nearest: Vec<String>,
    },
}

impl RegistryError {
    /// The server that it is about, if one is known.
    #[must_use]
    pub fn server(&self) -> Option<&ServerName> {
        match self {
            Self::CallFailed { server, .. }
            | Self::Deadline { server, .. }
            | Self::InvalidArguments { server, .. }
            | Self::NotAllowed { server, .. }
            | Self::NotApproved { server, .. }
            | Self::Refused { server, .. }
            | Self::ServerDisabled { server }
            | Self::ServerUnavailable { server, .. }
            | Self::ToolFiltered { server, .. } => Some(server),
            Self::NotPermitted { refusal } => Some(refusal.server()),
            Self::HostTool { .. } | Self::UnknownServer { .. } | Self::UnknownTool { .. } => None,
        }
    }

    /// A word for programs; it never changes.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::CallFailed { .. } => "call_failed",
            Self::Deadline { .. } => "deadline",
            Self::HostTool { failure, .. } => failure.code(),
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::NotAllowed { decision, .. } => match decision {
                Decision::Cancel => "call_dismissed",
                Decision::Unasked => "approval_needed",
                Decision::Allow | Decision::Deny => "call_denied",
            },
            Self::NotApproved { .. } => "tool_not_approved",
            Self::NotPermitted { refusal } => refusal.code(),
            Self::Refused { refusal, .. } => refusal.code(),
            Self::ServerDisabled { .. } => "server_disabled",
            Self::ServerUnavailable { .. } => "server_unavailable",
            Self::ToolFiltered { .. } => "tool_filtered",
            Self::UnknownServer { .. } => "unknown_server",
            Self::UnknownTool { .. } => "unknown_tool",
        }
    }

    /// Whether the tool may have run although no answer tells.
    #[must_use]
    pub fn is_outcome_uncertain(&self) -> bool {
        match self {
            Self::CallFailed {
                outcome_uncertain, ..
            }
            | Self::Deadline {
                outcome_uncertain, ..
            }
            | Self::ServerUnavailable {
                outcome_uncertain, ..
            } => *outcome_uncertain,
            Self::HostTool { failure, .. } => {
                matches!(
                    failure,
                    HostFailure::Deadline { .. } | HostFailure::Panicked
                )
            }
            _ => false,
        }
    }

    /// The same error of something that only reads, so that it matters to nobody whether it ran.
    pub(crate) fn of_reading(mut self) -> Self {
        if let Self::CallFailed {
            outcome_uncertain, ..
        }
        | Self::Deadline {
            outcome_uncertain, ..
        }
        | Self::ServerUnavailable {
            outcome_uncertain, ..
        } = &mut self
        {
            *outcome_uncertain = false;
        }
        self
    }

    /// Whether the same call may succeed later, and cannot do harm by running twice.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        if let Self::Refused { refusal, .. } = self {
            return refusal.is_retryable();
        }
        let passing = matches!(self, Self::Deadline { .. } | Self::ServerUnavailable { .. });
        passing && !self.is_outcome_uncertain()
    }

    /// When the same call may go through, if that is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { refusal, .. } => refusal.retry_in(),
            _ => None,
        }
    }

    /// What to do next.
    #[must_use]
    pub fn suggestion(&self) -> String {
        if self.is_outcome_uncertain() {
            return "the tool may have run; check its effect before calling it again".to_owned();
        }
        match self {
            Self::UnknownServer { nearest, .. } | Self::UnknownTool { nearest, .. }
                if !nearest.is_empty() =>
            {
                format!("did you mean {}?", quoted_list(nearest))
            }
            Self::UnknownServer { .. } => "choose one of the configured servers".to_owned(),
            Self::UnknownTool { .. } => "choose one of the offered tools".to_owned(),
            Self::HostTool { failure, .. } => failure.suggestion().to_owned(),
            Self::InvalidArguments { .. } => "correct the arguments and call again".to_owned(),
            Self::NotAllowed { decision, .. } => match decision {
                Decision::Unasked => {
                    "use another tool; the user can set `trust: full` for a server that is trusted"
                        .to_owned()
                }
                _ => "do not repeat the call; ask the user what to do instead".to_owned(),
            },
            Self::NotApproved { .. } => {
                "use another tool; the user has to look at its definition and approve it".to_owned()
            }
            Self::NotPermitted { .. } => "use a tool that is offered".to_owned(),
            Self::Refused { refusal, .. } => refusal.suggestion(),
            Self::ServerDisabled { server } => {
                format!("use another tool; the user can set `enabled: true` for `{server}`")
            }
            Self::ToolFiltered { .. } => {
                "use another tool; the user can change `tools.include` or `tools.exclude`"
                    .to_owned()
            }
            Self::CallFailed { .. } => "do not repeat the same call".to_owned(),
            Self::Deadline { .. } | Self::ServerUnavailable { .. } => {
                "go on without this server, or try again later".to_owned()
            }
        }
    }

    /// The error as JSON for a model, redacted:
    /// `{"error": {"code", "message", "suggestion", "retryable", …}}`.
    #[must_use]
    pub fn to_model_json(&self, redactor: &Redactor) -> String {
        let mut message = self.to_string();
        let mut source = self.source();
        // Bound: causes of causes; eight say more than a model can use.
        for _ in 0..8 {
            let Some(cause) = source else { break };
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        let message = redactor.redact(&message);
        let suggestion = self.suggestion();
        let error = ModelError {
            code: self.code(),
            message: &message,
            suggestion: Some(&suggestion),
            retryable: self.is_retryable(),
            outcome_uncertain: self.is_outcome_uncertain(),
            server: self.server().map(ServerName::as_str),
            retry_after_seconds: self.retry_after().map(whole_seconds),
        };
        error.to_json()
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CallFailed { server, tool, .. } => {
                write!(f, "calling `{tool}` of server `{server}` failed")
            }
            Self::Deadline {
                server,
                tool,
                budget,
                after,
                ..
            } => write!(
                f,
                "`{tool}` of server `{server}` did not answer within {} s (`{budget}`)",
                after.as_secs_f64()
            ),
            Self::HostTool { tool, failure } => write!(f, "`{tool}`: {failure}"),
            Self::InvalidArguments { server, tool, .. } => {
                write!(
                    f,
                    "the arguments are not what `{tool}` of server `{server}` takes"
                )
            }
            Self::NotAllowed {
                server,
                tool,
                decision,
            } => write!(
                f,
                "`{tool}` of server `{server}`, which is not trusted, was not called: {decision}"
            ),
            Self::NotApproved { server, tool, why } => {
                write!(f, "`{tool}` of server `{server}` cannot be used: {why}")
            }
            Self::NotPermitted { refusal } => refusal.fmt(f),
            Self::Refused { server, refusal } => {
                write!(f, "server `{server}` takes no call: {refusal}")
            }
            Self::ServerDisabled { server } => write!(f, "server `{server}` is disabled"),
            Self::ServerUnavailable { server, .. } => {
                write!(f, "server `{server}` is not available")
            }
            Self::ToolFiltered { server, tool } => {
                write!(
                    f,
                    "the configuration of server `{server}` does not offer `{tool}`"
                )
            }
            Self::UnknownServer { name, .. } => write!(f, "no server is called `{name}`"),
            Self::UnknownTool { name, .. } => write!(f, "no tool is called `{name}`"),
        }
    }
}

impl StdError for RegistryError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::CallFailed { cause, .. }
            | Self::InvalidArguments { cause, .. }
            | Self::ServerUnavailable { cause, .. } => Some(&**cause),
            _ => None,
        }
    }
}

/// Whole seconds, at least as long as the time itself.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

fn quoted_list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> ServerName {
        ServerName::new("git").expect("the name is valid")
    }

    #[test]
    fn each_error_tells_a_model_what_to_do() {
        let cause = || -> Cause { "exited with code 1, token=abcdefgh12345678".into() };
        let tool = || "log".to_owned();
        let rows = [
            (
                RegistryError::UnknownTool {
                    name: "git_lgo".to_owned(),
                    nearest: vec!["mcp_git_log".to_owned()],
                },
                r#"{"error":{"code":"unknown_tool","message":"no tool is called `git_lgo`","suggestion":"did you mean `mcp_git_log`?","retryable":false}}"#,
            ),
            (
                RegistryError::ServerDisabled { server: server() },
                r#"{"error":{"code":"server_disabled","message":"server `git` is disabled","suggestion":"use another tool; the user can set `enabled: true` for `git`","retryable":false,"server":"git"}}"#,
            ),
            (
                RegistryError::ToolFiltered {
                    server: server(),
                    tool: tool(),
                },
                r#"{"error":{"code":"tool_filtered","message":"the configuration of server `git` does not offer `log`","suggestion":"use another tool; the user can change `tools.include` or `tools.exclude`","retryable":false,"server":"git"}}"#,
            ),
            (
                RegistryError::ServerUnavailable {
                    server: server(),
                    cause: cause(),
                    outcome_uncertain: false,
                },
                r#"{"error":{"code":"server_unavailable","message":"server `git` is not available: exited with code 1, token=[REDACTED]","suggestion":"go on without this server, or try again later","retryable":true,"server":"git"}}"#,
            ),
            (
                RegistryError::Deadline {
                    server: server(),
                    tool: tool(),
                    budget: "timeout",
                    after: Duration::from_millis(1500),
                    outcome_uncertain: true,
                },
                r#"{"error":{"code":"deadline","message":"`log` of server `git` did not answer within 1.5 s (`timeout`)","suggestion":"the tool may have run; check its effect before calling it again","retryable":false,"outcome_uncertain":true,"server":"git"}}"#,
            ),
            (
                RegistryError::InvalidArguments {
                    server: server(),
                    tool: tool(),
                    cause: cause(),
                },
                r#"{"error":{"code":"invalid_arguments","message":"the arguments are not what `log` of server `git` takes: exited with code 1, token=[REDACTED]","suggestion":"correct the arguments and call again","retryable":false,"server":"git"}}"#,
            ),
        ];
        for (error, expected) in rows {
            assert_eq!(error.to_model_json(&Redactor::new()), expected);
        }
    }
}
