//! Public bug reports about clients on stdio, each as a transcript of its own.

use std::path::Path;

const SERVER: &str = env!("CARGO_BIN_EXE_fake-server");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/transcripts/stdio");

fn play(name: &str) {
    let transcript = Path::new(FOLDER).join(format!("{name}.jsonl"));
    if let Err(wrong) = mcp_tests::transcript::play(Path::new(SERVER), &transcript) {
        panic!("{name}:\n{wrong}");
    }
}

/// A transcript in which nothing is as its checks say.
const ALL_WRONG: &str = r#"{"title":"T","case":"none","reports":[]}
{"handshake":true}
{"wait":"tools/list","id":"L","at":["params.cursor","c"]}
{"say":{"jsonrpc":"2.0","id":"$L","result":{"tools":[{"name":"a","inputSchema":{}}]}}}
{"wait":"tools/call","id":"C"}
{"say":{"jsonrpc":"2.0","id":"$C","result":{"content":[{"type":"text","text":"x"}],"structuredContent":{}}}}
{"wait":"tools/call","id":"C"}
{"exit":1}
{"do":"connect"}
{"do":"list_tools"}
{"do":"call","tool":"a"}
{"do":"call","tool":"a"}
{"check":"alive"}
{"check":"all_calls_ok"}
{"check":"answered","id":1,"with":"result"}
{"check":"error","of":"call 2","kind":"timed_out"}
{"check":"error","of":"call 1","kind":"closed"}
{"check":"kinds","of":"call 1","equal":["image"]}
{"check":"log","text":"nowhere to be found","has":true}
{"check":"never_member","method":"tools/call","path":"params.name"}
{"check":"ok","of":"call 2"}
{"check":"raw_has","of":"call 1","text":"zebra"}
{"check":"says","of":"call 2","text":"y"}
{"check":"seen","method":"tools/call","exactly":3}
{"check":"seen","method":"tools/call","most":1}
{"check":"seen_answers","exactly":1}
{"check":"spawns","most":0}
{"check":"structured","of":"call 1","equal":{"a":1}}
{"check":"text","of":"call 1","equal":"y"}
{"check":"text_len","of":"call 1","equal":2}
{"check":"tools","equal":["b"]}
{"check":"took","of":"call 1","most":0}
{"check":"ok","of":"call 9"}
"#;

#[test]
fn whatever_is_not_as_its_check_says_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), ALL_WRONG).unwrap();
    let wrong = mcp_tests::transcript::play(Path::new(SERVER), file.path()).unwrap_err();
    for check in [
        "Alive",
        "AllCallsOk",
        "Answered",
        "Error",
        "Kinds",
        "Log",
        "NeverMember",
        "Ok",
        "RawHas",
        "Says",
        "Seen",
        "SeenAnswers",
        "Spawns",
        "Structured",
        "Text",
        "TextLen",
        "Tools",
        "Took",
        "the server: tools/list has params.cursor",
    ] {
        assert!(
            wrong.lines().any(|line| line.starts_with(check)),
            "{check} is missing:\n{wrong}"
        );
    }
}

macro_rules! cases {
    ($($name:ident => $file:literal,)*) => {
        $(
            #[test]
            fn $name() {
                play($file);
            }
        )*

        #[test]
        fn every_transcript_is_a_test() {
            let mut files: Vec<_> = std::fs::read_dir(FOLDER)
                .unwrap()
                .map(|file| file.unwrap().file_name().into_string().unwrap())
                .collect();
            files.sort();
            let mut named = [$(concat!($file, ".jsonl")),*];
            named.sort();
            assert_eq!(files, named);
        }
    };
}

cases! {
    line_separators_in_text => "line-separators-in-text",
    byte_order_mark_on_any_line => "byte-order-mark-on-any-line",
    line_of_two_megabytes => "line-of-two-megabytes",
    line_over_the_limit => "line-over-the-limit",
    content_length_headers => "content-length-headers",
    stderr_flood_without_newlines => "stderr-flood-without-newlines",
    reply_cut_by_the_end => "reply-cut-by-the-end",
    death_before_the_session => "death-before-the-session",
    deaf_to_eof_and_term => "deaf-to-eof-and-term",
    failed_attempts_leave_nothing => "failed-attempts-leave-nothing",
    id_echoed_as_text => "id-echoed-as-text",
    replies_faster_than_waiters => "replies-faster-than-waiters",
    ids_unique_and_small => "ids-unique-and-small",
    request_with_the_id_of_our_call => "request-with-the-id-of-our-call",
    unknown_requests_refused => "unknown-requests-refused",
    messages_before_the_handshake_ends => "messages-before-the-handshake-ends",
    odd_notifications => "odd-notifications",
    malformed_errors => "malformed-errors",
    nested_too_deep => "nested-too-deep",
    lone_surrogates => "lone-surrogates",
    initialize_is_not_cancelled => "initialize-is-not-cancelled",
    timed_out_call_is_not_repeated => "timed-out-call-is-not-repeated",
    progress_has_a_ceiling => "progress-has-a-ceiling",
    empty_cursor => "empty-cursor",
    cursor_that_does_not_advance => "cursor-that-does-not-advance",
    odd_output_schemas => "odd-output-schemas",
    rare_content => "rare-content",
    structured_content_only => "structured-content-only",
    list_changes_during_a_call => "list-changes-during-a-call",
    flood_of_log_messages => "flood-of-log-messages",
    storm_of_changes => "storm-of-changes",
    junk_line_with_a_secret => "junk-line-with-a-secret",
    odd_members_everywhere => "odd-members-everywhere",
}
