//! The trace that a call belongs to, as W3C Trace Context and Baggage write it.
//!
//! Spec: RPC-14. Servers find it in `_meta`, in either era. Whoever traces gives the text; this
//! checks its shape, and knows no tracing library.

use std::sync::Arc;

use mcp_types::meta;

use crate::error::Misuse;

/// Bytes of baggage.
// Bound: what everybody on the way has to carry by the recommendation; more may be cut by them.
const BAGGAGE_MAX: usize = 8_192;
/// Members of `tracestate`, by the recommendation.
const STATES_MAX: usize = 32;
/// Bytes of a key, and of a value, of `tracestate`.
const STATE_MAX: usize = 256;

/// Gives the trace that a call belongs to, if it belongs to one.
pub(crate) type TraceSource = Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>;

/// The trace that a call belongs to.
///
/// The values are those of the HTTP headers of the same names, and travel in `_meta` of the
/// request. They are checked before the call is sent: one that the recommendations of the W3C do not
/// allow ends the call with [`Misuse::BadTrace`], and nothing is sent.
///
/// # Examples
///
/// ```no_run
/// # async fn example(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::TraceContext;
/// use mcp_types::RawJson;
///
/// let trace = TraceContext::new()
///     .with_traceparent("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01")
///     .with_tracestate("vendor=opaque");
/// let arguments = RawJson::parse("{}")?;
/// client.call_tool("add", &arguments).trace(trace).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct TraceContext {
    traceparent: Option<String>,
    tracestate: Option<String>,
    baggage: Option<String>,
}

impl TraceContext {
    /// No trace.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            traceparent: None,
            tracestate: None,
            baggage: None,
        }
    }

    /// The trace and the span that the call is a child of, such as
    /// `00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01`.
    #[must_use]
    pub fn with_traceparent(mut self, traceparent: impl Into<String>) -> Self {
        self.traceparent = Some(traceparent.into());
        self
    }

    /// What tracing systems add to the trace: at most 32 members, and only beside a `traceparent`.
    #[must_use]
    pub fn with_tracestate(mut self, tracestate: impl Into<String>) -> Self {
        self.tracestate = Some(tracestate.into());
        self
    }

    /// What the application adds to the trace: at most 8,192 bytes.
    #[must_use]
    pub fn with_baggage(mut self, baggage: impl Into<String>) -> Self {
        self.baggage = Some(baggage.into());
        self
    }

    pub(crate) const fn has_baggage(&self) -> bool {
        self.baggage.is_some()
    }

    /// The members of `_meta`, without braces; empty if there is nothing to tell.
    ///
    /// # Errors
    ///
    /// Which value has not the shape that it must have.
    pub(crate) fn members(&self) -> Result<String, Misuse> {
        let bad = |field, why| Misuse::BadTrace { field, why };
        let traceparent = self.traceparent.as_deref();
        if let Some(text) = traceparent {
            check_traceparent(text).map_err(|why| bad(meta::TRACEPARENT, why))?;
        }
        if let Some(text) = &self.tracestate {
            traceparent.ok_or_else(|| bad(meta::TRACESTATE, "there is no traceparent"))?;
            check_tracestate(text).map_err(|why| bad(meta::TRACESTATE, why))?;
        }
        if let Some(text) = &self.baggage {
            check_baggage(text).map_err(|why| bad(meta::BAGGAGE, why))?;
        }
        let fields = [
            (meta::TRACEPARENT, traceparent),
            (meta::TRACESTATE, self.tracestate.as_deref()),
            (meta::BAGGAGE, self.baggage.as_deref()),
        ];
        let mut members = String::new();
        for (name, text) in fields {
            let Some(text) = text else { continue };
            let separator = if members.is_empty() { "" } else { "," };
            let text = serde_json::Value::from(text);
            members.extend([separator, "\"", name, "\":", &text.to_string()]);
        }
        Ok(members)
    }
}

fn check_traceparent(text: &str) -> Result<(), &'static str> {
    let mut parts = text.splitn(5, '-');
    let mut next = |len| parts.next().filter(|part| is_lower_hex(part, len));
    let version = next(2).ok_or("the version is not two hexadecimal digits in lower case")?;
    let trace = next(32).ok_or("the trace id is not 32 hexadecimal digits in lower case")?;
    let span = next(16).ok_or("the parent id is not 16 hexadecimal digits in lower case")?;
    next(2).ok_or("the flags are not two hexadecimal digits in lower case")?;
    if version == "ff" {
        return Err("the version ff is not allowed");
    }
    if version == "00" && parts.next().is_some() {
        return Err("there is more than version 00 has");
    }
    let is_zero = |id: &str| id.bytes().all(|byte| byte == b'0');
    if is_zero(trace) || is_zero(span) {
        return Err("an id is all zeros");
    }
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(())
    } else {
        Err("it has a character that no header has")
    }
}

fn is_lower_hex(text: &str, len: usize) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == len && text.bytes().all(is_digit)
}

fn check_tracestate(text: &str) -> Result<(), &'static str> {
    let mut keys = Vec::new();
    // Members may be empty.
    for member in text
        .split(',')
        .map(trim)
        .filter(|member| !member.is_empty())
    {
        let (key, value) = member.split_once('=').ok_or("a member has no value")?;
        if !is_state_key(key) {
            return Err("a key has a character that is not allowed there, or is too long");
        }
        let is_value = |byte| matches!(byte, b' '..=b'~' if byte != b'=');
        if value.is_empty() || value.len() > STATE_MAX || !value.bytes().all(is_value) {
            return Err("a value has a character that is not allowed there, or is too long");
        }
        if keys.contains(&key) {
            return Err("a key is there twice");
        }
        if keys.len() == STATES_MAX {
            return Err("there are more than 32 members");
        }
        keys.push(key);
    }
    Ok(())
}

fn is_state_key(key: &str) -> bool {
    let is_first = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
    let is_rest = |byte| is_first(byte) || matches!(byte, b'_' | b'-' | b'*' | b'/' | b'@');
    key.len() <= STATE_MAX && key.bytes().next().is_some_and(is_first) && key.bytes().all(is_rest)
}

fn check_baggage(text: &str) -> Result<(), &'static str> {
    if text.len() > BAGGAGE_MAX {
        return Err("it is longer than 8192 bytes");
    }
    for member in text.split(',') {
        let mut properties = member.split(';').map(trim);
        let entry = properties.next().unwrap_or_default();
        if !entry.contains('=') || !is_entry(entry) {
            return Err("an entry is not a token, `=` and a percent-encoded value");
        }
        if !properties.all(is_entry) {
            return Err("a property is not a token, alone or with a percent-encoded value");
        }
    }
    Ok(())
}

/// Whether it is a key, alone or with a value.
fn is_entry(entry: &str) -> bool {
    let (key, value) = entry.split_once('=').unwrap_or((entry, ""));
    let (key, value) = (trim(key), trim(value));
    let is_value =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\');
    !key.is_empty() && key.bytes().all(is_token) && value.bytes().all(is_value)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Takes off the blanks that a list may have between its parts.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    fn field(context: &TraceContext) -> Option<&'static str> {
        match context.members() {
            Ok(_members) => None,
            Err(Misuse::BadTrace { field, .. }) => Some(field),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn state(text: &str) -> TraceContext {
        TraceContext::new()
            .with_traceparent(PARENT)
            .with_tracestate(text)
    }

    #[test]
    fn all_three_are_members_in_one_order() {
        let context = state("a=\"q\\,b@c=2").with_baggage("user=%C3%A9;private");
        let expected = format!(
            r#""traceparent":"{PARENT}","tracestate":"a=\"q\\,b@c=2","baggage":"user=%C3%A9;private""#
        );
        assert_eq!(context.members(), Ok(expected));
        assert_eq!(TraceContext::new().members(), Ok(String::new()));
    }

    #[test]
    fn a_traceparent_has_one_shape() {
        for good in [
            PARENT,
            &PARENT.replace("00-0a", "cc-0a"),
            &format!("{}-more", PARENT.replacen("00", "cc", 1)),
        ] {
            assert_eq!(
                field(&TraceContext::new().with_traceparent(good)),
                None,
                "{good}"
            );
        }
        for bad in [
            "",
            "00",
            &PARENT.to_uppercase(),
            &PARENT.replace("00-0a", "ff-0a"),
            &PARENT.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
            &PARENT.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &format!("{PARENT}-more"),
            &format!(" {PARENT}"),
            &format!("{}-mo re", PARENT.replacen("00", "cc", 1)),
        ] {
            let context = TraceContext::new().with_traceparent(bad);
            assert_eq!(field(&context), Some("traceparent"), "{bad}");
        }
    }

    #[test]
    fn a_tracestate_is_a_list_of_at_most_32_members() {
        let many = |len| {
            let members: Vec<_> = (0..len).map(|number| format!("k{number}=v")).collect();
            members.join(",")
        };
        let long = |len: usize| format!("k={}", "v".repeat(len));
        for good in ["", "a=1, ,0t@v=x y", &many(32), &long(256)] {
            assert_eq!(field(&state(good)), None, "{good}");
        }
        let bad = ["a", "A=1", "a=", "=1", "a=b=c", "a=1,a=2", "a=é", "a=\n"];
        let past = [many(33), long(257)];
        for bad in bad.into_iter().chain(past.iter().map(String::as_str)) {
            assert_eq!(field(&state(bad)), Some("tracestate"), "{bad}");
        }
        let alone = TraceContext::new().with_tracestate("a=1");
        assert_eq!(field(&alone), Some("tracestate"));
    }

    #[test]
    fn baggage_is_percent_encoded_and_bounded() {
        let long = |len: usize| format!("k={}", "v".repeat(len - 2));
        let context = |text: &str| TraceContext::new().with_baggage(text);
        for good in ["a=1", "a = 1 ; p ; q = 2 , b=", "a=x=y", &long(BAGGAGE_MAX)] {
            assert_eq!(field(&context(good)), None, "{good}");
        }
        for bad in [
            "",
            "a",
            "a=1,",
            "é=1",
            "a=b c",
            "a=\"1\"",
            "a=1;",
            &long(BAGGAGE_MAX + 1),
        ] {
            assert_eq!(field(&context(bad)), Some("baggage"), "{bad}");
        }
    }
}
