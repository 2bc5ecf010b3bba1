//! The handlers: a model with one answer, a user who sends each form as it stands, one root.

use async_trait::async_trait;
use mcp_client::{Asker, ElicitationHandler, Refusal, RootsHandler, SamplingHandler};
use mcp_types::content::TextContent;
use mcp_types::elicitation::ElicitMode;
use mcp_types::sampling::SamplingContent;
use mcp_types::{
    ContentBlock, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult,
    ListRootsResult, Root,
};

use super::fill;

/// Answers everything.
pub(super) struct Answers;

#[async_trait]
impl SamplingHandler for Answers {
    async fn create_message(
        &self,
        _asker: Asker,
        _params: CreateMessageParams,
    ) -> Result<CreateMessageResult, Refusal> {
        let text = ContentBlock::Text(TextContent::new("an answer"));
        let content = SamplingContent::from(text);
        Ok(CreateMessageResult::new("a-model", content))
    }
}

#[async_trait]
impl ElicitationHandler for Answers {
    async fn elicit(&self, _asker: Asker, params: ElicitParams) -> Result<ElicitResult, Refusal> {
        match (params.mode(), &params.requested_schema) {
            (ElicitMode::Form, Some(schema)) => Ok(ElicitResult::accept(fill::form(schema))),
            _ => Err(Refusal::Invalid("only forms were offered".to_owned())),
        }
    }
}

#[async_trait]
impl RootsHandler for Answers {
    async fn list_roots(&self, _asker: Asker) -> Result<ListRootsResult, Refusal> {
        Ok(ListRootsResult::new(vec![Root::new("file:///srv/data")]))
    }
}
