//! The properties under proptest, and on the seeds of the fuzzers.

use allocation_counter::measure;
use mcp_tests::props;
use proptest::collection::vec;
use proptest::prelude::*;

/// Pieces of messages, put together at random: far more of them are almost right than of bytes.
fn almost_messages() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("{\"jsonrpc\":\"2.0\",".to_owned()),
        Just("\"id\":1,".to_owned()),
        Just("\"id\":\"2\"".to_owned()),
        Just("\"result\":{".to_owned()),
        Just("\"content\":[{\"type\":\"text\",\"text\":\"".to_owned()),
        Just("\"tools\":[{\"name\":\"a\",\"inputSchema\":{}}".to_owned()),
        Just("\"error\":{\"code\":-32601,".to_owned()),
        Just("\"method\":\"ping\",".to_owned()),
        Just("\"params\":{\"progressToken\":1".to_owned()),
        "[\\]}\\[{:,\"]{1,3}",
        "-?[0-9]{1,3}([.][0-9])?(e[0-9])?",
        "\\\\u[dD][89abAB0-9c-fC-F][0-9a-f]{2}",
        "(true|false|null|tru)",
        "[\r\n\u{feff}\u{2028} a-z]{1,4}",
        "\\PC{0,4}",
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes())
}

/// Pieces of event streams, after three bytes that say how to cut them.
fn almost_events() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop_oneof![Just("\n"), Just("\r"), Just("\r\n"), Just("\n\n"), Just("\r\r")]
            .prop_map(|end| end.as_bytes().to_vec()),
        4 => "(data|event|id|retry|comment|Data|dat|dataa)?[:]?[ ]?".prop_map(String::into_bytes),
        2 => "(data|id|event): [a-c0-9 :]{0,12}\r?\n".prop_map(String::into_bytes),
        1 => "retry:[ ]?[+]?[0-9]{0,30}\n".prop_map(String::into_bytes),
        1 => "[\u{0}\u{feff}\u{2028}\u{85}é😀]{1,2}".prop_map(String::into_bytes),
        1 => vec(prop_oneof![Just(0xEF_u8), Just(0xBB), Just(0xBF), any::<u8>()], 1..4),
    ];
    let cuts = vec(0..40_u8, 3);
    let mark = prop_oneof![3 => Just(&b""[..]), 1 => Just(&b"\xEF\xBB\xBF"[..])];
    (cuts, mark, vec(piece, 0..24))
        .prop_map(|(cuts, mark, pieces)| [&cuts, mark, &pieces.concat()].concat())
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![almost_messages(), vec(any::<u8>(), 0..300)]
}

pub(crate) fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: 10_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_split_of_the_input_gives_the_same_frames(data in any_bytes()) {
        props::lines(&data);
    }

    #[test]
    fn any_split_of_a_stream_gives_the_events_of_the_standard(data in almost_events()) {
        props::sse(&data);
    }

    #[test]
    fn no_frame_panics_and_none_is_taken_for_what_it_is_not(data in any_bytes()) {
        props::decode(&data);
    }

    #[test]
    fn decoding_after_encoding_is_identity(data in any_bytes()) {
        props::encode_decode(&data);
    }

    #[test]
    fn no_text_panics_when_read_as_a_type(data in any_bytes()) {
        props::typed(&data);
    }

    #[test]
    fn no_input_allocates_past_its_limit(data in any_bytes()) {
        let len = u64::try_from(data.len()).unwrap();
        let frame = bytes::Bytes::from(data.clone());
        let decoding = measure(|| drop(mcp_jsonrpc::decode(&frame, 128)));
        prop_assert!(decoding.bytes_max <= 32 * len + 4_096, "{}", decoding.bytes_max);
        let text = String::from_utf8_lossy(&data);
        let typing = measure(|| drop(<mcp_types::CallToolResult as mcp_types::Decode>::decode(&text)));
        prop_assert!(typing.bytes_max <= 256 * len + 64 * 1024, "{}", typing.bytes_max);
    }

    #[test]
    fn each_call_settles_once_whatever_happens(data in vec(any::<u8>(), 0..400)) {
        props::peer_ops(&data);
    }

    #[test]
    fn all_calls_end_whatever_the_server_sends(data in vec(any::<u8>(), 0..120)) {
        props::all_calls_end(&data);
    }

    #[test]
    fn all_calls_over_http_end_whatever_the_server_replies(data in vec(any::<u8>(), 0..200)) {
        props::http_head(&data);
    }

    #[test]
    fn any_text_can_be_the_value_of_a_header(data in vec(any::<u8>(), 0..40)) {
        props::header_values(&data);
    }

    #[test]
    fn any_printable_text_can_be_the_value_of_a_header(text in "[ -~\tµ]{0,20}") {
        props::header_values(text.as_bytes());
    }

    #[test]
    fn no_configuration_panics(data in any_bytes()) {
        props::config(&data);
    }
}

/// The seeds of each fuzz target, and what fuzzers have found, hold on stable too.
#[test]
fn the_seeds_of_the_fuzzers_hold() {
    type Property = fn(&[u8]);
    let targets: [(&str, Property); 7] = [
        ("config", props::config),
        ("decode", props::decode),
        ("header_values", props::header_values),
        ("http_head", props::http_head),
        ("lines", props::lines),
        ("peer_ops", props::peer_ops),
        ("sse", props::sse),
    ];
    for (target, property) in targets {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/");
        let seeds = std::fs::read_dir(format!("{folder}{target}")).unwrap();
        let mut count = 0;
        for seed in seeds {
            property(&std::fs::read(seed.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 0, "{target} has no seeds");
    }
}
