//! Sampling: a server asks the client's model.
//!
//! Choosing a model, asking the user and checking the order of tool results is left to others.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::{ContentBlock, Role};
use crate::map::Extra;
use crate::meta::Meta;
use crate::raw::RawJson;
use crate::result::ResultType;
use crate::task::TaskMetadata;
use crate::tool::Tool;
use crate::version::Version;
use crate::wire::{Failure, Salvage, Wire};

/// The parameters of `sampling/createMessage`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CreateMessageParams {
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// Which model the server would like.
    pub model_preferences: Option<ModelPreferences>,
    /// The system prompt that the server would like.
    pub system_prompt: Option<String>,
    /// Whose context it would like added.
    pub include_context: Option<IncludeContext>,
    /// The temperature.
    pub temperature: Option<f64>,
    /// How many tokens the answer may have; never to be exceeded (SAMP-04).
    pub max_tokens: i64,
    /// Texts that end the answer.
    pub stop_sequences: Option<Vec<String>>,
    /// For the provider of the model, an object.
    pub metadata: Option<RawJson>,
    /// What the model may use. Since 2025-11-25, for clients that declare it.
    pub tools: Option<Vec<Tool>>,
    /// How it may use them. Since 2025-11-25.
    pub tool_choice: Option<ToolChoice>,
    /// Asks for a task. 2025-11-25 only.
    pub task: Option<TaskMetadata>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl CreateMessageParams {
    /// A conversation and how long the answer may be, in tokens.
    #[must_use]
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: i64) -> Self {
        Self {
            messages,
            max_tokens,
            ..Self::default()
        }
    }

    /// Whether the model may use tools.
    #[must_use]
    pub const fn wants_tools(&self) -> bool {
        self.tools.is_some() || self.tool_choice.is_some()
    }
}

wire_object! {
    CreateMessageParams {
        Required messages = "messages",
        Optional model_preferences = "modelPreferences",
        Optional system_prompt = "systemPrompt",
        Optional include_context = "includeContext",
        Optional temperature = "temperature",
        Required max_tokens = "maxTokens",
        Optional stop_sequences = "stopSequences",
        Optional metadata = "metadata",
        Optional tools = "tools",
        Optional tool_choice = "toolChoice",
        Optional task = "task",
        Optional meta = "_meta",
    }
}

/// A message of a conversation. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: SamplingContent,
    /// Open data. Since 2025-11-25.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SamplingMessage {
    /// A message.
    pub fn new(role: Role, content: impl Into<SamplingContent>) -> Self {
        Self {
            role,
            content: content.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    SamplingMessage {
        Required role = "role",
        Required content = "content",
        Optional meta = "_meta",
    }
}

/// What a message says: one block, or a list of them since 2025-11-25. The two are kept apart, so
/// that a message goes back in the shape in which it came.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one block is the usual case and needs no box"
)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON has no third shape for one or several"
)]
pub enum SamplingContent {
    /// One block.
    One(ContentBlock),
    /// A list of blocks.
    Many(Vec<ContentBlock>),
}

impl SamplingContent {
    /// The blocks.
    #[must_use]
    pub const fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks.as_slice(),
        }
    }
}

impl<B: Into<ContentBlock>> From<B> for SamplingContent {
    fn from(block: B) -> Self {
        Self::One(block.into())
    }
}

impl From<Vec<ContentBlock>> for SamplingContent {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;

        impl<'de> Visitor<'de> for OneOrMany {
            type Value = SamplingContent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a content block or a list of them")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
                ContentBlock::from_members(members).map(SamplingContent::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = items.next_element()? {
                    blocks.push(block);
                }
                Ok(SamplingContent::Many(blocks))
            }
        }

        deserializer.deserialize_any(OneOrMany)
    }
}

impl Wire for SamplingContent {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        match raw.as_bytes().first() {
            Some(b'[') => Vec::recover(raw, salvage).map(Self::Many),
            Some(b'{') => ContentBlock::recover(raw, salvage).map(Self::One),
            _ => Err(salvage.failure("expected a content block or a list of them", raw)),
        }
    }
}

/// Which model a server would like. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Names of models, the best one first; the first that matches wins (SAMP-05).
    pub hints: Option<Vec<ModelHint>>,
    /// How much the cost matters, from 0 to 1.
    pub cost_priority: Option<f64>,
    /// How much the speed matters, from 0 to 1.
    pub speed_priority: Option<f64>,
    /// How much the ability matters, from 0 to 1.
    pub intelligence_priority: Option<f64>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! {
    ModelPreferences {
        Optional hints = "hints",
        Optional cost_priority = "costPriority",
        Optional speed_priority = "speedPriority",
        Optional intelligence_priority = "intelligencePriority",
    }
}

/// A name of a model. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelHint {
    /// A part of the name.
    pub name: Option<String>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { ModelHint { Optional name = "name", } }

/// Whose context a server would like added. Deprecated since 2025-11-25, but for `none`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum IncludeContext {
    /// Nobody's.
    None,
    /// That of this server.
    ThisServer,
    /// That of all servers.
    AllServers,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! {
    IncludeContext { None = "none", ThisServer = "thisServer", AllServers = "allServers" }
}

/// How a model may use tools. Since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolChoice {
    /// Whether it may; absent means that it may.
    pub mode: Option<ToolChoiceMode>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { ToolChoice { Optional mode = "mode", } }

/// Whether a model may use tools.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ToolChoiceMode {
    /// It may.
    Auto,
    /// It must.
    Required,
    /// It must not.
    None,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! { ToolChoiceMode { Auto = "auto", Required = "required", None = "none" } }

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
