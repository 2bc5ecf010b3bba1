//! A child process as a [`Link`].

use crate::process::{self, Command, SpawnError};
use crate::{Limits, Link};

/// Starts a server as a child process and speaks with it over its stdin and stdout.
///
/// Needs a tokio runtime with I/O. The process and everything it started end with the link:
/// after [`crate::LinkReceiver::close`], when the link is dropped, and after a crash of this
/// process.
///
/// # Errors
///
/// Why the process could not be started; nothing is left running then.
pub fn spawn(command: Command, limits: Limits) -> Result<Link, SpawnError> {
    let spawned = process::spawn(command)?;
    Ok(Link::of_child(
        spawned.stdout,
        spawned.stdin,
        spawned.child,
        limits,
    ))
}
