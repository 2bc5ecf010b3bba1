//! Arguments of tools that are repeated as headers, `Mcp-Param-*`. Since 2026-07-28, HTTP only.
//!
//! `schema` says which; here is what is known of each tool and how a value is written.

mod schema;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::{Diagnostic, Tool};
use serde_json::Value;

use self::schema::ParamHeader;

/// Integers beyond this are not the same in every language (T-32).
const INTEGER_MAX: u64 = (1 << 53) - 1;

/// What the latest list said about the tools.
// Bound: a list is followed for 10,000 items.
#[derive(Debug, Default)]
pub(crate) struct ParamHeaders(Mutex<HashMap<String, Arc<[ParamHeader]>>>);

impl ParamHeaders {
    /// Takes over a whole list.
    pub(crate) fn replace(&self, tools: &[Tool]) {
        let known = tools.iter().filter_map(|tool| {
            let headers = headers_of(tool).ok()?;
            (!headers.is_empty()).then(|| (tool.name.clone(), headers.into()))
        });
        let known = known.collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// The headers of a call, from its arguments as JSON.
    ///
    /// # Errors
    ///
    /// Why an argument cannot be repeated as a header.
    pub(crate) fn of_call(
        &self,
        tool: &str,
        arguments: &str,
    ) -> Result<Vec<(String, String)>, String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(headers) = known.get(tool).cloned() else {
            return Ok(Vec::new());
        };
        drop(known);
        // What is no JSON is refused by the server, as it would be on a pipe.
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let mut written = Vec::with_capacity(headers.len());
        for header in headers.iter() {
            let at = |value, name: &String| Value::get(value, name.as_str());
            let value = header.path.iter().try_fold(&arguments, at);
            let text = value.map_or(Ok(None), text).map_err(|why| {
                let place = header.path.join(".");
                format!("the argument {place:?} cannot be written as a header: {why}")
            })?;
            written.extend(text.map(|text| (header.name.clone(), text)));
        }
        Ok(written)
    }
}

/// Takes out the tools whose annotations no request can follow, and tells of each (HTTP-17).
pub(crate) fn exclude_invalid(tools: &mut Vec<Tool>, diagnostics: &mut Vec<Diagnostic>) {
    tools.retain(|tool| match headers_of(tool) {
        Ok(_headers) => true,
        Err(why) => {
            let place = format!("tools[{:?}].inputSchema", tool.name);
            let why = format!("{why}; the tool is left out");
            diagnostics.push(Diagnostic::dropped(&place, &why));
            false
        }
    });
}

fn headers_of(tool: &Tool) -> Result<Vec<ParamHeader>, String> {
    tool.input_schema
        .as_ref()
        .map_or_else(|| Ok(Vec::new()), |schema| schema::read(schema.as_str()))
}

/// A value as text, before it is made fit for a header; `None` for what is left out (HTTP-14).
fn text(value: &Value) -> Result<Option<String>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(bool) => Ok(Some(bool.to_string())),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Number(number) => integer(number).map(Some),
        Value::Array(_) | Value::Object(_) => Err("it is a list or an object"),
    }
}

/// Spec: HTTP-15, T-32. A whole number is written without a fraction, however it came.
fn integer(number: &serde_json::Number) -> Result<String, &'static str> {
    const NOT_SAFE: &str = "it is too large to mean the same number everywhere";
    if let Some(number) = number.as_i64() {
        let is_safe = number.unsigned_abs() <= INTEGER_MAX;
        return is_safe.then(|| number.to_string()).ok_or(NOT_SAFE);
    }
    match number.as_f64() {
        Some(float) if float.fract() != 0.0 => Err("it is no whole number"),
        Some(float) if float.abs() < 9_007_199_254_740_992.0 => Ok(format!("{float:.0}")),
        _ => Err(NOT_SAFE),
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::RawJson;

    use super::*;

    fn tool(property: &str) -> Tool {
        let schema = format!(r#"{{"type":"object","properties":{{"a":{property}}}}}"#);
        Tool::new("t", RawJson::parse(schema).unwrap())
    }

    fn written(arguments: &str) -> Result<Vec<(String, String)>, String> {
        let headers = ParamHeaders::default();
        headers.replace(&[tool(r#"{"type":"string","x-mcp-header":"A"}"#)]);
        headers.of_call("t", arguments)
    }

    #[test]
    fn values_are_written_as_the_specification_says() {
        for (value, text) in [
            (r#""us-west1""#, Some("us-west1")),
            (r#""""#, Some("")),
            ("42", Some("42")),
            ("42.0", Some("42")),
            ("-7", Some("-7")),
            ("9007199254740991", Some("9007199254740991")),
            ("true", Some("true")),
            ("false", Some("false")),
            ("null", None),
        ] {
            let expected = text.map(|text| ("A".to_owned(), text.to_owned()));
            let found = written(&format!(r#"{{"a":{value}}}"#));
            assert_eq!(found, Ok(expected.into_iter().collect()), "{value}");
        }
        assert_eq!(written("{}"), Ok(Vec::new()));
        assert_eq!(ParamHeaders::default().of_call("t", "{}"), Ok(Vec::new()));
    }

    #[test]
    fn what_has_no_one_way_to_be_written_is_refused() {
        for value in [
            "9007199254740992",
            "-9007199254740992",
            "1e300",
            "1.5",
            "[]",
            "{}",
        ] {
            assert!(written(&format!(r#"{{"a":{value}}}"#)).is_err(), "{value}");
        }
    }

    #[test]
    fn a_tool_with_a_bad_annotation_is_left_out_and_told_of() {
        let mut tools = vec![tool(r#"{"type":"number","x-mcp-header":"A"}"#), tool("{}")];
        let mut diagnostics = Vec::new();
        exclude_invalid(&mut tools, &mut diagnostics);
        assert_eq!(tools.len(), 1);
        assert!(
            diagnostics[0].to_string().contains("\"t\""),
            "{diagnostics:?}"
        );
    }
}
