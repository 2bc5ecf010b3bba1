//! One thing that is wrong with the configuration, for people and as JSON.

use hermes_registry::config::ConfigErrorKind;
use hermes_registry::{ConfigError, Problem};
use serde::{Deserialize, Serialize};

/// One thing that is wrong with the configuration.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Fault {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    key: Option<String>,
    pub(crate) server: Option<String>,
    severity: Box<str>,
    message: String,
    /// All of it, for people.
    #[serde(skip)]
    pub(crate) text: String,
}

impl Fault {
    /// All of it, for people, also where another process has told of it.
    pub(crate) fn sentence(&self) -> String {
        if !self.text.is_empty() {
            return self.text.clone();
        }
        let numbers = [self.line, self.column].into_iter().flatten();
        let place: String = numbers.map(|number| format!(":{number}")).collect();
        let key = self
            .key
            .as_deref()
            .map_or_else(String::new, |key| format!(" {key}:"));
        format!("{}{place}:{key} {}", self.file, self.message)
    }

    pub(crate) fn is_error(&self) -> bool {
        &*self.severity == "error"
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
            severity: match problem.is_error() {
                true => "error".into(),
                false => "warning".into(),
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
            severity: "error".into(),
            message: error.kind().to_string(),
            text: error.to_string(),
        }
    }
}
