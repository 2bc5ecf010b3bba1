//! Bounded texts about values.

use std::io;

use serde_json::Value;

/// The most characters of a value that are shown.
pub(super) const EXCERPT_LEN_MAX: usize = 80;

/// The most characters of anything else that comes from a schema or a value.
pub(super) const DETAIL_LEN_MAX: usize = 200;

/// How the JSON of a value begins, in at most 80 characters and a mark of omission.
pub(super) fn excerpt(value: &Value) -> String {
    let mut start = Start(Vec::new());
    // Being full is the only way in which this can fail, and what was written stays.
    let _: Result<(), serde_json::Error> = serde_json::to_writer(&mut start, value);
    shorten(&String::from_utf8_lossy(&start.0), EXCERPT_LEN_MAX)
}

/// The text, or its first `len_max` characters and a mark of omission.
pub(super) fn shorten(text: &str, len_max: usize) -> String {
    match text.char_indices().nth(len_max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Takes as many bytes as an excerpt can have and refuses the rest, so that a long value is not
/// written out for the sake of its beginning.
struct Start(Vec<u8>);

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A character has at most four bytes, and one more tells that there are more.
        const ROOM: usize = 4 * (EXCERPT_LEN_MAX + 1);
        let room = ROOM.saturating_sub(self.0.len());
        if room == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = bytes.len().min(room);
        self.0.extend(bytes.iter().take(taken));
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_excerpt_has_at_most_80_characters_and_a_mark() {
        for (value, expected) in [
            (json!("short"), "\"short\"".to_owned()),
            (json!("é".repeat(78)), format!("\"{}\"", "é".repeat(78))),
            (json!("é".repeat(79)), format!("\"{}…", "é".repeat(79))),
            (json!("𝄞".repeat(500)), format!("\"{}…", "𝄞".repeat(79))),
            (json!([vec![1; 1000]]), format!("[[{}…", "1,".repeat(39))),
        ] {
            assert_eq!(excerpt(&value), expected);
        }
    }
}
