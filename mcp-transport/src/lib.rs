//! Bytes to frames and back, for the Model Context Protocol.
//!
//! A transport carries *frames*, each one JSON text, and never looks into them.
//! Whatever stands behind it, what the layer above holds is a [`Link`]: a sending half that can
//! be tried from anywhere and a receiving half for one reader.
//!
//! ```text
//!                 Link
//!   LinkSender ─────────► pipe of a child process        stdio::spawn
//!   LinkReceiver ◄─────── (or any two pipes)             Link::over_pipes
//!
//!   LinkSender ─────────► bounded channels ─────► FarEnd  pair()
//!   LinkReceiver ◄─────── (HTTP, tests)   ◄─────
//! ```
//!
//! | module | job |
//! |---|---|
//! | [`redact`] | hides credentials in whatever is shown |
//! | [`process`] | child processes: start, watch, obituary, end of the whole tree |
//! | [`lines`] | newline framing, without I/O |
//! | [`link`] | the [`Link`] and what crosses it |
//! | [`http`] | MCP over HTTP |
//! | [`sse`] | server-sent events, without I/O |
//! | [`journal`] | files that lines are appended to |
//! | [`socket`] | TCP and Unix domain sockets that speak lines, as a [`Link`] |
//! | [`stdio`] | a child process as a [`Link`] |

#[cfg(not(unix))]
compile_error!("mcp-transport needs Unix: its child processes rest on process groups and signals");

pub mod http;
pub mod journal;
pub mod lines;
pub mod link;
pub mod process;
pub mod redact;
pub mod socket;
pub mod sse;
pub mod stdio;
mod storage;

mod labels;
mod limits;

pub use labels::{Labels, Step};
pub use limits::Limits;
pub use link::{Link, LinkReceiver, LinkSender, pair};
