//! What is hidden, what stays, and that neither depends on the text being honest.

use std::time::Instant;

use proptest::prelude::*;

use super::{PLACEHOLDER, Redactor, Secret};

/// Each text holds the word that must go, and the text as it is afterwards.
const HIDDEN: &[(&str, &str)] = &[
    ("bad ghp_abcDEF123 here", "bad [REDACTED] here"),
    ("GHP_xxxx", "[REDACTED]"),
    ("x_ghp_abc", "x_[REDACTED]"),
    ("github_pat_11AAA_bbb.", "[REDACTED]."),
    (
        "gho_abc, ghs_abc ghu_abc ghr_abc",
        "[REDACTED], [REDACTED] [REDACTED] [REDACTED]",
    ),
    ("key sk-proj-a_b.c-d, next", "key [REDACTED], next"),
    ("sk-xxxx", "[REDACTED]"),
    ("line\\nsk-abc", "line\\n[REDACTED]"),
    ("q=%3Dsk-abc", "q=%3D[REDACTED]"),
    ("Bearer abc.def", "Bearer [REDACTED]"),
    ("bearer\tabc!def)", "bearer\t[REDACTED]"),
    ("{\"h\":\"BEARER abc\"}", "{\"h\":\"BEARER [REDACTED]\"}"),
    ("Basic dXNlcjpwYXNz", "Basic [REDACTED]"),
    ("basic dXNlcjpwYQ==", "basic [REDACTED]"),
    ("?token=abc&x=1", "?token=[REDACTED]&x=1"),
    (
        "key=abc, API_KEY=def; rest",
        "key=[REDACTED], API_KEY=[REDACTED]; rest",
    ),
    ("password=hunter2", "password=[REDACTED]"),
    ("PASSWORD = \"hunter 2\" x", "PASSWORD = \"[REDACTED]\" x"),
    ("client_secret='a b' x", "client_secret='[REDACTED]' x"),
    ("access_token=abc", "access_token=[REDACTED]"),
    ("openaikey=abc", "openaikey=[REDACTED]"),
    ("token%3Dabc", "token%3D[REDACTED]"),
    (
        "--token abc --password=def",
        "--token [REDACTED] --password=[REDACTED]",
    ),
    (
        r#"{"api_key": "a\"b", "n": 1}"#,
        r#"{"api_key": "[REDACTED]", "n": 1}"#,
    ),
    (r#"{"token":"abc"}"#, r#"{"token":"[REDACTED]"}"#),
    (r#"{'apiKey': 'abc'}"#, r#"{'apiKey': '[REDACTED]'}"#),
    (
        r#""{\"token\":\"abc\",\"n\":1}""#,
        r#""{\"token\":\"[REDACTED]\",\"n\":1}""#,
    ),
    (
        r#""{\"token\":\"a\\\"b\",\"n\":1}""#,
        r#""{\"token\":\"[REDACTED]\",\"n\":1}""#,
    ),
    (
        r#"{"Authorization":"Digest abc"}"#,
        r#"{"Authorization":"[REDACTED]"}"#,
    ),
    (
        "Authorization: Bearer sk-xxxx\nHost: a",
        "Authorization: [REDACTED]\nHost: a",
    ),
    (
        "Authorization: \"Bearer sk-xxxx\"",
        "Authorization: \"[REDACTED]\"",
    ),
    (
        "curl -H \"authorization: Custom abc\" x",
        "curl -H \"authorization: [REDACTED]\" x",
    ),
    ("X-Api-Key: abc", "X-Api-Key: [REDACTED]"),
    ("Set-Cookie: id=abc; Path=/", "Set-Cookie: [REDACTED]"),
    (
        "GITHUB_ACCESS_TOKEN: \"abc\"",
        "GITHUB_ACCESS_TOKEN: \"[REDACTED]\"",
    ),
    ("xoxb-12-ab xoxp-1", "[REDACTED] [REDACTED]"),
    ("AKIAIOSFODNN7EXAMPLE", "[REDACTED]"),
    ("ASIAIOSFODNN7EXAMPLE.", "[REDACTED]."),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[REDACTED]"),
    ("jwt eyJhbGciOi.eyJzdWIi.c2ln!", "jwt [REDACTED]!"),
    (
        "https://user:p@ss@host/path",
        "https://[REDACTED]@host/path",
    ),
    (
        "postgres://u:p@db:5432/x",
        "postgres://[REDACTED]@db:5432/x",
    ),
    (r"https:\/\/u:p@host\/x", r"https:\/\/[REDACTED]@host\/x"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----[REDACTED]-----END RSA PRIVATE KEY-----",
    ),
];

const ORDINARY: &[&str] = &[
    "",
    "[REDACTED]",
    "monkey=banana",
    "the keys: a, b",
    "skip-list, risk-free, task-1, disk-usage",
    "locale sk-SK",
    "laughs_loudly",
    "/usr/lib/node_modules/@scope/pkg/token.js",
    "https://registry.npmjs.org/@scope/pkg",
    "no bearer token was sent",
    "the Bearer of bad news",
    "WWW-Authenticate: Bearer realm=\"x\"",
    "basic authentication, basic configuration, Basic JavaScript",
    "unexpected token: }",
    "missing key: \"name\"",
    "if token == None",
    "max_tokens=100",
    "{\"progressToken\":\"abc\"}",
    "a == b; tokens: 5; key, value",
    "user@example.com at 10:30",
];

#[test]
fn credentials_are_hidden() {
    let redactor = Redactor::new();
    for (text, expected) in HIDDEN {
        assert_eq!(redactor.redact(text), *expected, "{text}");
    }
}

#[test]
fn ordinary_text_stays() {
    let redactor = Redactor::new();
    for text in ORDINARY {
        assert_eq!(redactor.redact(text), *text);
    }
}

#[test]
fn hiding_twice_changes_nothing() {
    let redactor = Redactor::new();
    for (text, _) in HIDDEN {
        let once = redactor.redact(text).into_owned();
        assert_eq!(redactor.redact(&once), once, "{text}");
    }
}

#[test]
fn configured_values_are_hidden_in_each_form() {
    let redactor = with("pa\"ss/wörd \\1");
    for form in [
        "pa\"ss/wörd \\1",
        r#"pa\"ss/wörd \\1"#,
        r#"pa\"ss\/w\u00f6rd \\1"#,
        r#"pa\\\"ss/w\\u00F6rd \\\\1"#,
        "pa%22ss%2Fw%C3%B6rd%20%5C1",
        "pa%22ss%2fw%c3%b6rd+%5c1",
    ] {
        assert_eq!(
            redactor.redact(&format!("<{form}>")),
            "<[REDACTED]>",
            "{form}"
        );
    }
}

#[test]
fn short_values_and_the_placeholder_are_no_secrets() {
    assert_eq!(with("1234567").redact("1234567"), "1234567");
    assert_eq!(with("REDACTED").redact("REDACTED"), "REDACTED");
    assert_eq!(with("12345678").redact("0123456789"), "0[REDACTED]9");
}

#[test]
fn each_line_of_a_value_is_hidden() {
    let redactor = with("first line\n second line \n");
    assert_eq!(
        redactor.redact("a second line; first line"),
        "a [REDACTED]; [REDACTED]"
    );
}

#[test]
fn nothing_prints_a_value() {
    let redactor = with("correct horse");
    assert_eq!(format!("{redactor:?}"), "Redactor { secrets: 1 }");
    let secret = Secret::new("correct horse");
    assert_eq!(format!("{secret} {secret:?}"), "[REDACTED] [REDACTED]");
    assert_eq!(secret.expose(), "correct horse");
}

#[test]
fn an_excerpt_says_how_much_is_missing() {
    let redactor = Redactor::new();
    assert_eq!(redactor.redact_bytes_lossy(b"abc", 3), "abc");
    assert_eq!(
        redactor.redact_bytes_lossy(b"abcdef", 4),
        "abcd… (2 more bytes)"
    );
    assert_eq!(
        redactor.redact_bytes_lossy("aää".as_bytes(), 2),
        "a… (4 more bytes)"
    );
    assert_eq!(redactor.redact_bytes_lossy(b"a\xffb", 9), "a\u{fffd}b");
    assert_eq!(
        redactor.redact_bytes_lossy(&[b'x'; 9000], 2),
        "xx… (8998 more bytes)"
    );
    assert_eq!(redactor.redact_bytes_lossy(b"abc", 0), "… (3 more bytes)");
}

#[test]
fn hostile_text_takes_linear_time() {
    let redactor = with("some \"secret\" value");
    let len = 256 << 10;
    for piece in [
        "a",
        "key",
        "key=",
        "token=\"",
        "\\",
        "\\\"key\\\":\\\"",
        "eyJ",
        "eyJaaaaa.",
        "a://b",
        "sk-.",
        "Bearer ",
        "\"",
        "Authorization:",
        "-----BEGIN PRIVATE KEY-----",
        "--token ",
        "%3D",
        "secret_",
        "some \"secret\" ",
        "ghp_a ",
        "[REDACTED",
        "\u{fffd}",
        "a-",
        "authorization=\"",
        "https://a:b@c ",
    ] {
        let text = piece.repeat(len / piece.len());
        #[expect(clippy::disallowed_methods, reason = "the test is about time")]
        let started = Instant::now();
        let _redacted = redactor.redact(&text);
        let took = started.elapsed();
        assert!(took.as_secs() < 5, "{took:?} for {piece}");
    }
}

fn with(secret: &str) -> Redactor {
    Redactor::new().with_secrets([secret.to_owned()])
}

/// Texts made of what the patterns look at.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(HIDDEN).prop_map(|(text, _)| text.to_owned()),
        prop::sample::select(vec![
            "key=",
            "token",
            "\"",
            "\\",
            "\\\"",
            "'",
            ":",
            "=",
            " ",
            "\n",
            "Bearer ",
            "[REDACTED]",
            "sk-",
            "@",
            "://",
            "Authorization: ",
            "eyJ",
            ".",
            "-----BEGIN PRIVATE KEY-----",
            "--token ",
            "%3D",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_settles(text in hostile()) {
        let redactor = Redactor::new();
        let once = redactor.redact(&text).into_owned();
        prop_assert_eq!(redactor.redact(&once), once.as_str());
    }

    #[test]
    fn a_configured_value_never_comes_through(
        before in hostile(), after in hostile(), secret in "[ -~é\"\\\\/%+&=]{8,24}",
    ) {
        let redactor = with(&secret);
        let trimmed = secret.trim();
        prop_assume!(trimmed.len() >= 8 && !PLACEHOLDER.contains(trimmed));
        let json = trimmed.replace('\\', "\\\\").replace('"', "\\\"");
        let url: String = trimmed.bytes().map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        }).collect();
        for form in [trimmed, &json, &url] {
            let hidden = redactor.redact(&format!("{before}{form}{after}")).into_owned();
            prop_assert!(!hidden.contains(form), "{} in {}", form, hidden);
            prop_assert_eq!(redactor.redact(&hidden), hidden.as_str());
        }
    }

    #[test]
    fn an_excerpt_is_short_and_shows_no_half_of_a_value(
        before in "[a-z ]{0,40}", secret in "[A-Z0-9]{8,20}", after in "[a-z ]{0,40}", len_max in 0_usize..80,
    ) {
        let redactor = with(&secret);
        let excerpt = redactor.redact_bytes_lossy(format!("{before}{secret}{after}").as_bytes(), len_max);
        let shown = excerpt.split('…').next().unwrap_or_default();
        prop_assert!(shown.len() <= len_max);
        let left = shown.replace(PLACEHOLDER, "");
        prop_assert!(!left.chars().any(|char| char.is_ascii_uppercase() || char.is_ascii_digit()));
    }
}
