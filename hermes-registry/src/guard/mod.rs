//! What is suspicious about servers: text that is meant for a model behind its user's back, and
//! commands that are no servers.
//!
//! - [`strip_tags`] takes out characters that people cannot see and models can read.
//! - [`Report`] tells what in the texts of a tool or a prompt looks like an attempt to steer a
//!   model. It never blocks anything: prose about security looks the same.
//! - [`suspicion`] finds the few shapes of a command that no server has and attacks do.
//!
//! What is written about people's secrets is hidden elsewhere; whether a finding is shown, and
//! whether a command is refused, is decided above.

mod command;
mod hidden;
mod report;
mod rules;

#[cfg(test)]
mod tests;

pub use command::{Part, Suspicion, suspicion};
pub(crate) use hidden::is_hidden;
pub use hidden::strip_tags;
pub use report::{FINDINGS_MAX, Finding, Report, SCANNED_LEN_MAX};
