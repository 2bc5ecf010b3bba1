//! Values that were configured as credentials, found in each form that a text may hold them in.

use std::ops::Range;

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};

use super::PLACEHOLDER;

/// One value, ready to be searched for.
#[derive(Clone)]
pub(super) struct Exact {
    len: usize,
    needle: Needle,
}

#[derive(Clone)]
enum Needle {
    /// Only letters, digits and the like, or too long for a pattern: it is found as it is.
    Plain(Box<Finder<'static>>),
    /// Some character may be written in several ways.
    Encoded(Regex),
}

/// Makes a value findable; none if it is too short to be told from ordinary text.
pub(super) fn compile(secret: &str) -> Vec<Exact> {
    secret
        .lines()
        .map(str::trim)
        // The placeholder must not be replaced by itself.
        .filter(|line| line.len() >= LEN_MIN && !PLACEHOLDER.contains(line))
        .map(|line| Exact {
            len: line.len(),
            needle: Needle::new(line),
        })
        .collect()
}

impl Exact {
    /// Adds where the value occurs.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        match &self.needle {
            Needle::Plain(finder) => {
                let starts = finder.find_iter(text.as_bytes());
                found.extend(starts.map(|start| start..start + self.len));
            }
            Needle::Encoded(regex) => {
                found.extend(regex.find_iter(text).map(|occurrence| occurrence.range()));
            }
        }
    }

    /// The length of the value in its longest form.
    pub(super) fn encoded_len_max(&self) -> usize {
        match &self.needle {
            Needle::Plain(_) => self.len,
            Needle::Encoded(_) => self.len.saturating_mul(ENCODED_BYTE_LEN_MAX),
        }
    }
}

impl Needle {
    fn new(secret: &str) -> Self {
        let plain = || Self::Plain(Box::new(Finder::new(secret).into_owned()));
        if secret.bytes().all(is_unreserved) {
            return plain();
        }
        let pattern: String = secret.chars().map(any_form).collect();
        let compiled = RegexBuilder::new(&pattern)
            .size_limit(PROGRAM_LEN_MAX)
            .build();
        compiled.map_or_else(|_too_long| plain(), Self::Encoded)
    }
}

/// A pattern for one character: as it is, escaped in JSON (once or more), or percent-encoded.
fn any_form(char: char) -> String {
    let raw = regex::escape(char.encode_utf8(&mut [0; 4]));
    if char.is_ascii() && u8::try_from(char).is_ok_and(is_unreserved) {
        return raw;
    }
    let percent: String = char
        .encode_utf8(&mut [0; 4])
        .bytes()
        .map(|byte| format!("%(?i-u:{byte:02x})"))
        .collect();
    let unicode: String = char
        .encode_utf16(&mut [0; 2])
        .iter()
        .map(|unit| format!(r"\\+u(?i-u:{unit:04x})"))
        .collect();
    let escaped = match char {
        '"' | '/' | '\'' => format!(r"|\\+{raw}"),
        '\\' => r"|\\+".to_owned(),
        '\t' => r"|\\+t".to_owned(),
        ' ' => r"|\+".to_owned(),
        _ => String::new(),
    };
    format!("(?:{raw}|{percent}|{unicode}{escaped})")
}

/// What no encoding changes.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// A shorter value also occurs by chance.
const LEN_MIN: usize = 8;
/// `\\u00e9` is the longest form of a byte that is looked for.
const ENCODED_BYTE_LEN_MAX: usize = 7;
/// Bytes of a compiled pattern; reached by values of some thousand characters.
const PROGRAM_LEN_MAX: usize = 4 << 20;
