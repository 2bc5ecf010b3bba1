//! All types by the names that the fixtures use.

use std::fmt::Debug;

use mcp_types::decode::{Decode, DecodeError, Diagnostic};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What became of one text.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The value, written as JSON.
    pub(crate) json: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether plain `serde_json::from_str` took the text as well.
    pub(crate) is_strict: bool,
}

pub(crate) type Pass = fn(&str) -> Result<Outcome, DecodeError>;

/// Decodes a text as `T` and writes it again; a second round must change nothing.
fn pass<T>(json: &str) -> Result<Outcome, DecodeError>
where
    T: Decode + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let decoded = T::decode(json)?;
    let written = serde_json::to_string(&decoded.value).expect("values have a JSON form");
    let again = T::decode(&written).expect("what was written can be read");
    assert_eq!(again.value, decoded.value, "written as {written}");
    let strict = serde_json::from_str::<T>(json).ok();
    if let Some(strict) = &strict {
        assert_eq!(*strict, decoded.value);
    }
    Ok(Outcome {
        json: written,
        diagnostics: decoded.diagnostics,
        is_strict: strict.is_some(),
    })
}

macro_rules! table {
    ($($module:ident { $($name:ident $(= $type:ident)?),+ $(,)? })+) => {
        /// The pass of each type.
        pub(crate) const TABLE: &[(&str, Pass)] = &[
            $($((stringify!($name), pass::<table!(@ $module $name $($type)?)>),)+)+
        ];
    };
    (@ $module:ident $name:ident) => { mcp_types::$module::$name };
    (@ $module:ident $name:ident $type:ident) => { mcp_types::$module::$type };
}

table! {
    cancel { CancelledParams }
    capability { ClientCapabilities, Icon, Implementation, ServerCapabilities }
    completion {
        CompleteParams, CompleteResult, CompletionReference, PromptReference,
        ResourceTemplateReference,
    }
    content {
        Annotations, AudioContent, BlobResourceContents, ContentBlock, EmbeddedResource,
        ImageContent, ResourceContents, ResourceLink, TextContent, TextResourceContents,
        ToolResultContent, ToolUseContent,
    }
    elicitation {
        ElicitParams, ElicitFormParams = ElicitParams, ElicitUrlParams = ElicitParams,
        ElicitResult, ElicitationCompleteParams,
        BooleanSchema = PrimitiveSchema, EnumSchema = PrimitiveSchema,
        LegacyTitledEnumSchema = PrimitiveSchema, NumberSchema = PrimitiveSchema,
        StringSchema = PrimitiveSchema, TitledMultiSelectEnumSchema = PrimitiveSchema,
        TitledSingleSelectEnumSchema = PrimitiveSchema,
        UntitledMultiSelectEnumSchema = PrimitiveSchema,
        UntitledSingleSelectEnumSchema = PrimitiveSchema,
    }
    error { MissingCapabilityData, UnsupportedVersionData, UrlElicitationRequiredData }
    input { InputRequest, InputRequests, InputRequiredResult, InputResponse, InputResponses }
    lifecycle {
        DiscoverResult, InitializeParams, InitializeResult, NotificationParams, RequestParams,
    }
    log { LoggingMessageParams, SetLevelParams }
    page { PaginatedParams }
    progress { ProgressParams }
    prompt {
        GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
        PromptMessage,
    }
    resource {
        ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult,
        Resource, ResourceTemplate, ResourceUpdatedParams, SubscribeParams, UnsubscribeParams,
    }
    result { EmptyResult }
    root { ListRootsResult, Root }
    sampling {
        CreateMessageParams, CreateMessageResult, ModelHint, ModelPreferences, SamplingMessage,
        ToolChoice,
    }
    subscription {
        SubscriptionFilter, SubscriptionsAcknowledgedParams, SubscriptionsListenParams,
        SubscriptionsListenResult,
    }
    task {
        CancelTaskResult, CreateTaskResult, GetTaskResult, ListTasksResult, RelatedTaskMetadata,
        Task, TaskMetadata, TaskParams, TaskStatusParams,
    }
    tool {
        CallToolParams, CallToolResult, ListToolsResult, Tool, ToolAnnotations, ToolExecution,
    }
}

/// The pass of a type.
pub(crate) fn of(name: &str) -> Pass {
    let found = TABLE.iter().find(|(known, _)| *known == name);
    found
        .unwrap_or_else(|| panic!("{name} is not in the table"))
        .1
}
