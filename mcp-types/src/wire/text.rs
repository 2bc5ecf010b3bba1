//! JSON strings that may hold lone surrogates.
//!
//! Strings of ECMAScript can, so JSON written by such servers can too; Rust strings cannot, so
//! `serde_json` refuses them. Here each lone half becomes U+FFFD and everything else is untouched.

use std::borrow::Cow;

/// The text of a JSON string literal and how many characters had to be replaced; `None` if the
/// literal is no string.
pub(crate) fn decode(literal: &str) -> Option<(Cow<'_, str>, usize)> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some((Cow::Borrowed(inner), 0));
    }
    let mut text = String::with_capacity(inner.len());
    let mut replaced = 0;
    let mut rest = inner;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let (decoded, after) = unescape(escape)?;
        replaced += usize::from(decoded.is_none());
        text.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = after;
    }
    text.push_str(rest);
    Some((Cow::Owned(text), replaced))
}

/// The character of the escape that follows a backslash, and the text after it. The inner `None`
/// is a lone surrogate.
fn unescape(escape: &str) -> Option<(Option<char>, &str)> {
    let mut characters = escape.chars();
    let plain = match characters.next()? {
        'u' => return unescape_unit(characters.as_str()),
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    };
    Some((Some(plain), characters.as_str()))
}

/// The character of one UTF-16 unit, or of two if they belong together, and the text after it. The
/// inner `None` is a lone surrogate.
pub(crate) fn unescape_unit(digits: &str) -> Option<(Option<char>, &str)> {
    let (first, after_first) = unit(digits)?;
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Some((Some(character), after_first));
    }
    let second = after_first.strip_prefix("\\u").and_then(unit);
    if let Some((second, after_second)) = second
        && let Some(Ok(character)) = char::decode_utf16([first, second]).next()
    {
        return Some((Some(character), after_second));
    }
    Some((None, after_first))
}

/// Four hexadecimal digits.
fn unit(digits: &str) -> Option<(u16, &str)> {
    let (digits, after) = digits.split_at_checked(4)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some((u16::from_str_radix(digits, 16).ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn lone_surrogates_become_replacement_characters_and_nothing_else_changes() {
        let cases = [
            (r#""plain""#, "plain", 0),
            (r#""\ud83d\ude00""#, "\u{1f600}", 0),
            (r#""a\ud83db""#, "a\u{fffd}b", 1),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}", 2),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}", 1),
            (r#""\\ud83d""#, "\\ud83d", 0),
            (r#""\\\ud83d\n""#, "\\\u{fffd}\n", 1),
            (r#""\"\\\/\b\f\n\r\t\u0041""#, "\"\\/\u{8}\u{c}\n\r\tA", 0),
        ];
        for (literal, text, replaced) in cases {
            let decoded = decode(literal).expect("a string literal");
            assert_eq!(
                (decoded.0.as_ref(), decoded.1),
                (text, replaced),
                "{literal}"
            );
        }
    }

    #[test]
    fn other_values_are_no_strings() {
        for literal in ["1", "null", "[\"a\"]", "\"", "\"\\u12\"", "\"\\u+123\""] {
            assert_eq!(decode(literal), None, "{literal}");
        }
    }
}
