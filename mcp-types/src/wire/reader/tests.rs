//! The reader beside `serde_json`: they accept the same texts and read the same from them.

use proptest::prelude::*;
use serde::Deserialize as _;
use serde_json::Value;

use super::Reader;
use crate::wire::{Wire, from_text};
use crate::{CallToolResult, ListToolsResult, ProgressParams};

fn read(text: &str) -> Option<Value> {
    let mut reader = Reader::new(text);
    let value = Value::deserialize(&mut reader).ok()?;
    reader.end().is_ok().then_some(value)
}

fn agree(text: &str) {
    assert_eq!(read(text), serde_json::from_str(text).ok(), "{text}");
}

#[test]
fn texts_on_the_edge_are_read_as_serde_json_reads_them() {
    for text in [
        "",
        " ",
        "{",
        "{}",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{1:1}",
        "{\"a\":1,\"a\":2}",
        " [ 1 , 2 ] ",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "[[]",
        "[]]",
        "nul",
        "nulls",
        "true false",
        "-",
        "-0",
        "0",
        "00",
        "7e",
        "123456789012345",
        "1234567890123456",
        "12345678901234567890",
        "[1,2.5,3e2,0]",
        "01",
        "1.",
        "1e400",
        "0.1e-7",
        "18446744073709551616",
        "-9223372036854775809",
        "NaN",
        "\"",
        "\"\\",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u\"",
        "\"\\u12\"",
        "\"\\u+123\"",
        "\"\\u0000\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\ude00\\ud83d\"",
        "\"\\/\\b\\f\\n\\r\\t\\\\\"",
        "\"a\nb\"",
        "\"\u{7f}\u{80}\u{2028}\u{10ffff}\\n\u{10ffff}\"",
        "\u{feff}1",
        "\u{a0}1",
        "\u{b}1",
    ] {
        agree(text);
    }
}

#[test]
fn a_long_text_takes_about_as_much_storage_as_it_has_characters() {
    for line in [
        "plain",
        "one \\n escape",
        "\\n\\\"\\u0041\\ud83d\\ude00",
        "\u{e9}\\\\",
    ] {
        for times in [1, 10, 1_000, 100_000] {
            let json = format!("[\"{}\",\"rest\"]", line.repeat(times));
            let mut reader = Reader::new(&json);
            let texts = Vec::<String>::deserialize(&mut reader).expect("two texts");
            assert_eq!(
                Ok(&texts),
                serde_json::from_str(&json).as_ref().map_err(drop)
            );
            for text in texts {
                assert!(text.capacity() <= text.len() * 2 + 64, "{line} {times}");
            }
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(128)).is_some());
    assert!(read(&nested(129)).is_none());
    // What is closed again counts no more.
    assert!(read(&format!("[{}[]]", "[[]],".repeat(500))).is_some());
}

fn value() -> impl Strategy<Value = Value> {
    let text = "[ -~\\n\\t\"\\\\\u{0}-\u{1f}\u{80}-\u{10ffff}]{0,40}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(text, inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Texts of types with members of every kind.
const TYPED: [&str; 4] = [
    r#"{"progressToken":"a","progress":0.5,"total":2,"message":null,"_meta":{"x":[1,{}]}}"#,
    r#"{"tools":[{"name":"t","description":"d\u00e9\n","inputSchema":{"type":"object","n":1e400,
        "properties":{}},"annotations":{"readOnlyHint":true,"title":null},"x":-0.0}],
        "nextCursor":"c","ttlMs":5.0,"cacheScope":"public","resultType":"complete"}"#,
    r#"{"content":[{"type":"text","text":"a\tb"},{"text":"late","type":"text"},
        {"type":"image","data":"AA==","mimeType":"image/png"},{"type":"new","y":[null]},
        {"type":"resource","resource":{"uri":"a:1","text":"\ud83d\ude00"}}],
        "isError":false,"structuredContent":[12345678901234567890,1e5]}"#,
    r#"{"content":[{"type":"resource_link","uri":"a:1","name":"n","size":3,
        "annotations":{"audience":["user"],"priority":1}}],"isError":null}"#,
];

/// Whether both read the same from a text, or both refuse it.
fn read_alike<T: Wire>(text: &str) {
    let json = |value: T| serde_json::to_string(&value).ok();
    let ours = from_text(text).ok().and_then(json);
    let theirs = serde_json::from_str(text).ok().and_then(json);
    assert_eq!(ours, theirs, "{text}");
}

fn typed_agree(text: &str) {
    read_alike::<CallToolResult>(text);
    read_alike::<ListToolsResult>(text);
    read_alike::<ProgressParams>(text);
}

#[test]
fn the_texts_of_types_are_read_at_all() {
    let [progress, tools, contents @ ..] = TYPED;
    assert!(from_text::<ProgressParams>(progress).is_ok());
    assert!(from_text::<ListToolsResult>(tools).is_ok());
    for content in contents {
        assert!(from_text::<CallToolResult>(content).is_ok(), "{content}");
    }
}

proptest! {
    #[test]
    fn types_are_read_alike_from_texts_whole_and_broken(
        text in prop::sample::select(&TYPED[..]),
        at: prop::sample::Index,
        put in "[\\[\\]{}:,\"\\\\u0-9a-fnt \u{1}\u{e9}-]{0,3}|null|true|\"x\"|1.0",
        taken in 0_usize..12,
    ) {
        let mut text = text.to_owned();
        let start = at.index(text.len() + 1);
        let end = (start + taken).min(text.len());
        text.replace_range(start..end, &put);
        typed_agree(&text);
    }

    #[test]
    fn what_is_written_is_read_again(value in value(), is_pretty: bool) {
        let text = if is_pretty { format!("{value:#}") } else { value.to_string() };
        agree(&text);
    }

    #[test]
    fn broken_texts_are_refused_alike(
        value in value(),
        at: prop::sample::Index,
        put in "[\\[\\]{}:,\"\\\\u0-9a-fnt \u{1}\u{e9}-]{0,3}",
        taken in 0_usize..3,
    ) {
        let mut text = value.to_string();
        let start = text.floor_char_boundary(at.index(text.len() + 1));
        let end = text.ceil_char_boundary((start + taken).min(text.len()));
        text.replace_range(start..end, &put);
        agree(&text);
    }
}
