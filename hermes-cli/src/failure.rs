//! What went wrong, as one sentence that says what to do next, and as JSON.

use std::error::Error as _;

use hermes_registry::policy::Decision;
use hermes_registry::{RegistryError, ServerConfig, doctor};
use mcp_client::Error;
use mcp_client::error::ExchangeFailureKind;
use serde::{Deserialize, Serialize};

use crate::exit::Exit;

/// Lines of a server's stderr that the sentence of an error shows by itself.
const SENTENCE_LINES: usize = 3;

/// Something that went wrong.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failure {
    /// A word for programs; it never changes.
    pub(crate) code: Box<str>,
    /// What happened.
    pub(crate) message: String,
    /// What to do next.
    pub(crate) suggestion: Box<str>,
    /// The server that it is about.
    pub(crate) server: Option<Box<str>>,
    /// Whether the same may succeed later and cannot do harm by running twice.
    pub(crate) retryable: bool,
    /// Whether a tool may have run although no answer tells.
    pub(crate) outcome_uncertain: bool,
    /// Evidence, line by line: how the server's process ended and what it wrote.
    pub(crate) details: Vec<String>,
    /// What keeps a server behind a URL from being connected: a word for programs that never
    /// changes, see [`mcp_transport::http::FailureKind::as_str`].
    pub(crate) cause: Option<Box<str>>,
    #[serde(skip)]
    pub(crate) exit: Exit,
}

impl Failure {
    /// A wrong command line or configuration.
    pub(crate) fn usage(
        code: &'static str,
        message: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            suggestion: suggestion.into().into_boxed_str(),
            server: None,
            retryable: false,
            outcome_uncertain: false,
            details: Vec::new(),
            cause: None,
            exit: Exit::Usage,
        }
    }

    /// A name that no configured server has.
    pub(crate) fn unknown_server(name: &str, nearest: &[String]) -> Self {
        let suggestion = did_you_mean(nearest)
            .unwrap_or_else(|| "`hermes mcp list` shows the configured servers".to_owned());
        Self::usage(
            "unknown_server",
            format!("no server is called `{name}`"),
            suggestion,
        )
    }

    /// A server that is left out because of what is wrong with its configuration.
    pub(crate) fn faulty_server(name: &str) -> Self {
        let failure = Self::usage(
            "server_not_usable",
            format!("server `{name}` is not used, since its configuration has faults"),
            "mend what is reported for it",
        );
        Self {
            server: Some(name.into()),
            ..failure
        }
    }

    /// A server that could not be connected.
    pub(crate) fn connecting(server: &ServerConfig, error: &Error) -> Self {
        let name = server.name();
        let details = error.obituary().map_or_else(Vec::new, |obituary| {
            format!("{obituary:#}").lines().map(str::to_owned).collect()
        });
        Self {
            code: "server_unavailable".into(),
            message: format!("server `{name}` could not be reached: {error}"),
            suggestion: doctor::advice(server, error).into(),
            server: Some(name.as_str().into()),
            retryable: true,
            outcome_uncertain: false,
            details,
            cause: cause(error).map(Box::from),
            exit: Exit::Unreachable,
        }
    }

    /// A request that is no call of a tool; `hint` says what to do if the server refuses it.
    pub(crate) fn of_request(error: RegistryError, hint: &str) -> Self {
        let suggestion = match &error {
            RegistryError::Deadline { .. } => {
                Some("raise `timeout` of that server in the configuration")
            }
            RegistryError::CallFailed { .. } => Some(hint),
            _ => None,
        };
        let suggestion = suggestion.map(Box::<str>::from);
        let failure = Self::from(error);
        Self {
            suggestion: suggestion.unwrap_or(failure.suggestion),
            // Nothing is changed by reading.
            outcome_uncertain: false,
            ..failure
        }
    }

    /// One sentence.
    pub(crate) fn sentence(&self) -> String {
        format!("{}; {}", self.message, self.suggestion)
    }

    /// The evidence, if the sentence does not show all of it.
    pub(crate) fn more_details(&self) -> &[String] {
        more_details(&self.details)
    }
}

/// Evidence, if a sentence about it does not show all of it.
pub(crate) fn more_details(details: &[String]) -> &[String] {
    // How it ended, two titles and as many lines as the sentence has.
    if details.len() > SENTENCE_LINES + 2 {
        details
    } else {
        &[]
    }
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Self {
        let mut message = match &error {
            RegistryError::Deadline {
                server,
                tool,
                after,
                ..
            } => {
                format!(
                    "`{tool}` of server `{server}` did not answer within {} s",
                    after.as_secs_f64()
                )
            }
            error => error.to_string(),
        };
        let mut source = error.source();
        // Bound: causes of causes.
        for _ in 0..8 {
            let Some(cause) = source else { break };
            let text = cause.to_string();
            if !message.ends_with(&text) {
                message = format!("{message}: {text}");
            }
            source = cause.source();
        }
        Self {
            code: error.code().into(),
            message,
            suggestion: suggestion(&error).into(),
            server: error.server().map(|server| server.as_str().into()),
            retryable: error.is_retryable(),
            outcome_uncertain: error.is_outcome_uncertain(),
            details: Vec::new(),
            cause: None,
            exit: match error {
                RegistryError::CallFailed { .. } => Exit::ToolFailed,
                RegistryError::Deadline { .. } => Exit::Deadline,
                // The time was up before the call was even sent.
                RegistryError::Refused { refusal, .. } if refusal.code() == "waited_too_long" => {
                    Exit::Deadline
                }
                RegistryError::Refused { .. } | RegistryError::ServerUnavailable { .. } => {
                    Exit::Unreachable
                }
                _ => Exit::Usage,
            },
        }
    }
}

fn cause(error: &Error) -> Option<&'static str> {
    match error {
        Error::Exchange(exchange) => match exchange.kind {
            ExchangeFailureKind::Connect(kind) => Some(kind.as_str()),
            _ => None,
        },
        _ => None,
    }
}

fn suggestion(error: &RegistryError) -> String {
    if let RegistryError::Deadline { .. } = error {
        let check = if error.is_outcome_uncertain() {
            "it may have run, so check its effect before calling it again; "
        } else {
            ""
        };
        return format!("{check}give it more time with `--timeout`");
    }
    if error.is_outcome_uncertain() {
        return error.suggestion();
    }
    match error {
        RegistryError::UnknownServer { name, nearest } => Failure::unknown_server(name, nearest)
            .suggestion
            .into_string(),
        RegistryError::UnknownTool { nearest, .. } => did_you_mean(nearest)
            .unwrap_or_else(|| "`hermes mcp tools` lists the tools there are".to_owned()),
        RegistryError::InvalidArguments { .. } => {
            "`hermes mcp tools --json` shows what each tool takes".to_owned()
        }
        RegistryError::ServerDisabled { server } => {
            format!("`hermes mcp enable {server}` uses it again")
        }
        RegistryError::ToolFiltered { .. } => {
            "change `tools.include` or `tools.exclude` of that server".to_owned()
        }
        RegistryError::NotAllowed {
            decision: Decision::Unasked,
            ..
        } => {
            "call it at a terminal, or with `--yes`; `trust: full` is for servers that are trusted"
                .to_owned()
        }
        RegistryError::NotApproved { server, .. } => {
            format!("`hermes mcp approve {server}` shows its definition and approves it")
        }
        RegistryError::Refused { server, .. } | RegistryError::ServerUnavailable { server, .. } => {
            format!("`hermes mcp test {server}` tells more")
        }
        other => other.suggestion(),
    }
}

/// A question with the names that were probably meant.
fn did_you_mean(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do_and_have_their_status() {
        let unknown = |nearest: &[&str]| RegistryError::UnknownTool {
            name: "mcp_demo_ad".to_owned(),
            nearest: nearest.iter().map(|name| (*name).to_owned()).collect(),
        };
        for (error, sentence) in [
            (
                unknown(&["mcp_demo_add"]),
                "no tool is called `mcp_demo_ad`; did you mean `mcp_demo_add`?",
            ),
            (
                unknown(&[]),
                "no tool is called `mcp_demo_ad`; `hermes mcp tools` lists the tools there are",
            ),
        ] {
            let failure = Failure::from(error);
            assert_eq!(failure.sentence(), sentence);
            assert_eq!(
                (failure.exit, &*failure.code),
                (Exit::Usage, "unknown_tool")
            );
        }
    }
}
