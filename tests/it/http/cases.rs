//! Public bug reports about clients on HTTP, each as a transcript of its own, with its variants.

use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/transcripts/http");

fn play(name: &str) {
    let transcript = Path::new(FOLDER).join(format!("{name}.jsonl"));
    if let Err(wrong) = mcp_tests::transcript::play_http(&transcript) {
        panic!("{name}:\n{wrong}");
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
    array_of_one_answer => "array-of-one-answer",
    confirmation_refused => "confirmation-refused",
    content_types => "content-types",
    end_of_session => "end-of-session",
    event_cut_by_the_end => "event-cut-by-the-end",
    line_ends_of_events => "line-ends-of-events",
    lost_session_told_otherwise => "lost-session-told-otherwise",
    lost_session => "lost-session",
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
