//! MCP over HTTP.

mod backend;
mod failure;

pub use self::backend::{Backend, Body};
pub use self::failure::{Failure, FailureKind};
