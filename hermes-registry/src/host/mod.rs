//! The host's own tools, which stand beside those of servers in one catalog.
//!
//! | module | job |
//! |---|---|
//! | `tool` | a tool of the host, and what carries it out |
//! | `admission` | who may have a name that somebody has already |
//! | `availability` | whether a tool can be used at the moment |
//! | `table` | all of them, by their names |
//!
//! A tool of a server never takes the name of one of these.
//! Nothing here runs a tool; that is done where calls are.

mod admission;
mod availability;
mod error;
mod table;
mod tool;

#[cfg(test)]
mod tests;

pub use admission::{Admission, AdmissionError};
pub use error::HostFailure;
pub(crate) use table::{Entry, HostTools};
pub use tool::{Check, HostTool, HostToolHandler, InvalidHostTool};
