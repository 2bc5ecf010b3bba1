//! From a server's configuration to a link: where processes are started.

use std::ffi::OsString;
use std::path::PathBuf;

use mcp_client::Error;
use mcp_transport::process::{Command, StderrLog};
use mcp_transport::redact::Redactor;
use mcp_transport::{Limits, Link, stdio};

use crate::config::ServerConfig;
use crate::environment::child_environment;

/// Makes the link to a server; the place where an application brings transports of its own.
pub trait Connect: Send + Sync {
    /// Starts the server, or whatever else stands behind its link.
    ///
    /// `redactor` hides the server's secrets in what is kept for error messages.
    ///
    /// # Errors
    ///
    /// Why there is no link; nothing is left running then.
    fn link(&self, server: &ServerConfig, redactor: &Redactor) -> Result<Link, Error>;
}

/// Starts servers as child processes, as their configuration says.
#[derive(Debug, Default)]
pub struct ProcessConnector {
    stderr_log: Option<StderrLog>,
    limits: Limits,
}

impl ProcessConnector {
    /// A connector that keeps the servers' stderr for error messages only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also appends every line of the servers' stderr to this file, after the server's name.
    #[must_use]
    pub fn with_stderr_log(mut self, path: impl Into<PathBuf>) -> Self {
        self.stderr_log = Some(StderrLog::new(path));
        self
    }

    /// Sets the bounds of the links.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Connect for ProcessConnector {
    fn link(&self, server: &ServerConfig, redactor: &Redactor) -> Result<Link, Error> {
        let Some(line) = server.command() else {
            let reason = "the server's configuration has faults".to_owned();
            return Err(Error::not_started(reason));
        };
        let ours: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let mut command = Command::new(line.program())
            .args(line.args())
            .envs(child_environment(ours, line.env()))
            .redactor(redactor.clone());
        if let Some(cwd) = line.cwd() {
            command = command.cwd(cwd);
        }
        if let Some(log) = &self.stderr_log {
            command = command.stderr_log(log.with_prefix(format!("[{}] ", server.name())));
        }
        Ok(stdio::spawn(command, self.limits)?)
    }
}
