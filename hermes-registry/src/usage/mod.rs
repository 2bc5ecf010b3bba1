//! How tools are used: one record for each call, and what becomes of many of them.
//!
//! | module | job |
//! |---|---|
//! | `record` | one call, and its line of JSON |
//! | `latency` | how long calls take, in a histogram of fixed size |
//! | `tally` | many calls, counted |
//! | `meter` | the calls of one server, and of each of its tools |
//! | `log` | the file that the lines go to |
//!
//! Nothing here reads a clock or knows a server; who measures is the registry.

mod latency;
mod log;
mod meter;
mod record;
mod tally;

#[cfg(test)]
mod tests;

pub use latency::Latency;
pub(crate) use latency::{as_seconds, seconds};
pub(crate) use log::UsageLog;
pub(crate) use meter::{Meter, shown};
pub(crate) use record::seconds_if_known;
pub use record::{UsageOutcome, UsageRecord};
pub(crate) use tally::Sample;
pub use tally::{ToolUsage, Usage};
