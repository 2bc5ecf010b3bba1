//! Content: what tools return, what prompts say, what models read and write.
//!
//! Base64 is neither decoded nor checked here, and links are not followed.

mod block;
mod kinds;
mod resource;

pub use block::ContentBlock;
pub use kinds::{
    Annotations, AudioContent, EmbeddedResource, ImageContent, ResourceLink, Role, TextContent,
    ToolResultContent, ToolUseContent,
};
pub use resource::{BlobResourceContents, ResourceContents, TextResourceContents};
