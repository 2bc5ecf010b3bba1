//! Sampling: a server asks the client's model.
//!
//! Choosing a model, asking the user and checking the order of tool results is left to others.

mod answer;
mod ask;
mod message;

pub use answer::{CreateMessageResult, StopReason};
pub use ask::{
    CreateMessageParams, IncludeContext, ModelHint, ModelPreferences, ToolChoice, ToolChoiceMode,
};
pub use message::{SamplingContent, SamplingMessage};
