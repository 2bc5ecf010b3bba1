//! The integration tests: one binary, a module per topic.

mod calls;
mod cases;
mod eras;
#[cfg(feature = "real-peers")]
mod peers;
mod process_tree;
mod properties;
mod registry;
mod torture;
