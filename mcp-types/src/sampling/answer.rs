//! What a model answered.

use crate::content::{ContentBlock, Role};
use crate::map::Extra;
use crate::meta::Meta;
use crate::result::ResultType;
use crate::sampling::SamplingContent;
use crate::version::Version;

/// The result of `sampling/createMessage`. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: SamplingContent,
    /// The model that said it.
    pub model: String,
    /// Why it ended.
    pub stop_reason: Option<StopReason>,
    /// Not a member of any revision, but legal in those with a handshake.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl CreateMessageResult {
    /// What a model said.
    pub fn new(model: impl Into<String>, content: impl Into<SamplingContent>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            result_type: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Sets why it ended.
    #[must_use]
    pub fn with_stop_reason(mut self, stop_reason: impl Into<StopReason>) -> Self {
        self.stop_reason = Some(stop_reason.into());
        self
    }

    /// What may be said at a revision. Before 2025-11-25 the content is one block: texts are
    /// joined by line feeds into one. `None` if that loses something, as a wish to use a tool.
    ///
    /// Spec: SAMP-12.
    #[must_use]
    pub fn for_version(&self, version: &Version) -> Option<Self> {
        let mut this = self.clone();
        if version.is_before(&Version::V2025_11_25) {
            this.content = SamplingContent::One(single(self.content.blocks(), version)?);
        }
        Some(this)
    }
}

/// The one block that says what the blocks say.
fn single(blocks: &[ContentBlock], version: &Version) -> Option<ContentBlock> {
    match blocks {
        [block @ (ContentBlock::Text(_) | ContentBlock::Image(_))] => Some(block.clone()),
        [block @ ContentBlock::Audio(_)] if version.is_at_least(&Version::V2025_03_26) => {
            Some(block.clone())
        }
        _ => {
            let texts: Option<Vec<&str>> = blocks.iter().map(ContentBlock::as_text).collect();
            texts.map(|texts| ContentBlock::text(texts.join("\n")))
        }
    }
}

wire_object! {
    CreateMessageResult {
        Optional result_type = "resultType",
        Required role = "role",
        Required content = "content",
        Required model = "model",
        Optional stop_reason = "stopReason",
        Optional meta = "_meta",
    }
}

/// Why an answer ended.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum StopReason {
    /// It was complete.
    EndTurn,
    /// A stop sequence came.
    StopSequence,
    /// It reached its length.
    MaxTokens,
    /// The model wants to use a tool. Since 2025-11-25.
    ToolUse,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! {
    StopReason {
        EndTurn = "endTurn",
        StopSequence = "stopSequence",
        MaxTokens = "maxTokens",
        ToolUse = "toolUse",
    }
}
