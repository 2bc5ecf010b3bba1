//! What a server may ask of the application: a model's answer, the user's input, the roots.
//!
//! The capabilities that we advertise follow from the handlers that are present, so that a client
//! never claims what it cannot do. The handlers serve both eras: requests of legacy servers, and
//! questions inside a result of modern ones.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult,
    ElicitationCapability, ListRootsResult, RootsCapability, SamplingCapability, Version,
};

/// Who asks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asker {
    /// The name under which the application knows the server; empty if it gave none.
    pub server: Arc<str>,
    /// The revision that is spoken, once it is known.
    pub version: Option<Version>,
}

/// Why a handler gives no answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The user said no.
    Declined,
    /// The question is not well formed, or asks for what was not advertised.
    Invalid(String),
    /// Answering failed.
    Failed(String),
}

impl Refusal {
    /// The error answer that says so.
    ///
    /// Spec: SAMP-07 gives a user's refusal the code -1.
    pub fn to_error(&self) -> ErrorObject {
        match self {
            Self::Declined => ErrorObject::new(ErrorCode(-1), "the user rejected the request"),
            Self::Invalid(why) => ErrorObject::new(ErrorCode::INVALID_PARAMS, why),
            Self::Failed(why) => ErrorObject::new(ErrorCode::INTERNAL_ERROR, why),
        }
    }
}

/// Lends a model to the server.
///
/// # Cancel safety
///
/// The future is dropped when the server takes its request back or the connection ends.
#[async_trait]
pub trait SamplingHandler: Send + Sync {
    /// What of sampling is supported.
    fn capability(&self) -> SamplingCapability {
        SamplingCapability::new()
    }

    /// Answers `sampling/createMessage`.
    ///
    /// # Errors
    ///
    /// Why there is no answer; the server is told.
    async fn create_message(
        &self,
        asker: Asker,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, Refusal>;
}

/// Asks the user on behalf of the server.
///
/// # Cancel safety
///
/// The future is dropped when the server takes its request back or the connection ends.
#[async_trait]
pub trait ElicitationHandler: Send + Sync {
    /// Which modes are supported; form alone unless overridden.
    fn capability(&self) -> ElicitationCapability {
        ElicitationCapability::new().with_form()
    }

    /// Answers `elicitation/create`.
    ///
    /// # Errors
    ///
    /// Why there is no answer; the server is told. A user who declines is no error but an action
    /// of the result.
    async fn elicit(&self, asker: Asker, params: ElicitParams) -> Result<ElicitResult, Refusal>;
}

/// Tells the server which folders it may work in.
///
/// # Cancel safety
///
/// The future is dropped when the server takes its request back or the connection ends.
#[async_trait]
pub trait RootsHandler: Send + Sync {
    /// Answers `roots/list`.
    ///
    /// # Errors
    ///
    /// Why there is no answer; the server is told.
    async fn list_roots(&self, asker: Asker) -> Result<ListRootsResult, Refusal>;
}

/// The handlers of one client.
#[derive(Clone, Default)]
pub(crate) struct Handlers {
    pub(crate) sampling: Option<Arc<dyn SamplingHandler>>,
    pub(crate) elicitation: Option<Arc<dyn ElicitationHandler>>,
    pub(crate) roots: Option<Arc<dyn RootsHandler>>,
}

impl Handlers {
    /// What to advertise.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::new();
        if let Some(sampling) = &self.sampling {
            capabilities = capabilities.with_sampling(sampling.capability());
        }
        if let Some(elicitation) = &self.elicitation {
            capabilities = capabilities.with_elicitation(elicitation.capability());
        }
        if self.roots.is_some() {
            capabilities = capabilities.with_roots(RootsCapability::new(false));
        }
        capabilities
    }
}

impl std::fmt::Debug for Handlers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handlers")
            .field("sampling", &self.sampling.is_some())
            .field("elicitation", &self.elicitation.is_some())
            .field("roots", &self.roots.is_some())
            .finish()
    }
}
