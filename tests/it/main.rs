//! The integration tests: one binary, a module per topic.

mod cases;
mod properties;
mod torture;
