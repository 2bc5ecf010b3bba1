//! Adds, replaces and removes one child of a list or mapping, in lines or in brackets.

use std::ops::Range;

use super::error::EditErrorKind;
use super::layout::{Child, Content, Group, Place};
use super::text::{Splice, as_in, comma, comments_end, indent, line_end, line_start};
use crate::config::entry::Written;

/// Spaces between one level and the next where the file does not tell.
const STEP: usize = 2;

/// An entry with the group that it is in.
#[derive(Clone, Copy)]
pub(super) struct Step<'l> {
    pub(super) group: &'l Group,
    pub(super) child: &'l Child,
}

/// What is to be added to a group.
pub(super) struct Addition<'v> {
    /// The key as it is written, unless this is an item of a list.
    pub(super) key: Option<String>,
    pub(super) value: &'v Written,
}

impl Addition<'_> {
    fn in_line(&self) -> String {
        let value = self.value.in_line();
        match &self.key {
            Some(key) => format!("{key}: {value}"),
            None => value,
        }
    }

    fn lines(&self, indent: usize, step: usize) -> String {
        let mut lines = String::new();
        match &self.key {
            Some(key) => self.value.push_lines(&mut lines, key, indent, step),
            None => lines = format!("{:indent$}- {}\n", "", self.value.in_line()),
        }
        lines
    }
}

/// Adds an entry or an item to what stands at the last of these steps, or at the top.
pub(super) fn add(
    text: &str,
    root: &Place,
    steps: &[Step<'_>],
    addition: &Addition<'_>,
) -> Result<Vec<Splice>, EditErrorKind> {
    let place = steps.last().map_or(root, |last| &last.child.value);
    match &place.content {
        Content::Group(group) => match group.children.last() {
            Some(last) if group.is_flow => Ok(vec![add_in_line(text, last, addition)]),
            Some(last) => add_lines(text, last, steps, addition),
            None => fill(text, place, steps, addition),
        },
        Content::Scalar { is_null: true, .. } => fill(text, place, steps, addition),
        Content::Alias | Content::Scalar { .. } => Err(EditErrorKind::NotAlone),
    }
}

/// Adds to a group in brackets, behind its last child.
fn add_in_line(text: &str, last: &Child, addition: &Addition<'_>) -> Splice {
    let between = match indent(text, last.start) {
        Some(indent) => as_in(text, &format!(",\n{:indent$}", "")),
        None => ", ".to_owned(),
    };
    Splice::insert(last.value.end, format!("{between}{}", addition.in_line()))
}

/// Adds to a group of lines, behind its last child and the comments that follow it.
fn add_lines(
    text: &str,
    last: &Child,
    steps: &[Step<'_>],
    addition: &Addition<'_>,
) -> Result<Vec<Splice>, EditErrorKind> {
    let column = indent(text, last.start).ok_or(EditErrorKind::NotAlone)?;
    let holder = steps.last().and_then(|step| indent(text, step.child.start));
    let step = holder.map_or(0, |holder| column.saturating_sub(holder));
    let step = if step > 0 { step } else { STEP };
    let at = comments_end(text, line_end(text, last.value.end), column);
    Ok(vec![append(text, at, &addition.lines(column, step))])
}

/// Puts the first child into a group that has none, or in the place of null.
fn fill(
    text: &str,
    place: &Place,
    steps: &[Step<'_>],
    addition: &Addition<'_>,
) -> Result<Vec<Splice>, EditErrorKind> {
    let source = text.get(place.start..place.end).unwrap_or_default();
    let is_bare = matches!(source, "{}" | "[]") || !matches!(place.content, Content::Group(_));
    match steps.last().filter(|last| !last.group.is_flow && is_bare) {
        Some(holder) => {
            let column = indent(text, holder.child.start).ok_or(EditErrorKind::NotAlone)?;
            let step = step(text, steps);
            let at = comments_end(text, line_end(text, place.end), column + 1);
            let lines = append(text, at, &addition.lines(column + step, step));
            let before = text.get(..place.start).unwrap_or_default();
            let start = before.trim_end_matches(' ').len();
            let emptied = Splice::remove(start..place.end);
            Ok(vec![emptied, lines])
        }
        None if place.group().is_some() => {
            Ok(vec![Splice::insert(place.start + 1, addition.in_line())])
        }
        None => Ok(vec![replace_in_line(
            text,
            place,
            &format!("{{{}}}", addition.in_line()),
        )]),
    }
}

/// Adds an entry to a text that holds nothing.
pub(super) fn begin(text: &str, addition: &Addition<'_>) -> Splice {
    append(text, text.len(), &addition.lines(0, STEP))
}

/// Puts whole lines where a line begins, or at the end of the text.
fn append(text: &str, at: usize, lines: &str) -> Splice {
    let before = text.get(..at).unwrap_or_default();
    let is_within = !before.is_empty() && !before.ends_with('\n');
    let lines = if is_within {
        format!("\n{lines}")
    } else {
        lines.to_owned()
    };
    Splice::insert(at, as_in(text, &lines))
}

/// Puts a value in the place of another one.
pub(super) fn replace(
    text: &str,
    last: &Step<'_>,
    above: &[Step<'_>],
    value: &Written,
) -> Result<Vec<Splice>, EditErrorKind> {
    let step = step(text, above);
    let Child {
        start,
        key_end,
        value: place,
        ..
    } = last.child;
    let is_block = matches!(place.content, Content::Scalar { is_block: true, .. });
    let source = text.get(*start..place.end).unwrap_or_default();
    let is_one_line = !source.contains('\n') && !is_block;
    let fits = !matches!(value, Written::Map(_)) || place.group().is_some();
    if last.group.is_flow || is_one_line && fits {
        return Ok(vec![replace_in_line(text, place, &value.in_line())]);
    }
    let range = lines_of(text, last.child)?;
    let key = text.get(*start..*key_end).unwrap_or_default();
    let mut lines = String::new();
    value.push_lines(&mut lines, key, start - range.start, step);
    let text = as_in(text, &lines);
    Ok(vec![Splice { range, text }])
}

fn replace_in_line(text: &str, place: &Place, value: &str) -> Splice {
    let source = text.get(place.start..place.end).unwrap_or_default();
    if !source.trim_matches([' ', ':']).is_empty() {
        return Splice {
            range: place.start..place.end,
            text: value.to_owned(),
        };
    }
    // Nothing is there, perhaps not even the colon.
    let before = text.get(..place.end).unwrap_or_default();
    let colon = if before.ends_with(':') { "" } else { ":" };
    Splice::insert(place.end, format!("{colon} {value}"))
}

/// Takes a child out of its group.
pub(super) fn remove(text: &str, step: Step<'_>) -> Result<Vec<Splice>, EditErrorKind> {
    let Step { group, child } = step;
    if !group.is_flow {
        return Ok(vec![Splice::remove(lines_of(text, child)?)]);
    }
    let end = child.value.end;
    if let Some(comma) = comma(text, end) {
        return Ok(vec![Splice::remove(whole_lines(
            text,
            child.start,
            comma + 1,
        ))]);
    }
    let before = group
        .children
        .iter()
        .take_while(|one| one.start < child.start);
    let Some(previous) = before.last() else {
        return Ok(vec![Splice::remove(child.start..end)]);
    };
    let comma = comma(text, previous.value.end).ok_or(EditErrorKind::NotAlone)?;
    let between = text.get(comma + 1..child.start).unwrap_or_default();
    if between.trim_matches(' ').is_empty() {
        return Ok(vec![Splice::remove(comma..end)]);
    }
    Ok(vec![
        Splice::remove(comma..comma + 1),
        Splice::remove(whole_lines(text, child.start, end)),
    ])
}

/// The lines of an entry, with the comments below it that stand further to the right than its key.
fn lines_of(text: &str, child: &Child) -> Result<Range<usize>, EditErrorKind> {
    let column = indent(text, child.start).ok_or(EditErrorKind::NotAlone)?;
    let end = line_end(text, child.value.end);
    Ok(line_start(text, child.start)..comments_end(text, end, column + 1))
}

/// A part of a text with the spaces behind it, except those before a comment; the whole line if
/// nothing else is on it.
fn whole_lines(text: &str, start: usize, end: usize) -> Range<usize> {
    let rest = text.get(end..).unwrap_or_default();
    let after = rest.trim_start_matches([' ', '\r']);
    let spaces = rest.len() - after.len();
    match indent(text, start) {
        Some(indent) if after.starts_with('\n') => start - indent..end + spaces + 1,
        _ if after.starts_with(['#', '\n']) => start..end,
        _ => start..end + spaces,
    }
}

/// How far one level stands from the next around the last of these steps.
fn step(text: &str, steps: &[Step<'_>]) -> usize {
    let mut indents = steps
        .iter()
        .rev()
        .map(|step| indent(text, step.child.start));
    let (inner, outer) = (indents.next().flatten(), indents.next().flatten());
    let step = inner
        .zip(outer)
        .map(|(inner, outer)| inner.saturating_sub(outer));
    step.filter(|step| *step > 0).unwrap_or(STEP)
}
