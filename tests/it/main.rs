//! The integration tests: one binary, a module per topic.

mod cases;
