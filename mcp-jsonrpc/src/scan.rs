//! A validating scanner over one JSON text: it finds where values end and builds nothing.
//!
//! It never recurses and never allocates, so hostile nesting costs neither stack nor memory.
//! What the values mean is left to the decoder and to the caller's own types.

use std::fmt;

use memchr::memchr2;

/// The deepest nesting that any frame may have; the scanner's stack of open containers is one
/// machine word with a bit for each.
pub(crate) const DEPTH_MAX: usize = 128;

/// Where and why a text is not JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// The byte offset at which reading stopped.
    pub at: usize,
    /// What was wrong there.
    pub kind: FaultKind,
}

/// What is wrong with a text that is not JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum FaultKind {
    /// A string holds a control character or a broken escape.
    BadString,
    /// The text ends before the value does.
    Cut,
    /// More arrays and objects inside each other than the limit allows.
    TooDeep,
    /// Something stands after the end of the value.
    Trailing,
    /// A byte that cannot stand here.
    Unexpected,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FaultKind::BadString => "a broken string",
            FaultKind::Cut => "the text ends too early",
            FaultKind::TooDeep => "nested too deeply",
            FaultKind::Trailing => "something follows the end of the value",
            FaultKind::Unexpected => "an unexpected character",
        };
        write!(f, "{what} at byte {}", self.at)
    }
}

impl std::error::Error for Fault {}

/// Checks that `text` is one JSON value, nested at most `depth_max` (at most 128) deep.
///
/// # Errors
///
/// The first fault, with its position.
pub fn validate(text: &[u8], depth_max: usize) -> Result<(), Fault> {
    let mut scanner = Scanner::new(text, depth_max);
    scanner.skip_space();
    scanner.skip_value()?;
    scanner.finish()
}

/// Whether `text` can be nested deeper than `depth_max`, judged by counting openers alone.
///
/// The count runs at memory speed and is right for nearly every frame, so that only frames with
/// more than `depth_max` openers pay for a scan.
pub(crate) fn may_be_deeper(text: &[u8], depth_max: usize) -> bool {
    if text.len() <= depth_max {
        return false;
    }
    let mut openers = 0_usize;
    // Bound: a chunk of 255 bytes cannot overflow its 8-bit count, which keeps the loop in vector
    // registers.
    for chunk in text.chunks(255) {
        let count = chunk.iter().fold(0_u8, |count, byte| {
            count + u8::from(matches!(byte, b'[' | b'{'))
        });
        openers += usize::from(count);
    }
    openers > depth_max
}

/// A position in a text.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    depth_max: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a [u8], depth_max: usize) -> Self {
        Self {
            text,
            at: 0,
            depth_max: depth_max.min(DEPTH_MAX),
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub(crate) fn fault(&self, kind: FaultKind) -> Fault {
        Fault { at: self.at, kind }
    }

    pub(crate) fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Takes `byte` if it stands here.
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Only space may follow.
    pub(crate) fn finish(&mut self) -> Result<(), Fault> {
        self.skip_space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.fault(FaultKind::Trailing)),
        }
    }

    fn unexpected(&self) -> Fault {
        self.fault(if self.peek().is_none() {
            FaultKind::Cut
        } else {
            FaultKind::Unexpected
        })
    }

    /// Skips one value; the position must be at its first byte.
    pub(crate) fn skip_value(&mut self) -> Result<(), Fault> {
        // Invariant: bit `n` of `objects` tells whether the container at depth `n` is an object.
        let mut objects = 0_u128;
        let mut depth = 0_usize;
        loop {
            if let Some(is_object) = self.open()? {
                if depth >= self.depth_max {
                    return Err(self.fault(FaultKind::TooDeep));
                }
                let bit = 1_u128 << depth;
                if is_object {
                    objects |= bit;
                } else {
                    objects &= !bit;
                }
                depth += 1;
                self.skip_space();
                if !self.take(if is_object { b'}' } else { b']' }) {
                    if is_object {
                        self.skip_key()?;
                    }
                    continue;
                }
                depth -= 1;
            }
            loop {
                if depth == 0 {
                    return Ok(());
                }
                let is_object = objects & (1_u128 << (depth - 1)) != 0;
                self.skip_space();
                if self.take(b',') {
                    self.skip_space();
                    if is_object {
                        self.skip_key()?;
                    }
                    break;
                }
                self.expect(if is_object { b'}' } else { b']' })?;
                depth -= 1;
            }
        }
    }

    /// Opens a container (and says whether it is an object) or skips a scalar.
    fn open(&mut self) -> Result<Option<bool>, Fault> {
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                Ok(Some(true))
            }
            Some(b'[') => {
                self.at += 1;
                Ok(Some(false))
            }
            Some(b'"') => self.skip_string().map(|()| None),
            Some(b't') => self.skip_word(b"true"),
            Some(b'f') => self.skip_word(b"false"),
            Some(b'n') => self.skip_word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.skip_number().map(|()| None),
            _ => Err(self.unexpected()),
        }
    }

    /// Skips a key, its colon and the space around it.
    fn skip_key(&mut self) -> Result<(), Fault> {
        self.skip_string()?;
        self.skip_colon()
    }

    pub(crate) fn skip_colon(&mut self) -> Result<(), Fault> {
        self.skip_space();
        self.expect(b':')?;
        self.skip_space();
        Ok(())
    }

    /// Skips a string, quotes included.
    pub(crate) fn skip_string(&mut self) -> Result<(), Fault> {
        self.expect(b'"')?;
        loop {
            self.skip_run()?;
            if self.take(b'"') {
                return Ok(());
            }
            self.skip_escape()?;
        }
    }

    /// Skips up to the next quote or backslash.
    fn skip_run(&mut self) -> Result<(), Fault> {
        /// As long as most keys are; a search that is faster for long runs begins more slowly.
        const SHORT: usize = 16;
        for _ in 0..SHORT {
            match self.peek() {
                Some(b'"' | b'\\') => return Ok(()),
                Some(0..0x20) => return Err(self.fault(FaultKind::BadString)),
                Some(_) => self.at += 1,
                None => return Err(self.fault(FaultKind::Cut)),
            }
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(run) = memchr2(b'"', b'\\', rest) else {
            self.at = self.text.len();
            return Err(self.fault(FaultKind::Cut));
        };
        let plain = rest.get(..run).unwrap_or_default();
        if plain.iter().fold(false, |bad, byte| bad | (*byte < 0x20)) {
            return Err(self.fault(FaultKind::BadString));
        }
        self.at += run;
        Ok(())
    }

    fn skip_escape(&mut self) -> Result<(), Fault> {
        self.expect(b'\\')?;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.fault(FaultKind::BadString));
                    }
                    self.at += 1;
                }
            }
            Some(_) => return Err(self.fault(FaultKind::BadString)),
            None => return Err(self.fault(FaultKind::Cut)),
        }
        Ok(())
    }

    fn skip_word(&mut self, word: &[u8]) -> Result<Option<bool>, Fault> {
        for byte in word {
            self.expect(*byte)?;
        }
        Ok(None)
    }

    fn skip_number(&mut self) -> Result<(), Fault> {
        self.take(b'-');
        if !self.take(b'0') {
            self.skip_digits()?;
        }
        if self.take(b'.') {
            self.skip_digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _: bool = self.take(b'+') || self.take(b'-');
            self.skip_digits()?;
        }
        Ok(())
    }

    fn skip_digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.unexpected())
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_values_are_accepted() {
        for text in [
            "{}",
            "[]",
            " [ ] ",
            "null",
            "true",
            "false",
            "0",
            "-0.5e+10",
            "\"\"",
            "\"\\u00e9\\n\"",
            "{\"a\":[1,{\"b\":null}],\"c\":\"\\\"\"}",
            "[[],[[]],{}]",
            "1E5",
            "\"\u{2028}\"",
        ] {
            assert_eq!(validate(text.as_bytes(), 128), Ok(()), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_where_they_break() {
        let table: &[(&str, usize, FaultKind)] = &[
            ("", 0, FaultKind::Cut),
            ("{", 1, FaultKind::Cut),
            ("[1,]", 3, FaultKind::Unexpected),
            ("{\"a\" 1}", 5, FaultKind::Unexpected),
            ("{a:1}", 1, FaultKind::Unexpected),
            ("[1}", 2, FaultKind::Unexpected),
            ("01", 1, FaultKind::Trailing),
            ("1.", 2, FaultKind::Cut),
            ("tru", 3, FaultKind::Cut),
            ("\"\\x\"", 2, FaultKind::BadString),
            ("\"\\u12g4\"", 5, FaultKind::BadString),
            ("\"a\nb\"", 2, FaultKind::BadString),
            ("\"abc", 4, FaultKind::Cut),
            ("{} {}", 3, FaultKind::Trailing),
            ("NaN", 0, FaultKind::Unexpected),
        ];
        for (text, at, kind) in table {
            assert_eq!(
                validate(text.as_bytes(), 128),
                Err(Fault {
                    at: *at,
                    kind: *kind
                }),
                "{text}"
            );
        }
    }

    #[test]
    fn nesting_is_bounded_at_the_limit_and_not_before() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(validate(nested(128).as_bytes(), 128), Ok(()));
        let fault = validate(nested(129).as_bytes(), 128).unwrap_err();
        assert_eq!(fault.kind, FaultKind::TooDeep);
        assert!(!may_be_deeper(nested(128).as_bytes(), 128));
        assert!(may_be_deeper(nested(129).as_bytes(), 128));
    }
}
