//! Child processes: a stdio server is started, watched, heard and, with all it started, ended.
//!
//! [`spawn`] gives the two pipes of the wire and a [`Child`] that owns everything else. What flows
//! through the pipes is left to the caller, who also decides when to close: drop the stdin pipe,
//! then call [`Child::shutdown`].
//!
//! ```text
//!   Command --spawn--> Spawned { stdin, stdout, child }
//!                                             |-- exit watcher   (reaps the root)
//!                                             |-- stderr pump    (ring, log file)
//!                                             `-- ticket ------> guard process, one per host
//! ```
//!
//! A server gets exactly the environment it was given and one variable of ours, [`MARK`]. Whatever
//! it starts inherits that mark, so its descendants are found even if they leave the process group.
//! The guard process ends them when this process dies, by whatever signal.
//!
//! What escapes: a helper that leaves the group *and* clears or hides its environment, or runs as
//! another user. On systems other than Linux there is no scan for marks, so only process groups are
//! ended there.

mod child;
mod command;
mod error;
mod guard;
mod log;
mod obituary;
mod resolve;
mod shutdown;
mod signal;
mod start;
mod stderr;
mod task;

#[cfg(test)]
mod tests;

pub use child::Child;
pub use command::{Command, Grace};
pub use error::{SpawnError, SpawnErrorKind};
pub use guard::MARK;
pub use log::StderrLog;
pub use obituary::{Exit, Obituary};
pub use shutdown::{Closed, ClosedBy};
pub use start::{Spawned, spawn};
