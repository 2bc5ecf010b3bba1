//! Rules about single files: module docs, length, forbidden words, odd characters, foreign paths.

use super::Finding;
use super::deps::listing;

const LINES_MAX: usize = 600;

/// Words that stand for unfinished or weakened tests and code. They are put together from halves
/// so that this file does not hold what it forbids.
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("#[", "ignore"), "a test runs or it goes"),
    (concat!("#[", "should_panic"), "assert on an error instead"),
    (concat!("to", "do!("), "finish it or leave it out"),
    (concat!("un", "implemented!("), "finish it or leave it out"),
];

const SLEEP: &str = concat!("sle", "ep(");
const SLEEP_REASON: &str = concat!("// sle", "ep:");

/// Folders of one person's or one machine's disk.
const FOREIGN: &[&str] = &[
    concat!("/wo", "rk/main"),
    concat!("/wo", "rk/shared"),
    concat!("/wo", "rk/."),
    concat!("../sha", "red"),
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
];

/// Homes of invented people, as test data may name them.
const INVENTED_HOMES: &[&str] = &[
    concat!("/ho", "me/ada"),
    concat!("/ho", "me/me"),
    concat!("/ho", "me/user"),
];

pub(super) fn check(name: &str, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let is_rust = name.ends_with(".rs");
    if is_rust && !text.trim_start().starts_with("//!") {
        found.push(format!(
            "{name}:1: a module starts with `//!` and says what it is for"
        ));
    }
    let mut in_tests = is_test_file(name);
    for (number, line) in text.lines().enumerate() {
        let mut report = |what: String| found.push(format!("{name}:{}: {what}", number + 1));
        if is_rust {
            in_tests |= line.trim() == "#[cfg(test)]";
            words(line, in_tests, &mut report);
        }
        if is_prose_or_code(name) {
            characters(line, is_rust, &mut report);
        }
        let own = INVENTED_HOMES
            .iter()
            .fold(line.to_owned(), |line, home| line.replace(home, ""));
        for folder in FOREIGN.iter().filter(|folder| own.contains(**folder)) {
            report(format!("`{folder}` is a folder of a particular machine"));
        }
    }
    found
}

/// Whether a file is over the length that needs a reason.
pub(super) fn is_long(name: &str, text: &str) -> bool {
    name.ends_with(".rs") && text.lines().count() > LINES_MAX
}

/// `tidy-exceptions.txt` has a line `path: reason` for each file that is longer on purpose.
pub(super) fn lengths(long: &[(String, usize)], exceptions: &str) -> Vec<Finding> {
    let (reasons, mut found) = listing("xtask/tidy-exceptions.txt", exceptions);
    for (name, lines) in long {
        if !reasons.contains_key(name.as_str()) {
            found.push(format!(
                "{name}: {lines} lines, over {LINES_MAX}; split it, or give a reason in \
                 xtask/tidy-exceptions.txt"
            ));
        }
    }
    for name in reasons
        .keys()
        .filter(|name| !long.iter().any(|(long, _)| long == *name))
    {
        found.push(format!(
            "xtask/tidy-exceptions.txt: {name} is not long, so its line can go"
        ));
    }
    found
}

fn words(line: &str, in_tests: bool, report: &mut impl FnMut(String)) {
    if line.trim_start().starts_with("//") {
        return;
    }
    for (word, advice) in FORBIDDEN {
        if line.contains(word) {
            report(format!("`{word}` is forbidden: {advice}"));
        }
    }
    if in_tests && line.contains(SLEEP) && !line.contains(SLEEP_REASON) {
        report(format!(
            "a test that waits needs `{SLEEP_REASON} reason` on the line"
        ));
    }
}

fn characters(line: &str, is_rust: bool, report: &mut impl FnMut(String)) {
    if line.ends_with(' ') {
        report("spaces at the end of the line".to_owned());
    }
    if line.contains('\t') {
        report("a tab".to_owned());
    }
    let comment = if is_rust {
        line.split_once("//").map_or("", |(_, rest)| rest)
    } else {
        ""
    };
    for c in comment
        .chars()
        .filter(|c| ('\u{ff01}'..='\u{ff5e}').contains(c))
    {
        report(format!(
            "`{c}` (U+{:04X}) looks like an ASCII character",
            u32::from(c)
        ));
    }
    for c in line.chars().filter(|c| is_invisible(*c)) {
        report(format!(
            "U+{:04X} cannot be seen; write it as an escape",
            u32::from(c)
        ));
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn is_test_file(name: &str) -> bool {
    name.starts_with("tests/") || name.contains("/tests/") || name.ends_with("tests.rs")
}

/// Files that people write; recorded data may hold anything.
fn is_prose_or_code(name: &str) -> bool {
    let endings = [".rs", ".md", ".toml", ".py", ".in", "run"];
    endings.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings about the second line of a file that is otherwise fine.
    fn second(name: &str, line: &str) -> Vec<Finding> {
        check(name, &format!("//! Fine.\n{line}\n"))
    }

    #[test]
    fn module_without_docs_is_named() {
        assert_eq!(check("a/src/lib.rs", "//! Fine.\n"), Vec::<Finding>::new());
        assert!(check("a/src/lib.rs", "use std::fmt;\n")[0].starts_with("a/src/lib.rs:1:"));
        assert_eq!(check("notes.md", "Fine.\n"), Vec::<Finding>::new());
    }

    #[test]
    fn each_forbidden_word_is_named_in_code_and_not_in_comments() {
        for (word, _) in FORBIDDEN {
            let found = second("a/src/lib.rs", &format!("    {word}"));
            assert!(found[0].starts_with("a/src/lib.rs:2:"), "{found:?}");
            assert_eq!(
                second("a/src/lib.rs", &format!("    // {word}")),
                Vec::<Finding>::new()
            );
        }
    }

    #[test]
    fn waiting_in_a_test_needs_a_reason() {
        let wait = format!("tokio::time::{SLEEP}pause).await;");
        assert_eq!(second("tests/it/main.rs", &wait).len(), 1);
        assert_eq!(second("a/src/x/tests.rs", &wait).len(), 1);
        assert_eq!(second("a/src/lib.rs", &wait), Vec::<Finding>::new());
        let reasoned = format!("{wait} {SLEEP_REASON} the clock is paused");
        assert_eq!(second("tests/it/main.rs", &reasoned), Vec::<Finding>::new());
        let inner = format!("{wait}\n#[cfg(test)]\nmod tests {{\n    {wait}\n}}");
        let found = second("a/src/lib.rs", &inner);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a/src/lib.rs:5:"), "{found:?}");
    }

    #[test]
    fn odd_characters_are_named() {
        assert!(second("a.rs", "//\u{ff01} Docs.")[0].contains("U+FF01"));
        assert_eq!(second("a.rs", "let x = '\u{ff01}';"), Vec::<Finding>::new());
        assert!(second("a.rs", "let x = 1; ")[0].contains("spaces at the end"));
        assert!(second("a.md", "a\tb")[0].contains("a tab"));
        assert!(second("a.rs", "let x = \"\u{200b}\";")[0].contains("U+200B"));
        assert_eq!(second("a.jsonl", "\u{2028}\t "), Vec::<Finding>::new());
    }

    #[test]
    fn folders_of_a_machine_are_named() {
        for folder in FOREIGN {
            assert_eq!(
                second("a.md", &format!("see {folder}x")).len(),
                1,
                "{folder}"
            );
        }
        for home in INVENTED_HOMES {
            let found = second("a.rs", &format!("\"{home}/x\""));
            assert_eq!(found, Vec::<Finding>::new());
        }
    }

    #[test]
    fn long_file_needs_a_reason_and_a_reason_needs_a_long_file() {
        assert!(is_long("a.rs", &"x\n".repeat(LINES_MAX + 1)));
        assert!(!is_long("a.rs", &"x\n".repeat(LINES_MAX)));
        let long = [("a.rs".to_owned(), 700)];
        assert!(lengths(&long, "")[0].starts_with("a.rs: 700 lines"));
        assert_eq!(lengths(&long, "a.rs: one table\n"), Vec::<Finding>::new());
        assert!(lengths(&[], "a.rs: one table\n")[0].contains("a.rs is not long"));
    }
}
