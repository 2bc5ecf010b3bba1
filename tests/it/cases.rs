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
