//! The fixtures pass through `rust-mcp-schema`, a model of the schemas that others generated.
//!
//! Ours is written as JSON, read by theirs, written by theirs and read by ours; then written by
//! ours and read by theirs again. Where theirs loses something or refuses what the schema allows,
//! [`EXCEPTIONS`] says what and why.

use std::collections::BTreeSet;

use mcp_types::Version;
use serde_json::Value;

use crate::fixtures::{self, Fixture};
use crate::table;

type Theirs = fn(&str) -> Result<Value, String>;

/// Reads a text as one of their types and writes it again.
fn theirs<T: serde::de::DeserializeOwned + serde::Serialize>(json: &str) -> Result<Value, String> {
    let value: T = serde_json::from_str(json).map_err(|error| error.to_string())?;
    serde_json::to_value(&value).map_err(|error| error.to_string())
}

macro_rules! their_types {
    ($table:ident = $krate:ident::$module:ident { $($ours:ident $(= $theirs:ident)?),+ $(,)? }) => {
        const $table: &[(&str, Theirs)] = &[
            $((stringify!($ours), theirs::<their_types!(@ $krate $module $ours $($theirs)?)>),)+
        ];
    };
    (@ $krate:ident $module:ident $ours:ident) => { $krate::$module::$ours };
    (@ $krate:ident $module:ident $ours:ident $theirs:ident) => { $krate::$module::$theirs };
}

their_types! {
    V2024_11_05 = rust_mcp_schema_2024_11_05::mcp_2024_11_05 {
        BlobResourceContents, CallToolParams = CallToolRequestParams, CallToolResult,
        CancelledParams = CancelledNotificationParams, ClientCapabilities,
        CompleteParams = CompleteRequestParams, CompleteResult,
        CreateMessageParams = CreateMessageRequestParams, CreateMessageResult, EmbeddedResource,
        EmptyResult = Result, GetPromptParams = GetPromptRequestParams, GetPromptResult,
        ImageContent, Implementation, InitializeParams = InitializeRequestParams,
        InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListRootsResult, ListToolsResult, LoggingMessageParams = LoggingMessageNotificationParams,
        ModelHint, ModelPreferences, PaginatedParams = PaginatedRequestParams,
        ProgressParams = ProgressNotificationParams, Prompt, PromptArgument, PromptMessage,
        PromptReference, ReadResourceParams = ReadResourceRequestParams, ReadResourceResult,
        Resource, ResourceTemplate, ResourceTemplateReference = ResourceReference,
        ResourceUpdatedParams = ResourceUpdatedNotificationParams, Root, SamplingMessage,
        ServerCapabilities, SetLevelParams = SetLevelRequestParams,
        SubscribeParams = SubscribeRequestParams, TextContent, TextResourceContents, Tool,
        UnsubscribeParams = UnsubscribeRequestParams,
    }
}

their_types! {
    V2025_03_26 = rust_mcp_schema_2025_03_26::mcp_2025_03_26 {
        Annotations, AudioContent,
        BlobResourceContents, CallToolParams = CallToolRequestParams, CallToolResult,
        CancelledParams = CancelledNotificationParams, ClientCapabilities,
        CompleteParams = CompleteRequestParams, CompleteResult,
        CreateMessageParams = CreateMessageRequestParams, CreateMessageResult, EmbeddedResource,
        EmptyResult = Result, GetPromptParams = GetPromptRequestParams, GetPromptResult,
        ImageContent, Implementation, InitializeParams = InitializeRequestParams,
        InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListRootsResult, ListToolsResult, LoggingMessageParams = LoggingMessageNotificationParams,
        ModelHint, ModelPreferences, PaginatedParams = PaginatedRequestParams,
        ProgressParams = ProgressNotificationParams, Prompt, PromptArgument, PromptMessage,
        PromptReference, ReadResourceParams = ReadResourceRequestParams, ReadResourceResult,
        Resource, ResourceTemplate, ResourceTemplateReference = ResourceReference,
        ResourceUpdatedParams = ResourceUpdatedNotificationParams, Root, SamplingMessage,
        ServerCapabilities, SetLevelParams = SetLevelRequestParams,
        SubscribeParams = SubscribeRequestParams, TextContent, TextResourceContents, Tool,
        ToolAnnotations, UnsubscribeParams = UnsubscribeRequestParams,
    }
}

their_types! {
    V2025_06_18 = rust_mcp_schema_2025_06_18::mcp_2025_06_18 {
        Annotations, AudioContent, BooleanSchema,
        BlobResourceContents, CallToolParams = CallToolRequestParams, CallToolResult,
        CancelledParams = CancelledNotificationParams, ClientCapabilities,
        CompleteParams = CompleteRequestParams, CompleteResult, ContentBlock,
        CreateMessageParams = CreateMessageRequestParams, CreateMessageResult,
        ElicitParams = ElicitRequestParams, ElicitResult, EmbeddedResource,
        EmptyResult = Result, EnumSchema, GetPromptParams = GetPromptRequestParams,
        GetPromptResult, ImageContent, Implementation, InitializeParams = InitializeRequestParams,
        InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListRootsResult, ListToolsResult, LoggingMessageParams = LoggingMessageNotificationParams,
        ModelHint, ModelPreferences, NumberSchema, PaginatedParams = PaginatedRequestParams,
        ProgressParams = ProgressNotificationParams, Prompt, PromptArgument, PromptMessage,
        PromptReference, ReadResourceParams = ReadResourceRequestParams, ReadResourceResult,
        Resource, ResourceLink, ResourceTemplate, ResourceTemplateReference,
        ResourceUpdatedParams = ResourceUpdatedNotificationParams, Root, SamplingMessage,
        ServerCapabilities, SetLevelParams = SetLevelRequestParams, StringSchema,
        SubscribeParams = SubscribeRequestParams, TextContent, TextResourceContents, Tool,
        ToolAnnotations, UnsubscribeParams = UnsubscribeRequestParams,
    }
}

their_types! {
    V2025_11_25 = rust_mcp_schema_2025_11_25::mcp_2025_11_25 {
        Annotations, AudioContent, BooleanSchema,
        BlobResourceContents, CallToolParams = CallToolRequestParams, CallToolResult,
        CancelTaskResult, CancelledParams = CancelledNotificationParams, ClientCapabilities,
        CompleteParams = CompleteRequestParams, CompleteResult, ContentBlock,
        CreateMessageParams = CreateMessageRequestParams, CreateMessageResult, CreateTaskResult,
        ElicitFormParams = ElicitRequestFormParams, ElicitParams = ElicitRequestParams,
        ElicitResult, ElicitUrlParams = ElicitRequestUrlParams,
        ElicitationCompleteParams = ElicitCompleteParams, EmbeddedResource,
        EmptyResult = Result, GetPromptParams = GetPromptRequestParams,
        GetPromptResult, GetTaskResult, Icon, ImageContent, Implementation,
        InitializeParams = InitializeRequestParams, InitializeResult, LegacyTitledEnumSchema,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListRootsResult, ListTasksResult, ListToolsResult,
        LoggingMessageParams = LoggingMessageNotificationParams,
        ModelHint, ModelPreferences, NotificationParams, NumberSchema,
        PaginatedParams = PaginatedRequestParams,
        ProgressParams = ProgressNotificationParams, Prompt, PromptArgument, PromptMessage,
        PromptReference, ReadResourceParams = ReadResourceRequestParams, ReadResourceResult,
        RelatedTaskMetadata, RequestParams, Resource, ResourceLink, ResourceTemplate,
        ResourceTemplateReference, ResourceUpdatedParams = ResourceUpdatedNotificationParams,
        Root, SamplingMessage, ServerCapabilities, SetLevelParams = SetLevelRequestParams,
        StringSchema, SubscribeParams = SubscribeRequestParams, Task, TaskMetadata,
        TaskParams = GetTaskParams, TaskStatusParams = TaskStatusNotificationParams, TextContent,
        TextResourceContents, TitledMultiSelectEnumSchema, TitledSingleSelectEnumSchema, Tool,
        ToolAnnotations, ToolChoice, ToolExecution, ToolResultContent, ToolUseContent,
        UnsubscribeParams = UnsubscribeRequestParams, UntitledMultiSelectEnumSchema,
        UntitledSingleSelectEnumSchema, UrlElicitationRequiredData = UrlElicitErrorData,
    }
}

their_types! {
    V2026_07_28 = rust_mcp_schema::mcp_2026_07_28 {
        Annotations, AudioContent, BooleanSchema,
        BlobResourceContents, CallToolParams = CallToolRequestParams, CallToolResult,
        CancelledParams = CancelledNotificationParams, ClientCapabilities,
        CompleteParams = CompleteRequestParams, CompleteResult, ContentBlock,
        CreateMessageParams = CreateMessageRequestParams, CreateMessageResult, DiscoverResult,
        ElicitFormParams = ElicitRequestFormParams, ElicitParams = ElicitRequestParams,
        ElicitResult, ElicitUrlParams = ElicitRequestUrlParams, EmbeddedResource,
        EmptyResult = Result, GetPromptParams = GetPromptRequestParams,
        GetPromptResult, Icon, ImageContent, Implementation, InputRequest, InputRequests,
        InputRequiredResult, InputResponse, InputResponses, LegacyTitledEnumSchema,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListRootsResult, ListToolsResult, LoggingMessageParams = LoggingMessageNotificationParams,
        MissingCapabilityData = MissingRequiredClientCapabilityErrorErrorData,
        ModelHint, ModelPreferences, NotificationParams, NumberSchema,
        PaginatedParams = PaginatedRequestParams,
        ProgressParams = ProgressNotificationParams, Prompt, PromptArgument, PromptMessage,
        PromptReference, ReadResourceParams = ReadResourceRequestParams, ReadResourceResult,
        RequestParams, Resource, ResourceLink, ResourceTemplate, ResourceTemplateReference,
        ResourceUpdatedParams = ResourceUpdatedNotificationParams,
        Root, SamplingMessage, ServerCapabilities, StringSchema, SubscriptionFilter,
        SubscriptionsAcknowledgedParams = SubscriptionsAcknowledgedNotificationParams,
        SubscriptionsListenParams = SubscriptionsListenRequestParams, SubscriptionsListenResult,
        TextContent, TextResourceContents, TitledMultiSelectEnumSchema,
        TitledSingleSelectEnumSchema, Tool, ToolAnnotations, ToolChoice, ToolResultContent,
        ToolUseContent, UnsupportedVersionData = UnsupportedProtocolVersionErrorErrorData,
        UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
    }
}

/// How a value may fail to come back the same.
#[derive(Debug)]
enum Loss {
    /// A member of the value gets lost.
    Member(&'static str),
    /// Empty lists get lost.
    EmptyLists,
    /// The value is refused, or taken for another type.
    Whole,
}

/// What theirs loses; the first row that fits counts: the revisions, the types (`*` for any beginning), the loss, and the reason.
const EXCEPTIONS: &[(&[Version], &str, Loss, &str)] = &[
    (
        &[
            Version::V2025_03_26,
            Version::V2025_06_18,
            Version::V2025_11_25,
            Version::V2026_07_28,
        ],
        "Annotations",
        Loss::EmptyLists,
        "lists that may be absent are skipped when empty",
    ),
    (
        &[Version::V2025_11_25, Version::V2026_07_28],
        "TitledMultiSelectEnumSchema",
        Loss::EmptyLists,
        "lists that may be absent are skipped when empty",
    ),
    (
        &[Version::V2025_06_18],
        "NumberSchema",
        Loss::Whole,
        "bounds are generated as whole numbers",
    ),
    (
        &[Version::V2025_06_18],
        "ElicitParams",
        Loss::Whole,
        "bounds are generated as whole numbers",
    ),
    (
        &[Version::V2025_11_25, Version::V2026_07_28],
        "ElicitParams",
        Loss::Whole,
        "choices are taken for plain texts, since the first type that fits wins",
    ),
    (
        &[Version::V2025_11_25, Version::V2026_07_28],
        "ElicitFormParams",
        Loss::Whole,
        "choices are taken for plain texts, since the first type that fits wins",
    ),
    (
        &[Version::V2025_11_25],
        "GetTaskResult",
        Loss::Whole,
        "a `ttl` of `null` is refused where a task is merged into a result",
    ),
    (
        &[
            Version::V2024_11_05,
            Version::V2025_03_26,
            Version::V2025_06_18,
        ],
        "*Params",
        Loss::Member("_meta"),
        "these schemas write `_meta` on the base request only, so the generated types lack it",
    ),
];

#[test]
fn values_pass_through_the_other_model_and_come_back_the_same() {
    let mut passed = 0;
    let mut needed = BTreeSet::new();
    let mut reports = Vec::new();
    for fixture in fixtures::all() {
        let Some(theirs) = their_type(&fixture) else {
            continue;
        };
        passed += 1;
        let Err(report) = round(&fixture, theirs, None) else {
            continue;
        };
        let place = EXCEPTIONS.iter().position(|(versions, name, ..)| {
            let is_named = match name.strip_prefix('*') {
                Some(ending) => fixture.name.ends_with(ending),
                None => fixture.name == *name,
            };
            is_named && versions.contains(&fixture.version)
        });
        match place.map(|place| (place, &EXCEPTIONS[place])) {
            Some((place, (.., loss, _))) if round(&fixture, theirs, Some(loss)).is_ok() => {
                needed.insert(place);
            }
            _ => reports.push((fixture.version, fixture.name, report)),
        }
    }
    assert!(
        passed > 400,
        "only {passed} values had a type on the other side"
    );
    assert!(reports.is_empty(), "{reports:#?}");
    for (place, exception) in EXCEPTIONS.iter().enumerate() {
        assert!(needed.contains(&place), "no longer needed: {exception:?}");
    }
}

fn their_type(fixture: &Fixture) -> Option<Theirs> {
    let table = match &fixture.version {
        version if *version == Version::V2024_11_05 => V2024_11_05,
        version if *version == Version::V2025_03_26 => V2025_03_26,
        version if *version == Version::V2025_06_18 => V2025_06_18,
        version if *version == Version::V2025_11_25 => V2025_11_25,
        _ => V2026_07_28,
    };
    table
        .iter()
        .find(|(name, _)| *name == fixture.name)
        .map(|(_, theirs)| *theirs)
}

/// Ours, theirs, ours, theirs; all JSON texts on the way are the same value, but for the loss.
fn round(fixture: &Fixture, theirs: Theirs, loss: Option<&Loss>) -> Result<(), String> {
    if matches!(loss, Some(Loss::Whole)) {
        return Ok(());
    }
    let ours = table::of(&fixture.name);
    let first = ours(&fixture.value.to_string()).map_err(|error| error.to_string())?;
    let over = theirs(&first.json).map_err(|error| format!("theirs refuses it: {error}"))?;
    let back = ours(&over.to_string()).map_err(|error| format!("ours refuses theirs: {error}"))?;
    let again = theirs(&back.json).map_err(|error| format!("theirs refuses it back: {error}"))?;
    if again != over {
        return Err(format!("theirs changes its mind: {again} from {over}"));
    }
    let back: Value = serde_json::from_str(&back.json).map_err(|error| error.to_string())?;
    let expected = match loss {
        Some(Loss::Member(name)) => without(&fixture.value, &|member, _| member == *name),
        Some(Loss::EmptyLists) => without(&fixture.value, &|_, value| {
            value.as_array().is_some_and(Vec::is_empty)
        }),
        Some(Loss::Whole) | None => fixture.value.clone(),
    };
    if back != expected {
        return Err(format!("comes back as {back}\n    from {}", fixture.value));
    }
    Ok(())
}

/// An object without some of its members.
fn without(value: &Value, is_lost: &dyn Fn(&str, &Value) -> bool) -> Value {
    let Some(members) = value.as_object() else {
        return value.clone();
    };
    let kept = members
        .iter()
        .filter(|(name, member)| !is_lost(name, member));
    Value::Object(
        kept.map(|(name, member)| (name.clone(), member.clone()))
            .collect(),
    )
}
