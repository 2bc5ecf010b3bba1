//! Public bug reports about clients on HTTP, each as a transcript of its own, with its variants.

use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/transcripts/http");

fn play(name: &str) {
    let transcript = Path::new(FOLDER).join(format!("{name}.jsonl"));
    if let Err(wrong) = mcp_tests::transcript::play_http(&transcript) {
        panic!("{name}:\n{wrong}");
    }
}

/// A transcript in which nothing is as its checks say, with a variant in which all is.
const ALL_WRONG: &str = r#"{"title":"T","case":"none","reports":[]}
{"on":"GET","chunks":["retry: 500\ndata:\n\n"],"times":1}
{"on":"GET","then":"hold"}
{"on":"POST tools/list","result":{"tools":[{"name":"a","inputSchema":{}}]}}
{"handshake":"s1","capabilities":{"tools":{"listChanged":true}}}
{"do":"connect"}
{"do":"list_tools"}
{"do":"call","tool":"a"}
{"do":"pause","millis":1000}
{"check":"dropped","of":"GET","exactly":0}
{"check":"error","of":"call 1","kind":"no_answer"}
{"check":"gaps","of":"GET","least":501}
{"check":"header","of":"tools/list","name":"mcp-session-id","equal":"s2"}
{"check":"seen","method":"GET /mcp","exactly":1}
{"check":"took","of":"list_tools","least":1,"most":2}
{"check":"tools","equal":["b"]}
{"variant":"right"}
{"on":"POST tools/call","result":{"content":[]}}
{"check":"all_calls_ok"}
{"check":"dropped","of":"GET","exactly":1}
{"check":"gaps","of":"GET","least":500}
{"check":"header","of":"tools/list","name":"mcp-session-id","equal":"s1"}
{"check":"header","of":"initialize","nth":1,"name":"mcp-session-id","equal":null}
{"check":"one_origin"}
{"check":"seen","method":"GET /mcp","exactly":2}
{"check":"tools","equal":["a"]}
{"variant":"elsewhere"}
{"client":{"path":"/nowhere"}}
{"on":"POST *","path":"/nowhere","status":307,"headers":{"location":"/mcp"}}
{"check":"seen","method":"initialize /nowhere","exactly":0}
"#;

#[test]
fn whatever_is_not_as_its_check_says_is_named_and_nothing_else() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), ALL_WRONG).unwrap();
    let wrong = mcp_tests::transcript::play_http(file.path()).unwrap_err();
    let lines = |start: &str| wrong.lines().filter(|line| line.starts_with(start)).count();
    for check in ["Dropped", "Gaps", "Header", "Error", "Took", "Tools"] {
        assert_eq!(lines(check), 1, "{check}:\n{wrong}");
    }
    assert_eq!(lines("Seen"), 1, "{wrong}");
    assert_eq!(
        lines("the server: no rule for POST http://server.test/mcp"),
        2
    );
    assert_eq!(lines("variant \"right\""), 0, "{wrong}");
    assert_eq!(lines("variant"), 2, "{wrong}");
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
    answer_before_its_post_is_over => "answer-before-its-post-is-over",
    array_of_one_answer => "array-of-one-answer",
    confirmation_refused => "confirmation-refused",
    content_types => "content-types",
    end_of_session => "end-of-session",
    endpoint_as_the_reply => "endpoint-as-the-reply",
    endpoint_never_told => "endpoint-never-told",
    event_cut_by_the_end => "event-cut-by-the-end",
    line_ends_of_events => "line-ends-of-events",
    lost_session_told_otherwise => "lost-session-told-otherwise",
    lost_session => "lost-session",
    no_post_so_the_other_transport => "no-post-so-the-other-transport",
    odd_answers_to_the_confirmation => "odd-answers-to-the-confirmation",
    odd_lines_of_events => "odd-lines-of-events",
    other_kinds_of_events => "other-kinds-of-events",
    outage_is_no_other_transport => "outage-is-no-other-transport",
    priming_events => "priming-events",
    redirects => "redirects",
    refused_get_stream => "refused-get-stream",
    reply_stream_ended_on_purpose => "reply-stream-ended-on-purpose",
    reply_stream_without_an_answer => "reply-stream-without-an-answer",
    resumed_stream_without_a_new_id => "resumed-stream-without-a-new-id",
    retry_times => "retry-times",
    sampling_inside_a_call => "sampling-inside-a-call",
    ten_calls_lose_the_session => "ten-calls-lose-the-session",
}
