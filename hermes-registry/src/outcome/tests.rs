//! Results of tools, and what a model gets to see of them.

use mcp_types::Decode as _;

use super::*;

fn outcome(result: &str, limits: OutcomeLimits) -> Outcome {
    let result = CallToolResult::decode(result)
        .expect("the test gave a result")
        .value;
    let secrets = ["hunter2hunter2".to_owned()];
    Outcome::new(&result, &limits, &Redactor::new().with_secrets(secrets))
}

#[test]
fn results_become_one_json_object() {
    for (result, expected) in [
        (
            r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b\"c"}]}"#,
            r#"{"result":"a\nb\"c"}"#,
        ),
        (r#"{"content":[]}"#, r#"{"result":""}"#),
        (r#"{}"#, r#"{"result":""}"#),
        (
            r#"{"structuredContent":{"z":12345678901234567890123,"a":1.0}}"#,
            r#"{"result":{"z":12345678901234567890123,"a":1.0}}"#,
        ),
        (
            r#"{"content":[{"type":"text","text":"5"}],"structuredContent":{"sum":5}}"#,
            r#"{"result":"5","structuredContent":{"sum":5}}"#,
        ),
        (
            r#"{"content":[{"type":"text","text":"{\n \"b\": 1,\n \"a\": 2\n}"}],"structuredContent":{"a":2,"b":1}}"#,
            r#"{"result":"{\n \"b\": 1,\n \"a\": 2\n}"}"#,
        ),
        (
            r#"{"content":[{"type":"text","text":"x"}],"_meta":{"com.example/cost":3,"io.modelcontextprotocol/serverInfo":{},"progressToken":1}}"#,
            r#"{"result":"x","_meta":{"com.example/cost":3}}"#,
        ),
        (
            r#"{"content":[{"type":"image","data":"aGVsbG8=","mimeType":"image/png"},{"type":"audio","data":"aGVsbG8h","mimeType":"audio/wav"}]}"#,
            r#"{"result":"[image: image/png, 5 bytes]\n[audio: audio/wav, 6 bytes]"}"#,
        ),
        (
            r#"{"content":[{"type":"resource_link","uri":"file:///a.txt","name":"a\nb","mimeType":"text/plain","size":7}]}"#,
            r#"{"result":"[resource link: file:///a.txt, a b, text/plain, 7 bytes]"}"#,
        ),
        (
            r#"{"content":[{"type":"resource","resource":{"uri":"u:1","text":"inline"}},{"type":"resource","resource":{"uri":"u:2","blob":"aGVsbG8=","mimeType":"x/y"}}]}"#,
            r#"{"result":"inline\n[resource: u:2, x/y, 5 bytes]"}"#,
        ),
        (
            r#"{"content":[{"type":"hologram","uri":"h:1","mimeType":"x/z"}]}"#,
            r#"{"result":"[content: hologram, h:1, x/z, 48 characters of JSON]"}"#,
        ),
        (
            r#"{"content":[{"type":"text","text":"hid\udb40\udc41den hunter2hunter2"}]}"#,
            r#"{"result":"hidden hunter2hunter2"}"#,
        ),
    ] {
        let outcome = outcome(result, OutcomeLimits::default());
        assert_eq!(outcome.json, expected, "{result}");
        assert!(!outcome.is_error && !outcome.truncated, "{result}");
    }
}

#[test]
fn errors_are_redacted_and_never_empty() {
    for (result, expected) in [
        (
            r#"{"isError":true,"content":[]}"#,
            "MCP tool returned an error",
        ),
        (
            r#"{"isError":true,"content":[{"type":"text","text":" "}]}"#,
            "MCP tool returned an error",
        ),
        (
            r#"{"isError":true,"content":[{"type":"text","text":"login with hunter2hunter2 failed"}]}"#,
            "login with [REDACTED] failed",
        ),
        (
            r#"{"isError":true,"structuredContent":{"why":3}}"#,
            r#"{\"why\":3}"#,
        ),
    ] {
        let outcome = outcome(result, OutcomeLimits::default());
        let expected = format!(
            r#"{{"error":{{"code":"tool_error","message":"{expected}","retryable":false}}}}"#
        );
        assert_eq!(
            (outcome.json, outcome.is_error),
            (expected, true),
            "{result}"
        );
    }
}

#[test]
fn what_is_too_long_is_cut_in_the_middle_and_says_so() {
    let limits = OutcomeLimits {
        text_len_max: 9,
        structured_len_max: 9,
        error_len_max: 9,
        meta_len_max: 9,
    };
    for (result, expected) in [
        (
            r#"{"content":[{"type":"text","text":"0123456789äbcdef"}]}"#,
            r#"{"result":"012345\n[… 7 of 16 characters left out …]\ndef"}"#,
        ),
        (
            r#"{"structuredContent":[100000,200000]}"#,
            r#"{"result":"[10000\n[… 6 of 15 characters left out …]\n00]"}"#,
        ),
        (
            r#"{"content":[{"type":"text","text":"short"}],"structuredContent":[100000,200000]}"#,
            r#"{"result":"short","structuredContent":"[left out: 15 characters of JSON]"}"#,
        ),
        (
            r#"{"content":[{"type":"text","text":"x"}],"_meta":{"a":"0123456789"}}"#,
            r#"{"result":"x","_meta":"[left out: 18 characters of JSON]"}"#,
        ),
        (
            r#"{"isError":true,"content":[{"type":"text","text":"0123456789abcdef"}]}"#,
            r#"{"error":{"code":"tool_error","message":"012345\n[… 7 of 16 characters left out …]\ndef","retryable":false}}"#,
        ),
    ] {
        let outcome = outcome(result, limits);
        assert_eq!(outcome.json, expected, "{result}");
        assert!(outcome.truncated, "{result}");
    }
}

/// Keeps everything, in no file.
#[derive(Default)]
struct Shelf(std::cell::RefCell<Vec<Vec<u8>>>);

impl Keep for Shelf {
    fn keep(&self, bytes: &[u8], extension: &str) -> Option<String> {
        let mut kept = self.0.borrow_mut();
        kept.push(bytes.to_vec());
        Some(format!("/kept/{}.{extension}", kept.len()))
    }
}

#[test]
fn what_does_not_fit_is_kept_and_the_model_is_told_where() {
    let limits = OutcomeLimits {
        text_len_max: 9,
        structured_len_max: 9,
        ..OutcomeLimits::default()
    };
    let roomy = OutcomeLimits::default();
    for (result, limits, expected, kept) in [
        (
            r#"{"content":[{"type":"text","text":"0123456789abc"}]}"#,
            limits,
            r#"{"result":"012345\n[… 4 of 13 characters left out; the whole text is in /kept/1.txt …]\nabc"}"#,
            vec![&b"0123456789abc"[..]],
        ),
        (
            r#"{"structuredContent":{"a":"0123456789"}}"#,
            limits,
            r#"{"result":"{\"a\":\"\n[… 9 of 18 characters left out; the whole text is in /kept/1.json …]\n9\"}"}"#,
            vec![&br#"{"a":"0123456789"}"#[..]],
        ),
        (
            r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":"0123456789"}}"#,
            limits,
            r#"{"result":"x","structuredContent":"[left out: 18 characters of JSON; they are in /kept/1.json]"}"#,
            vec![&br#"{"a":"0123456789"}"#[..]],
        ),
        (
            r#"{"content":[{"type":"image","data":"aGVs bG8","mimeType":"image/PNG"},{"type":"audio","data":"!","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"u:2","blob":"aGVsbG8="}}]}"#,
            roomy,
            r#"{"result":"[image: image/PNG, 5 bytes, /kept/1.png]\n[audio: audio/wav, 0 bytes]\n[resource: u:2, 5 bytes, /kept/2.bin]"}"#,
            vec![&b"hello"[..], &b"hello"[..]],
        ),
    ] {
        let shelf = Shelf::default();
        let result = CallToolResult::decode(result).unwrap().value;
        let outcome = Outcome::keeping(&result, &limits, &Redactor::new(), &shelf);
        assert_eq!(outcome.json, expected);
        assert_eq!(*shelf.0.borrow(), kept);
        let lens: Vec<usize> = outcome.files.iter().map(|file| file.len).collect();
        let expected: Vec<usize> = kept.iter().map(|bytes| bytes.len()).collect();
        assert_eq!(lens, expected);
    }
}
