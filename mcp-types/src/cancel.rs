//! A request that is no longer wanted.

use crate::map::Extra;
use crate::meta::Meta;
use crate::token::Token;

/// The parameters of `notifications/cancelled`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CancelledParams {
    /// The request. Optional in 2025-11-25 alone, where a task may be meant.
    pub request_id: Option<Token>,
    /// Why, for logs and people.
    pub reason: Option<String>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl CancelledParams {
    /// A request.
    pub fn new(request_id: impl Into<Token>) -> Self {
        Self {
            request_id: Some(request_id.into()),
            ..Self::default()
        }
    }

    /// Sets why.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

wire_object! {
    CancelledParams {
        Optional request_id = "requestId",
        Optional reason = "reason",
        Optional meta = "_meta",
    }
}
