//! How far a request got.

use crate::map::Extra;
use crate::meta::Meta;
use crate::token::Token;

/// The parameters of `notifications/progress`. All revisions.
///
/// They may come late or out of order; matching them to requests is the engine's job (T-39).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProgressParams {
    /// The token that the request gave.
    pub progress_token: Token,
    /// How far; it should grow.
    pub progress: f64,
    /// What would be all, in the unit of `progress`.
    pub total: Option<f64>,
    /// What is going on. Since 2025-03-26.
    pub message: Option<String>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ProgressParams {
    /// How far the request with a token got.
    pub fn new(progress_token: impl Into<Token>, progress: f64) -> Self {
        Self {
            progress_token: progress_token.into(),
            progress,
            total: None,
            message: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Sets what would be all.
    #[must_use]
    pub const fn with_total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// Sets what is going on.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

wire_object! {
    ProgressParams {
        Required progress_token = "progressToken",
        Required progress = "progress",
        Optional total = "total",
        Optional message = "message",
        Optional meta = "_meta",
    }
}
