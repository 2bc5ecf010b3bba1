//! A list of tools in which a person switches some on and some off.

use std::fmt::Write as _;

use crate::output::text::{cut, first_sentence, one_line};

/// The width that a line of the list has at most, in characters.
const WIDTH: usize = 78;

/// A tool of the list.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) is_on: bool,
}

/// What a person has typed.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Typed {
    /// Nothing more is to be changed.
    Done,
    /// The list is another one now.
    Changed,
    /// It means nothing, for this reason.
    Wrong(String),
}

/// The list, with a number before each tool.
pub(super) fn text(items: &[Item]) -> String {
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        let (mark, about) = (
            if item.is_on { 'x' } else { ' ' },
            first_sentence(&item.about),
        );
        let line = format!(
            "{:>4} [{mark}] {}  {about}",
            index + 1,
            one_line(&item.name)
        );
        let _ = writeln!(out, "{}", cut(line.trim_end(), WIDTH));
    }
    out
}

/// Does what a line says: numbers and ranges of them switch, `all` and `none` set.
pub(super) fn apply(items: &mut [Item], line: &str) -> Typed {
    let words: Vec<&str> = line
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let mut ranges = Vec::new();
    match words.as_slice() {
        [] => return Typed::Done,
        ["all"] | ["none"] => {
            let is_on = words == ["all"];
            items.iter_mut().for_each(|item| item.is_on = is_on);
            return Typed::Changed;
        }
        words => {
            for word in words {
                match range(word, items.len()) {
                    Some(range) => ranges.push(range),
                    None => {
                        let len = items.len();
                        return Typed::Wrong(format!(
                            "`{}` is no number from 1 to {len}",
                            cut(word, 20)
                        ));
                    }
                }
            }
        }
    }
    for (first, last) in ranges {
        let chosen = items.iter_mut().take(last).skip(first - 1);
        chosen.for_each(|item| item.is_on = !item.is_on);
    }
    Typed::Changed
}

/// The first and the last number of a word such as `3` or `3-5`.
fn range(word: &str, max: usize) -> Option<(usize, usize)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last && last <= max).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(states: &str) -> Vec<Item> {
        let item = |(index, state): (usize, char)| Item {
            name: format!("t{index}"),
            about: "Does it. And more.".to_owned(),
            is_on: state == 'x',
        };
        states.chars().enumerate().map(item).collect()
    }

    fn states(items: &[Item]) -> String {
        let states = items.iter().map(|item| if item.is_on { 'x' } else { '.' });
        states.collect()
    }

    #[test]
    fn numbers_switch_and_words_set() {
        for (before, line, after) in [
            ("x..x", "1 2", ".x.x"),
            ("x..x", " 2-4,", "xxx."),
            ("x..x", "2 2", "x..x"),
            ("x..x", "all", "xxxx"),
            ("x..x", "none", "...."),
        ] {
            let mut items = items(before);
            assert_eq!(apply(&mut items, line), Typed::Changed, "{line}");
            assert_eq!(states(&items), after, "{line}");
        }
        let mut items = items("x.");
        assert_eq!(apply(&mut items, "  "), Typed::Done);
        for wrong in [
            "0",
            "3",
            "2-1",
            "1-3",
            "a",
            "1 all",
            "-1",
            "1 9999999999999999999999",
        ] {
            assert!(
                matches!(apply(&mut items, wrong), Typed::Wrong(_)),
                "{wrong}"
            );
            assert_eq!(states(&items), "x.", "{wrong}");
        }
    }

    #[test]
    fn the_list_shows_numbers_marks_and_first_sentences() {
        let shown = "   1 [x] t0  Does it.\n   2 [ ] t1  Does it.\n";
        assert_eq!(text(&items("x.")), shown);
    }
}
