//! Frames that are recognised by their first and last bytes alone, because most are of these forms.
//!
//! What lies between the edges is not looked at here: its reader does that, and goes the general
//! way if it is not what the edges promise.

use crate::CallId;
use crate::decode::Span;

/// Recognises the two member orders in which servers write successful answers, by their first and
/// last bytes alone.
///
/// For valid JSON both are unambiguous. For anything else the returned span is no JSON value,
/// which its reader finds out; [`crate::Answer::recheck`] then tells what was wrong.
pub(crate) fn quick_answer(frame: &[u8]) -> Option<(CallId, Span)> {
    let body = frame.strip_suffix(b"}")?;
    if let Some(rest) = body.strip_prefix(br#"{"jsonrpc":"2.0","id":"#) {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = small_number(rest.get(..digits)?)?;
        let result = rest.get(digits..)?.strip_prefix(br#","result":"#)?;
        let span = Span {
            start: body.len() - result.len(),
            end: body.len(),
        };
        return (!result.is_empty()).then_some((CallId::new(number), span));
    }
    let rest = body.strip_prefix(br#"{"result":"#)?;
    let digits = rest
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (head, number) = rest.split_at_checked(rest.len() - digits)?;
    let result = head.strip_suffix(br#","jsonrpc":"2.0","id":"#)?;
    let start = body.len() - rest.len();
    let span = Span {
        start,
        end: start + result.len(),
    };
    (!result.is_empty()).then_some((CallId::new(small_number(number)?), span))
}

/// A number of one to 15 digits without a leading zero; anything else goes the general way.
fn small_number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 15 || (digits.len() > 1 && digits.starts_with(b"0")) {
        return None;
    }
    Some(
        digits
            .iter()
            .fold(0, |number, digit| number * 10 + u64::from(digit - b'0')),
    )
}

/// The parameters of a notification of a method, if the frame has one of the two member orders in
/// which servers write them; recognised by its edges alone.
///
/// Whoever reads one JSON value of exactly these bytes has read a notification of that method. If
/// they are anything else, the frame may be anything else, even a request; then give it to
/// [`crate::Peer::handle_frame`].
pub fn params_of_notice<'a>(frame: &'a [u8], method: &str) -> Option<&'a [u8]> {
    // Answers are told by one byte, since they come as often.
    if frame.get(18) != Some(&b'm') && frame.get(2) != Some(&b'm') {
        return None;
    }
    let strip = |start: &[u8], end: &[u8]| {
        let rest = frame.strip_prefix(start)?.strip_prefix(method.as_bytes())?;
        rest.strip_prefix(br#"","params":"#)?.strip_suffix(end)
    };
    let params = strip(br#"{"jsonrpc":"2.0","method":""#, b"}")
        .or_else(|| strip(br#"{"method":""#, br#","jsonrpc":"2.0"}"#))?;
    // The text `null` is a value too, and means that there are none.
    (params != b"null").then_some(params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{Decoded, Shape, decode};

    #[test]
    fn quick_answers_agree_with_the_general_path() {
        for frame in [
            r#"{"jsonrpc":"2.0","id":12,"result":{"a":"}"}}"#,
            r#"{"result":{"content":[]},"jsonrpc":"2.0","id":7}"#,
            r#"{"result":"x","jsonrpc":"2.0","id":0}"#,
        ] {
            let (call, span) = quick_answer(frame.as_bytes()).unwrap();
            let Ok(Decoded::One(envelope)) = decode(frame.as_bytes(), 128) else {
                panic!("{frame}")
            };
            assert_eq!(envelope.id.as_call(), Some(call));
            assert_eq!(envelope.shape, Shape::Answer { result: span });
        }
        for frame in [
            r#"{"jsonrpc":"2.0","id":"1","result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":}"#,
            r#"{"jsonrpc":"2.0","id":1234567890123456,"result":1}"#,
            r#"{"result":1,"id":1}"#,
        ] {
            assert_eq!(quick_answer(frame.as_bytes()), None, "{frame}");
        }
    }

    #[test]
    fn parameters_between_the_edges_are_those_of_the_general_path() {
        for frame in [
            r#"{"jsonrpc":"2.0","method":"a/b","params":{"x":[1,"}"]}}"#,
            r#"{"method":"a/b","params":{"x":1},"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","method":"a/b","params": [1] }"#,
        ] {
            let params = params_of_notice(frame.as_bytes(), "a/b").unwrap();
            let Ok(Decoded::One(envelope)) = decode(frame.as_bytes(), 128) else {
                panic!("{frame}")
            };
            let Shape::Notice {
                method,
                params: Some(span),
            } = envelope.shape
            else {
                panic!("{frame}")
            };
            assert_eq!(method, "a/b");
            assert_eq!(span.of(frame.as_bytes()), params.trim_ascii(), "{frame}");
        }
    }

    #[test]
    fn what_is_no_plain_notice_has_other_edges_or_no_single_value_between_them() {
        for frame in [
            r#"{"jsonrpc":"2.0","method":"a/b","params":{},"id":1}"#,
            r#"{"jsonrpc":"2.0","method":"a/b","params":{},"params":{}}"#,
            r#"{"method":"a/b","params":{},"id":1,"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","method":"a/b","params":}"#,
            r#"{"jsonrpc":"2.0","method":"a/b","params":{}}}"#,
        ] {
            let params = params_of_notice(frame.as_bytes(), "a/b").unwrap();
            assert!(crate::validate(params, 128).is_err(), "{frame}");
        }
        for frame in [
            r#"{"jsonrpc":"2.0","method":"a/c","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"a/b/c","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"a/b","params":null}"#,
            r#"{"jsonrpc":"2.0","method":"a/b"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a/b","params":{}}"#,
            r#"{"method":"a/b","params":{}}"#,
            "",
        ] {
            assert_eq!(params_of_notice(frame.as_bytes(), "a/b"), None, "{frame}");
        }
    }
}
