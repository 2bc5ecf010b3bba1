//! Whether a value is what a JSON Schema asks for: the arguments of a call before it is sent, and
//! the structured result that came back.
//!
//! ```text
//! schema ── Checkers ──> Checker ── budget, jsonschema ──> Fits | Differs(…) | Unchecked(why)
//! ```
//!
//! An error with a path, what was expected and what came is worth more to a model than whatever a
//! server makes of wrong arguments.
//! What cannot be checked is not refused, and says why: the schema cannot be used, it refers to
//! something outside of itself, or checking would take too long.
//! Nothing is fetched and no file is read.
//!
//! The dialect is the one that `$schema` names, else that of 2020-12.
//! `format` is not checked, as servers use it loosely; patterns are matched in linear time.
//!
//! Whether a server's calls are checked at all, and what becomes of a mismatch, is decided above.

mod budget;
mod checker;
mod checkers;
mod expected;
mod mismatch;
mod output;
mod reason;
mod text;

#[cfg(test)]
mod tests;

pub use budget::{STEPS_MAX, VISITS_DEEP_MAX};
pub use checker::{Check, Checker, PATTERNS_MAX, SCHEMA_LEN_MAX};
pub use checkers::{CHECKERS_LEN_MAX, CHECKERS_MAX, Checkers};
pub use mismatch::{MISMATCHES_MAX, Mismatch, Mismatches};
pub use output::OutputWarning;
pub use reason::Unchecked;
