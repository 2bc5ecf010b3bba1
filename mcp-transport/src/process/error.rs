//! Why a server could not be started, in words that say what to do about it.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::command::Command;

/// What kept a server from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SpawnErrorKind {
    /// Arguments and environment together, or one of them, are longer than the system allows.
    ArgumentsTooLong,
    /// The program exists, but the interpreter in its `#!` line, or its loader, does not.
    BadInterpreter,
    /// A name, argument or variable that no system call can carry, such as one with a NUL byte.
    InvalidInput,
    /// No such program, on the `PATH` or at the path given.
    NoSuchCommand,
    /// The working folder does not exist.
    NoSuchDirectory,
    /// The working folder, or a part of the program's path, is not a folder.
    NotADirectory,
    /// The program exists but may not be executed, or is no program for this machine.
    NotExecutable,
    /// Anything else; the source tells.
    Other,
    /// The system is out of processes, descriptors or memory; trying later may work.
    Resources,
}

/// A server could not be started; nothing of it is left running.
#[derive(Debug)]
pub struct SpawnError {
    kind: SpawnErrorKind,
    program: String,
    cwd: Option<PathBuf>,
    searched: Option<String>,
    detail: String,
    source: Option<io::Error>,
}

impl SpawnError {
    pub(super) fn new(kind: SpawnErrorKind, command: &Command, detail: impl fmt::Display) -> Self {
        let redactor = command.as_redactor();
        let program = command.as_program().to_string_lossy();
        Self {
            kind,
            program: redactor.redact(&program).into_owned(),
            cwd: command.as_cwd().map(Path::to_path_buf),
            searched: None,
            detail: redactor.redact(&detail.to_string()).into_owned(),
            source: None,
        }
    }

    pub(super) fn with_searched(mut self, path: &OsStr) -> Self {
        self.searched = Some(path.to_string_lossy().into_owned());
        self
    }

    pub(super) fn with_source(mut self, source: io::Error) -> Self {
        self.source = Some(source);
        self
    }

    /// Explains what the system said when it was asked to execute `path`.
    pub(super) fn from_exec(command: &Command, path: &Path, source: io::Error) -> Self {
        let (kind, detail) = explain(path, &source);
        Self::new(kind, command, detail).with_source(source)
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> SpawnErrorKind {
        self.kind
    }

    /// The program as it was configured, redacted.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The working folder as it was configured.
    #[must_use]
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// The `PATH` on which a bare name was looked up in vain.
    #[must_use]
    pub fn searched_path(&self) -> Option<&str> {
        self.searched.as_deref()
    }
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start `{}`", self.program)?;
        if let Some(cwd) = &self.cwd {
            write!(f, " in {}", cwd.display())?;
        }
        write!(f, ": {}", self.detail)
    }
}

impl Error for SpawnError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_ref()?;
        Some(source)
    }
}

/// Tells apart the causes that one error number of `execve` can have.
fn explain(path: &Path, source: &io::Error) -> (SpawnErrorKind, String) {
    let shown = path.display();
    match Errno::from_io_error(source) {
        Some(Errno::NOENT) => (SpawnErrorKind::BadInterpreter, missing_interpreter(path)),
        Some(Errno::NOTDIR) => (
            SpawnErrorKind::NotADirectory,
            format!("a part of {shown} is not a folder"),
        ),
        Some(Errno::ACCESS | Errno::PERM) => (
            SpawnErrorKind::NotExecutable,
            format!("{shown} may not be executed; check its mode, its folders' and its mount"),
        ),
        Some(Errno::NOEXEC) => (
            SpawnErrorKind::NotExecutable,
            format!("{shown} is no program for this machine; a script needs a `#!` first line"),
        ),
        Some(Errno::TOOBIG) => (
            SpawnErrorKind::ArgumentsTooLong,
            "its arguments and environment are longer than the system allows; pass large values \
             in a file"
                .to_owned(),
        ),
        Some(
            error @ (Errno::AGAIN | Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::TXTBSY),
        ) => (
            SpawnErrorKind::Resources,
            format!("the system refuses for now ({error}); fewer servers or higher limits help"),
        ),
        _ if source.kind() == io::ErrorKind::InvalidInput => (
            SpawnErrorKind::InvalidInput,
            "its name, an argument or a variable holds a NUL byte".to_owned(),
        ),
        _ => (SpawnErrorKind::Other, format!("the system said: {source}")),
    }
}

/// The file was there a moment ago, so what is missing is what it needs to run.
fn missing_interpreter(path: &Path) -> String {
    let shown = path.display();
    match interpreter(path) {
        Some(name) => format!("{shown} wants the interpreter `{name}`, which does not exist"),
        None => format!(
            "the loader that {shown} needs does not exist; it may be built for \
                         another system or C library"
        ),
    }
}

/// The program named in the `#!` line of a script.
fn interpreter(path: &Path) -> Option<String> {
    // Bound: the kernel itself looks at no more than 256 bytes.
    let mut head = Vec::new();
    File::open(path)
        .ok()?
        .take(256)
        .read_to_end(&mut head)
        .ok()?;
    let line = head
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let line = String::from_utf8_lossy(line);
    let name = line.trim_start().split([' ', '\t']).next()?;
    // A script saved with CRLF names an interpreter that ends in a carriage return.
    Some(name.escape_debug().to_string())
}
