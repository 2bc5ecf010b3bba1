//! Lines of a text and what replaces parts of it.

use std::ops::Range;

/// A part of a text and what stands there afterwards.
#[derive(Debug)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            range: at..at,
            text,
        }
    }

    pub(super) fn remove(range: Range<usize>) -> Self {
        let text = String::new();
        Self { range, text }
    }
}

/// The text after these changes, which do not overlap and stand in the order of the text.
pub(super) fn spliced(text: &str, splices: &[Splice]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for Splice { range, text: new } in splices {
        out.push_str(text.get(done..range.start).unwrap_or_default());
        out.push_str(new);
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Where the line begins in which this byte is.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |at| at + 1)
}

/// Where the line ends in which this byte is, its line break included; right after a line break
/// that is here.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    if text.get(..at).is_some_and(|before| before.ends_with('\n')) {
        return at;
    }
    at + rest.find('\n').map_or(rest.len(), |at| at + 1)
}

/// The spaces before this byte, if nothing else stands before it on its line.
pub(super) fn indent(text: &str, at: usize) -> Option<usize> {
    let before = text.get(line_start(text, at)..at)?;
    before
        .bytes()
        .all(|byte| byte == b' ')
        .then_some(before.len())
}

/// Where the comments end that follow here on lines of their own and are indented this far at
/// least; where there are none, here.
pub(super) fn comments_end(text: &str, at: usize, indent_min: usize) -> usize {
    let (mut line_start, mut end) = (at, at);
    for line in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        line_start += line.len();
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if content.starts_with('#') && indent >= indent_min {
            end = line_start;
        } else if !content.trim().is_empty() {
            break;
        }
    }
    end
}

/// The comma that follows here, after white space and comments at most.
pub(super) fn comma(text: &str, at: usize) -> Option<usize> {
    let mut is_comment = false;
    for (offset, char) in text.get(at..)?.char_indices() {
        match char {
            '\n' | '\r' => is_comment = false,
            _ if is_comment || char.is_whitespace() => {}
            '#' => is_comment = true,
            ',' => return Some(at + offset),
            _ => return None,
        }
    }
    None
}

/// The number of the line in which this byte is, from one.
pub(super) fn line_number(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.matches('\n').count() + 1
}

/// New lines as the text ends its own.
pub(super) fn as_in(text: &str, lines: &str) -> String {
    if text.contains("\r\n") {
        lines.replace('\n', "\r\n")
    } else {
        lines.to_owned()
    }
}
