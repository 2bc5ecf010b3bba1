//! Errors as values: what a peer answered, and what a peer did wrong.

use std::fmt;

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::scan::Fault;
use crate::{CallId, RequestId};

/// The code of an error answer; an open set.
#[expect(
    clippy::exhaustive_structs,
    reason = "a code is a number and nothing else"
)]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text was not JSON.
    pub const PARSE_ERROR: Self = Self(-32_700);
    /// The JSON was not a request.
    pub const INVALID_REQUEST: Self = Self(-32_600);
    /// There is no such method.
    pub const METHOD_NOT_FOUND: Self = Self(-32_601);
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: Self = Self(-32_602);
    /// The receiver failed.
    pub const INTERNAL_ERROR: Self = Self(-32_603);
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An error answer: a value from the wire, not a failure of ours.
///
/// Servers leave out members, write the code as text or send a bare string.
/// All of that is read as far as it goes, since the call it answers has ended either way.
#[derive(Clone)]
#[non_exhaustive]
pub struct ErrorObject {
    /// The code; `None` if the peer gave none that can be read as an integer.
    pub code: Option<ErrorCode>,
    /// The message; empty if the peer gave none.
    pub message: String,
    /// The data member as it came.
    pub data: Option<Box<RawValue>>,
}

impl ErrorObject {
    /// An error of ours, to be sent as an answer.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code: Some(code),
            message: message.into(),
            data: None,
        }
    }

    /// Adds the data member.
    #[must_use]
    pub fn with_data(mut self, data: Box<RawValue>) -> Self {
        self.data = Some(data);
        self
    }

    /// Reads an error member of any shape.
    ///
    /// Interop: a bare string, a code written as text and a missing message occur in the field
    /// and must end the call at once; see the test `error_members_of_any_shape_are_read`.
    pub(crate) fn read(member: &[u8]) -> Self {
        use serde_json::Value;
        let mut error = Self {
            code: None,
            message: String::new(),
            data: None,
        };
        match serde_json::from_slice::<std::collections::BTreeMap<String, Box<RawValue>>>(member) {
            Ok(mut members) => {
                error.code = members.get("code").and_then(|code| read_code(code.get()));
                if let Some(message) = members.get("message") {
                    error.message = read_text(message.get());
                }
                error.data = members.remove("data").filter(|data| data.get() != "null");
            }
            Err(_other_shape) => match serde_json::from_slice::<Value>(member) {
                Ok(Value::String(text)) => error.message = text,
                _ => error.message = String::from_utf8_lossy(member).into_owned(),
            },
        }
        error
    }
}

impl fmt::Debug for ErrorObject {
    /// The data member may hold anything, secrets included, so only its length is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorObject")
            .field("code", &self.code)
            .field("message", &self.message)
            .field("data_len", &self.data.as_ref().map(|data| data.get().len()))
            .finish()
    }
}

impl PartialEq for ErrorObject {
    fn eq(&self, other: &Self) -> bool {
        let text = |data: &Option<Box<RawValue>>| data.as_ref().map(|data| data.get().to_owned());
        self.code == other.code
            && self.message == other.message
            && text(&self.data) == text(&other.data)
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.message.as_str(), self.code) {
            ("", Some(code)) => write!(f, "error {code} without a message"),
            ("", None) => write!(f, "an error without a code or a message"),
            (message, Some(code)) => write!(f, "{message} (code {code})"),
            (message, None) => f.write_str(message),
        }
    }
}

fn read_code(text: &str) -> Option<ErrorCode> {
    let plain = text.trim_matches('"').trim();
    let whole = plain.split_once('.').map_or(plain, |(whole, fraction)| {
        if fraction.bytes().all(|digit| digit == b'0') {
            whole
        } else {
            plain
        }
    });
    whole.parse().ok().map(ErrorCode)
}

fn read_text(text: &str) -> String {
    serde_json::from_str(text).unwrap_or_else(|_not_a_string| text.to_owned())
}

/// Something a peer sent that JSON-RPC or MCP forbids.
///
/// It is reported beside whatever could be saved: a frame that ends a call does end it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Misbehavior {
    /// A batch array where the negotiated revision has none, or an empty one.
    Batch {
        /// How many messages the array held.
        len: usize,
    },
    /// The same member twice in one message; the last one counts.
    DuplicateMember,
    /// A request whose id is that of a request still open.
    DuplicateRequest(RequestId),
    /// An error answer that names no call and cannot be tied to one.
    LooseError(ErrorObject),
    /// A text that is not JSON.
    NotJson {
        /// Where reading stopped.
        fault: Fault,
        /// The beginning of the text, at most 8 KiB; redact and shorten it before showing it.
        excerpt: Bytes,
    },
    /// JSON that is no message: no method, no result, no error, or both of the last two.
    NotAMessage {
        /// The beginning of the text, at most 8 KiB; redact and shorten it before showing it.
        excerpt: Bytes,
    },
    /// The member `jsonrpc` is missing or not `"2.0"`.
    Version,
    /// An answer to a call that we never made.
    UnknownId(Option<CallId>),
}

impl fmt::Display for Misbehavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Batch { len: 0 } => f.write_str("an empty batch array"),
            Self::Batch { len } => write!(f, "a batch array of {len} where none is allowed"),
            Self::DuplicateMember => f.write_str("a message with the same member twice"),
            Self::DuplicateRequest(id) => write!(f, "a second request with the open id {id}"),
            Self::LooseError(error) => write!(f, "an error that belongs to no call: {error}"),
            Self::NotJson { fault, .. } => write!(f, "a line that is not JSON: {fault}"),
            Self::NotAMessage { .. } => f.write_str("JSON that is no JSON-RPC message"),
            Self::Version => f.write_str("a message without \"jsonrpc\":\"2.0\""),
            Self::UnknownId(Some(id)) => write!(f, "an answer to the unknown call {id}"),
            Self::UnknownId(None) => f.write_str("an answer with an id that is none of ours"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_members_of_any_shape_are_read() {
        let table: &[(&str, Option<i64>, &str)] = &[
            (r#"{"code":-32602,"message":"bad"}"#, Some(-32_602), "bad"),
            (r#"{"code":-32602}"#, Some(-32_602), ""),
            (r#"{"code":"-32000","message":"m"}"#, Some(-32_000), "m"),
            (r#"{"code":-32000.0,"message":"m"}"#, Some(-32_000), "m"),
            (r#"{"code":"E_FAIL","message":"m"}"#, None, "m"),
            (r#"{"message":{"a":1}}"#, None, r#"{"a":1}"#),
            (r#""plain""#, None, "plain"),
            ("[1,2]", None, "[1,2]"),
            ("{}", None, ""),
        ];
        for (member, code, message) in table {
            let error = ErrorObject::read(member.as_bytes());
            assert_eq!(error.code, code.map(ErrorCode), "{member}");
            assert_eq!(error.message, *message, "{member}");
        }
    }

    #[test]
    fn data_is_kept_as_it_came_and_null_data_is_none() {
        let error = ErrorObject::read(
            br#"{"code":1,"message":"m","data":{"b":1, "a":10000000000000000000000}}"#,
        );
        assert_eq!(
            error.data.unwrap().get(),
            r#"{"b":1, "a":10000000000000000000000}"#
        );
        assert!(
            ErrorObject::read(br#"{"code":1,"message":"m","data":null}"#)
                .data
                .is_none()
        );
    }
}
