//! No input panics, and what is written is read back the same.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use mcp_types::content::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, Role, TextContent,
    TextResourceContents, ToolResultContent, ToolUseContent,
};
use mcp_types::decode::Decode;
use mcp_types::{
    Annotations, CallToolParams, CallToolResult, CreateMessageParams, CreateMessageResult, Extra,
    Icon, ListToolsResult, Meta, ProgressParams, RawJson, SamplingContent, SamplingMessage, Token,
    Tool, ToolAnnotations,
};

use crate::{fixtures, table};

const CASES: u32 = 10_000;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Texts with what JSON has to escape, and characters outside the first plane.
fn text() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "",
        "a",
        "text",
        "\"\\/",
        "\n\u{0}\u{1f}",
        "\u{e9}\u{2028}",
        "\u{1f600}z",
        "\\ud83d",
        "type",
    ];
    prop::sample::select(KNOWN).prop_map(str::to_owned)
}

/// Names that no type has.
fn name() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &["x", "x\"\\", "x\u{e9}\u{1f600}", "x\n"];
    prop::sample::select(KNOWN).prop_map(str::to_owned)
}

fn raw() -> impl Strategy<Value = RawJson> {
    const KNOWN: &[&str] = &[
        "null",
        "true",
        "0",
        "-0.0",
        "1.50",
        "12345678901234567890123",
        "\"\\ud83d\"",
        "[]",
        "[1,{\"a\":null}]",
        "{}",
        "{\"b\":1,\"a\":2}",
    ];
    prop::sample::select(KNOWN).prop_map(|text| RawJson::parse(text).expect("JSON"))
}

fn object() -> impl Strategy<Value = RawJson> {
    const KNOWN: &[&str] = &["{}", "{\"type\":\"object\"}", "{\"z\":1.0,\"a\":[{}]}"];
    prop::sample::select(KNOWN).prop_map(|text| RawJson::parse(text).expect("JSON"))
}

fn extra() -> impl Strategy<Value = Extra> {
    prop_oneof![
        3 => Just(Extra::new()),
        1 => vec((name(), raw()), 0..3).prop_map(Extra::from_iter),
    ]
}

fn meta() -> impl Strategy<Value = Option<Meta>> {
    option::weighted(0.2, vec((text(), raw()), 0..3).prop_map(Meta::from_iter))
}

fn token() -> impl Strategy<Value = Token> {
    prop_oneof![
        any::<i64>().prop_map(Token::Number),
        text().prop_map(Token::Text)
    ]
}

fn role() -> impl Strategy<Value = Role> {
    prop_oneof![
        Just(Role::User),
        Just(Role::Assistant),
        text().prop_map(Role::from)
    ]
}

/// Builds a value from `new` and assignments to fields.
macro_rules! filled {
    ($new:expr; $($field:ident = $value:expr),* $(,)?) => {{
        let mut value = $new;
        $(value.$field = $value;)*
        value
    }};
}

fn annotations() -> impl Strategy<Value = Option<Annotations>> {
    let priority = option::of((0..=8_u8).prop_map(|eighths| f64::from(eighths) / 8.0));
    let fields = (
        option::of(vec(role(), 0..3)),
        priority,
        option::of(text()),
        extra(),
    );
    let all = fields.prop_map(|(audience, priority, last_modified, extra)| {
        filled!(Annotations::default(); audience = audience, priority = priority,
            last_modified = last_modified, extra = extra)
    });
    option::weighted(0.3, all)
}

fn icons() -> impl Strategy<Value = Option<Vec<Icon>>> {
    let icon = (
        text(),
        option::of(vec(text(), 0..2)),
        option::of(text()),
        extra(),
    );
    let icon = icon.prop_map(|(src, sizes, theme, extra)| {
        filled!(Icon::new(src); sizes = sizes, theme = theme.map(Into::into), extra = extra)
    });
    option::weighted(0.2, vec(icon, 0..3))
}

fn leaf() -> impl Strategy<Value = ContentBlock> {
    let common = || (annotations(), meta(), extra());
    prop_oneof![
        (text(), common()).prop_map(|(text, (annotations, meta, extra))| {
            filled!(TextContent::new(text); annotations = annotations, meta = meta, extra = extra)
                .into()
        }),
        (text(), text(), common()).prop_map(|(data, mime, (annotations, meta, extra))| {
            filled!(ImageContent::new(data, mime); annotations = annotations, meta = meta,
                extra = extra)
            .into()
        }),
        (text(), text(), common()).prop_map(|(data, mime, (annotations, meta, extra))| {
            filled!(AudioContent::new(data, mime); annotations = annotations, meta = meta,
                extra = extra)
            .into()
        }),
        (text(), text(), common()).prop_map(|(uri, text, (annotations, meta, extra))| {
            filled!(EmbeddedResource::new(TextResourceContents::new(uri, text));
                annotations = annotations, meta = meta, extra = extra)
            .into()
        }),
        (text(), text(), option::of(any::<i64>()), icons(), common()).prop_map(
            |(uri, name, size, icons, (annotations, meta, extra))| {
                filled!(ResourceLink::new(uri, name); size = size, icons = icons,
                    annotations = annotations, meta = meta, extra = extra)
                .into()
            }
        ),
        (text(), text(), object(), meta(), extra()).prop_map(|(id, name, input, meta, extra)| {
            filled!(ToolUseContent::new(id, name, input); meta = meta, extra = extra).into()
        }),
    ]
}

fn block() -> impl Strategy<Value = ContentBlock> {
    leaf().prop_recursive(2, 4, 2, |inner| {
        (
            text(),
            vec(inner, 0..3),
            option::of(raw()),
            option::of(any::<bool>()),
            meta(),
            extra(),
        )
            .prop_map(|(id, content, structured_content, is_error, meta, extra)| {
                filled!(ToolResultContent::new(id, content);
                    structured_content = structured_content, is_error = is_error, meta = meta,
                    extra = extra)
                .into()
            })
    })
}

fn tool() -> impl Strategy<Value = Tool> {
    let hints = (option::of(any::<bool>()), option::of(text()), extra());
    let hints = hints.prop_map(|(read_only_hint, title, extra)| {
        filled!(ToolAnnotations::new(); read_only_hint = read_only_hint, title = title,
            extra = extra)
    });
    let texts = (name(), option::of(text()), option::of(text()));
    let schemas = (object(), option::of(object()));
    (texts, schemas, option::of(hints), icons(), meta(), extra()).prop_map(
        |((name, title, description), (input, output), hints, icons, meta, extra)| {
            filled!(Tool::new(name, input); title = title, description = description,
                output_schema = output, annotations = hints, icons = icons, meta = meta,
                extra = extra)
        },
    )
}

fn list() -> impl Strategy<Value = ListToolsResult> {
    (
        vec(tool(), 0..3),
        option::of(text()),
        option::of(any::<i64>()),
        meta(),
        extra(),
    )
        .prop_map(|(tools, next_cursor, ttl_ms, meta, extra)| {
            filled!(ListToolsResult::new(tools); next_cursor = next_cursor, ttl_ms = ttl_ms,
                cache_scope = Some("public".into()), meta = meta, extra = extra)
        })
}

fn result() -> impl Strategy<Value = CallToolResult> {
    let fields = (
        vec(block(), 0..3),
        option::of(raw()),
        option::of(any::<bool>()),
        meta(),
        extra(),
    );
    fields.prop_map(|(content, structured_content, is_error, meta, extra)| {
        filled!(CallToolResult::new(content); structured_content = structured_content,
            is_error = is_error, result_type = Some("complete".into()), meta = meta, extra = extra)
    })
}

fn call() -> impl Strategy<Value = CallToolParams> {
    (
        text(),
        option::of(object()),
        option::of(text()),
        meta(),
        extra(),
    )
        .prop_map(|(name, arguments, request_state, meta, extra)| {
            filled!(CallToolParams::new(name); arguments = arguments,
                request_state = request_state, meta = meta, extra = extra)
        })
}

fn said() -> impl Strategy<Value = SamplingContent> {
    prop_oneof![
        block().prop_map(SamplingContent::One),
        vec(block(), 0..3).prop_map(SamplingContent::Many),
    ]
}

fn sampling() -> impl Strategy<Value = (CreateMessageParams, CreateMessageResult)> {
    let message = (role(), said(), meta(), extra()).prop_map(|(role, content, meta, extra)| {
        filled!(SamplingMessage::new(role, content); meta = meta, extra = extra)
    });
    let asked = (
        vec(message, 0..3),
        any::<i64>(),
        option::of(vec(tool(), 0..2)),
    );
    (asked, (text(), said(), option::of(text()), meta())).prop_map(
        |((messages, max_tokens, tools), (model, content, reason, meta))| {
            let asked = filled!(CreateMessageParams::new(messages, max_tokens); tools = tools);
            let said = filled!(CreateMessageResult::new(model, content);
                stop_reason = reason.map(Into::into), meta = meta);
            (asked, said)
        },
    )
}

fn progress() -> impl Strategy<Value = ProgressParams> {
    use proptest::num::f64::{NORMAL, SUBNORMAL, ZERO};

    let number = || NORMAL | SUBNORMAL | ZERO;
    (
        token(),
        number(),
        option::of(number()),
        option::of(text()),
        extra(),
    )
        .prop_map(|(token, progress, total, message, extra)| {
            filled!(ProgressParams::new(token, progress); total = total, message = message,
                extra = extra)
        })
}

/// A value is read back the same, without diagnostics, by both ways of reading.
fn assert_returns<T>(value: &T)
where
    T: Decode + serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let json = serde_json::to_string(value).expect("values have a JSON form");
    let decoded = T::decode(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(decoded.diagnostics, [], "{json}");
    assert_eq!(decoded.value, *value, "{json}");
    let strict: T = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(strict, *value, "{json}");
}

/// Text that is JSON for the most part.
fn almost_json() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        "\\ud83d",
        "null",
        "true",
        "1",
        "-",
        "1e999",
        "\"type\":",
        "\"text\"",
        "\"text\":",
        "\"content\":",
        "\"tools\":[",
        "\"name\":\"a\",",
        "\"inputSchema\":{}",
        "\"_meta\":",
        "\"tool_result\"",
        "\"params\":",
        "\"method\":",
        " ",
        "\u{e9}",
    ];
    vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn results_of_tools_return(result in result()) {
        assert_returns(&result);
    }

    #[test]
    fn lists_of_tools_return(list in list()) {
        assert_returns(&list);
    }

    #[test]
    fn calls_return(call in call()) {
        assert_returns(&call);
    }

    #[test]
    fn sampling_returns((asked, said) in sampling()) {
        assert_returns(&asked);
        assert_returns(&said);
    }

    #[test]
    fn progress_returns(progress in progress()) {
        assert_returns(&progress);
    }

    #[test]
    fn no_text_panics(text in almost_json(), place in 0..table::TABLE.len()) {
        let pass = table::TABLE[place].1;
        let _: Result<_, _> = pass(&text);
        let _: Result<_, _> = pass(&format!("{{{text}}}"));
    }

    #[test]
    fn no_bytes_panic(bytes in vec(any::<u8>(), 0..64), place in 0..table::TABLE.len()) {
        let _: Result<_, _> = table::TABLE[place].1(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn no_damage_to_a_good_value_panics() {
    // A member's value is replaced by others, and the text is cut short, at each place.
    let others = ["null", "7", "\"x\"", "[]", "{}", "[{}]", "\"\\ud800\""];
    for fixture in fixtures::all().into_iter().step_by(3) {
        let pass = table::of(&fixture.name);
        let json = fixture.value.to_string();
        for (place, _) in json.char_indices().step_by(7) {
            let (head, _) = json.split_at(place);
            assert!(pass(head).is_err(), "{head}");
        }
        let Some(members) = fixture.value.as_object() else {
            continue;
        };
        for name in members.keys() {
            for other in others {
                let mut damaged = members.clone();
                damaged.remove(name);
                let mut text = serde_json::to_string(&damaged).expect("JSON");
                text.pop();
                let comma = if damaged.is_empty() { "" } else { "," };
                let _: Result<_, _> = pass(&format!("{text}{comma}{name:?}:{other}}}"));
            }
        }
    }
}
