//! References of a JSON Schema to a part of itself.
//!
//! What they refer to is looked up by whoever holds the schema, in the form it has there.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What cannot stand in the fragment of an address.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The names and places that lead from the root to what `reference` refers to, if it is `#` or
/// `#/` with a JSON pointer; none for an anchor, an address, or a text that is no UTF-8.
pub(crate) fn local(reference: &str) -> Option<Vec<String>> {
    let pointer = percent_decode_str(reference.strip_prefix('#')?);
    let pointer = pointer.decode_utf8().ok()?;
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let steps = pointer.strip_prefix('/')?.split('/');
    Some(
        steps
            .map(|step| step.replace("~1", "/").replace("~0", "~"))
            .collect(),
    )
}

/// The reference that these names and places are taken from.
pub(crate) fn reference(steps: &[String]) -> String {
    let mut reference = "#".to_owned();
    for step in steps {
        let step = step.replace('~', "~0").replace('/', "~1");
        reference.push('/');
        reference.extend(utf8_percent_encode(&step, RESERVED));
    }
    reference
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_reference_is_taken_apart_and_any_other_is_none() {
        for (reference, expected) in [
            ("#", Some(&[][..])),
            ("#/", Some(&[""][..])),
            ("#/$defs/a", Some(&["$defs", "a"][..])),
            (
                "#/$defs/Page%3CUser%3E/0",
                Some(&["$defs", "Page<User>", "0"][..]),
            ),
            ("#/a~1b/c~0d/~01", Some(&["a/b", "c~d", "~1"][..])),
            ("#anchor", None),
            ("#/%ff", None),
            ("", None),
            ("other.json#/a", None),
            ("https://example.com/a", None),
        ] {
            let found = local(reference);
            let found: Option<Vec<&str>> = found
                .as_ref()
                .map(|steps| steps.iter().map(String::as_str).collect());
            assert_eq!(found.as_deref(), expected, "{reference}");
        }
    }

    #[test]
    fn a_reference_is_written_as_it_is_read() {
        for text in ["#", "#/", "#/$defs/Page%3CUser%3E/0", "#/a~1b/c~0d%25/%20"] {
            assert_eq!(reference(&local(text).unwrap()), text);
        }
    }
}
