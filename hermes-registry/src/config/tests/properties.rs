use proptest::prelude::*;

use super::*;

/// Pieces of configurations, put together at random.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("mcp_servers:".to_owned()),
        Just("command: ".to_owned()),
        Just("args: [".to_owned()),
        Just("env: {".to_owned()),
        Just("tools: ".to_owned()),
        Just("timeout: ".to_owned()),
        Just("<<: ".to_owned()),
        Just("\n".to_owned()),
        Just("\n  ".to_owned()),
        Just("\n    ".to_owned()),
        "[-&*!|>%@`\"'#?:,{}\\[\\]~]{1,3} ?",
        "[$][{][A-Z:}{-]{0,6}",
        "[a-z0-9.]{1,4}",
        "\\PC{0,4}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_text_panics_and_every_problem_has_a_place_in_the_file(text in pieces()) {
        if let Ok(loaded) = parse(&text) {
            for problem in loaded.problems {
                let position = problem.position();
                prop_assert!(position.line >= 1 && position.column >= 1);
                prop_assert!(position.line <= text.lines().count() + 1, "{problem}\n{text}");
                prop_assert!(problem.to_string().starts_with("config.yaml:"));
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _: Result<Loaded, ConfigError> = Config::parse_bytes(&bytes, "c", &vars);
    }

    #[test]
    fn any_text_of_an_argument_arrives_as_it_was_quoted(text in "[^\\p{C}]{0,40}") {
        let quoted = text.replace('\'', "''").replace("${", "$${");
        let file = format!("mcp_servers: {{a: {{command: x, args: ['{quoted}']}}}}\n");
        let loaded = loaded(&file);
        let command = loaded.config.servers()[0].command().expect("it has a command");
        prop_assert_eq!(command.args(), [text]);
    }
}
