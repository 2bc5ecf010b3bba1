//! Many Model Context Protocol servers behind one catalog of tools.
//!
//! The crate reads the configuration of servers, gives their tools public names that a model can
//! use, filters them, and turns what a tool answers into JSON for a model.
//! Everything here but the shells is pure: text and values in, values out.

pub mod arguments;
pub mod blocking;
mod catalog;
pub mod config;
mod connect;
pub mod doctor;
pub mod environment;
pub mod error;
pub mod filter;
pub mod frames;
#[cfg(test)]
mod generated;
mod glob;
pub mod guard;
pub mod host;

pub mod import;
mod json;
pub mod known;
pub mod life;
pub mod name;
pub mod nearest;
mod offer;
mod open;
pub mod outcome;
pub mod pins;
mod pointer;
pub mod policy;
mod registry;
pub mod schema;
pub mod store;
pub mod toolsets;
pub mod usage;
mod utility;
pub mod view;

pub use catalog::{
    Catalog, CatalogTool, Definitions, NormalisedTool, Origin, Ready, ServerState, ServerStatus,
};
pub use config::{Config, ConfigError, Loaded, Problem, ServerConfig, Severity};
pub use connect::{Connect, Connector};
pub use error::RegistryError;
pub use outcome::{Outcome, OutcomeLimits};
pub use registry::{
    BreakerReport, Builder, Called, Event, Events, LastError, LeftOut, Registry, Reloaded,
    ServerInfo, ServerReport, StateChange, View, Watch,
};
pub use utility::Utility;
