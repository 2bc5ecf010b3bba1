//! A frame without its credentials, which is still one JSON value.
//!
//! A redactor works on texts and does not know where a string of JSON begins and ends, and a text can
//! be written in many ways within a string. So a frame is taken apart, each string is looked at as it
//! was meant, and the whole is looked at once more in the end.

use std::borrow::Cow;

use mcp_transport::redact::{PLACEHOLDER, Redactor};

use crate::json::{Json, Members, quoted};

/// Values of a frame that is taken apart.
// Bound: time; each takes a search with every pattern.
const VALUES_MAX: usize = 100_000;

/// The most that is shown of a frame that cannot be shown as JSON, in bytes.
// Bound: it is read by people, who want to know what it is.
const TEXT_LEN_MAX: usize = 4_096;

/// A frame without its credentials.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Shown {
    /// One JSON value on one line, without white space between its parts.
    Json(String),
    /// Its beginning, at most 4,096 bytes and a note of how much is missing.
    Text(String, Unshown),
}

/// Why a frame is not shown as JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Unshown {
    /// A credential reaches across several of its values.
    Credentials,
    /// It is no JSON.
    NotJson,
    /// It is longer than is kept, or has more than 100,000 values.
    TooLong,
}

impl Unshown {
    /// A word for programs; it never changes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Credentials => "credentials",
            Self::NotJson => "not_json",
            Self::TooLong => "too_long",
        }
    }
}

/// Hides the credentials in a frame that is there as a whole, or in the beginning of one.
#[must_use]
pub fn hide(frame: &[u8], is_whole: bool, redactor: &Redactor) -> Shown {
    let text = |why| Shown::Text(redactor.redact_bytes_lossy(frame, TEXT_LEN_MAX), why);
    if !is_whole {
        return text(Unshown::TooLong);
    }
    let parsed = std::str::from_utf8(frame).map(|frame| Json::parse(frame, VALUES_MAX));
    let mut json = match parsed {
        Ok(Ok(json)) => json,
        Ok(Err(crate::json::ParseError::TooMany)) => return text(Unshown::TooLong),
        Ok(Err(crate::json::ParseError::Bad)) | Err(_) => return text(Unshown::NotJson),
    };
    let dense = json.dense();
    // Most frames hold none, and nothing that could be written otherwise.
    let is_plain = !dense.contains('\\') && matches!(redactor.redact(&dense), Cow::Borrowed(_));
    if is_plain {
        return Shown::Json(dense);
    }
    hide_in(&mut json, redactor);
    let dense = json.dense();
    match redactor.redact(&dense) == dense {
        true => Shown::Json(dense),
        false => text(Unshown::Credentials),
    }
}

fn hide_in(json: &mut Json, redactor: &Redactor) {
    match json {
        Json::List(items) => items.iter_mut().for_each(|item| hide_in(item, redactor)),
        Json::Object(Members(members)) => {
            for (name, value) in members {
                if let Cow::Owned(hidden) = redactor.redact(name) {
                    *name = hidden;
                }
                hide_in(value, redactor);
                hide_named(name, value, redactor);
            }
        }
        Json::Text(text) => {
            if let Cow::Owned(hidden) = redactor.redact(text) {
                *text = hidden;
            }
        }
        // Among numbers a configured secret may stand.
        Json::Plain(plain) => {
            if redactor.redact(plain) != **plain {
                *json = Json::text(PLACEHOLDER);
            }
        }
    }
}

/// Hides a text that is a credential by its name alone, such as that of `api_key`.
fn hide_named(name: &str, value: &mut Json, redactor: &Redactor) {
    if let Json::Text(text) = value {
        let member = format!("{}:{}", quoted(name), quoted(text));
        if redactor.redact(&member) != member {
            PLACEHOLDER.clone_into(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    const SECRET: &str = "hunter2/\"hünter2";

    fn redactor() -> Redactor {
        Redactor::new().with_secrets([SECRET.to_owned(), "4445556667".to_owned()])
    }

    fn shown(frame: &str) -> Shown {
        hide(frame.as_bytes(), true, &redactor())
    }

    fn json(frame: &str) -> String {
        match shown(frame) {
            Shown::Json(json) => json,
            other => panic!("{frame}: {other:?}"),
        }
    }

    #[test]
    fn a_frame_without_credentials_is_shown_as_it_is() {
        for frame in [
            r#"{"jsonrpc":"2.0","id":12345678901234567890.10,"method":"b","params":{"b":1,"a":[null,true]}}"#,
            r#"{"text":"a \"quoted\" token\nand a key"}"#,
            r#"{"progressToken":"abc","nextCursor":"opaque"}"#,
            r#"[{"jsonrpc":"2.0"}]"#,
        ] {
            assert_eq!(json(frame), frame);
        }
        assert_eq!(json(" { \"a\" : [ ] } "), r#"{"a":[]}"#);
    }

    #[test]
    fn a_secret_is_hidden_however_it_is_written_and_the_line_stays_json() {
        let letters: String = SECRET
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect();
        let plain = quoted(SECRET);
        let within = plain.trim_matches('"');
        let twice = quoted(&format!("{{\"k\":{plain}}}"));
        let thrice = quoted(&twice);
        let frames = [
            format!(r#"{{"a":{plain}}}"#),
            format!(r#"{{"a":"before {within} after","b":[[{plain}]]}}"#),
            format!(r#"{{"a":"{letters}"}}"#),
            format!(r#"{{{plain}:1}}"#),
            format!(r#"{{"a":{twice}}}"#),
            format!(r#"{{"a":{thrice}}}"#),
            r#"{"a":"hunter2%2F%22h%C3%BCnter2"}"#.to_owned(),
            r#"{"a":4445556667,"b":-4445556667.5}"#.to_owned(),
            r#"{"api_key":"short"}"#.to_owned(),
            r#"{"headers":{"Authorization":"Basic dXNlcjpwYXNzd29yZA=="}}"#.to_owned(),
            r#"{"a":"\u0042earer abcdefgh12345678"}"#.to_owned(),
            r#"{"a":"\u0067hp_0123456789abcdefghijABCDEFGHIJ"}"#.to_owned(),
            r#"{"a":"https://user:password1@example.com/"}"#.to_owned(),
        ];
        for frame in frames {
            let json = json(&frame);
            let value: Value = serde_json::from_str(&json).unwrap();
            let decoded = format!("{value:?}");
            for word in [
                "hunter2",
                "4445556667",
                "short",
                "dXNl",
                "abcdefgh",
                "ghp_",
                "password1",
            ] {
                assert!(
                    !json.contains(word) && !decoded.contains(word),
                    "{frame}: {json}"
                );
            }
            assert!(json.contains(PLACEHOLDER), "{frame}: {json}");
        }
    }

    proptest! {
        #[test]
        fn no_surroundings_and_no_depth_of_quotes_give_a_secret_away(
            before in ".{0,12}", after in ".{0,12}", depth in 1_usize..5,
        ) {
            let quoted = (0..depth).fold(format!("{before}{SECRET}{after}"), |text, _| quoted(&text));
            let (text, mut decoded) = match shown(&format!("[{quoted}]")) {
                Shown::Json(json) => {
                    let [text]: [String; 1] = serde_json::from_str(&json).unwrap();
                    (json, text)
                }
                Shown::Text(text, _) => (text.clone(), text),
            };
            prop_assert!(!text.contains(SECRET) && !decoded.contains(SECRET));
            while let Ok(inner) = serde_json::from_str::<String>(&decoded) {
                prop_assert!(!inner.contains(SECRET), "{}", text);
                decoded = inner;
            }
        }
    }

    #[test]
    fn what_stands_around_a_secret_stays() {
        assert_eq!(
            json(r#"{"id":7,"params":{"text":"use token=abcdefgh12345678 now","n":1}}"#),
            r#"{"id":7,"params":{"text":"use token=[REDACTED] now","n":1}}"#
        );
    }

    #[test]
    fn a_credential_across_values_costs_the_frame_its_shape_and_is_hidden_all_the_same() {
        let frame =
            r#"["-----BEGIN RSA PRIVATE KEY-----","abcdefgh","-----END RSA PRIVATE KEY-----"]"#;
        let Shown::Text(text, Unshown::Credentials) = shown(frame) else {
            panic!("{:?}", shown(frame))
        };
        assert!(!text.contains("abcdefgh"), "{text}");
    }

    #[test]
    fn what_is_no_json_or_too_long_is_shown_in_part_and_says_so() {
        for (frame, is_whole, why) in [
            ("Listening, token=abcdefgh12345678", true, Unshown::NotJson),
            (r#"{"token":"abcdefgh12345678""#, true, Unshown::NotJson),
            (r#"{"token":"abcdefgh12345678"}"#, false, Unshown::TooLong),
        ] {
            let Shown::Text(text, found) = hide(frame.as_bytes(), is_whole, &redactor()) else {
                panic!("{frame}")
            };
            assert_eq!(found, why, "{frame}");
            assert!(!text.contains("abcdefgh"), "{text}");
        }
        let long = format!("[{}0]", "0,".repeat(VALUES_MAX));
        assert!(matches!(shown(&long), Shown::Text(_, Unshown::TooLong)));
        let broken = hide(b"\"\xff\"", true, &redactor());
        assert_eq!(
            broken,
            Shown::Text("\"\u{fffd}\"".to_owned(), Unshown::NotJson)
        );
    }
}
