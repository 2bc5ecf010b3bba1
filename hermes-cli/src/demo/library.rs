//! The resources and prompts of the demo server.

use mcp_types::content::{BlobResourceContents, TextResourceContents};
use mcp_types::prompt::{PromptArgument, PromptMessage};
use mcp_types::{
    ContentBlock, GetPromptParams, GetPromptResult, Prompt, ReadResourceResult, Resource,
    ResourceTemplate, Role,
};

const GREETING: &str = "demo://greeting";
const PIXEL: &str = "demo://pixel";

/// What stands before the text in an address of the template.
const ECHO: &str = "demo://echo/";

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(super) fn resources() -> Vec<Resource> {
    let one = |uri: &str, name: &str, kind: &str, about: &str| {
        let mut resource = Resource::new(uri, name);
        resource.mime_type = Some(kind.to_owned());
        resource.description = Some(about.to_owned());
        resource
    };
    vec![
        one(GREETING, "greeting", "text/plain", "A text."),
        one(PIXEL, "pixel", "image/png", "A picture of one pixel."),
    ]
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let mut echo = ResourceTemplate::new(format!("{ECHO}{{text}}"), "echo");
    echo.mime_type = Some("text/plain".to_owned());
    echo.description = Some("Whatever stands in its address.".to_owned());
    vec![echo]
}

/// Reads a resource; `None` if there is none of this address.
pub(super) fn read(uri: &str) -> Option<ReadResourceResult> {
    let text = |text: &str| TextResourceContents::new(uri, text).with_mime_type("text/plain");
    let contents = match uri {
        GREETING => text("Hello from the demo server.\n").into(),
        PIXEL => BlobResourceContents::new(uri, PNG)
            .with_mime_type("image/png")
            .into(),
        _ => text(uri.strip_prefix(ECHO)?).into(),
    };
    Some(ReadResourceResult::new(vec![contents]))
}

pub(super) fn prompts() -> Vec<Prompt> {
    let mut name = PromptArgument::new("name");
    name.description = Some("Who is greeted".to_owned());
    name.required = Some(true);
    let mut tone = PromptArgument::new("tone");
    tone.description = Some("How".to_owned());
    let mut greet = Prompt::new("greet");
    greet.description = Some("Asks for a greeting.".to_owned());
    greet.arguments = Some(vec![name, tone]);
    vec![greet]
}

/// Fills a prompt in.
///
/// # Errors
///
/// If there is none of this name, or if an argument is missing.
pub(super) fn fill(params: &GetPromptParams) -> Result<GetPromptResult, String> {
    if params.name != "greet" {
        return Err(format!("Unknown prompt: {}", params.name));
    }
    let arguments = params.arguments.as_ref();
    let given = |name: &str| arguments.and_then(|arguments| arguments.get(name));
    let name = given("name").ok_or("Missing argument: name")?;
    let tone = given("tone").map_or_else(String::new, |tone| format!(", in a tone that is {tone}"));
    let text = ContentBlock::text(format!("Greet {name}{tone}."));
    Ok(GetPromptResult::new(vec![PromptMessage::new(
        Role::User,
        text,
    )]))
}
