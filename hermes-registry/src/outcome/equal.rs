//! Whether two JSON texts say the same.
//!
//! Servers often repeat their structured content as a text, spaced and ordered differently.
//! Such a repetition would be paid for twice, so it is told apart from a text with something to
//! add. Numbers are compared by their digits; a long one is never rounded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Texts longer than this are only compared without white space.
///
/// Bound: time; each level of nesting is read again.
const DEEP_LEN_MAX: usize = 256 << 10;

/// Deepest nesting that is compared.
///
/// Bound: the stack.
const DEPTH_MAX: usize = 64;

/// Whether `text` is JSON that says the same as `json`.
pub(super) fn equal(text: &str, json: &str) -> bool {
    let (text, json) = (text.trim(), json.trim());
    if text == json {
        return true;
    }
    // Only a text that begins as JSON of the same type can be equal.
    if kind(text) != kind(json) || kind(text) == Kind::None {
        return false;
    }
    dense(text).eq(dense(json))
        || (text.len() <= DEEP_LEN_MAX
            && json.len() <= DEEP_LEN_MAX
            && same(text, json, DEPTH_MAX).unwrap_or(false))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Array,
    None,
    Object,
    Scalar,
    Text,
}

fn kind(json: &str) -> Kind {
    match json.as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::Text,
        Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => Kind::Scalar,
        _ => Kind::None,
    }
}

/// The text without white space outside of strings.
fn dense(json: &str) -> impl Iterator<Item = u8> {
    let (mut in_text, mut escaped) = (false, false);
    json.bytes().filter(move |byte| {
        let keep = in_text || !byte.is_ascii_whitespace();
        if escaped {
            escaped = false;
        } else if in_text && *byte == b'\\' {
            escaped = true;
        } else if *byte == b'"' {
            in_text = !in_text;
        }
        keep
    })
}

/// Compares member by member; an error means that one of them is not JSON.
fn same(left: &str, right: &str, depth: usize) -> Result<bool, serde_json::Error> {
    let Some(below) = depth.checked_sub(1) else {
        return Ok(false);
    };
    match (kind(left), kind(right)) {
        (Kind::Object, Kind::Object) => {
            let (left, right): (Members<'_>, Members<'_>) = (parse(left)?, parse(right)?);
            if left.len() != right.len() {
                return Ok(false);
            }
            for ((left_name, left), (right_name, right)) in left.iter().zip(&right) {
                if left_name != right_name || !same(left.get(), right.get(), below)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Kind::Array, Kind::Array) => {
            let (left, right): (Vec<&RawValue>, Vec<&RawValue>) = (parse(left)?, parse(right)?);
            if left.len() != right.len() {
                return Ok(false);
            }
            for (left, right) in left.iter().zip(&right) {
                if !same(left.get(), right.get(), below)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Kind::Text, Kind::Text) => {
            let (left, right): (Cow<'_, str>, Cow<'_, str>) = (parse(left)?, parse(right)?);
            Ok(left == right)
        }
        _ => Ok(left == right),
    }
}

type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, serde_json::Error> {
    serde_json::from_str(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacing_order_and_escapes_do_not_matter_and_digits_do() {
        for (text, json, expected) in [
            (r#"{"a":1}"#, r#"{"a":1}"#, true),
            (" {\n  \"a\": [1, 2]\n}\n", r#"{"a":[1,2]}"#, true),
            (r#"{"b":2,"a":1}"#, r#"{"a":1,"b":2}"#, true),
            (
                r#"{"a":{"c":"\u00e9","b":[]}}"#,
                r#"{"a":{"b":[],"c":"é"}}"#,
                true,
            ),
            (r#"{"a b":" x "}"#, r#"{"a b":" x"}"#, false),
            ("12345678901234567890123", "12345678901234567890124", false),
            (r#"[1.0,{}]"#, r#"[1,{}]"#, false),
            ("5", "5", true),
            ("5", r#"{"result":5}"#, false),
            ("hello", r#""hello""#, false),
            (r#""hello""#, r#""hello""#, true),
            ("{not json", r#"{"a":1}"#, false),
            ("", "null", false),
            ("null", "null", true),
        ] {
            assert_eq!(equal(text, json), expected, "{text} {json}");
        }
    }

    #[test]
    fn deep_nesting_ends() {
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(equal(&deep, &deep));
        assert!(!equal(&deep.replacen('[', "[1,", 1), &deep));
    }
}
