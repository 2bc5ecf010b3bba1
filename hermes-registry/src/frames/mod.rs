//! The log of frames: what was really said between us and servers, with credentials hidden.
//!
//! | module | job |
//! |---|---|
//! | `hide` | a frame without its credentials, as JSON if that can be |
//! | `line` | one line of the log |
//! | `log` | the file |
//!
//! Frames come from [`mcp_client::FrameTap`]. Playing a log back is left to the command.

mod hide;
mod line;
mod log;

pub use hide::{Shown, Unshown, hide};
pub(crate) use log::FrameLog;
