//! Completions of a prompt's or a template's arguments.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::decode::{Decode, DecodeError, Decoded, Effect};
use crate::map::{Extra, OrderedMap};
use crate::meta::Meta;
use crate::raw::RawJson;
use crate::result::ResultType;
use crate::wire::{self, Failure, Salvage, Wire};

/// The parameters of `completion/complete`. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompleteParams {
    /// What the argument belongs to.
    pub reference: CompletionReference,
    /// The argument that is being typed.
    pub argument: CompletionArgument,
    /// What is filled in already. Since 2025-06-18.
    pub context: Option<CompletionContext>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl CompleteParams {
    /// An argument and what it belongs to.
    pub fn new(reference: impl Into<CompletionReference>, argument: CompletionArgument) -> Self {
        Self {
            reference: reference.into(),
            argument,
            context: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Adds an argument that is filled in already.
    #[must_use]
    pub fn with_filled_in(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let context = self.context.get_or_insert_default();
        context
            .arguments
            .get_or_insert_default()
            .insert(name, value.into());
        self
    }
}

wire_object! {
    CompleteParams {
        Required reference = "ref",
        Required argument = "argument",
        Optional context = "context",
        Optional meta = "_meta",
    }
}

/// The argument that is being typed. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CompletionArgument {
    /// Its name.
    pub name: String,
    /// What is typed so far.
    pub value: String,
    /// Members without a field here.
    pub extra: Extra,
}

impl CompletionArgument {
    /// A name, and what is typed so far.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            extra: Extra::new(),
        }
    }
}

wire_object! {
    CompletionArgument {
        Required name = "name",
        Required value = "value",
    }
}

/// What is filled in already. Since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CompletionContext {
    /// Arguments and their values.
    pub arguments: Option<OrderedMap<String>>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { CompletionContext { Optional arguments = "arguments", } }

/// What an argument belongs to, told apart by its member `type`. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt.
    Prompt(PromptReference),
    /// A resource template.
    Resource(ResourceTemplateReference),
    /// Something else.
    Unknown(RawJson),
}

/// A prompt, by name. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptReference {
    /// The name for requests.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// Members without a field here.
    pub extra: Extra,
}

impl PromptReference {
    /// A prompt, by name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    PromptReference tag "type" = "ref/prompt" {
        Required name = "name",
        Optional title = "title",
    }
}

/// A resource template, by its URI. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceTemplateReference {
    /// The URI or the URI template.
    pub uri: String,
    /// Members without a field here.
    pub extra: Extra,
}

impl ResourceTemplateReference {
    /// A template, by its URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            extra: Extra::new(),
        }
    }
}

wire_object! { ResourceTemplateReference tag "type" = "ref/resource" { Required uri = "uri", } }

impl From<PromptReference> for CompletionReference {
    fn from(reference: PromptReference) -> Self {
        Self::Prompt(reference)
    }
}

impl From<ResourceTemplateReference> for CompletionReference {
    fn from(reference: ResourceTemplateReference) -> Self {
        Self::Resource(reference)
    }
}

impl Serialize for CompletionReference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Prompt(reference) => reference.serialize(serializer),
            Self::Resource(reference) => reference.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for CompletionReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        wire::by_text(deserializer)
    }
}

impl Wire for CompletionReference {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        let decoded = salvage.kind(raw).and_then(|kind| match kind.as_str() {
            "ref/prompt" => PromptReference::recover(raw, salvage).map(Self::Prompt),
            "ref/resource" => ResourceTemplateReference::recover(raw, salvage).map(Self::Resource),
            _ => RawJson::assemble(raw.to_owned()).map(Self::Unknown),
        });
        decoded.or_else(|failure| {
            salvage.report(failure, Effect::KeptRaw);
            RawJson::assemble(raw.to_owned()).map(Self::Unknown)
        })
    }
}

impl Decode for CompletionReference {
    fn decode(json: &str) -> Result<Decoded<Self>, DecodeError> {
        wire::decode(json)
    }
}

/// The result of `completion/complete`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CompleteResult {
    /// The completions.
    pub completion: Completion,
    /// What kind of result this is. Since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl CompleteResult {
    /// Completions.
    #[must_use]
    pub fn new(values: Vec<String>) -> Self {
        let completion = Completion {
            values,
            ..Completion::default()
        };
        Self {
            completion,
            ..Self::default()
        }
    }
}

wire_object! {
    CompleteResult {
        Optional result_type = "resultType",
        Required completion = "completion",
        Optional meta = "_meta",
    }
}

/// Completions. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Completion {
    /// The best ones first; at most 100 by the specification (COMP-05).
    pub values: Vec<String>,
    /// How many there would be.
    pub total: Option<i64>,
    /// Whether there are more.
    pub has_more: Option<bool>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! {
    Completion {
        Required values = "values",
        Optional total = "total",
        Optional has_more = "hasMore",
    }
}
