//! The vocabulary of the Model Context Protocol, all five revisions, as one neutral model.
//!
//! Types are named as in the schema and hold the union of what the revisions know; each member
//! says since when it exists. What a peer sends is read leniently and kept whole: schemas,
//! arguments and structured results stay [`RawJson`], unknown members stay in `extra`, and one bad
//! item of a list becomes a [`Diagnostic`] beside the good ones.
//!
//! ```
//! use mcp_types::Decode as _;
//! use mcp_types::tool::CallToolResult;
//!
//! let json = r#"{"content":[{"type":"text","text":"hi"}],"structuredContent":null}"#;
//! let result = CallToolResult::decode(json)?.value;
//! assert_eq!(result.content[0].as_text(), Some("hi"));
//! assert!(result.structured_content.is_some_and(|value| value.is_null()));
//! # Ok::<(), mcp_types::DecodeError>(())
//! ```
//!
//! The crate knows no transport, no clock and no session. Messages around these values are
//! `mcp-jsonrpc`'s, and what to say when is `mcp-client`'s.
//!
//! # Reading order
//!
//! | module | page of the specification |
//! |---|---|
//! | [`version`], [`method`] | versioning; which revision has which method |
//! | [`raw`], [`map`], [`meta`], [`token`] | what passes through without being understood |
//! | [`decode`] | how values are read, and what is said about bad parts |
//! | [`capability`], [`lifecycle`] | who takes part, and how it begins |
//! | [`content`] | what tools, prompts and models say |
//! | [`tool`], [`resource`], [`prompt`], [`completion`], [`log`] | what servers offer |
//! | [`sampling`], [`elicitation`], [`root`], [`input`] | what servers ask |
//! | [`progress`], [`cancel`], [`page`], [`cache`], [`subscription`], [`task`] | what goes with requests |
//! | [`result`], [`error`] | what all results share; data of errors |

#[macro_use]
mod wire;

pub mod cache;
pub mod cancel;
pub mod capability;
pub mod completion;
pub mod content;
pub mod decode;
pub mod elicitation;
pub mod error;
pub mod input;
pub mod lifecycle;
pub mod log;
pub mod map;
pub mod meta;
pub mod method;
pub mod nullable;
pub mod page;
pub mod progress;
pub mod prompt;
pub mod raw;
pub mod resource;
pub mod result;
pub mod root;
pub mod sampling;
pub mod subscription;
pub mod task;
pub mod token;
pub mod tool;
pub mod version;

pub use cache::{CacheScope, Cacheable};
pub use cancel::CancelledParams;
pub use capability::{
    ClientCapabilities, ElicitationCapability, Icon, Implementation, RootsCapability,
    SamplingCapability, ServerCapabilities,
};
pub use completion::{CompleteParams, CompleteResult};
pub use content::{Annotations, ContentBlock, ResourceContents, Role};
pub use decode::{Decode, DecodeError, Decoded, Diagnostic};
pub use elicitation::{ElicitAction, ElicitParams, ElicitResult};
pub use error::{MissingCapabilityData, UnsupportedVersionData, UrlElicitationRequiredData};
pub use input::{
    InputAsk, InputRequest, InputRequests, InputRequiredResult, InputResponse, InputResponses,
};
pub use lifecycle::{
    DiscoverParams, DiscoverResult, InitializeParams, InitializeResult, NotificationParams,
    RequestParams,
};
pub use log::{LoggingLevel, LoggingMessageParams, SetLevelParams};
pub use map::{Extra, OrderedMap};
pub use meta::Meta;
pub use nullable::Nullable;
pub use page::{Page, PaginatedParams};
pub use progress::ProgressParams;
pub use prompt::{GetPromptParams, GetPromptResult, ListPromptsResult, Prompt};
pub use raw::RawJson;
pub use resource::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult,
    Resource, ResourceTemplate, ResourceUpdatedParams, SubscribeParams, UnsubscribeParams,
};
pub use result::{EmptyResult, ResultObject, ResultType};
pub use root::{ListRootsResult, Root};
pub use sampling::{CreateMessageParams, CreateMessageResult, SamplingContent, SamplingMessage};
pub use subscription::{
    SubscriptionFilter, SubscriptionsAcknowledgedParams, SubscriptionsListenParams,
    SubscriptionsListenResult,
};
pub use task::{CreateTaskResult, Task, TaskMetadata};
pub use token::Token;
pub use tool::{CallToolParams, CallToolResult, ListToolsResult, Tool, ToolAnnotations};
pub use version::Version;
