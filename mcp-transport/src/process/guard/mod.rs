//! The guard process: it ends all servers of this process when this process is gone.
//!
//! No handler of ours runs when we are killed, so somebody else must watch. The guard is a POSIX
//! shell in a session of its own that reads a pipe whose only writing end is ours. While we live it
//! sleeps in that read; when we are gone, however that came about, it reads the end of the file and
//! ends what is left. It is started with the first server and there is one for each host process.
//!
//! | line | meaning |
//! |---|---|
//! | `+ n` | server `n` is about to be started; its mark is `<prefix>n.` |
//! | `= n g` | it runs, as the leader of process group `g` |
//! | `r n` | its root was reaped; the number `g` is its own only while the group has members |
//! | `- n` | it and all its descendants are gone |
//! | `k n` | its owner was dropped and killed the group: kill the rest of what carries the mark |
//! | `0` | forget everything; the whole state follows |
//! | end of file | SIGTERM to all, after 2 s SIGKILL, until three scans in a row find nothing |
//!
//! A start is announced before it happens. If we are killed in the middle of it, the new process
//! still holds a copy of the pipe's writing end until its `exec`, which closes it, so the end of
//! the file comes only when the mark can be seen.
//!
//! A system that has no more processes to give ends the shell; it then kills the groups that it knows
//! and puts a new shell in its own place, both of which take no new process.
//!
//! What it cannot do: help when it is killed together with us. A child that the host forks without
//! `exec` holds the pipe open, so then the guard waits for that child as well.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, PipeWriter, Write as _};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};

/// The environment variable that marks a server and everything it starts.
pub const MARK: &str = "HERMES_MCP_MARK";

/// One server's place in the guard's books, from before its start until it is gone.
///
/// Dropping it without [`Ticket::closed`] asks the guard to kill what carries the mark.
#[derive(Debug)]
pub(super) struct Ticket {
    number: u64,
    value: String,
    open: bool,
}

impl Ticket {
    /// Announces a start. The second value says why there is no guard, if there is none.
    pub(super) fn announce() -> (Self, Option<io::Error>) {
        let mut books = books();
        let failed = books.ensure_running().err();
        let number = books.count;
        books.count += 1;
        books.live.insert(number, Entry::default());
        books.tell(&format!("+ {number}\n"));
        let value = format!("{}{number}.", books.prefix);
        (
            Self {
                number,
                value,
                open: true,
            },
            failed,
        )
    }

    /// The value of [`MARK`] for this server.
    pub(super) fn as_mark(&self) -> &str {
        &self.value
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn started(&self, group: u32) {
        let mut books = books();
        if let Some(entry) = books.live.get_mut(&self.number) {
            entry.group = Some(group);
        }
        books.tell(&format!("= {} {group}\n", self.number));
    }

    /// Closes the books on a server of which nothing is left.
    pub(super) fn closed(&mut self) {
        self.leave('-');
    }

    fn leave(&mut self, verb: char) {
        if std::mem::take(&mut self.open) {
            let mut books = books();
            books.live.remove(&self.number);
            books.tell(&format!("{verb} {}\n", self.number));
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.leave('k');
    }
}

/// Whether there is a guard that hears us.
pub(super) fn is_running() -> bool {
    books().is_running()
}

/// Notes that a server's root was reaped; its ticket may be gone already.
pub(super) fn reaped(number: u64) {
    let mut books = books();
    if let Some(entry) = books.live.get_mut(&number) {
        entry.reaped = true;
        books.tell(&format!("r {number}\n"));
    }
}

/// What the guard knows, or should, about one server.
#[derive(Debug, Default)]
struct Entry {
    group: Option<u32>,
    reaped: bool,
}

#[derive(Debug)]
struct Guard {
    process: Box<dyn ChildWrapper>,
    pipe: PipeWriter,
    /// Whether it missed something, as when the pipe was full, so that the state has to be told anew.
    behind: bool,
}

struct Books {
    /// The process these books belong to; a fork of it has to begin its own.
    host: u32,
    /// The beginning of every mark, different in each host process.
    prefix: String,
    count: u64,
    live: BTreeMap<u64, Entry>,
    guard: Option<Guard>,
}

static BOOKS: Mutex<Books> = Mutex::new(Books {
    host: 0,
    prefix: String::new(),
    count: 0,
    live: BTreeMap::new(),
    guard: None,
});

/// The lock is held for a few short writes, and once for the start of the guard.
fn books() -> MutexGuard<'static, Books> {
    let mut books = BOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    let host = std::process::id();
    if books.host != host {
        // Each state takes its keys from the system's source of randomness.
        let unique = RandomState::new().build_hasher().finish();
        *books = Books {
            host,
            prefix: format!("{host}-{unique:016x}-"),
            count: 0,
            live: BTreeMap::new(),
            guard: None,
        };
    }
    books
}

impl Books {
    fn is_running(&mut self) -> bool {
        let guard = self.guard.as_mut();
        guard.is_some_and(|guard| matches!(guard.process.try_wait(), Ok(None)))
    }

    fn ensure_running(&mut self) -> io::Result<()> {
        if !self.is_running() {
            self.guard = None;
            // What is running already has to be told to a guard that replaces another.
            self.guard = Some(Guard {
                behind: true,
                ..start(&self.prefix)?
            });
        }
        Ok(())
    }

    /// Writes one line, after what the guard missed.
    ///
    /// A guard that does not read must not stop us, so the pipe does not block. A guard that died
    /// is replaced at the next start.
    fn tell(&mut self, line: &str) {
        let Some(guard) = &mut self.guard else { return };
        if guard.behind {
            guard.behind = false;
            // The state holds what the line says, unless it asks for a deed.
            guard.write("0\n");
            for (number, entry) in &self.live {
                guard.write(&entry.to_lines(*number));
            }
            if !line.starts_with('k') {
                return;
            }
        }
        guard.write(line);
    }
}

impl Entry {
    fn to_lines(&self, number: u64) -> String {
        let group = self
            .group
            .map(|group| format!("= {number} {group}\n"))
            .unwrap_or_default();
        let reaped = if self.reaped {
            format!("r {number}\n")
        } else {
            String::new()
        };
        format!("+ {number}\n{group}{reaped}")
    }
}

impl Guard {
    /// Invariant: a write is shorter than `PIPE_BUF`, so it is done whole or not at all.
    fn write(&mut self, lines: &str) {
        // The error of a dead guard needs no answer here: the next start replaces it.
        if let Err(error) = self.pipe.write_all(lines.as_bytes())
            && error.kind() == io::ErrorKind::WouldBlock
        {
            self.behind = true;
        }
    }
}

/// Starts the shell; it inherits neither our environment nor our folder, output or session.
fn start(prefix: &str) -> io::Result<Guard> {
    let (reading, pipe) = io::pipe()?;
    rustix::io::ioctl_fionbio(&pipe, true)?;
    let mut command = Command::new("/bin/sh");
    command
        .args([
            "-c",
            "eval \"$HERMES_MCP_GUARD\"",
            "hermes-mcp-guard",
            &format!("{MARK}={prefix}"),
        ])
        .env_clear()
        .env("HERMES_MCP_GUARD", script())
        .env("PATH", tools_path())
        .current_dir("/")
        .stdin(reading)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut command = CommandWrap::from(command);
    command.wrap(ProcessSession);
    Ok(Guard {
        process: command.spawn()?,
        pipe,
        behind: false,
    })
}

/// The script without its comments. It is a variable, so that lists of processes stay readable and
/// the shell can hand it to the one that takes its place.
fn script() -> String {
    let is_code = |line: &&str| !line.is_empty() && !line.trim_start().starts_with('#');
    include_str!("guard.sh")
        .lines()
        .filter(is_code)
        .fold(String::new(), |script, line| script + line + "\n")
}

/// Where `grep`, `tr` and `sleep` are: the usual folders, then ours for systems without those.
fn tools_path() -> std::ffi::OsString {
    let mut path = std::ffi::OsString::from("/usr/bin:/bin");
    if let Some(own) = std::env::var_os("PATH") {
        path.push(":");
        path.push(own);
    }
    path
}

#[cfg(test)]
mod tests;
