//! One pass over a frame: what kind of message it is, and where its parts stand.
//!
//! Which members are present decides the shape; nothing is guessed and nothing below the top
//! level is looked at. Values stay where they are, as spans of the frame.

use std::borrow::Cow;
use std::fmt;

use crate::scan::{Fault, Scanner};
use crate::{CallId, RequestId};

/// A part of a frame, as byte offsets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The part of `frame` that this span names; empty if it lies outside.
    pub fn of(self, frame: &[u8]) -> &[u8] {
        frame.get(self.start..self.end).unwrap_or_default()
    }
}

/// The id member of a message.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Id {
    /// There is none.
    Absent,
    /// It is `null`, or no string and no number.
    Null,
    /// A string or a number.
    Given(RequestId),
}

impl Id {
    /// The call of ours that this id names.
    ///
    /// Interop: ids are compared by value within numbers, so `1.0` names call 1 (T-01), and text
    /// that spells one of our numbers names it too: servers that keep every id as text echo it so
    /// (test `an_id_echoed_as_text_still_answers`). Our ids are never text, so nothing else can be
    /// meant.
    pub fn as_call(&self) -> Option<CallId> {
        match self {
            Self::Given(RequestId::Number(number)) => u64::try_from(*number).ok().map(CallId::new),
            Self::Given(RequestId::Text(text)) => text.parse().ok().map(CallId::new),
            _ => None,
        }
    }
}

/// What kind of message a frame is.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Shape<'a> {
    /// A successful answer.
    Answer {
        /// The result.
        result: Span,
    },
    /// A request, which wants an answer.
    Ask {
        /// The method.
        method: Cow<'a, str>,
        /// The parameters, if there are any that are not `null`.
        params: Option<Span>,
    },
    /// An error answer.
    Failure {
        /// The error member, of whatever type.
        error: Span,
    },
    /// A notification.
    Notice {
        /// The method.
        method: Cow<'a, str>,
        /// The parameters, if there are any that are not `null`.
        params: Option<Span>,
    },
}

/// One message.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Envelope<'a> {
    /// Its id; the last one, if there are several.
    pub id: Id,
    /// An earlier and different id, if the member stood twice.
    pub earlier_id: Option<Id>,
    /// What it is.
    pub shape: Shape<'a>,
    /// Whether `"jsonrpc":"2.0"` was there.
    pub is_version_right: bool,
    /// Whether a known member stood twice.
    pub has_duplicate: bool,
}

/// What a frame holds.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Decoded<'a> {
    /// A single message.
    One(Envelope<'a>),
    /// A batch array, with a span for each of its elements, the first 1,024 of them.
    Batch(Vec<Span>),
}

/// Why a frame is no message.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Malformed {
    /// It is JSON, but neither an object nor an array, or an object without method, result and
    /// error.
    NotAMessage,
    /// It is not JSON, or nested too deeply.
    NotJson(Fault),
    /// It has a result and an error that is not `null`.
    ResultAndError,
    /// It is longer than a frame may be, so its middle was never kept.
    TooLong {
        /// The bytes seen.
        len: u64,
        /// The bytes allowed.
        len_max: usize,
    },
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAMessage => f.write_str("JSON that is no JSON-RPC message"),
            Self::NotJson(fault) => write!(f, "text that is not JSON ({fault})"),
            Self::ResultAndError => f.write_str("both a result and an error"),
            Self::TooLong { len, len_max } => {
                write!(f, "a frame of {len} bytes where {len_max} are allowed")
            }
        }
    }
}

impl std::error::Error for Malformed {}

impl From<Fault> for Malformed {
    fn from(fault: Fault) -> Self {
        Self::NotJson(fault)
    }
}

/// Bound: the spans of a batch, which would otherwise take more memory than the frame.
const BATCH_SHOWN_MAX: usize = 1_024;

/// Reads one frame.
///
/// # Errors
///
/// Why it is no message; [`crate::recover_ids`] may still find which call it was meant for.
pub fn decode(frame: &[u8], depth_max: usize) -> Result<Decoded<'_>, Malformed> {
    let mut scanner = Scanner::new(frame, depth_max);
    scanner.skip_space();
    match scanner.peek() {
        Some(b'{') => {
            let members = Members::read(frame, &mut scanner)?;
            scanner.finish()?;
            members.into_envelope(frame).map(Decoded::One)
        }
        Some(b'[') => {
            let mut spans = Vec::new();
            for span in Elements::of(frame, depth_max).into_iter().flatten() {
                let span = span?;
                if spans.len() < BATCH_SHOWN_MAX {
                    spans.push(span);
                }
            }
            Ok(Decoded::Batch(spans))
        }
        _ => {
            scanner.skip_value()?;
            scanner.finish()?;
            Err(Malformed::NotAMessage)
        }
    }
}

/// The elements of an array, one after the other; nothing is kept of those that are past.
pub(crate) struct Elements<'a> {
    scanner: Scanner<'a>,
    is_first: bool,
    is_over: bool,
}

impl<'a> Elements<'a> {
    /// The elements of `frame`, if it is an array.
    pub(crate) fn of(frame: &'a [u8], depth_max: usize) -> Option<Self> {
        let mut scanner = Scanner::new(frame, depth_max);
        scanner.skip_space();
        scanner.take(b'[').then_some(Self {
            scanner,
            is_first: true,
            is_over: false,
        })
    }

    fn step(&mut self) -> Result<Option<Span>, Fault> {
        self.scanner.skip_space();
        let is_first = std::mem::replace(&mut self.is_first, false);
        if is_first && self.scanner.take(b']') {
            return self.end();
        }
        if !is_first && !self.scanner.take(b',') {
            self.scanner.expect(b']')?;
            return self.end();
        }
        self.scanner.skip_space();
        skip_span(&mut self.scanner).map(Some)
    }

    fn end(&mut self) -> Result<Option<Span>, Fault> {
        self.is_over = true;
        self.scanner.finish().map(|()| None)
    }
}

impl Iterator for Elements<'_> {
    type Item = Result<Span, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let step = self.step().transpose();
        self.is_over |= !matches!(step, Some(Ok(_)));
        step
    }
}

fn skip_span(scanner: &mut Scanner<'_>) -> Result<Span, Fault> {
    let start = scanner.at();
    scanner.skip_value()?;
    Ok(Span {
        start,
        end: scanner.at(),
    })
}

/// The known members of a message, as they stood.
#[derive(Default)]
struct Members {
    version: Option<Span>,
    id: Option<Span>,
    earlier_id: Option<Span>,
    method: Option<Span>,
    params: Option<Span>,
    result: Option<Span>,
    error: Option<Span>,
    has_duplicate: bool,
}

impl Members {
    fn read(frame: &[u8], scanner: &mut Scanner<'_>) -> Result<Self, Fault> {
        let mut members = Self::default();
        scanner.expect(b'{')?;
        scanner.skip_space();
        if scanner.take(b'}') {
            return Ok(members);
        }
        loop {
            scanner.skip_space();
            let start = scanner.at();
            scanner.skip_string()?;
            let key = Span {
                start,
                end: scanner.at(),
            };
            scanner.skip_colon()?;
            let value = skip_span(scanner)?;
            members.keep(key, value, frame);
            scanner.skip_space();
            if !scanner.take(b',') {
                scanner.expect(b'}')?;
                return Ok(members);
            }
        }
    }

    fn keep(&mut self, key: Span, value: Span, frame: &[u8]) {
        let quoted = key.of(frame);
        let unescaped;
        let name = if quoted.contains(&b'\\') {
            unescaped = text(key, frame);
            unescaped.as_bytes()
        } else {
            quoted
                .get(1..quoted.len().saturating_sub(1))
                .unwrap_or_default()
        };
        let slot = match name {
            b"jsonrpc" => &mut self.version,
            b"id" => &mut self.id,
            b"method" => &mut self.method,
            b"params" => &mut self.params,
            b"result" => &mut self.result,
            b"error" => &mut self.error,
            _ => return,
        };
        if let Some(earlier) = slot.replace(value) {
            self.has_duplicate = true;
            if name == b"id" {
                self.earlier_id = Some(earlier);
            }
        }
    }

    fn into_envelope(self, frame: &[u8]) -> Result<Envelope<'_>, Malformed> {
        let present = |span: Option<Span>| span.filter(|span| span.of(frame) != b"null");
        let id = self.id.map_or(Id::Absent, |span| read_id(span.of(frame)));
        let earlier_id = self.earlier_id.map(|span| read_id(span.of(frame)));
        // Interop: JSON-RPC 1.0 style answers carry both members, one of them null.
        let shape = match (self.method, self.result, present(self.error)) {
            (Some(method), _, _) if method.of(frame).starts_with(b"\"") => {
                let (method, params) = (text(method, frame), present(self.params));
                // Interop: a notification with `"id":null` occurs in the field; null names nothing
                // that could be answered.
                match id {
                    Id::Absent | Id::Null => Shape::Notice { method, params },
                    Id::Given(_) => Shape::Ask { method, params },
                }
            }
            (_, Some(result), Some(_)) if result.of(frame) != b"null" => {
                return Err(Malformed::ResultAndError);
            }
            (_, _, Some(error)) => Shape::Failure { error },
            (_, Some(result), None) => Shape::Answer { result },
            (_, None, None) => match self.error {
                // An error member that is null is still no result: the call has failed.
                Some(error) => Shape::Failure { error },
                None => return Err(Malformed::NotAMessage),
            },
        };
        Ok(Envelope {
            earlier_id: earlier_id.filter(|earlier| *earlier != id),
            id,
            shape,
            is_version_right: self
                .version
                .is_some_and(|span| span.of(frame) == b"\"2.0\""),
            has_duplicate: self.has_duplicate,
        })
    }
}

/// The content of a JSON string; a string with broken surrogates is taken as it stands.
fn text(quoted: Span, frame: &[u8]) -> Cow<'_, str> {
    let quoted = quoted.of(frame);
    let inner = quoted
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    let inner = inner.unwrap_or(quoted);
    if inner.contains(&b'\\')
        && let Ok(unescaped) = serde_json::from_slice::<String>(quoted)
    {
        return Cow::Owned(unescaped);
    }
    String::from_utf8_lossy(inner)
}

/// Reads an id member of any type.
pub(crate) fn read_id(member: &[u8]) -> Id {
    match member.first() {
        Some(b'"') => {
            let whole = Span {
                start: 0,
                end: member.len(),
            };
            Id::Given(RequestId::Text(text(whole, member).into()))
        }
        Some(b'-' | b'0'..=b'9') => Id::Given(read_number(&String::from_utf8_lossy(member))),
        _ => Id::Null,
    }
}

fn read_number(text: &str) -> RequestId {
    if let Ok(number) = text.parse() {
        return RequestId::Number(number);
    }
    // `1.0` and `1.00` are the integer 1 (T-01).
    if let Some((whole, fraction)) = text.split_once('.')
        && !fraction.is_empty()
        && fraction.bytes().all(|digit| digit == b'0')
        && let Ok(number) = whole.parse()
    {
        return RequestId::Number(number);
    }
    RequestId::Decimal(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::FaultKind;

    fn one(frame: &str) -> Envelope<'_> {
        match decode(frame.as_bytes(), 128) {
            Ok(Decoded::One(envelope)) => envelope,
            other => panic!("{frame}: {other:?}"),
        }
    }

    fn shape(frame: &str) -> String {
        match one(frame).shape {
            Shape::Answer { result } => {
                format!(
                    "answer {}",
                    String::from_utf8_lossy(result.of(frame.as_bytes()))
                )
            }
            Shape::Failure { error } => {
                format!(
                    "failure {}",
                    String::from_utf8_lossy(error.of(frame.as_bytes()))
                )
            }
            Shape::Ask { method, .. } => format!("ask {method}"),
            Shape::Notice { method, params } => format!("notice {method} {}", params.is_some()),
        }
    }

    #[test]
    fn the_members_present_decide_the_shape() {
        let table = [
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "answer {}"),
            (r#"{"id":1,"error":null,"result":[1]}"#, "answer [1]"),
            (r#"{"id":1,"result":null}"#, "answer null"),
            (r#"{"id":1,"result":null,"error":"x"}"#, "failure \"x\""),
            (r#"{"id":1,"error":null}"#, "failure null"),
            (r#"{"id":1,"method":"m"}"#, "ask m"),
            (r#"{"method":"m","params":{},"id":"a"}"#, "ask m"),
            (r#"{"method":"m"}"#, "notice m false"),
            (
                r#"{"method":"m","id":null,"params":null}"#,
                "notice m false",
            ),
            (
                r#" { "m\u0065thod" : "a\/b" , "params" : [ ] } "#,
                "notice a/b true",
            ),
            (r#"{"method":5,"id":1,"result":2}"#, "answer 2"),
        ];
        for (frame, expected) in table {
            assert_eq!(shape(frame), expected, "{frame}");
        }
    }

    #[test]
    fn ids_are_kept_with_their_type() {
        let table = [
            ("1", Id::Given(RequestId::Number(1)), Some(1)),
            ("1.0", Id::Given(RequestId::Number(1)), Some(1)),
            ("\"1\"", Id::Given(RequestId::Text("1".into())), Some(1)),
            ("1.5", Id::Given(RequestId::Decimal("1.5".into())), None),
            ("-1", Id::Given(RequestId::Number(-1)), None),
            (
                "99999999999999999999",
                Id::Given(RequestId::Decimal("99999999999999999999".into())),
                None,
            ),
            ("null", Id::Null, None),
            ("[1]", Id::Null, None),
            (
                "\"server-error\"",
                Id::Given(RequestId::Text("server-error".into())),
                None,
            ),
        ];
        for (json, id, call) in table {
            let frame = format!(r#"{{"result":1,"id":{json}}}"#);
            assert_eq!(one(&frame).id, id, "{json}");
            assert_eq!(id.as_call(), call.map(CallId::new), "{json}");
        }
    }

    #[test]
    fn a_member_twice_is_noted_and_the_last_one_counts() {
        let envelope = one(r#"{"jsonrpc":"2.0","id":1,"id":2,"result":1}"#);
        assert!(envelope.has_duplicate);
        assert_eq!(envelope.id, Id::Given(RequestId::Number(2)));
        assert_eq!(envelope.earlier_id, Some(Id::Given(RequestId::Number(1))));
        assert_eq!(one(r#"{"id":1,"id":1,"result":1}"#).earlier_id, None);
    }

    #[test]
    fn texts_that_are_no_message_say_why() {
        let table = [
            ("5", Malformed::NotAMessage),
            ("{}", Malformed::NotAMessage),
            (
                r#"{"id":1,"result":1,"error":{}}"#,
                Malformed::ResultAndError,
            ),
            (
                "Starting…",
                Malformed::NotJson(Fault {
                    at: 0,
                    kind: FaultKind::Unexpected,
                }),
            ),
            (
                r#"{"id":1"#,
                Malformed::NotJson(Fault {
                    at: 7,
                    kind: FaultKind::Cut,
                }),
            ),
        ];
        for (frame, malformed) in table {
            assert_eq!(decode(frame.as_bytes(), 128), Err(malformed), "{frame}");
        }
    }

    #[test]
    fn batches_are_cut_into_their_elements() {
        let frame = br#" [ {"id":1,"result":1} , 2 ] "#;
        let Ok(Decoded::Batch(spans)) = decode(frame, 128) else {
            panic!()
        };
        let texts: Vec<_> = spans.iter().map(|span| span.of(frame)).collect();
        assert_eq!(texts, [br#"{"id":1,"result":1}"#.as_slice(), b"2"]);
        assert_eq!(decode(b"[]", 128), Ok(Decoded::Batch(vec![])));
    }
}
