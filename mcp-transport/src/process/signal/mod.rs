//! Who belongs to a server, and signals to them.
//!
//! A process belongs if it is in the server's process group or carries its mark. Numbers of
//! processes and groups are reused, so a group is signalled only while it is known to be the
//! server's, see the census.

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::guard::{MARK, Ticket};

#[cfg(target_os = "linux")]
mod census;
#[cfg(not(target_os = "linux"))]
#[path = "groups_only.rs"]
mod census;

/// Looks that may be unclear, and the pause between two of them.
const LOOKS_MAX: usize = 20;
const LOOK_PAUSE: Duration = Duration::from_millis(5);

/// A server's process group and mark.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The root's number, which is also its group's.
    pub(super) root: u32,
    /// The text `NAME=value` that the environment of each descendant holds.
    pub(super) mark: String,
    /// Whether the root's end was collected, so that its number may belong to another.
    pub(super) reaped: bool,
    /// When the root was started, by the clock of the census.
    pub(super) since: u64,
}

/// What is alive of a tree at one moment; zombies do not count.
#[derive(Debug, Default)]
pub(super) struct Alive {
    /// Members of the group that may be signalled as one.
    pub(super) group: BTreeSet<u32>,
    /// Marked processes outside the group.
    pub(super) strays: BTreeSet<u32>,
    /// Whether a process younger than the root showed no environment, as one does that is just
    /// changing from one program to another.
    pub(super) is_unclear: bool,
}

impl Alive {
    pub(super) fn is_empty(&self) -> bool {
        self.group.is_empty() && self.strays.is_empty()
    }

    pub(super) fn into_all(self) -> Vec<u32> {
        self.group.union(&self.strays).copied().collect()
    }
}

impl Tree {
    pub(super) fn new(root: u32, since: u64, ticket: &Ticket, reaped: bool) -> Self {
        Self {
            root,
            mark: format!("{MARK}={}", ticket.as_mark()),
            reaped,
            since,
        }
    }

    /// When a process was started, by the clock of the census; 0 if that cannot be told.
    pub(super) fn start_of(process: u32) -> u64 {
        census::start_of(process)
    }

    /// Looks for everything that belongs to the server.
    ///
    /// It reads `/proc`, a few milliseconds for some hundred processes, so it blocks; finding
    /// nothing while something is unclear, it looks again after a moment.
    pub(super) fn alive(&self) -> Alive {
        // Bound: a process that has taken its environment away for good stays unclear; 100 ms are
        // more than changing a program takes on a busy machine.
        for _ in 0..LOOKS_MAX {
            let alive = census::take(self);
            if !alive.is_empty() || !alive.is_unclear {
                return alive;
            }
            #[expect(clippy::disallowed_methods, reason = "on a thread for blocking work")]
            std::thread::sleep(LOOK_PAUSE); // sleep: between two looks, a bounded number of times
        }
        census::take(self)
    }

    /// Kills the group at once, if it is certainly the server's.
    pub(super) fn kill_group(&self) {
        if !self.reaped {
            to_group(self.root, Signal::KILL);
        }
    }
}

/// Sends a signal to a group; one that is gone, or may not be signalled, is passed over.
pub(super) fn to_group(group: u32, signal: Signal) {
    if let Some(group) = foreign(group)
        && group != rustix::process::getpgrp()
    {
        let _: Result<(), _> = rustix::process::kill_process_group(group, signal);
    }
}

/// Sends a signal to one process; one that is gone, or may not be signalled, is passed over.
pub(super) fn to_process(process: u32, signal: Signal) {
    if let Some(process) = foreign(process)
        && process != rustix::process::getpid()
    {
        let _: Result<(), _> = rustix::process::kill_process(process, signal);
    }
}

/// A number that can be another process's: 0 means our own group and 1 is the system's.
fn foreign(number: u32) -> Option<Pid> {
    let number = i32::try_from(number).ok().filter(|number| *number > 1)?;
    Pid::from_raw(number)
}
