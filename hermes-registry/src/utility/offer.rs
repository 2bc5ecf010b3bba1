//! Which utilities a server gives rise to, and how a model is told of them.

use mcp_types::{RawJson, ServerCapabilities, Tool, ToolAnnotations, Version};

use super::Utility;
use crate::config::ServerConfig;

/// The utilities of a server, with their definitions.
///
/// One whose name is that of a tool of the server is left out, whether or not that tool is offered:
/// what was filtered out must not come back as something else.
pub(crate) fn offered<'t>(
    server: &ServerConfig,
    capabilities: &ServerCapabilities,
    version: &Version,
    tools: impl Iterator<Item = &'t str> + Clone,
) -> Vec<(Utility, Tool)> {
    let has_resources = server.offers_resources() && capabilities.resources.is_some();
    let has_prompts = server.offers_prompts() && capabilities.prompts.is_some();
    // Spec: COMP-01. The first revision had completions and no way to say so, so that a server
    // which has none would be asked for them; it is not worth that.
    let has_completions = capabilities.completions.is_some() && *version != Version::V2024_11_05;
    let is_possible = |utility: &Utility| match utility {
        Utility::Complete => has_completions && (has_resources || has_prompts),
        Utility::GetPrompt | Utility::ListPrompts => has_prompts,
        Utility::ListResourceTemplates | Utility::ListResources | Utility::ReadResource => {
            has_resources
        }
    };
    let is_free = |utility: &Utility| !tools.clone().any(|tool| tool == utility.name());
    Utility::ALL
        .into_iter()
        .filter(|utility| is_possible(utility) && is_free(utility))
        .map(|utility| (utility, definition(utility, server.name().as_str())))
        .collect()
}

fn definition(utility: Utility, server: &str) -> Tool {
    let (description, schema) = match utility {
        Utility::Complete => (
            "Completes an argument of a prompt or of a resource template of",
            r#"{"type":"object","properties":{"prompt":{"type":"string","description":"The prompt whose argument it is"},"uri":{"type":"string","description":"The resource template whose argument it is, in place of a prompt"},"argument":{"type":"string","description":"The name of the argument"},"value":{"type":"string","description":"What there is of its value so far"},"filled_in":{"type":"object","description":"The values of other arguments, by their names","additionalProperties":{"type":"string"}}},"required":["argument","value"]}"#,
        ),
        Utility::GetPrompt => (
            "Gets a prompt, filled in, of",
            r#"{"type":"object","properties":{"name":{"type":"string","description":"The name of the prompt"},"arguments":{"type":"object","description":"The values of its arguments, by their names"}},"required":["name"]}"#,
        ),
        Utility::ListPrompts => (
            "Lists the prompts, with their arguments, of",
            r#"{"type":"object","properties":{}}"#,
        ),
        Utility::ListResourceTemplates => (
            "Lists the templates from which addresses of resources are made, of",
            r#"{"type":"object","properties":{}}"#,
        ),
        Utility::ListResources => (
            "Lists the resources that can be read, of",
            r#"{"type":"object","properties":{}}"#,
        ),
        Utility::ReadResource => (
            "Reads a resource of",
            r#"{"type":"object","properties":{"uri":{"type":"string","description":"The address of the resource"}},"required":["uri"]}"#,
        ),
    };
    let schema = RawJson::parse(schema).unwrap_or_else(|_never| RawJson::empty_object());
    let mut tool = Tool::new(utility.name(), schema);
    tool.description = Some(format!("{description} the MCP server `{server}`"));
    let mut hints = ToolAnnotations::new();
    hints.read_only_hint = Some(true);
    tool.annotations = Some(hints);
    tool
}
