//! The command that starts a server.

use std::fmt;
use std::path::{Path, PathBuf};

/// A program with its arguments, its own environment variables and its folder.
///
/// `Debug` shows neither values of variables nor arguments, as both may hold secrets.
#[derive(Clone, Eq, PartialEq)]
pub struct CommandLine {
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) passthrough: Vec<String>,
    pub(super) cwd: Option<PathBuf>,
}

impl CommandLine {
    /// The program without arguments, by its path or by a name to look up on the child's `PATH`.
    #[must_use]
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            passthrough: Vec::new(),
            cwd: None,
        }
    }

    /// The same command with these arguments behind those it has.
    #[must_use]
    pub fn with_args<T: Into<String>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The same command with this environment variable, in place of one of that name.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.env.retain(|(known, _)| *known != name);
        self.env.push((name, value.into()));
        self
    }

    /// The same command, given this environment variable of ours too, if it is set.
    ///
    /// Its value is not known here, so that [`super::ServerConfig::secrets`] does not have it; that
    /// of a configuration that was read does.
    #[must_use]
    pub fn with_env_passthrough(mut self, name: impl Into<String>) -> Self {
        self.passthrough.push(name.into());
        self
    }

    /// The same command, started in this folder.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Its arguments.
    #[must_use]
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// The environment variables that it is given beside those that every child gets, in the order
    /// of the file.
    pub fn env(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The names of environment variables of ours that it is given beside those that every child
    /// gets, in the order of the file; what [`CommandLine::env`] names wins over them.
    #[must_use]
    pub fn env_passthrough(&self) -> &[String] {
        &self.passthrough
    }

    /// The folder it is started in; that of this process by default.
    #[must_use]
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }
}

impl fmt::Debug for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("CommandLine")
            .field("program", &self.program)
            .field("args", &format_args!("[{} hidden]", self.args.len()))
            .field("env", &format_args!("{names:?} (values hidden)"))
            .field("env_passthrough", &self.passthrough)
            .field("cwd", &self.cwd)
            .finish()
    }
}
