//! Prompts: the list, and one with its arguments filled in.

use crate::cache::CacheScope;
use crate::capability::Icon;
use crate::content::{ContentBlock, Role};
use crate::input::InputResponses;
use crate::map::{Extra, OrderedMap};
use crate::meta::Meta;
use crate::result::ResultType;

/// A prompt, as a server lists it. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// The name for requests.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What can be filled in.
    pub arguments: Option<Vec<PromptArgument>>,
    /// Its pictures. Since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    Prompt {
        Required name = "name",
        Optional title = "title",
        Optional description = "description",
        Optional arguments = "arguments",
        Optional icons = "icons",
        Optional meta = "_meta",
    }
}

/// What can be filled in. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name for requests.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Whether it has to be there; false unless said.
    pub required: Option<bool>,
    /// Members without a field here.
    pub extra: Extra,
}

impl PromptArgument {
    /// An argument.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            required: None,
            extra: Extra::new(),
        }
    }

    /// Whether it has to be there.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required.unwrap_or(false)
    }
}

wire_object! {
    PromptArgument {
        Required name = "name",
        Optional title = "title",
        Optional description = "description",
        Optional required = "required",
    }
}

/// The result of `prompts/list`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ListPromptsResult {
    /// The prompts of this page.
    pub prompts: Vec<Prompt>,
    /// Where the next page begins; an empty one is valid, absent means the end (PAGE-02).
    pub next_cursor: Option<String>,
    /// How long it is fresh, in milliseconds. Since 2026-07-28.
    pub ttl_ms: Option<i64>,
    /// Who may share it. Since 2026-07-28.
    pub cache_scope: Option<CacheScope>,
    /// What kind of result this is. Since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ListPromptsResult {
    /// The only page.
    #[must_use]
    pub fn new(prompts: Vec<Prompt>) -> Self {
        Self {
            prompts,
            ..Self::default()
        }
    }
}

wire_object! {
    ListPromptsResult {
        Optional result_type = "resultType",
        Required prompts = "prompts",
        Optional next_cursor = "nextCursor",
        Optional ttl_ms = "ttlMs",
        Optional cache_scope = "cacheScope",
        Optional meta = "_meta",
    }
}

/// The parameters of `prompts/get`. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GetPromptParams {
    /// The prompt.
    pub name: String,
    /// What to fill in; texts only (PROM-03).
    pub arguments: Option<OrderedMap<String>>,
    /// Answers to what the last result asked. Since 2026-07-28.
    pub input_responses: Option<InputResponses>,
    /// The state that the last result gave, unchanged. Since 2026-07-28.
    pub request_state: Option<String>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl GetPromptParams {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Fills in an argument.
    #[must_use]
    pub fn with_argument(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.arguments
            .get_or_insert_default()
            .insert(name, value.into());
        self
    }

    /// Sets the open data.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

wire_object! {
    GetPromptParams {
        Required name = "name",
        Optional arguments = "arguments",
        Optional input_responses = "inputResponses",
        Optional request_state = "requestState",
        Optional meta = "_meta",
    }
}

/// The result of `prompts/get`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GetPromptResult {
    /// What the prompt is for.
    pub description: Option<String>,
    /// The messages.
    pub messages: Vec<PromptMessage>,
    /// What kind of result this is. Since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl GetPromptResult {
    /// The messages.
    #[must_use]
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }
}

wire_object! {
    GetPromptResult {
        Optional result_type = "resultType",
        Optional description = "description",
        Required messages = "messages",
        Optional meta = "_meta",
    }
}

/// A message of a prompt. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said: exactly one block in every revision (PROM-05).
    pub content: ContentBlock,
    /// Members without a field here.
    pub extra: Extra,
}

impl PromptMessage {
    /// A message.
    pub fn new(role: Role, content: impl Into<ContentBlock>) -> Self {
        Self {
            role,
            content: content.into(),
            extra: Extra::new(),
        }
    }
}

wire_object! {
    PromptMessage {
        Required role = "role",
        Required content = "content",
    }
}
