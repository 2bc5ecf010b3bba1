//! What a model gets to see of a tool's result: one JSON object.
//!
//! | the result has | the model sees |
//! |---|---|
//! | text | `{"result": "text"}`, blocks joined by line feeds |
//! | text and another `structuredContent` | `{"result": "text", "structuredContent": …}` |
//! | `structuredContent` only, or equal to a text | `{"result": …}` once |
//! | neither | `{"result": ""}` |
//! | `isError` | `{"error": {"code": "tool_error", "message": "text", …}}`, redacted |
//!
//! Structured content is passed on as the text it came as, so that long numbers and the order of
//! members survive.
//! What is not text becomes a short marker in brackets with type, media type, address and size.
//! Members of `_meta` that are not the protocol's own are kept.
//! `warnings`, a list of texts, says what was odd about a result that is shown all the same.
//! What is longer than [`OutcomeLimits`] allows is cut in the middle, and says so.
//! Where there is a folder for that, whole texts, pictures, sound and other bytes are kept in files,
//! and the markers tell where.

mod equal;
mod folder;
mod keep;
mod render;

#[cfg(test)]
mod tests;

pub use folder::{BYTES_MAX, FILES_MAX, ResultsFolder};
use keep::Keeper;
pub use keep::{KEPT_LEN_MAX, Keep, KeptFile};
use mcp_transport::redact::Redactor;
use mcp_types::{CallToolResult, Meta, RawJson};
use serde::Serialize;

/// The text of an error for which the tool gives none.
const ERROR_DEFAULT: &str = "MCP tool returned an error";

/// How much of a result a model gets, in characters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct OutcomeLimits {
    /// Of all text together; 50,000 by default, more than most models' turns can bear.
    pub text_len_max: usize,
    /// Of structured content; 50,000 by default.
    pub structured_len_max: usize,
    /// Of the text of an error; 4,000 by default.
    pub error_len_max: usize,
    /// Of `_meta`; 4,000 by default.
    pub meta_len_max: usize,
}

impl Default for OutcomeLimits {
    fn default() -> Self {
        Self {
            text_len_max: 50_000,
            structured_len_max: 50_000,
            error_len_max: 4_000,
            meta_len_max: 4_000,
        }
    }
}

/// A tool's result as a model sees it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// A JSON object with the member `result` or `error`.
    pub json: String,
    /// Whether the tool reported an error.
    pub is_error: bool,
    /// Whether something was too long and has been cut or left out.
    pub truncated: bool,
    /// What was kept in files, in the order of the result; `json` tells where they are.
    pub files: Vec<KeptFile>,
}

impl Outcome {
    /// What a model sees of this result.
    ///
    /// `redactor` is applied to the text of an error only: results are never rewritten.
    #[must_use]
    pub fn new(result: &CallToolResult, limits: &OutcomeLimits, redactor: &Redactor) -> Self {
        Self::made(result, limits, redactor, &mut Keeper::new(None))
    }

    /// The same, and what does not fit is kept; `keep` may block for a moment.
    #[must_use]
    pub fn keeping(
        result: &CallToolResult,
        limits: &OutcomeLimits,
        redactor: &Redactor,
        keep: &dyn Keep,
    ) -> Self {
        Self::made(result, limits, redactor, &mut Keeper::new(Some(keep)))
    }

    fn made(
        result: &CallToolResult,
        limits: &OutcomeLimits,
        redactor: &Redactor,
        keeper: &mut Keeper<'_>,
    ) -> Self {
        let mut outcome = if result.failed() {
            Self::error(result, limits, redactor, keeper)
        } else {
            Self::success(result, limits, keeper)
        };
        outcome.files = std::mem::take(&mut keeper.files);
        outcome
    }

    /// What is left of a result when the runtime ends while it is written.
    pub(crate) fn lost() -> Self {
        let error = ModelError {
            code: "internal",
            message: "the host is ending",
            suggestion: None,
            retryable: false,
            outcome_uncertain: true,
            server: None,
            retry_after_seconds: None,
        };
        Self {
            json: error.to_json(),
            is_error: true,
            truncated: false,
            files: Vec::new(),
        }
    }

    /// The same with a member `warnings`: what the host found odd about a result that is shown all
    /// the same.
    #[must_use]
    pub fn with_warnings(mut self, warnings: &[String]) -> Self {
        // Each outcome is one object with a member at least.
        if !warnings.is_empty() && self.json.pop() == Some('}') {
            self.json.push_str(",\"warnings\":");
            self.json.push_str(&to_json(warnings));
            self.json.push('}');
        }
        self
    }

    fn error(
        result: &CallToolResult,
        limits: &OutcomeLimits,
        redactor: &Redactor,
        keeper: &mut Keeper<'_>,
    ) -> Self {
        let mut text = render::text(&result.content, keeper);
        if text.trim().is_empty() {
            text = match &result.structured_content {
                Some(structured) if !structured.is_null() => structured.as_str().to_owned(),
                _ => ERROR_DEFAULT.to_owned(),
            };
        }
        // A secret is looked for before the text is cut, as half of one is not recognised.
        let text = redactor.redact(&text);
        let cut = render::cut(&text, limits.error_len_max, || {
            keeper.text(&text, "text/plain")
        });
        let error = ModelError {
            code: "tool_error",
            message: cut.as_deref().unwrap_or(&text),
            suggestion: None,
            retryable: false,
            outcome_uncertain: false,
            server: None,
            retry_after_seconds: None,
        };
        Self {
            json: error.to_json(),
            is_error: true,
            truncated: cut.is_some(),
            files: Vec::new(),
        }
    }

    fn success(result: &CallToolResult, limits: &OutcomeLimits, keeper: &mut Keeper<'_>) -> Self {
        let text = render::text(&result.content, keeper);
        let structured = result.structured_content.as_ref();
        let is_repeated = |structured: &RawJson| {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            texts
                .into_iter()
                .any(|text| equal::equal(text, structured.as_str()))
        };
        let meta = result.meta.as_ref().and_then(own_meta);
        let mut truncated = false;
        let success = match structured {
            // Without any usable text the structured content is the result.
            Some(structured) if text.trim().is_empty() => {
                let json = structured.as_str();
                let whole = || keeper.text(json, "application/json");
                let cut = render::cut(json, limits.structured_len_max, whole);
                truncated |= cut.is_some();
                let result = cut.map_or(Body::Raw(structured), Body::Text);
                Success {
                    result,
                    structured: None,
                    meta: None,
                }
            }
            structured => {
                let whole = || keeper.text(&text, "text/plain");
                let cut = render::cut(&text, limits.text_len_max, whole);
                truncated |= cut.is_some();
                let structured = structured.filter(|structured| !is_repeated(structured));
                let structured = structured.map(|structured| {
                    let whole = || keeper.text(structured.as_str(), "application/json");
                    bounded(structured, limits.structured_len_max, &mut truncated, whole)
                });
                Success {
                    result: Body::Text(cut.unwrap_or(text)),
                    structured,
                    meta: None,
                }
            }
        };
        let meta = meta
            .as_ref()
            .map(|meta| bounded(meta, limits.meta_len_max, &mut truncated, || None));
        let json = to_json(&Success { meta, ..success });
        Self {
            json,
            is_error: false,
            truncated,
            files: Vec::new(),
        }
    }
}

/// An error as a model sees it.
#[derive(Serialize)]
pub(crate) struct ModelError<'a> {
    pub(crate) code: &'static str,
    pub(crate) message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggestion: Option<&'a str>,
    pub(crate) retryable: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) outcome_uncertain: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<&'a str>,
    /// Whole seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after_seconds: Option<u64>,
}

impl ModelError<'_> {
    pub(crate) fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Envelope<'a> {
            error: &'a ModelError<'a>,
        }
        to_json(&Envelope { error: self })
    }
}

#[derive(Serialize)]
struct Success<'a> {
    result: Body<'a>,
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    structured: Option<Body<'a>>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Body<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body<'a> {
    Raw(&'a RawJson),
    Text(String),
}

/// The value as it is, or how much was left out and where it is kept: half of a JSON text is of no
/// use.
fn bounded<'a>(
    raw: &'a RawJson,
    len_max: usize,
    truncated: &mut bool,
    whole: impl FnOnce() -> Option<String>,
) -> Body<'a> {
    let len = raw.as_str().chars().count();
    if len <= len_max {
        return Body::Raw(raw);
    }
    *truncated = true;
    let whole = whole().map_or_else(String::new, |path| format!("; they are in {path}"));
    Body::Text(format!("[left out: {len} characters of JSON{whole}]"))
}

/// The members of `_meta` that are not the protocol's own, if there are any.
fn own_meta(meta: &Meta) -> Option<RawJson> {
    let members: Vec<String> = meta
        .iter()
        .filter(|(name, _)| !is_reserved(name))
        .map(|(name, value)| format!("{}:{}", to_json(name), value.as_str()))
        .collect();
    let object = (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))?;
    RawJson::parse(object).ok()
}

/// Whether a member name of `_meta` belongs to the protocol: it has no prefix and is one of the
/// protocol's, or a label of its prefix is `modelcontextprotocol` or `mcp`.
fn is_reserved(name: &str) -> bool {
    match name.split_once('/') {
        Some((prefix, _)) => prefix
            .split('.')
            .any(|label| matches!(label, "modelcontextprotocol" | "mcp")),
        None => matches!(
            name,
            "progressToken" | "traceparent" | "tracestate" | "baggage"
        ),
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// Writes a value whose parts all have a JSON form.
fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    // Texts, booleans and finished JSON are all there is, and none of these can be refused.
    serde_json::to_string(value).unwrap_or_else(|_never| {
        r#"{"error":{"code":"internal","message":"the result has no JSON form"}}"#.to_owned()
    })
}
