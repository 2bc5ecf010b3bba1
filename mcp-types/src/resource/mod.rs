//! Resources: lists, templates, reading, and notices about changes.
//!
//! Templates follow RFC 6570; expanding them is left to others.

mod definition;
mod list;
mod read;

pub use definition::{Resource, ResourceTemplate};
pub use list::{ListResourceTemplatesResult, ListResourcesResult};
pub use read::{
    ReadResourceParams, ReadResourceResult, ResourceUpdatedParams, SubscribeParams,
    UnsubscribeParams,
};
