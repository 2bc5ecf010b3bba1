//! What is different between two definitions, in lines that a person can read.

use std::fmt::Write as _;

use similar::{Algorithm, DiffTag, capture_diff_slices, group_diff_ops};

use super::definition::Field;
use crate::json::{Json, Members};

/// The most characters of a diff: 2,000, and a mark of omission.
///
/// Bound: attention; who has to read more reads the whole definition.
pub const DIFF_LEN_MAX: usize = 2_000;

/// The most lines of a part that are compared, between what both begin and end with.
///
/// Bound: time grows with the product of both.
const LINES_MAX: usize = 1_000;

/// Equal lines that are shown around a difference.
const AROUND: usize = 2;

/// The parts that are different, and how.
pub(super) fn diff(before: &Members, after: &Members) -> (Vec<Field>, String) {
    let (mut fields, mut text) = (Vec::new(), String::new());
    for field in Field::ALL {
        let (old, new) = (before.get(field.name()), after.get(field.name()));
        if old == new {
            continue;
        }
        fields.push(field);
        text.push_str(field.name());
        text.push_str(":\n");
        // What is past the bound of the whole is not worked out.
        if text.len() <= DIFF_LEN_MAX * 4 {
            changes(&lines(old), &lines(new), &mut text);
        }
    }
    if let Some((end, _)) = text.char_indices().nth(DIFF_LEN_MAX) {
        text.truncate(end);
        text.push('…');
    }
    (fields, text)
}

fn changes(old: &[String], new: &[String], out: &mut String) {
    let same = |(one, other): &(&String, &String)| one == other;
    let before = old.iter().zip(new).take_while(same).count();
    let shorter = old.len().min(new.len()) - before;
    let behind = old.iter().rev().zip(new.iter().rev()).take(shorter);
    let behind = behind.take_while(same).count();
    // A few equal lines stay, as they show where the difference is.
    let begin = before.saturating_sub(AROUND);
    let middle = |lines: &[String]| -> Vec<String> {
        let end = (lines.len() - behind + AROUND).min(lines.len());
        let lines = lines.get(begin..end).unwrap_or_default();
        lines.iter().take(LINES_MAX).cloned().collect()
    };
    let (old, new) = (middle(old), middle(new));
    let operations = capture_diff_slices(Algorithm::Myers, &old, &new);
    for (index, group) in group_diff_ops(operations, AROUND).iter().enumerate() {
        if index > 0 {
            out.push_str("  …\n");
        }
        for operation in group {
            let (tag, from, to) = operation.as_tag_tuple();
            if tag == DiffTag::Equal {
                push(out, ' ', old.get(from.clone()));
                continue;
            }
            push(out, '-', old.get(from));
            push(out, '+', new.get(to));
        }
    }
    if old.len() == LINES_MAX || new.len() == LINES_MAX {
        out.push_str("  … and what follows is not compared\n");
    }
}

fn push(out: &mut String, sign: char, lines: Option<&[String]>) {
    for line in lines.unwrap_or_default() {
        // Writing to a text cannot fail.
        let _: Result<(), std::fmt::Error> = writeln!(out, "{sign} {line}");
    }
}

/// The lines of a part: of a text as it reads, of anything else as indented JSON.
fn lines(part: Option<&Json>) -> Vec<String> {
    match part {
        None => Vec::new(),
        Some(Json::Text(text)) => text.lines().map(visible).collect(),
        Some(value) => {
            let mut lines = Vec::new();
            indented(value, 0, "", "", &mut lines);
            lines
        }
    }
}

/// One line for each scalar, and for each end of an object or a list.
fn indented(value: &Json, depth: usize, name: &str, comma: &str, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    let mut inner: Vec<(String, &Json)> = Vec::new();
    let (open, close) = match value {
        Json::Object(members) => {
            let members = members.0.iter();
            let quoted = |name: &String| format!("{}: ", crate::json::quoted(name));
            inner.extend(members.map(|(name, member)| (quoted(name), member)));
            ("{", "}")
        }
        Json::List(items) => {
            inner.extend(items.iter().map(|item| (String::new(), item)));
            ("[", "]")
        }
        Json::Plain(_) | Json::Text(_) => {
            lines.push(visible(&format!("{indent}{name}{}{comma}", value.dense())));
            return;
        }
    };
    if inner.is_empty() {
        lines.push(visible(&format!("{indent}{name}{open}{close}{comma}")));
        return;
    }
    lines.push(visible(&format!("{indent}{name}{open}")));
    let last = inner.len() - 1;
    for (index, (name, value)) in inner.into_iter().enumerate() {
        let comma = if index < last { "," } else { "" };
        indented(value, depth + 1, &name, comma, lines);
    }
    lines.push(format!("{indent}{close}{comma}"));
}

/// The line with what people cannot see written as escapes, since that is what to look for.
fn visible(line: &str) -> String {
    line.chars()
        .flat_map(|char| {
            let is_hidden = char.is_control() || crate::guard::is_hidden(char);
            let escaped = is_hidden.then(|| char.escape_unicode());
            let plain = (!is_hidden).then_some(char);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}
