//! The integration tests: one binary, a module per topic.

mod calls;
mod cases;
mod eras;
mod properties;
mod torture;
