//! Content blocks as one text.

use std::borrow::Cow;

use mcp_types::{ContentBlock, RawJson, ResourceContents};

use super::keep::Keeper;
use crate::guard::strip_tags;

/// The longest text of a server within a marker, in characters.
const FIELD_LEN_MAX: usize = 200;

/// All blocks as text, joined by line feeds; what is not text becomes a marker.
pub(super) fn text(content: &[ContentBlock], keeper: &mut Keeper<'_>) -> String {
    let parts = content.iter().map(|part| block(part, keeper));
    let parts: Vec<String> = parts.collect();
    let text = parts.join("\n");
    match strip_tags(&text) {
        Cow::Owned(stripped) => stripped,
        Cow::Borrowed(_) => text,
    }
}

/// The text with its middle left out, or `None` if it is short enough.
///
/// The beginning gets two thirds of the room: most results begin with what matters, and logs end
/// with it. `whole` tells where the whole text is kept.
pub(super) fn cut(
    text: &str,
    len_max: usize,
    whole: impl FnOnce() -> Option<String>,
) -> Option<String> {
    // A text has at most as many characters as bytes.
    if text.len() <= len_max {
        return None;
    }
    let len = text.chars().count();
    if len <= len_max {
        return None;
    }
    let tail_len = len_max / 3;
    let head_len = len_max.saturating_sub(tail_len);
    let left_out = len.saturating_sub(len_max);
    let head: String = text.chars().take(head_len).collect();
    let tail: String = text.chars().skip(len.saturating_sub(tail_len)).collect();
    let whole = whole().map_or_else(String::new, |path| format!("; the whole text is in {path}"));
    Some(format!(
        "{head}\n[… {left_out} of {len} characters left out{whole} …]\n{tail}"
    ))
}

fn block(block: &ContentBlock, keeper: &mut Keeper<'_>) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => Marker::new("image")
            .field(&image.mime_type)
            .decoded(&image.data)
            .optional(keeper.decoded(&image.data, &image.mime_type).as_deref())
            .end(),
        ContentBlock::Audio(audio) => Marker::new("audio")
            .field(&audio.mime_type)
            .decoded(&audio.data)
            .optional(keeper.decoded(&audio.data, &audio.mime_type).as_deref())
            .end(),
        ContentBlock::ResourceLink(link) => {
            let marker = Marker::new("resource link")
                .field(&link.uri)
                .field(&link.name);
            let marker = marker.optional(link.mime_type.as_deref());
            let size = link.size.map(|size| format!("{size} bytes"));
            marker.optional(size.as_deref()).end()
        }
        ContentBlock::Resource(embedded) => resource(&embedded.resource, keeper),
        ContentBlock::ToolUse(tool_use) => Marker::new("tool use").field(&tool_use.name).end(),
        ContentBlock::ToolResult(result) => {
            let kinds: Vec<&str> = result.content.iter().map(ContentBlock::kind).collect();
            Marker::new("tool result").field(&kinds.join(" ")).end()
        }
        ContentBlock::Unknown { kind, raw } => Marker::new("content").field(kind).about(raw).end(),
        other => Marker::new("content").field(other.kind()).end(),
    }
}

fn resource(contents: &ResourceContents, keeper: &mut Keeper<'_>) -> String {
    match contents {
        ResourceContents::Text(text) => text.text.clone(),
        ResourceContents::Blob(blob) => {
            let media_type = blob.mime_type.as_deref();
            let kept = keeper.decoded(&blob.blob, media_type.unwrap_or_default());
            let marker = Marker::new("resource").field(&blob.uri);
            marker
                .optional(media_type)
                .decoded(&blob.blob)
                .optional(kept.as_deref())
                .end()
        }
        ResourceContents::Unknown(raw) => Marker::new("resource").about(raw).end(),
        other => Marker::new("resource").optional(other.uri()).end(),
    }
}

/// A text in brackets that stands for something that is not text.
struct Marker {
    text: String,
    is_first: bool,
}

impl Marker {
    fn new(kind: &str) -> Self {
        Self {
            text: format!("[{kind}"),
            is_first: true,
        }
    }

    /// Adds a text of the server, on one line and of bounded length.
    fn field(mut self, field: &str) -> Self {
        if field.is_empty() {
            return self;
        }
        self.text.push_str(if self.is_first { ": " } else { ", " });
        self.is_first = false;
        let plain = |char: char| if char.is_control() { ' ' } else { char };
        self.text
            .extend(field.chars().take(FIELD_LEN_MAX).map(plain));
        if field.chars().nth(FIELD_LEN_MAX).is_some() {
            self.text.push('…');
        }
        self
    }

    fn optional(self, field: Option<&str>) -> Self {
        match field {
            Some(field) => self.field(field),
            None => self,
        }
    }

    /// Adds how many bytes a text in base64 stands for.
    fn decoded(self, base64: &str) -> Self {
        let digits = base64
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=');
        let bytes = digits.count().saturating_mul(3) / 4;
        self.field(&format!("{bytes} bytes"))
    }

    /// Adds what an unknown block says of itself, and its size.
    fn about(self, raw: &RawJson) -> Self {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct About {
            uri: Option<String>,
            name: Option<String>,
            mime_type: Option<String>,
        }
        let size = format!("{} characters of JSON", raw.as_str().chars().count());
        match raw.decode::<About>() {
            Ok(about) => self
                .optional(about.uri.as_deref())
                .optional(about.name.as_deref())
                .optional(about.mime_type.as_deref())
                .field(&size),
            Err(_shape) => self.field(&size),
        }
    }

    fn end(mut self) -> String {
        self.text.push(']');
        self.text
    }
}
