//! One thing that is wrong with the configuration, for people and as JSON.

use hermes_registry::config::ConfigErrorKind;
use hermes_registry::{ConfigError, Problem};
use serde::Serialize;

/// One thing that is wrong with the configuration.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fault {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    key: Option<String>,
    pub(crate) server: Option<String>,
    severity: &'static str,
    message: String,
    /// All of it, for people.
    #[serde(skip)]
    pub(crate) text: String,
}

impl Fault {
    pub(crate) fn is_error(&self) -> bool {
        self.severity == "error"
    }
}

impl From<&Problem> for Fault {
    fn from(problem: &Problem) -> Self {
        Self {
            file: problem.file().to_owned(),
            line: Some(problem.position().line),
            column: Some(problem.position().column),
            key: Some(problem.path().to_owned()),
            server: problem.server().map(str::to_owned),
            severity: if problem.is_error() {
                "error"
            } else {
                "warning"
            },
            message: problem.kind().to_string(),
            text: problem.to_string(),
        }
    }
}

impl From<&ConfigError> for Fault {
    fn from(error: &ConfigError) -> Self {
        let key = match error.kind() {
            ConfigErrorKind::NotMapping { key, .. } => key.map(str::to_owned),
            _ => None,
        };
        Self {
            file: error.file().to_owned(),
            line: error.position().map(|position| position.line),
            column: error.position().map(|position| position.column),
            key,
            server: None,
            severity: "error",
            message: error.kind().to_string(),
            text: error.to_string(),
        }
    }
}
