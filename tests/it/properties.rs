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

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![almost_messages(), vec(any::<u8>(), 0..300)]
}

fn cases() -> ProptestConfig {
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
    fn no_configuration_panics(data in any_bytes()) {
        props::config(&data);
    }
}

/// The seeds of each fuzz target, and what fuzzers have found, hold on stable too.
#[test]
fn the_seeds_of_the_fuzzers_hold() {
    type Property = fn(&[u8]);
    let targets: [(&str, Property); 4] = [
        ("config", props::config),
        ("decode", props::decode),
        ("lines", props::lines),
        ("peer_ops", props::peer_ops),
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
