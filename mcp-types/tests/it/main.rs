//! Tests of `mcp-types` from outside.
//!
//! | module | what it shows |
//! |---|---|
//! | `fixtures` | every type at every revision: read strictly, written back the same |
//! | `oracle` | the same values pass through an independent model of the schemas |
//! | `salvage` | bad inputs: what survives, and what is said |
//! | `emission` | what may be said at which revision |
//! | `methods` | which revision has which method |
//! | `property` | no input panics; what is written is read back the same |
//! | `allocation` | the hot path allocates what the value needs and no more |

#![expect(
    clippy::panic,
    reason = "tests fail by panicking, and helpers of tests do too"
)]

mod allocation;
mod emission;
mod fixtures;
mod methods;
mod oracle;
mod property;
mod salvage;
mod table;
