//! Text for people: sentences, widths, control characters, JSON that can be read.
//!
//! Everything here is pure. What servers write may hold anything, so nothing of it reaches a
//! terminal without [`visible`] or [`one_line`].

use std::borrow::Cow;
use std::time::Duration;

/// The text with control characters made harmless; line ends and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_bad = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(is_bad) {
        Cow::Owned(text.replace(is_bad, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text on one line: white space of any kind is one space, control characters are harmless.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<Cow<'_, str>> = text.split_whitespace().map(visible).collect();
    words.join(" ")
}

/// The first sentence of a description, on one line.
pub(crate) fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let line = one_line(paragraph);
    for (index, end) in line.match_indices(['.', '!', '?']) {
        let (head, rest) = line.split_at(index + end.len());
        let Some(rest) = rest.strip_prefix(' ') else {
            continue;
        };
        // `e.g. this` goes on, and so does `1. first`.
        let goes_on = rest.starts_with(char::is_lowercase);
        let is_number = head
            .trim_end_matches('.')
            .chars()
            .all(|c| c.is_ascii_digit());
        if !goes_on && !is_number {
            return head.to_owned();
        }
    }
    line
}

/// The text in at most `width` characters, with a mark if something is left out.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// A number and its noun.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// A span of time, as people say it: two units at most.
pub(crate) fn span(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        1..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds @ 3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        seconds => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// Valid JSON with a line for each member and item.
///
/// Numbers and texts keep the spelling they came with, as a number may have more digits than any
/// type that it could be read into.
pub(crate) fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len().saturating_mul(2));
    let mut depth = 0_usize;
    let mut chars = json.chars().peekable();
    let new_line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                out.push('"');
                let mut is_escaped = false;
                for c in chars.by_ref() {
                    out.push(c);
                    match c {
                        '"' if !is_escaped => break,
                        '\\' => is_escaped = !is_escaped,
                        _ => is_escaped = false,
                    }
                }
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
                if let Some(end) = chars.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        assert_eq!(visible("a\u{1b}[31mb\nc\td"), "a\u{fffd}[31mb\nc\td");
        assert_eq!(one_line(" a\u{7}\n b\tc "), "a\u{fffd} b c");
    }

    #[test]
    fn the_first_sentence_ends_where_another_begins() {
        for (text, expected) in [
            ("Adds two numbers.", "Adds two numbers."),
            ("Adds.\n\nMore.", "Adds."),
            ("Reads a file. Then more.", "Reads a file."),
            ("Takes names, e.g. ada. More.", "Takes names, e.g. ada."),
            ("Version 1.5 of\n  it! \"Yes\"", "Version 1.5 of it!"),
            ("1. First step", "1. First step"),
            ("  ", ""),
        ] {
            assert_eq!(first_sentence(text), expected, "{text:?}");
        }
    }

    #[test]
    fn texts_are_cut_to_the_width() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("ab cd", 4), "ab…");
        assert_eq!(cut("äöü", 2), "ä…");
    }

    #[test]
    fn a_span_has_two_units_at_most() {
        for (seconds, expected) in [
            (0.25, "250 ms"),
            (1.25, "1.2 s"),
            (59.9, "59 s"),
            (61.0, "1 min 1 s"),
            (3_599.0, "59 min 59 s"),
            (7_260.0, "2 h 1 min"),
            (180_000.0, "2 d 2 h"),
        ] {
            assert_eq!(span(Duration::from_secs_f64(seconds)), expected);
        }
    }

    #[test]
    fn pretty_json_changes_nothing_but_white_space() {
        let json = r#"{"a":[1, 2.50,{}],"b\"\\":"x: {,}\\","n":12345678901234567890123,"e":[ ]}"#;
        let expected = r#"{
  "a": [
    1,
    2.50,
    {}
  ],
  "b\"\\": "x: {,}\\",
  "n": 12345678901234567890123,
  "e": []
}"#;
        assert_eq!(pretty(json), expected);
        assert_eq!(pretty("null"), "null");
    }
}
