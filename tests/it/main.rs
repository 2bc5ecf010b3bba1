//! The integration tests: one binary, a module per topic.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail as tests do"
)]

mod calls;
mod cases;
mod eras;
mod http;
#[cfg(feature = "real-peers")]
mod peers;
mod process_tree;
mod properties;
mod registry;
mod sse;
mod torture;
