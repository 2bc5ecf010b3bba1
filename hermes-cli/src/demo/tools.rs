//! The tools of the demo server: what they take and what they answer.

use std::time::Duration;

use mcp_types::{CallToolResult, ContentBlock, RawJson, Tool, ToolAnnotations, Version};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Number;

/// The longest text of `big`: more than a client should take, so that its limit can be seen.
const BIG_LEN_MAX: usize = 64 << 20;

/// The longest that `slow` takes, in seconds.
const SLOW_SECONDS_MAX: f64 = 3_600.0;

/// What a call leads to.
#[derive(Debug)]
pub(super) enum Called {
    /// An answer at once.
    Done(CallToolResult),
    /// An answer after this long, with progress on the way.
    Slow(Duration),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Add {
    a: Number,
    b: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Big {
    bytes: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Echo {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fail {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Slow {
    seconds: f64,
}

/// The tools, with the members that the revision knows.
pub(super) fn list(version: &Version) -> Vec<Tool> {
    let schema = |json: &str| RawJson::parse(json).expect("the schemas are JSON");
    let object = |properties: &str, required: &str| {
        schema(&format!(
            r#"{{"type":"object","properties":{{{properties}}},"required":[{required}],"additionalProperties":false}}"#
        ))
    };
    let mut add = Tool::new(
        "add",
        object(
            r#""a":{"type":"number"},"b":{"type":"number"}"#,
            r#""a","b""#,
        ),
    )
    .with_title("Add")
    .with_description("Adds two numbers.");
    if version.is_at_least(&Version::V2025_06_18) {
        add.output_schema = Some(object(r#""sum":{"type":"number"}"#, r#""sum""#));
    }
    let big = format!(r#""bytes":{{"type":"integer","minimum":0,"maximum":{BIG_LEN_MAX}}}"#);
    let big = Tool::new("big", object(&big, r#""bytes""#))
        .with_title("Big")
        .with_description("Answers with a text of so many bytes. Large ones test limits.");
    let echo = Tool::new("echo", object(r#""text":{"type":"string"}"#, r#""text""#))
        .with_title("Echo")
        .with_description("Answers with the same text.");
    let fail = Tool::new("fail", object("", ""))
        .with_title("Fail")
        .with_description("Answers with an error, always.");
    let slow = format!(r#""seconds":{{"type":"number","minimum":0,"maximum":{SLOW_SECONDS_MAX}}}"#);
    let slow = Tool::new("slow", object(&slow, r#""seconds""#))
        .with_title("Slow")
        .with_description(
            "Answers after so many seconds. It tells of its progress and can be cancelled.",
        );
    [add, big, echo, fail, slow]
        .map(|tool| for_version(tool, version))
        .into()
}

fn for_version(mut tool: Tool, version: &Version) -> Tool {
    if version.is_at_least(&Version::V2025_03_26) {
        let mut hints = ToolAnnotations::new();
        hints.read_only_hint = Some(true);
        hints.open_world_hint = Some(false);
        tool.annotations = Some(hints);
    }
    if version.is_before(&Version::V2025_06_18) {
        tool.title = None;
    }
    tool
}

/// Calls a tool; `None` if there is none of this name.
pub(super) fn call(name: &str, arguments: &str, version: &Version) -> Option<Called> {
    let called = match name {
        "add" => read(arguments).and_then(|Add { a, b }| {
            let sum = add(&a, &b)?;
            let mut result = text(sum.clone());
            if version.is_at_least(&Version::V2025_06_18) {
                result.structured_content = RawJson::parse(format!(r#"{{"sum":{sum}}}"#)).ok();
            }
            Ok(Called::Done(result))
        }),
        "big" => read(arguments).and_then(|Big { bytes }| {
            if bytes <= BIG_LEN_MAX {
                Ok(Called::Done(text("x".repeat(bytes))))
            } else {
                Err(format!("`bytes` is more than {BIG_LEN_MAX}"))
            }
        }),
        "echo" => read(arguments).map(|Echo { text: said }| Called::Done(text(said))),
        "fail" => read(arguments).and_then(|Fail {}| Err("failing is what this tool does".into())),
        "slow" => read(arguments).and_then(|Slow { seconds }| {
            if (0.0..=SLOW_SECONDS_MAX).contains(&seconds) {
                Ok(Called::Slow(Duration::from_secs_f64(seconds)))
            } else {
                Err(format!("`seconds` is not between 0 and {SLOW_SECONDS_MAX}"))
            }
        }),
        _ => return None,
    };
    Some(called.unwrap_or_else(|why| Called::Done(failed(why))))
}

/// A result that is one text.
pub(super) fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::new(vec![ContentBlock::text(text)])
}

fn failed(why: String) -> CallToolResult {
    let mut result = text(why);
    result.is_error = Some(true);
    result
}

fn read<T: DeserializeOwned>(arguments: &str) -> Result<T, String> {
    serde_json::from_str(arguments).map_err(|error| format!("wrong arguments: {error}"))
}

/// The sum as JSON: exact for integers, else as good as numbers with a fraction are.
fn add(a: &Number, b: &Number) -> Result<String, String> {
    if let (Some(a), Some(b)) = (a.as_i128(), b.as_i128()) {
        // Both fit 64 bits, so their sum fits 128.
        return Ok(a.saturating_add(b).to_string());
    }
    let sum = a.as_f64().zip(b.as_f64()).map(|(a, b)| a + b);
    let sum = sum
        .filter(|sum| sum.is_finite())
        .ok_or("the sum is too large")?;
    Ok(sum.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, arguments: &str) -> String {
        match call(name, arguments, &Version::LATEST) {
            Some(Called::Done(result)) => {
                let text = result.content[0].as_text().unwrap().to_owned();
                if result.failed() {
                    format!("error: {text}")
                } else {
                    text
                }
            }
            Some(Called::Slow(time)) => format!("{time:?}"),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn tools_answer_and_wrong_arguments_are_their_errors() {
        for (name, arguments, expected) in [
            ("add", r#"{"a":2,"b":3}"#, "5"),
            ("add", r#"{"a":0.5,"b":2.5}"#, "3"),
            (
                "add",
                r#"{"a":18446744073709551615,"b":1}"#,
                "18446744073709551616",
            ),
            (
                "add",
                r#"{"a":1e308,"b":1e308}"#,
                "error: the sum is too large",
            ),
            ("echo", r#"{"text":"hé"}"#, "hé"),
            ("big", r#"{"bytes":3}"#, "xxx"),
            (
                "big",
                r#"{"bytes":67108865}"#,
                "error: `bytes` is more than 67108864",
            ),
            ("fail", "{}", "error: failing is what this tool does"),
            ("slow", r#"{"seconds":1.5}"#, "1.5s"),
            (
                "slow",
                r#"{"seconds":-1}"#,
                "error: `seconds` is not between 0 and 3600",
            ),
            ("nope", "{}", "none"),
        ] {
            assert_eq!(said(name, arguments), expected, "{name} {arguments}");
        }
        assert!(said("add", r#"{"a":1}"#).starts_with("error: wrong arguments: missing field `b`"));
    }

    #[test]
    fn old_revisions_get_no_members_that_they_do_not_know() {
        let first = |version| list(&version).remove(0);
        let old = first(Version::V2024_11_05);
        assert!(old.title.is_none() && old.annotations.is_none() && old.output_schema.is_none());
        let new = first(Version::LATEST);
        assert!(new.title.is_some() && new.annotations.is_some() && new.output_schema.is_some());
    }
}
