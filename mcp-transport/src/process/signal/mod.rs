//! Who belongs to a server, and signals to them.
//!
//! A process belongs if it is in the server's process group or carries its mark. Numbers of
//! processes and groups are reused, so a group is signalled only while it is known to be the
//! server's, see the census.

use std::collections::BTreeSet;

use rustix::process::{Pid, Signal};

use super::guard::{MARK, Ticket};

#[cfg(target_os = "linux")]
mod census;
#[cfg(not(target_os = "linux"))]
#[path = "groups_only.rs"]
mod census;

/// A server's process group and mark.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The root's number, which is also its group's.
    pub(super) root: u32,
    /// The text `NAME=value` that the environment of each descendant holds.
    pub(super) mark: String,
    /// Whether the root's end was collected, so that its number may belong to another.
    pub(super) reaped: bool,
}

/// What is alive of a tree at one moment; zombies do not count.
#[derive(Debug, Default)]
pub(super) struct Alive {
    /// Members of the group that may be signalled as one.
    pub(super) group: BTreeSet<u32>,
    /// Marked processes outside the group.
    pub(super) strays: BTreeSet<u32>,
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
    pub(super) fn new(root: u32, ticket: &Ticket, reaped: bool) -> Self {
        Self {
            root,
            mark: format!("{MARK}={}", ticket.as_mark()),
            reaped,
        }
    }

    /// Looks for everything that belongs to the server.
    ///
    /// It reads `/proc`, a few milliseconds for some hundred processes, so it blocks.
    pub(super) fn alive(&self) -> Alive {
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
