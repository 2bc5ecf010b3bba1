//! Elicitation: a server asks the user, by a form or by opening a URL.
//!
//! Showing forms, asking for consent and checking answers is left to others.

mod answer;
mod ask;
mod schema;

pub use answer::{ElicitAction, ElicitResult, ElicitValue};
pub use ask::{ElicitMode, ElicitParams, ElicitationCompleteParams};
pub use schema::{Choice, ChoiceItems, ElicitSchema, PrimitiveKind, PrimitiveSchema};
