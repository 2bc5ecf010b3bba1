//! The kinds of content, each with its fields.

use crate::capability::Icon;
use crate::content::{ContentBlock, ResourceContents};
use crate::map::Extra;
use crate::meta::Meta;
use crate::raw::RawJson;

/// Who speaks, or whom something is for.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! { Role { User = "user", Assistant = "assistant" } }

/// How a client may use something. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Annotations {
    /// Whom it is for.
    pub audience: Option<Vec<Role>>,
    /// How much it matters, from 0 (may be left out) to 1 (must be there).
    pub priority: Option<f64>,
    /// When it changed, in ISO 8601. Since 2025-06-18.
    pub last_modified: Option<String>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! {
    Annotations {
        Optional audience = "audience",
        Optional priority = "priority",
        Optional last_modified = "lastModified",
    }
}

/// A text. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// How it may be used.
    pub annotations: Option<Annotations>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl TextContent {
    /// A text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            annotations: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    TextContent tag "type" = "text" {
        Required text = "text",
        Optional annotations = "annotations",
        Optional meta = "_meta",
    }
}

/// A picture. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImageContent {
    /// The bytes in base64.
    pub data: String,
    /// The media type.
    pub mime_type: String,
    /// How it may be used.
    pub annotations: Option<Annotations>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ImageContent {
    /// A picture from base64 text and a media type.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    ImageContent tag "type" = "image" {
        Required data = "data",
        Required mime_type = "mimeType",
        Optional annotations = "annotations",
        Optional meta = "_meta",
    }
}

/// A sound. Since 2025-03-26.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AudioContent {
    /// The bytes in base64.
    pub data: String,
    /// The media type.
    pub mime_type: String,
    /// How it may be used.
    pub annotations: Option<Annotations>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl AudioContent {
    /// A sound from base64 text and a media type.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    AudioContent tag "type" = "audio" {
        Required data = "data",
        Required mime_type = "mimeType",
        Optional annotations = "annotations",
        Optional meta = "_meta",
    }
}

/// The contents of a resource, in place. All revisions; not in sampling.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// The contents.
    pub resource: ResourceContents,
    /// How it may be used.
    pub annotations: Option<Annotations>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl EmbeddedResource {
    /// Contents in place.
    pub fn new(resource: impl Into<ResourceContents>) -> Self {
        Self {
            resource: resource.into(),
            annotations: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    EmbeddedResource tag "type" = "resource" {
        Required resource = "resource",
        Optional annotations = "annotations",
        Optional meta = "_meta",
    }
}

/// A link to a resource, which the server's list need not have. Since 2025-06-18; not in sampling.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceLink {
    /// Where it is.
    pub uri: String,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The media type.
    pub mime_type: Option<String>,
    /// The size in bytes before any encoding.
    pub size: Option<i64>,
    /// How it may be used.
    pub annotations: Option<Annotations>,
    /// Its pictures. Since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ResourceLink {
    /// A link with the name of what it leads to.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    ResourceLink tag "type" = "resource_link" {
        Required uri = "uri",
        Required name = "name",
        Optional title = "title",
        Optional description = "description",
        Optional mime_type = "mimeType",
        Optional size = "size",
        Optional annotations = "annotations",
        Optional icons = "icons",
        Optional meta = "_meta",
    }
}

/// A model's wish to use a tool. Since 2025-11-25; in sampling only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolUseContent {
    /// What the result refers to.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, an object.
    pub input: RawJson,
    /// Open data, to be sent back as it is.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ToolUseContent {
    /// A wish with its id, the tool and the arguments.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: RawJson) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    ToolUseContent tag "type" = "tool_use" {
        Required id = "id",
        Required name = "name",
        Required input = "input",
        Optional meta = "_meta",
    }
}

/// What a tool returned to a model. Since 2025-11-25; in sampling only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolResultContent {
    /// The id of the wish.
    pub tool_use_id: String,
    /// The result for people and models.
    pub content: Vec<ContentBlock>,
    /// The result for programs: an object in 2025-11-25, any value since 2026-07-28, where `null`
    /// is one.
    pub structured_content: Option<RawJson>,
    /// Whether the tool failed.
    pub is_error: Option<bool>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ToolResultContent {
    /// The result of a wish.
    pub fn new(tool_use_id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content,
            ..Self::default()
        }
    }
}

wire_object! {
    ToolResultContent tag "type" = "tool_result" {
        Required tool_use_id = "toolUseId",
        List content = "content",
        Raw structured_content = "structuredContent",
        Optional is_error = "isError",
        Optional meta = "_meta",
    }
}
