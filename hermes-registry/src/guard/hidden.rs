//! Characters that people do not see.

use std::borrow::Cow;

/// Flags that Unicode recommends to write with tag characters: England, Scotland, Wales.
///
/// A flag of any other letters would carry as many letters of a message.
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

const BLACK_FLAG: char = '\u{1f3f4}';

const CANCEL_TAG: char = '\u{e007f}';

/// The text without Unicode's tag characters (U+E0000 to U+E007F), which are invisible to people
/// and readable for models.
///
/// Those of the three flags that Unicode recommends stay.
#[must_use]
pub fn strip_tags(text: &str) -> Cow<'_, str> {
    if text.contains(is_tag) {
        Cow::Owned(split(text).0)
    } else {
        Cow::Borrowed(text)
    }
}

/// The text without tag characters, and what these say.
pub(super) fn split(text: &str) -> (String, String) {
    let (mut visible, mut hidden) = (String::with_capacity(text.len()), String::new());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let taken = match flag_len(rest) {
            Some(len) => len,
            None => char.len_utf8(),
        };
        let (part, after) = rest.split_at(taken);
        rest = after;
        if is_tag(char) {
            hidden.extend(plain(char));
        } else {
            visible.push_str(part);
        }
    }
    (visible, hidden)
}

/// The length of the flag that the text begins with.
fn flag_len(text: &str) -> Option<usize> {
    let tags = text.strip_prefix(BLACK_FLAG)?;
    let end = tags.find(CANCEL_TAG)?;
    let name: Option<String> = tags.get(..end)?.chars().map(plain).collect();
    let is_known = FLAGS.contains(&name?.as_str());
    is_known.then_some(BLACK_FLAG.len_utf8() + end + CANCEL_TAG.len_utf8())
}

/// The printable character that a tag character stands for.
fn plain(tag: char) -> Option<char> {
    let code = u32::from(tag).checked_sub(0xe_0000)?;
    char::from_u32(code).filter(|char| (' '..='~').contains(char))
}

fn is_tag(char: char) -> bool {
    ('\u{e0000}'..='\u{e007f}').contains(&char)
}

/// Whether the character changes the direction of the text around it, so that it reads otherwise
/// than it is.
pub(super) fn turns_text(char: char) -> bool {
    matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether the character takes no room and shows nothing.
pub(super) fn is_invisible(char: char) -> bool {
    turns_text(char)
        || matches!(
            char,
            '\u{ad}'
                | '\u{34f}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2060}'..='\u{2065}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{e0100}'..='\u{e01ef}'
        )
}

/// Whether people do not see the character although it says something, or changes what they see.
pub(crate) fn is_hidden(char: char) -> bool {
    is_tag(char) || is_invisible(char)
}
