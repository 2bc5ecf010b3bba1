//! From a place in a text, counted in bytes, to line and column.

use crate::config::Position;

/// Where the lines of a text begin.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at.saturating_add(1));
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { text, starts }
    }

    /// The place of the character at this byte; past the end, that of the end.
    pub(super) fn place(&self, byte: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= byte);
        let start = self.starts.get(line.saturating_sub(1)).copied();
        let before = self.text.get(start.unwrap_or_default()..byte);
        let column = before.map_or(0, |before| before.chars().count());
        Position::new(line, column.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_characters_are_counted_from_one() {
        let lines = Lines::new("a\nüb\n");
        for (byte, line, column) in [(0, 1, 1), (1, 1, 2), (2, 2, 1), (4, 2, 2), (6, 3, 1)] {
            assert_eq!(lines.place(byte), Position::new(line, column), "{byte}");
        }
    }
}
