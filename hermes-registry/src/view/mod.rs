//! Who sees what: the servers, tools, resources and prompts of one agent among many.
//!
//! A [`ViewPolicy`] is asked when something is listed and again when it is used, by the same
//! function, so that what an agent does not see it cannot use either.
//! [`Roles`] are policies by name.
//!
//! A policy decides on names and on what a tool says of itself.
//! What a server offers at all is decided by its filter, and whether a tool was approved by
//! `pins`; both come before this.

mod access;
mod policy;
mod refusal;
mod roles;

#[cfg(test)]
mod tests;

pub use access::{AccessList, Selector};
pub use policy::ViewPolicy;
pub use refusal::Refusal;
pub use roles::{Roles, UnknownRole};
