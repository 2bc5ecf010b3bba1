//! What holds for every configuration, sound or not.

use proptest::prelude::*;

use super::*;

/// Pieces of configurations, sound and unsound.
///
/// Pieces are drawn by number, as drawing texts takes most of the time of such a test.
pub(in crate::config) const PIECES: [&str; 56] = [
    "mcp_servers:",
    "command: ",
    "args: [",
    "env: {",
    "tools: ",
    "timeout: ",
    "url: ",
    "enabled: ",
    "include: ",
    "a: ",
    "b",
    "30",
    "1.5",
    "~",
    "true",
    "\n",
    "\n",
    "\n  ",
    "\n  ",
    "\n    ",
    "\n    ",
    "\n      ",
    " ",
    "\t",
    "- ",
    "<<: ",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "|",
    ">",
    "%",
    "@",
    "`",
    "\"",
    "'",
    "#",
    "? ",
    ": ",
    ",",
    "{",
    "}",
    "[",
    "]",
    "---\n",
    "...\n",
    "${",
    "${HOME}",
    "${NONE}",
    ":-",
    "$${",
    "\u{feff}",
    "\u{0}",
    "\u{2028}",
    "🦀é",
];

/// Pieces of arguments, of which any sequence must arrive as it is.
const ARGUMENT: [&str; 16] = [
    "a", " ", "  ", "\"", "\\", "$", "{", "}", "$$", ": ", " #", "-", "é", "🦀", "\u{a0}", "%41",
];

pub(in crate::config) fn texts(
    pieces: &'static [&'static str],
    count_max: usize,
) -> impl Strategy<Value = String> {
    proptest::collection::vec(0..pieces.len(), 0..count_max)
        .prop_map(|indices| indices.into_iter().map(|index| pieces[index]).collect())
}

/// The law of this module for one text: it is read or refused, and every fault has a place.
fn check(text: &str) {
    let Ok(loaded) = parse(text) else { return };
    for problem in loaded.problems {
        let position = problem.position();
        assert!(
            position.line >= 1 && position.column >= 1,
            "{problem}\n{text}"
        );
        // The parser ends lines at a lone carriage return too, which `lines` does not.
        let lines = text.split(['\n', '\r']).count();
        assert!(position.line <= lines + 1, "{problem}\n{text}");
        assert!(problem.to_string().starts_with("config.yaml:"), "{problem}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_text_panics_and_every_problem_has_a_place_in_the_file(text in texts(&PIECES, 40)) {
        check(&text);
        check(&with_server(&text));
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..48)) {
        let _: Result<Loaded, ConfigError> = Config::parse_bytes(&bytes, "c", &vars);
    }

    #[test]
    fn any_text_of_an_argument_arrives_as_it_was_quoted(text in texts(&ARGUMENT, 12)) {
        let quoted = text.replace('\'', "''").replace("${", "$${");
        let file = format!("mcp_servers: {{a: {{command: x, args: ['{quoted}']}}}}\n");
        let loaded = loaded(&file);
        let command = loaded.config.servers()[0].command().expect("it has a command");
        prop_assert_eq!(command.args(), [text]);
    }
}
