//! The start of a server, all or nothing.

use std::io;

use tokio::net::unix::pipe;
use tokio::process::Command as TokioCommand;

use super::child::Child;
use super::command::Command;
use super::error::{SpawnError, SpawnErrorKind};
use super::guard::{MARK, Ticket};
use super::resolve;

/// A started server: the two ends of the wire, and everything else about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spawned {
    /// Writes to its stdin; dropping it is how a server is asked to end.
    pub stdin: pipe::Sender,
    /// Reads its stdout, which a descendant may hold open after the server is gone.
    pub stdout: pipe::Receiver,
    /// The process and its descendants.
    pub child: Child,
}

/// Starts a server in a process group of its own.
///
/// # Errors
///
/// When the program cannot be executed, with the cause as [`SpawnError::kind`]; and when there is no
/// Tokio runtime.
///
/// # Panics
///
/// When the runtime's I/O driver is not enabled; the time driver is needed later on.
pub fn spawn(command: Command) -> Result<Spawned, SpawnError> {
    if tokio::runtime::Handle::try_current().is_err() {
        let detail = "there is no Tokio runtime on this thread";
        return Err(SpawnError::new(SpawnErrorKind::Other, &command, detail));
    }
    let program = resolve::program(&command)?;
    let pipes = Pipes::open().map_err(|error| SpawnError::from_exec(&command, &program, error))?;
    let mut warnings = open_log(&command);
    let (mut ticket, unguarded) = Ticket::announce();
    warnings.extend(
        unguarded.map(|error| {
            format!("no guard process, so servers outlive a crash of this one: {error}")
        }),
    );

    let mut prepared = TokioCommand::new(&program);
    prepared
        .arg0(command.as_program())
        .args(command.as_args())
        .env_clear()
        .envs(command.as_env())
        .env(MARK, ticket.as_mark())
        .stdin(pipes.child_stdin)
        .stdout(pipes.child_stdout)
        .stderr(pipes.child_stderr)
        .process_group(0)
        .kill_on_drop(true);
    if let Some(cwd) = command.as_cwd() {
        prepared.current_dir(cwd);
    }
    let spawned = prepared.spawn();
    // Our copies of the child's ends must go, or the end of its stdout would never be seen.
    drop(prepared);
    let process = match spawned {
        Ok(process) => process,
        Err(error) => {
            let error = SpawnError::from_exec(&command, &program, error);
            if !matches!(
                error.kind(),
                SpawnErrorKind::Other | SpawnErrorKind::Resources
            ) {
                ticket.closed();
            }
            // Otherwise it may have started before the runtime refused it: the guard looks.
            return Err(error);
        }
    };
    let child = Child::watch(process, &command, ticket, pipes.stderr, warnings);
    Ok(Spawned {
        stdin: pipes.stdin,
        stdout: pipes.stdout,
        child,
    })
}

fn open_log(command: &Command) -> Vec<String> {
    let Some(log) = command.as_stderr_log() else {
        return Vec::new();
    };
    match log.open() {
        Ok(()) => Vec::new(),
        Err(error) => vec![format!(
            "stderr is not logged to {}: {error}",
            log.path().display()
        )],
    }
}

/// The three pipes; our ends are registered with the runtime, so that nothing can fail after the start.
struct Pipes {
    child_stdin: io::PipeReader,
    child_stdout: io::PipeWriter,
    child_stderr: io::PipeWriter,
    stdin: pipe::Sender,
    stdout: pipe::Receiver,
    stderr: pipe::Receiver,
}

impl Pipes {
    fn open() -> io::Result<Self> {
        let (child_stdin, stdin) = io::pipe()?;
        let (stdout, child_stdout) = io::pipe()?;
        let (stderr, child_stderr) = io::pipe()?;
        Ok(Self {
            child_stdin,
            child_stdout,
            child_stderr,
            stdin: pipe::Sender::from_owned_fd(stdin.into())?,
            stdout: pipe::Receiver::from_owned_fd(stdout.into())?,
            stderr: pipe::Receiver::from_owned_fd(stderr.into())?,
        })
    }
}
