//! Messages to bytes, appended to a buffer that is used again.

use std::fmt;
use std::io::Write as _;

use crate::{CallId, ErrorCode, ErrorObject, RequestId};

/// Appends `value` in its Display form.
pub(crate) fn write_display(out: &mut Vec<u8>, value: impl fmt::Display) {
    write!(out, "{value}").expect("writing to a Vec cannot fail");
}

/// Appends a decimal number without going through the formatting machinery.
pub(crate) fn write_number(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        if let Some(digit) = digits.get_mut(start) {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

/// Appends `text` as a JSON string.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    // Names of methods and most other texts of ours need no escape.
    if text.bytes().all(is_plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        serde_json::to_writer(out, text).expect("a string is always JSON");
    }
}

/// Appends a request; `params` writes its value, or nothing for a request without parameters.
pub(crate) fn request(
    out: &mut Vec<u8>,
    id: CallId,
    method: &str,
    params: impl FnOnce(CallId, &mut Vec<u8>),
) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.push(b',');
    method_and_params(out, method, |out| params(id, out));
}

/// Appends a notification.
pub(crate) fn notification(out: &mut Vec<u8>, method: &str, params: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    method_and_params(out, method, params);
}

/// Appends a successful answer.
pub(crate) fn answer(out: &mut Vec<u8>, id: &RequestId, result: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","result":"#);
    one_line(out, result);
    out.push(b'}');
}

/// Appends an error answer.
pub(crate) fn failure(out: &mut Vec<u8>, id: &RequestId, error: &ErrorObject) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","error":{"code":"#);
    write_display(out, error.code.unwrap_or(ErrorCode::INTERNAL_ERROR));
    out.extend_from_slice(br#","message":"#);
    write_string(out, &error.message);
    if let Some(data) = &error.data {
        out.extend_from_slice(br#","data":"#);
        one_line(out, |out| out.extend_from_slice(data.get().as_bytes()));
    }
    out.extend_from_slice(b"}}");
}

fn method_and_params(out: &mut Vec<u8>, method: &str, params: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(br#""method":"#);
    write_string(out, method);
    let before = out.len();
    out.extend_from_slice(br#","params":"#);
    let start = out.len();
    one_line(out, params);
    if out.len() == start {
        out.truncate(before);
    }
    out.push(b'}');
}

/// Appends what `write` appends, with line ends turned into spaces.
///
/// A line end in JSON can only be space between tokens, and a frame must not hold one (STDIO-01).
fn one_line(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let written = out.get_mut(start..).unwrap_or_default();
    if memchr::memchr2(b'\n', b'\r', written).is_some() {
        for byte in written {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn messages_are_compact_and_on_one_line() {
        assert_eq!(
            text(|out| request(out, CallId::new(7), "m", |id, out| write!(
                out,
                "{{\n\"t\":{id}\r\n}}"
            )
            .unwrap())),
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{ "t":7  }}"#
        );
        assert_eq!(
            text(|out| notification(out, "a\"b", |_| ())),
            r#"{"jsonrpc":"2.0","method":"a\"b"}"#
        );
    }

    #[test]
    fn answers_echo_the_id_with_its_type() {
        let table = [
            (RequestId::Number(-1), "-1"),
            (RequestId::Text("1\n".into()), r#""1\n""#),
            (RequestId::Decimal("1.50".into()), "1.50"),
        ];
        for (id, json) in table {
            assert_eq!(
                text(|out| answer(out, &id, |out| out.extend_from_slice(b"{}"))),
                format!(r#"{{"jsonrpc":"2.0","id":{json},"result":{{}}}}"#)
            );
        }
        let error = ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "no");
        assert_eq!(
            text(|out| failure(out, &RequestId::Number(1), &error)),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#
        );
    }

    #[test]
    fn numbers_are_written_whole() {
        for number in [0, 9, 10, 1_234_567_890, u64::MAX] {
            assert_eq!(text(|out| write_number(out, number)), number.to_string());
        }
    }
}
