//! Messages as far as playing them back needs them, and what makes two requests the same.

use std::borrow::Cow;

use mcp_types::meta;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// What of a request's `_meta` says nothing about what is wanted: how it is told of, which trace it
/// belongs to, and who asks.
const IGNORED: [&str; 5] = [
    meta::PROGRESS_TOKEN,
    meta::TRACEPARENT,
    meta::TRACESTATE,
    meta::BAGGAGE,
    meta::CLIENT_INFO,
];

/// One message.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'m> {
    #[serde(borrow)]
    pub(super) id: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'m, str>>,
    #[serde(borrow)]
    pub(super) params: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'m RawValue>,
}

/// The messages of a frame, each with its text: one, or those of a batch.
pub(super) fn messages(frame: &str) -> Vec<(&str, Message<'_>)> {
    let parts: Vec<&RawValue> = match frame.trim_start().starts_with('[') {
        true => serde_json::from_str(frame).unwrap_or_default(),
        false => serde_json::from_str(frame).into_iter().collect(),
    };
    parts.into_iter().filter_map(read).collect()
}

fn read(part: &RawValue) -> Option<(&str, Message<'_>)> {
    let text = part.get();
    Some((text, serde_json::from_str(text).ok()?))
}

/// What a request wants, as far as two that are equal in it are the same.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) method: String,
    /// The parameters, without what is ignored; members in whatever order are equal.
    pub(super) params: Value,
}

impl Wanted {
    pub(super) fn new(method: &str, params: Option<&RawValue>) -> Self {
        let mut params = value(params);
        if let Some(Value::Object(given)) = params.get_mut("_meta") {
            given.retain(|name, _value| !IGNORED.contains(&name.as_str()));
            if given.is_empty()
                && let Value::Object(members) = &mut params
            {
                members.remove("_meta");
            }
        }
        // No parameters and none in particular are the same.
        if params.as_object().is_some_and(serde_json::Map::is_empty) {
            params = Value::Null;
        }
        Self {
            method: method.to_owned(),
            params,
        }
    }
}

/// A value as JSON knows it; what is no JSON stays a text.
pub(super) fn value(raw: Option<&RawValue>) -> Value {
    raw.map_or(Value::Null, |raw| {
        serde_json::from_str(raw.get()).unwrap_or_else(|_odd| Value::from(raw.get()))
    })
}

/// The token of progress in parameters of a request.
pub(super) fn token(params: Option<&RawValue>) -> Option<Value> {
    value(params).pointer("/_meta/progressToken").cloned()
}
