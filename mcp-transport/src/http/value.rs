//! Values of headers that repeat parts of a message.
//!
//! Which parts those are is decided above; here is only how a text becomes a header value.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// A text as the value of a header.
///
/// Spec: HTTP-15, HTTP-16, T-31. Printable ASCII stays as it is; a text with anything else, with
/// space at an edge, or that looks encoded already, is written as `=?base64?…?=`.
pub fn header_value(text: &str) -> HeaderValue {
    if is_plain(text)
        && let Ok(value) = HeaderValue::from_str(text)
    {
        return value;
    }
    let encoded = format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(text));
    // Base64 has no character that a header could not carry.
    HeaderValue::from_str(&encoded).unwrap_or_else(|_impossible| HeaderValue::from_static(""))
}

fn is_plain(text: &str) -> bool {
    let is_printable = text.bytes().all(|byte| matches!(byte, 0x20..=0x7E));
    let looks_encoded = text.starts_with(PREFIX) && text.ends_with(SUFFIX);
    is_printable && !looks_encoded && text.trim_matches(' ').len() == text.len()
}

/// Bytes of the essence of a content type.
// Bound: RFC 6838 gives either part of it 127; errors and ledgers repeat it.
const ESSENCE_MAX: usize = 255;

/// The essence of a content type, in lower case: what stands before the parameters.
pub(super) fn essence(content_type: Option<&HeaderValue>) -> String {
    let text = content_type.and_then(|value| value.to_str().ok());
    let essence = text.unwrap_or_default().split(';').next();
    let essence = essence.unwrap_or_default().trim();
    // It is ASCII, so there is a character everywhere.
    let essence = essence.get(..ESSENCE_MAX).unwrap_or(essence);
    essence.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_encoded_only_where_a_header_could_not_carry_it() {
        let rows = [
            ("", ""),
            ("us-west1", "us-west1"),
            ("with inner  spaces", "with inner  spaces"),
            ("~!\"%41", "~!\"%41"),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("a\tb", "=?base64?YQli?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("日本", "=?base64?5pel5pys?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
            ("=?base64?open", "=?base64?open"),
        ];
        for (text, value) in rows {
            assert_eq!(header_value(text), value, "{text:?}");
        }
    }

    #[test]
    fn a_content_type_is_known_by_its_essence() {
        let rows = [
            ("application/json", "application/json"),
            ("Application/JSON;charset=UTF-8", "application/json"),
            ("text/event-stream ; x=y", "text/event-stream"),
            ("", ""),
        ];
        for (written, wanted) in rows {
            let value = HeaderValue::from_static(written);
            assert_eq!(essence(Some(&value)), wanted);
        }
        assert_eq!(essence(None), "");
        let long = HeaderValue::from_str(&"x".repeat(1_000)).unwrap();
        assert_eq!(essence(Some(&long)).len(), ESSENCE_MAX);
    }
}
