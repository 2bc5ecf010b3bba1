//! Tools: the list, the call, the result.
//!
//! Schemas are kept as the text they came as; checking arguments against them is left to others.
//! Public names, trust and permission are the registry's business.

mod call;
mod definition;
mod list;

pub use call::{CallToolParams, CallToolResult};
pub use definition::{TaskSupport, Tool, ToolAnnotations, ToolExecution};
pub use list::ListToolsResult;
