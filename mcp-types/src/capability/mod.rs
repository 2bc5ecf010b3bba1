//! Who takes part and what each side can do.
//!
//! An object-valued capability says by its presence that something is there; its own members
//! default to false (T-53). Which capabilities to advertise is the client's decision.

mod client;
mod implementation;
mod server;
mod tasks;

pub use client::{ClientCapabilities, ElicitationCapability, RootsCapability, SamplingCapability};
pub use implementation::{Icon, IconTheme, Implementation};
pub use server::{PromptsCapability, ResourcesCapability, ServerCapabilities, ToolsCapability};
pub use tasks::{
    TaskElicitationCapability, TaskRequestsCapability, TaskSamplingCapability, TaskToolsCapability,
    TasksCapability,
};
