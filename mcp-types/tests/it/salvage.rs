//! Bad inputs: what survives, and what is said about the rest.

use mcp_types::content::ContentBlock;
use mcp_types::decode::{Decode, Diagnostic};
use mcp_types::error::UnsupportedVersionData;
use mcp_types::{
    Cacheable as _, CallToolResult, GetPromptResult, InitializeResult, InputRequiredResult,
    ListResourcesResult, ListToolsResult, Nullable, Page as _, ProgressParams, RawJson,
    ReadResourceResult, Task, Token, Tool,
};
use serde_json::Value;

use crate::table;

/// A bad text of a type; what is written again; each diagnostic as `path: reason (effect)`.
struct Case {
    name: &'static str,
    json: &'static str,
    written: &'static str,
    said: &'static [&'static str],
}

const CASES: &[Case] = &[
    // Members that an object can do without.
    Case {
        name: "Tool",
        json: r#"{"name":"a","inputSchema":{},"description":null,"title":null}"#,
        written: r#"{"name":"a","inputSchema":{}}"#,
        said: &[],
    },
    Case {
        name: "Tool",
        json: r#"{"name":"a","inputSchema":{},"annotations":"safe","execution":7}"#,
        written: r#"{"name":"a","inputSchema":{},"annotations":"safe","execution":7}"#,
        said: &[
            "annotations: expected an object (ignored)",
            "execution: expected an object (ignored)",
        ],
    },
    Case {
        name: "Tool",
        json: r#"{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":"yes","idempotentHint":true}}"#,
        written: r#"{"name":"a","inputSchema":{},"annotations":{"idempotentHint":true,"readOnlyHint":"yes"}}"#,
        said: &["annotations.readOnlyHint: expected true or false (ignored)"],
    },
    Case {
        name: "Tool",
        json: r#"{"name":"a","inputSchema":{},"icons":[{"src":"x:1"},{"src":5},"y",{"src":"x:2","sizes":"48x48"}]}"#,
        written: r#"{"name":"a","inputSchema":{},"icons":[{"src":"x:1"},{"src":"x:2","sizes":"48x48"}]}"#,
        said: &[
            "icons[1].src: expected a string (dropped)",
            "icons[2]: expected an object (dropped)",
            "icons[3].sizes: expected a list (ignored)",
        ],
    },
    Case {
        name: "Resource",
        json: r#"{"uri":"x:1","name":"n","size":"big","_meta":[1],"annotations":{"priority":"high","audience":["user",3]}}"#,
        written: r#"{"uri":"x:1","name":"n","annotations":{"audience":["user"],"priority":"high"},"size":"big","_meta":[1]}"#,
        said: &[
            "size: expected a whole number of 64 bits (ignored)",
            "_meta: expected an object (ignored)",
            "annotations.priority: expected a number (ignored)",
            "annotations.audience[1]: expected a string (dropped)",
        ],
    },
    // Items of lists.
    Case {
        name: "ListToolsResult",
        json: r#"{"tools":[{"name":"a","inputSchema":{}},{"name":5},{"name":"","inputSchema":{}},{"inputSchema":{}},{"name":"b"},{"name":"c","inputSchema":true},{"name":"d","inputSchema":{"type":"object"}}]}"#,
        written: r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"d","inputSchema":{"type":"object"}}]}"#,
        said: &[
            "tools[1].name: expected a string (dropped)",
            "tools[2].name: a tool needs a name (dropped)",
            "tools[3].name: missing (dropped)",
            "tools[4].inputSchema: missing; a tool needs one (dropped)",
            "tools[5].inputSchema: the schema is no object (dropped)",
        ],
    },
    Case {
        name: "ListToolsResult",
        json: r#"{"tools":[{"name":"a","inputSchema":{},"outputSchema":[]},{"name":"b","inputSchema":{},"outputSchema":true},{"name":"c","inputSchema":{},"outputSchema":null}]}"#,
        written: r#"{"tools":[{"name":"a","inputSchema":{},"outputSchema":[]},{"name":"b","inputSchema":{},"outputSchema":true},{"name":"c","inputSchema":{},"outputSchema":null}]}"#,
        said: &[
            "tools[0].outputSchema: the schema is no object (kept as it is)",
            "tools[1].outputSchema: the schema is no object (kept as it is)",
            "tools[2].outputSchema: the schema is no object (kept as it is)",
        ],
    },
    Case {
        name: "GetPromptResult",
        json: r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user"},{"role":"narrator","content":{"type":"text","text":"b"}}],"description":4}"#,
        written: r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"narrator","content":{"type":"text","text":"b"}}],"description":4}"#,
        said: &[
            "messages[1].content: missing (dropped)",
            "description: expected a string (ignored)",
        ],
    },
    // Content.
    Case {
        name: "CallToolResult",
        json: r#"{"content":[{"type":"hologram","rays":[1.50]},{"type":"text"},{"text":"no type"},"bare",{"type":"text","text":"good"}]}"#,
        written: r#"{"content":[{"type":"hologram","rays":[1.50]},{"type":"text"},{"text":"no type"},"bare",{"type":"text","text":"good"}]}"#,
        said: &[
            "content[1].text: missing (kept as it is)",
            "content[2].type: missing (kept as it is)",
            "content[3]: expected an object (kept as it is)",
        ],
    },
    Case {
        name: "CallToolResult",
        json: r#"{"content":[{"type":"text","text":"a","annotations":{"priority":"x"}},{"type":"image","data":7,"mimeType":"image/png"}],"isError":"no"}"#,
        written: r#"{"content":[{"type":"text","text":"a","annotations":{"priority":"x"}},{"type":"image","data":7,"mimeType":"image/png"}],"isError":"no"}"#,
        said: &[
            "content[0].annotations.priority: expected a number (ignored)",
            "content[1].data: expected a string (kept as it is)",
            "isError: expected true or false (ignored)",
        ],
    },
    Case {
        name: "CallToolResult",
        json: r#"{"content":"just text"}"#,
        written: r#"{"content":"just text"}"#,
        said: &["content: expected a list (ignored)"],
    },
    Case {
        name: "CallToolResult",
        json: r#"{"content":null}"#,
        written: r#"{"content":[]}"#,
        said: &[],
    },
    Case {
        name: "CallToolResult",
        json: "{}",
        written: r#"{"content":[]}"#,
        said: &[],
    },
    Case {
        name: "ReadResourceResult",
        json: r#"{"contents":[{"uri":"x:1","text":"a","blob":""},{"uri":"x:2"},{"text":"no uri"},{"uri":"x:3","blob":"AA=="}]}"#,
        written: r#"{"contents":[{"uri":"x:1","text":"a","blob":""},{"uri":"x:2"},{"text":"no uri"},{"uri":"x:3","blob":"AA=="}]}"#,
        said: &[
            "contents[1].text: neither text nor blob is there (kept as it is)",
            "contents[2].uri: missing (kept as it is)",
        ],
    },
    // Capabilities are objects, not truth values (T-36).
    Case {
        name: "ClientCapabilities",
        json: r#"{"roots":true,"sampling":{"tools":{}}}"#,
        written: r#"{"sampling":{"tools":{}},"roots":true}"#,
        said: &["roots: expected an object (ignored)"],
    },
    // Data of errors.
    Case {
        name: "UnsupportedVersionData",
        json: r#"{"supported":["2025-11-25",7],"requested":false}"#,
        written: r#"{"supported":["2025-11-25"],"requested":false}"#,
        said: &[
            "supported[1]: expected a string (dropped)",
            "requested: expected a string (ignored)",
        ],
    },
    Case {
        name: "UrlElicitationRequiredData",
        json: r#"{"elicitations":[{"mode":"url","url":"x:1"},{"mode":"url","url":"x:2","message":"m","elicitationId":3}]}"#,
        written: r#"{"elicitations":[{"mode":"url","message":"m","url":"x:2","elicitationId":3}]}"#,
        said: &[
            "elicitations[0].message: missing (dropped)",
            "elicitations[1].elicitationId: expected a string (ignored)",
        ],
    },
    // Input.
    Case {
        name: "InputRequiredResult",
        json: r#"{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":5}},"b":{"method":"tools/call","params":[1]},"c":7,"d":{"method":"roots/list"}},"requestState":{}}"#,
        written: r#"{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":5}},"b":{"method":"tools/call","params":[1]},"d":{"method":"roots/list"}},"requestState":{}}"#,
        said: &[
            "inputRequests.a.params.message: expected a string (kept as it is)",
            "inputRequests.c: expected an object (dropped)",
            "requestState: expected a string (ignored)",
        ],
    },
    Case {
        name: "CompletionReference",
        json: r#"{"type":"ref/prompt"}"#,
        written: r#"{"type":"ref/prompt"}"#,
        said: &["name: missing (kept as it is)"],
    },
    Case {
        name: "ElicitResult",
        json: r#"{"action":"accept","content":{"a":1,"b":{"deep":1},"c":null,"d":12345678901234567890123}}"#,
        written: r#"{"action":"accept","content":{"a":1,"b":{"deep":1},"c":null,"d":12345678901234567890123}}"#,
        said: &[],
    },
    // Lone surrogates.
    Case {
        name: "TextContent",
        json: r#"{"type":"text","text":"a\ud83db \ud83d\ude00 \\ud83d"}"#,
        written: "{\"type\":\"text\",\"text\":\"a\u{fffd}b \u{1f600} \\\\ud83d\"}",
        said: &["text: half of a surrogate pair stands alone (repaired)"],
    },
    Case {
        name: "CallToolResult",
        json: r#"{"content":[{"text":"\ude00","type":"text"}],"structuredContent":{"raw":"\ud83d"},"\udc00":1}"#,
        written: "{\"content\":[{\"type\":\"text\",\"text\":\"\u{fffd}\"}],\"structuredContent\":{\"raw\":\"\\ud83d\"},\"\u{fffd}\":1}",
        said: &[
            "value: half of a surrogate pair stands alone (repaired)",
            "content[0].text: half of a surrogate pair stands alone (repaired)",
        ],
    },
    // Duplicate members: the last one wins.
    Case {
        name: "Root",
        json: r#"{"uri":"x:1","x":1,"uri":"x:2","x":2,"name":"a","name":null}"#,
        written: r#"{"uri":"x:2","x":2}"#,
        said: &[],
    },
    Case {
        name: "ContentBlock",
        json: r#"{"type":"text","text":"a","type":"hologram"}"#,
        written: r#"{"type":"text","text":"a","type":"hologram"}"#,
        said: &[],
    },
    // Names with escapes are the same names.
    Case {
        name: "Root",
        json: r#"{"\u0075ri":"x:1","na\u006de":"n"}"#,
        written: r#"{"uri":"x:1","name":"n"}"#,
        said: &[],
    },
    // Numbers.
    Case {
        name: "Resource",
        json: r#"{"uri":"x:1","name":"n","size":5000.0}"#,
        written: r#"{"uri":"x:1","name":"n","size":5000}"#,
        said: &[],
    },
    Case {
        name: "ListToolsResult",
        json: r#"{"tools":[],"ttlMs":1e3}"#,
        written: r#"{"tools":[],"ttlMs":1000}"#,
        said: &[],
    },
    Case {
        name: "ListToolsResult",
        json: r#"{"tools":[],"ttlMs":1.5,"nextCursor":9}"#,
        written: r#"{"tools":[],"ttlMs":1.5,"nextCursor":9}"#,
        said: &[
            "ttlMs: expected a whole number of 64 bits (ignored)",
            "nextCursor: expected a string (ignored)",
        ],
    },
    Case {
        name: "ProgressParams",
        json: r#"{"progressToken":1.0,"progress":50,"total":1e400}"#,
        written: r#"{"progressToken":1,"progress":50,"total":1e400}"#,
        said: &["total: expected a number (ignored)"],
    },
];

#[test]
fn what_is_good_survives_and_what_is_bad_is_named() {
    for Case {
        name,
        json,
        written,
        said,
    } in CASES
    {
        let outcome =
            table::of(name)(json).unwrap_or_else(|error| panic!("{name} {json}: {error}"));
        assert_eq!(outcome.json, *written, "{name} {json}");
        let told: Vec<String> = outcome
            .diagnostics
            .iter()
            .map(Diagnostic::to_string)
            .collect();
        assert_eq!(told, *said, "{name} {json}");
    }
}

/// A type, a text that cannot be read as one, and the error.
const FAILURES: &[(&str, &str, &str)] = &[
    (
        "Tool",
        r#"{"name":"a"}"#,
        "inputSchema: missing; a tool needs one",
    ),
    ("Tool", "[]", "value: expected an object"),
    ("Tool", "null", "value: expected an object"),
    ("ListToolsResult", "{}", "tools: missing"),
    (
        "ListToolsResult",
        r#"{"tools":{}}"#,
        "tools: expected a list",
    ),
    (
        "InitializeResult",
        r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#,
        "serverInfo: missing",
    ),
    (
        "InitializeResult",
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a"}}"#,
        "serverInfo.version: missing",
    ),
    (
        "ProgressParams",
        r#"{"progressToken":null,"progress":1}"#,
        "progressToken: expected a string or a number",
    ),
    (
        "CallToolResult",
        r#"{"content":[}"#,
        "value: expected value at line 1 column 13",
    ),
    (
        "CallToolResult",
        "{} {}",
        "value: trailing characters at line 1 column 4",
    ),
    (
        "CallToolResult",
        "",
        "value: EOF while parsing a value at line 1 column 0",
    ),
];

#[test]
fn what_makes_no_sense_fails_with_its_place() {
    for (name, json, expected) in FAILURES {
        let error = table::of(name)(json).expect_err(json);
        assert_eq!(error.to_string(), *expected, "{name} {json}");
    }
}

fn decode<T: Decode>(json: &str) -> T {
    T::decode(json)
        .unwrap_or_else(|error| panic!("{json}: {error}"))
        .value
}

#[test]
fn cursors_end_by_absence_alone() {
    let cursor = |json: &str| {
        decode::<ListResourcesResult>(json)
            .next_cursor()
            .map(str::to_owned)
    };
    assert_eq!(cursor(r#"{"resources":[]}"#), None);
    assert_eq!(cursor(r#"{"resources":[],"nextCursor":null}"#), None);
    assert_eq!(
        cursor(r#"{"resources":[],"nextCursor":""}"#),
        Some(String::new())
    );
}

#[test]
fn null_is_a_structured_result() {
    let structured = |json: &str| decode::<CallToolResult>(json).structured_content;
    assert_eq!(structured(r#"{"content":[]}"#), None);
    assert_eq!(
        structured(r#"{"content":[],"structuredContent":null}"#),
        Some(RawJson::null())
    );
}

#[test]
fn structured_results_keep_digits_order_and_spelling() {
    let raw = r#"{"z":12345678901234567890123,"a":1.50,"\u0062":"\/"}"#;
    let json = format!(r#"{{"structuredContent": {raw} }}"#);
    let result = decode::<CallToolResult>(&json);
    assert_eq!(
        result.structured_content.as_ref().map(RawJson::as_str),
        Some(raw)
    );
    let written = serde_json::to_string(&result).expect("JSON");
    assert_eq!(
        written,
        format!(r#"{{"content":[],"structuredContent":{raw}}}"#)
    );
}

#[test]
fn a_task_without_limit_differs_from_one_that_does_not_say() {
    let ttl = |ttl: &str| {
        let json = format!(
            r#"{{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":""{ttl}}}"#
        );
        decode::<Task>(&json).ttl
    };
    assert_eq!(ttl(""), Nullable::Absent);
    assert_eq!(ttl(r#","ttl":null"#), Nullable::Null);
    assert_eq!(ttl(r#","ttl":5.0"#), Nullable::Value(5));
}

#[test]
fn tokens_keep_their_type_and_their_digits() {
    let token = |token: &str| {
        let json = format!(r#"{{"progress":0,"progressToken":{token}}}"#);
        decode::<ProgressParams>(&json).progress_token
    };
    assert_eq!(token("1"), Token::Number(1));
    assert_eq!(token("1.0"), Token::Number(1));
    assert_eq!(token(r#""1""#), Token::Text("1".to_owned()));
    for raw in [
        "1.50",
        "12345678901234567890123",
        "-9223372036854775809",
        "1e400",
    ] {
        let kept = token(raw);
        assert_eq!(
            kept,
            Token::Raw(RawJson::parse(raw).expect("JSON")),
            "{raw}"
        );
        assert_eq!(serde_json::to_string(&kept).expect("JSON"), raw);
    }
}

#[test]
fn hints_for_caching_have_safe_defaults() {
    let list = |members: &str| decode::<ListToolsResult>(&format!(r#"{{"tools":[]{members}}}"#));
    assert!(list("").ttl().is_zero());
    assert!(!list("").is_public());
    assert!(list(r#","ttlMs":-5"#).ttl().is_zero());
    assert_eq!(list(r#","ttlMs":5000.0"#).ttl().as_secs(), 5);
    assert!(list(r#","cacheScope":"public""#).is_public());
    assert!(!list(r#","cacheScope":"friends""#).is_public());
}

#[test]
fn raw_values_nest_as_deep_as_the_limit_and_not_deeper() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let result = |deep: &str| format!(r#"{{"content":[],"structuredContent":{deep},"x":{deep}}}"#);
    let json = result(&nested(128));
    let good = CallToolResult::decode(&json).expect("a result");
    assert!(good.is_clean());
    assert_eq!(serde_json::to_string(&good.value).expect("JSON"), json);
    // Brackets in strings nest nothing.
    let text = format!("[\"{}\\\"[\"]", "{".repeat(500));
    assert!(CallToolResult::decode(&result(&text)).is_ok_and(|good| good.is_clean()));

    let deep = nested(129);
    let error = CallToolResult::decode(&result(&deep)).expect_err("too deep");
    assert_eq!(error.reason, "nested more than 128 deep");
    let unknown = format!(r#"{{"content":[],"x":{deep}}}"#);
    let error = CallToolResult::decode(&unknown).expect_err("too deep");
    assert_eq!(error.reason, "nested more than 128 deep");
    assert!(RawJson::parse(nested(128)).is_ok());
    assert!(RawJson::parse(deep).is_err());
}

#[test]
fn typed_values_that_nest_in_themselves_lose_nothing_within_the_limit() {
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let schema = format!(r#"{{"type":"object","default":{deep}}}"#);
    let tool = decode::<Tool>(&format!(r#"{{"name":"a","inputSchema":{schema}}}"#));
    assert_eq!(
        tool.input_schema.as_ref().map(RawJson::as_str),
        Some(schema.as_str())
    );

    for (open, close) in [
        (r#"{"type":"tool_result","toolUseId":"a","content":["#, "]}"),
        (
            r#"{"toolUseId":"a","content":["#,
            r#"],"type":"tool_result"}"#,
        ),
    ] {
        let nested = |times: usize| format!("{}{}", open.repeat(times), close.repeat(times));
        let error = ContentBlock::decode(&nested(65)).expect_err("too deep");
        assert_eq!(error.reason, "nested more than 128 deep");
        let block = ContentBlock::decode(&nested(60)).expect("a block");
        assert!(matches!(block.value, ContentBlock::ToolResult(_)));
        let back = serde_json::to_string(&block.value).expect("JSON");
        assert_eq!(back.matches("tool_result").count(), 60);
    }
}

#[test]
fn reports_are_bounded() {
    let items = format!(r#"{{"name":{:?}}},"#, "x".repeat(500)).repeat(1000);
    let json = format!(r#"{{"tools":[{items}{{"name":"a","inputSchema":{{}}}}]}}"#);
    let decoded = ListToolsResult::decode(&json).expect("a list");
    assert_eq!(decoded.value.tools.len(), 1);
    assert_eq!(decoded.diagnostics.len(), Diagnostic::MAX + 1);
    let last = decoded.diagnostics.last().expect("a diagnostic");
    assert_eq!(last.reason, "744 more of the kind are not listed");
    assert!(
        decoded
            .diagnostics
            .iter()
            .all(|diagnostic| diagnostic.excerpt.len() < 100)
    );

    let name = "n".repeat(100_000);
    let json = format!(r#"{{"inputRequests":{{"{name}":"{name}"}}}}"#);
    let decoded = InputRequiredResult::decode(&json).expect("a result");
    assert!(decoded.diagnostics[0].path.len() < 100);

    let error = Tool::decode(&format!(r#"{{"name":"{name}""#)).expect_err("cut short");
    assert!(error.excerpt.len() < 100 && error.reason.len() < 300);
}

#[test]
fn tools_listed_twice_are_dropped_and_named() {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#);
    let json = format!(r#"{{"tools":[{},{},{}]}}"#, tool("a"), tool("b"), tool("a"));
    let mut list = decode::<ListToolsResult>(&json);
    let said: Vec<String> = list.normalise().iter().map(Diagnostic::to_string).collect();
    assert_eq!(said, ["tools[2].name: listed twice (dropped)"]);
    assert_eq!(list.tools.len(), 2);
    assert_eq!(list.normalise(), []);
}

#[test]
fn hints_and_names_of_tools_have_their_defaults() {
    let tool = decode::<Tool>(r#"{"name":"n","inputSchema":{},"annotations":{"title":"T"}}"#);
    let hints = tool.annotations.clone().expect("annotations");
    assert_eq!(tool.display_name(), "T");
    assert!(!hints.read_only() && hints.destructive());
    assert!(!hints.idempotent() && hints.open_world());
    assert_eq!(
        decode::<Tool>(r#"{"name":"n","inputSchema":{}}"#).display_name(),
        "n"
    );
}

#[test]
fn good_values_have_no_diagnostics_whatever_their_order() {
    let json = r#"{"isError":false,"content":[
        {"text":"later","type":"text"},
        {"content":[{"type":"text","text":"in"}],"type":"tool_result","toolUseId":"u"}
    ]}"#;
    let result = CallToolResult::decode(json).expect("a result");
    assert!(result.is_clean());
    assert_eq!(result.value.content[0].as_text(), Some("later"));
    assert!(serde_json::from_str::<CallToolResult>(json).is_ok());
    let _: (InitializeResult, UnsupportedVersionData) = (
        decode(
            r#"{"serverInfo":{"version":"1","name":"a"},"capabilities":{},"protocolVersion":"2099-01-01"}"#,
        ),
        decode(r#"{"requested":"x","supported":[]}"#),
    );
    let _: (GetPromptResult, ReadResourceResult) =
        (decode(r#"{"messages":[]}"#), decode(r#"{"contents":[]}"#));
    let _: Value = RawJson::parse(" [1, 2] ")
        .expect("JSON")
        .decode()
        .expect("a value");
}
