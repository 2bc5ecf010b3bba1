//! What a model sees of resources, prompts and completions.
//!
//! Lists are told without pictures and open data, which cost a model's attention and tell it
//! nothing.

use mcp_client::Listing;
use mcp_types::content::EmbeddedResource;
use mcp_types::{
    CallToolResult, CompleteResult, ContentBlock, Diagnostic, GetPromptResult, Prompt, RawJson,
    ReadResourceResult, Resource, ResourceTemplate,
};

use crate::guard::strip_tags;
use crate::json::{Json, Members};

/// Something of which a list is told.
pub(crate) trait Listed {
    /// The member that holds the list.
    const LIST: &'static str;

    fn row(&self) -> Json;
}

impl Listed for Resource {
    const LIST: &'static str = "resources";

    fn row(&self) -> Json {
        let size = self.size.map(|size| Json::Plain(size.to_string().into()));
        row([
            ("uri", text(&self.uri)),
            ("name", text(&self.name)),
            ("title", optional(self.title.as_deref())),
            ("description", optional(self.description.as_deref())),
            ("mimeType", optional(self.mime_type.as_deref())),
            ("size", size),
        ])
    }
}

impl Listed for ResourceTemplate {
    const LIST: &'static str = "resourceTemplates";

    fn row(&self) -> Json {
        row([
            ("uriTemplate", text(&self.uri_template)),
            ("name", text(&self.name)),
            ("title", optional(self.title.as_deref())),
            ("description", optional(self.description.as_deref())),
            ("mimeType", optional(self.mime_type.as_deref())),
        ])
    }
}

impl Listed for Prompt {
    const LIST: &'static str = "prompts";

    fn row(&self) -> Json {
        let arguments = self.arguments.iter().flatten().map(|argument| {
            let required = argument.required.map(Json::bool);
            row([
                ("name", text(&argument.name)),
                ("title", optional(argument.title.as_deref())),
                ("description", optional(argument.description.as_deref())),
                ("required", required),
            ])
        });
        let arguments: Vec<Json> = arguments.collect();
        row([
            ("name", text(&self.name)),
            ("title", optional(self.title.as_deref())),
            ("description", optional(self.description.as_deref())),
            (
                "arguments",
                (!arguments.is_empty()).then_some(Json::List(arguments)),
            ),
        ])
    }
}

/// A list, as far as it fits into so many characters; what does not is counted as `omitted`.
pub(crate) fn list<T: Listed>(
    listing: &Listing<T>,
    is_permitted: impl Fn(&T) -> bool,
    len_max: usize,
) -> CallToolResult {
    let (mut rows, mut omitted) = (Vec::new(), 0_usize);
    // Room for what stands around the rows.
    let mut room = len_max.saturating_sub(100);
    for item in listing.items.iter().filter(|item| is_permitted(item)) {
        let row = item.row();
        let len = row.dense().chars().count().saturating_add(1);
        match room.checked_sub(len) {
            Some(left) if omitted == 0 => {
                room = left;
                rows.push(row);
            }
            _ => omitted += 1,
        }
    }
    let omitted = (omitted > 0).then(|| Json::Plain(omitted.to_string().into()));
    structured(row([
        (T::LIST, Some(Json::List(rows))),
        ("omitted", omitted),
    ]))
}

/// A prompt; what is not text stays as it is.
pub(crate) fn prompt(result: &GetPromptResult) -> CallToolResult {
    let messages = result.messages.iter().map(|message| {
        let content = match message.content.as_text() {
            Some(said) => text(said),
            None => RawJson::from_value(&message.content)
                .ok()
                .map(|raw| Json::Plain(raw.as_str().into())),
        };
        let role = text(message.role.as_str());
        row([("role", role), ("content", content)])
    });
    let messages = Json::List(messages.collect());
    structured(row([
        ("description", optional(result.description.as_deref())),
        ("messages", Some(messages)),
    ]))
}

/// What could be meant.
pub(crate) fn completion(result: &CompleteResult) -> CallToolResult {
    let completion = &result.completion;
    let values = completion.values.iter().filter_map(|value| text(value));
    let total = completion
        .total
        .map(|total| Json::Plain(total.to_string().into()));
    structured(row([
        ("values", Some(Json::List(values.collect()))),
        ("total", total),
        ("hasMore", completion.has_more.map(Json::bool)),
    ]))
}

/// The contents of a resource, as if a tool had embedded them.
pub(crate) fn resource(result: ReadResourceResult) -> CallToolResult {
    let contents = result.contents.into_iter();
    let blocks = contents.map(|contents| ContentBlock::from(EmbeddedResource::new(contents)));
    CallToolResult::new(blocks.collect())
}

/// What was wrong with parts of a list, for people and models.
pub(crate) fn warnings(diagnostics: &[Diagnostic], is_cut: bool) -> Vec<String> {
    /// Bound: a list of ten thousand bad items says no more than ten of them.
    const TOLD_MAX: usize = 10;
    let told = diagnostics.iter().take(TOLD_MAX).map(ToString::to_string);
    let more = diagnostics.len().saturating_sub(TOLD_MAX);
    let more = (more > 0).then(|| format!("{more} more items could not be read"));
    let cut = is_cut.then(|| "the list is not complete: the server has too much".to_owned());
    told.chain(more).chain(cut).collect()
}

fn text(text: &str) -> Option<Json> {
    Some(Json::Text(strip_tags(text).into_owned()))
}

fn optional(optional: Option<&str>) -> Option<Json> {
    optional.filter(|said| !said.is_empty()).and_then(text)
}

fn row<const N: usize>(members: [(&str, Option<Json>); N]) -> Json {
    let members = members.into_iter();
    let members = members.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Json::Object(Members(members.collect()))
}

fn structured(json: Json) -> CallToolResult {
    let mut result = CallToolResult::default();
    result.structured_content = RawJson::parse(json.dense()).ok();
    result
}
