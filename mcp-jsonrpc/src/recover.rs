//! Ids out of texts that are not JSON, so that the call they were meant for ends at once.

use crate::RequestId;
use crate::decode::{Id, read_id};

/// The ids that stand at the top level of a broken text, at most four.
///
/// The text may be cut at either end, pretty-printed over several lines (each line arrives as a
/// frame of its own), or hold anything between; only a member named `id` outside every array and
/// inside at most one object counts.
/// Unless the text is known to be `whole`, a number at its very end may have lost digits and
/// names nobody.
pub fn recover_ids(text: &[u8], whole: bool) -> Vec<RequestId> {
    recover(text, whole).ids
}

/// What can be told of a broken text.
pub(crate) struct Recovered {
    /// The ids at its top level, at most four.
    pub(crate) ids: Vec<RequestId>,
    /// Whether it has a method, so that its id is one of the peer's own and no answer to us.
    pub(crate) is_own_message: bool,
}

pub(crate) fn recover(text: &[u8], whole: bool) -> Recovered {
    let mut ids = Vec::new();
    let mut is_own_message = false;
    let mut depth = 0_i32;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let end = string_end(text, at);
                let key = text.get(at..end).filter(|_key| depth <= 1);
                if key == Some(b"\"method\"") {
                    is_own_message |= value_after(text, end).is_some();
                }
                if key == Some(b"\"id\"")
                    && let Some(Id::Given(id)) = id_after(text, end, whole)
                    && !ids.contains(&id)
                    // Bound: more than these are no message but a document.
                    && ids.len() < 4
                {
                    ids.push(id);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Recovered {
        ids,
        is_own_message,
    }
}

/// What stands after the colon of the key that ends at `at`.
fn value_after(text: &[u8], at: usize) -> Option<&[u8]> {
    let rest = text.get(at..)?.trim_ascii_start().strip_prefix(b":")?;
    Some(rest.trim_ascii_start())
}

/// One past the closing quote of the string that opens at `start`, or the end of the text.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The id after the key that ends at `at`.
fn id_after(text: &[u8], at: usize, whole: bool) -> Option<Id> {
    let rest = value_after(text, at)?;
    let end = if rest.starts_with(b"\"") {
        // A string that is cut off names nobody.
        let end = string_end(rest, 0);
        rest.get(..end)?.get(1..)?.ends_with(b"\"").then_some(end)?
    } else {
        let end = rest
            .iter()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .or_else(|| whole.then_some(rest.len()))?;
        (end > 0).then_some(end)?
    };
    rest.get(..end).map(read_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_broken_texts_and_only_at_the_top() {
        let number = |n| vec![RequestId::Number(n)];
        let table: &[(&str, Vec<RequestId>)] = &[
            (
                r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"cut he"#,
                number(3),
            ),
            (
                r#"{"result":{"id":9,"x":[{"id":8}]},"jsonrpc":"2.0","id":4}}"#,
                number(4),
            ),
            (r#"  "id": 1,"#, number(1)),
            (
                r#"{"id":"a\"b","result":tru}"#,
                vec![RequestId::Text("a\"b".into())],
            ),
            (
                r#"{"id":1,"id":2,"#,
                vec![RequestId::Number(1), RequestId::Number(2)],
            ),
            (r#"{"id":12"#, vec![]),
            (r#"{"id":"12"#, vec![]),
            (r#"{"result":{"id":5}"#, vec![]),
            (r#"{"note":"\"id\":7,","#, vec![]),
            ("Server ready, id: 5", vec![]),
            ("", vec![]),
        ];
        for (text, expected) in table {
            assert_eq!(recover_ids(text.as_bytes(), false), *expected, "{text}");
        }
    }

    #[test]
    fn a_number_at_the_end_counts_only_in_a_whole_line() {
        assert_eq!(recover_ids(br#"  "id": 12"#, true), [RequestId::Number(12)]);
        assert_eq!(recover_ids(br#"  "id": 12"#, false), []);
    }
}
