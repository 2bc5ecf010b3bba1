//! Tools that are made here of what else a server has, so that a model reaches its resources, its
//! prompts and its completions.
//!
//! | tool | takes | gives |
//! |---|---|---|
//! | `list_resources` | | `{"resources": [{"uri", "name", …}]}` |
//! | `read_resource` | `uri` | the texts; what is not text as a marker or a file |
//! | `list_resource_templates` | | `{"resourceTemplates": [{"uriTemplate", "name", …}]}` |
//! | `list_prompts` | | `{"prompts": [{"name", "arguments", …}]}` |
//! | `get_prompt` | `name`, `arguments` | `{"description", "messages": [{"role", "content"}]}` |
//! | `complete` | `prompt` or `uri`, `argument`, `value`, `filled_in` | `{"values", "total", "hasMore"}` |
//!
//! They are offered only where the server says that it has such things and the configuration lets
//! them through, and a tool of the server with such a name goes before them.
//! `request` reads their arguments, `answer` writes their results; sending is left to the registry.

mod answer;
mod offer;
mod request;

use std::fmt;

pub(crate) use answer::{Listed, completion, list, prompt, resource, warnings};
pub(crate) use offer::offered;
pub(crate) use request::Request;

/// A tool that is made here of something else that a server has.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Utility {
    /// Completes an argument of a prompt or of a template.
    Complete,
    /// Gets a prompt, filled in.
    GetPrompt,
    /// Lists the prompts.
    ListPrompts,
    /// Lists the templates of resources.
    ListResourceTemplates,
    /// Lists the resources.
    ListResources,
    /// Reads a resource.
    ReadResource,
}

impl Utility {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Complete,
        Self::GetPrompt,
        Self::ListPrompts,
        Self::ListResourceTemplates,
        Self::ListResources,
        Self::ReadResource,
    ];

    /// The name that stands where that of a tool of the server would.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::GetPrompt => "get_prompt",
            Self::ListPrompts => "list_prompts",
            Self::ListResourceTemplates => "list_resource_templates",
            Self::ListResources => "list_resources",
            Self::ReadResource => "read_resource",
        }
    }
}

impl fmt::Display for Utility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
