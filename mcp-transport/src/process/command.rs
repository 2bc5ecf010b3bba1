//! What to start, as plain data; nothing here touches the system.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::log::StderrLog;
use crate::redact::Redactor;

/// A server to start: program, arguments, environment and folder.
///
/// Nothing is inherited from this process but the working folder when none is given: the
/// environment is exactly what [`env`](Self::env) and [`envs`](Self::envs) name, plus the one
/// variable [`MARK`](super::MARK).
#[derive(Clone)]
pub struct Command {
    program: OsString,
    args: Vec<OsString>,
    env: BTreeMap<OsString, OsString>,
    cwd: Option<PathBuf>,
    redactor: Redactor,
    stderr_log: Option<StderrLog>,
    grace: Grace,
}

impl Command {
    /// Names the program.
    ///
    /// A name without a separator is looked up on the `PATH` among the variables given (without
    /// one, in `/usr/bin:/bin`); any other is taken relative to [`cwd`](Self::cwd). `~` and
    /// variables are not expanded.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            redactor: Redactor::new(),
            stderr_log: None,
            grace: Grace::default(),
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets one environment variable; the last value of a name counts.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets environment variables.
    #[must_use]
    pub fn envs<K, V>(mut self, variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        self.env.extend(
            variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
        self
    }

    /// Sets the working folder; by default the server starts in ours.
    #[must_use]
    pub fn cwd(mut self, path: impl Into<PathBuf>) -> Self {
        self.cwd = Some(path.into());
        self
    }

    /// Copies stderr, redacted, to a file; by default only the tail is kept, in memory.
    #[must_use]
    pub fn stderr_log(mut self, log: StderrLog) -> Self {
        self.stderr_log = Some(log);
        self
    }

    /// Says what to hide in obituaries, logs and errors; by default [`Redactor::new`].
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets the time allowed to each step of a shutdown.
    #[must_use]
    pub fn grace(mut self, grace: Grace) -> Self {
        self.grace = grace;
        self
    }

    pub(super) fn as_program(&self) -> &OsStr {
        &self.program
    }

    pub(super) fn as_args(&self) -> &[OsString] {
        &self.args
    }

    pub(super) fn as_env(&self) -> &BTreeMap<OsString, OsString> {
        &self.env
    }

    pub(super) fn as_cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    pub(super) fn as_redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub(super) fn as_stderr_log(&self) -> Option<&StderrLog> {
        self.stderr_log.as_ref()
    }

    pub(super) fn as_grace(&self) -> Grace {
        self.grace
    }
}

impl fmt::Debug for Command {
    /// Shows the names of the variables, never their values, and redacts the arguments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hide = |text: &OsStr| self.redactor.redact(&text.to_string_lossy()).into_owned();
        // Together, since an option tells that the next argument is a credential.
        let args = self.args.join(OsStr::new(" "));
        f.debug_struct("Command")
            .field("program", &hide(&self.program))
            .field("args", &hide(&args))
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .field("stderr_log", &self.stderr_log)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}

/// The time allowed to each step of a shutdown; two seconds each by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a shutdown has these three steps"
)]
pub struct Grace {
    /// From the closing of stdin to SIGTERM.
    pub stdin_closed: Duration,
    /// From SIGTERM to SIGKILL.
    pub term: Duration,
    /// From SIGKILL to giving up.
    pub kill: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        let step = Duration::from_secs(2);
        Self {
            stdin_closed: step,
            term: step,
            kill: step,
        }
    }
}
