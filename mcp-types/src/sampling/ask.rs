//! What a server asks a model.

use crate::map::Extra;
use crate::meta::Meta;
use crate::raw::RawJson;
use crate::sampling::SamplingMessage;
use crate::task::TaskMetadata;
use crate::tool::Tool;

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
