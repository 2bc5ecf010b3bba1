//! One pass over a JSON text that is well-formed, value by value as serde asks for them.
//!
//! `serde_json` gathers a string that holds escapes in a buffer of its own and copies it from
//! there, which for large texts costs more than the reading. Here it is decoded where it stays.
//! Numbers, raw values and whatever else has no text of its own are left to `serde_json`.
//!
//! Nothing is explained: what is refused is read again by `salvage`, which finds the words.

mod run;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::de::StrRead;

use self::run::plain_len;
use crate::wire::text;

/// Says that a text was refused, and nothing else.
#[derive(Debug)]
pub(crate) struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

impl serde::de::Error for Refused {
    // The words of a visitor would be formatted for nobody.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// A position in a text.
pub(crate) struct Reader<'de> {
    text: &'de str,
    at: usize,
    /// Bound: typed values recurse, so what is open at once must be bounded.
    depth_left: usize,
}

impl<'de> Reader<'de> {
    pub(crate) const fn new(text: &'de str) -> Self {
        Self {
            text,
            at: 0,
            depth_left: super::DEPTH_MAX,
        }
    }

    /// Only white space may follow.
    pub(crate) fn end(&mut self) -> Result<(), Refused> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(Refused),
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'de str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no white space; it is not taken.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    fn take(&mut self, byte: u8) -> Result<(), Refused> {
        if self.peek() != Some(byte) {
            return Err(Refused);
        }
        self.at += 1;
        Ok(())
    }

    fn take_word(&mut self, word: &str) -> Result<(), Refused> {
        if !self.rest().starts_with(word) {
            return Err(Refused);
        }
        self.at += word.len();
        Ok(())
    }

    /// Whether the container whose opener was just taken has one more element, with the comma
    /// before it taken.
    fn has_more(&mut self, is_first: &mut bool, closer: u8) -> Result<bool, Refused> {
        if self.peek() == Some(closer) {
            // Nothing may stand between a comma and the end, which the next value finds out.
            return Ok(false);
        }
        if !std::mem::replace(is_first, false) {
            self.take(b',')?;
        }
        Ok(true)
    }

    /// Works on what stands between a pair of brackets.
    fn within<T>(
        &mut self,
        brackets: (u8, u8),
        work: impl FnOnce(&mut Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        self.take(brackets.0)?;
        self.depth_left = self.depth_left.checked_sub(1).ok_or(Refused)?;
        let done = work(self)?;
        self.depth_left += 1;
        self.take(brackets.1)?;
        Ok(done)
    }

    /// Lets `serde_json` read the next value.
    fn delegate<T>(
        &mut self,
        read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'de>>) -> serde_json::Result<T>,
    ) -> Result<T, Refused> {
        let mut deserializer = serde_json::Deserializer::from_str(self.rest());
        let value = read(&mut deserializer).map_err(|_explained| Refused)?;
        self.at += deserializer.into_iter::<IgnoredAny>().byte_offset();
        Ok(value)
    }

    /// Takes a number of at most 15 digits and nothing else, as most numbers are.
    fn small_number(&mut self) -> Option<u64> {
        const DIGITS_MAX: usize = 15;
        let rest = self.rest().as_bytes();
        let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_plain = !matches!(rest.get(len), Some(b'.' | b'e' | b'E'));
        let digits = rest.get(..len)?;
        if !is_plain || len == 0 || len > DIGITS_MAX || (len > 1 && digits.starts_with(b"0")) {
            return None;
        }
        self.at += len;
        let value = |number, digit: &u8| number * 10 + u64::from(digit - b'0');
        Some(digits.iter().fold(0, value))
    }

    /// Reads a string: as it stands, if it has no escapes.
    fn string(&mut self) -> Result<Cow<'de, str>, Refused> {
        self.take(b'"')?;
        let bytes = self.text.as_bytes();
        let end = self.at + plain_len(bytes.get(self.at..).unwrap_or_default());
        match bytes.get(end) {
            Some(b'"') => {
                let string = self.text.get(self.at..end).ok_or(Refused)?;
                self.at = end + 1;
                Ok(Cow::Borrowed(string))
            }
            Some(b'\\') => self.escaped().map(Cow::Owned),
            _ => Err(Refused),
        }
    }

    /// Reads a string with escapes.
    fn escaped(&mut self) -> Result<String, Refused> {
        let mut string = String::new();
        loop {
            let bytes = self.text.as_bytes();
            let len = plain_len(bytes.get(self.at..).unwrap_or_default());
            let end = self.at + len;
            if string.capacity() - string.len() < len + char::MAX_LEN_UTF8 {
                string.reserve_exact(self.room_for(string.len() + len));
            }
            // What ends a run is ASCII, so it ends between two characters.
            string.push_str(self.text.get(self.at..end).ok_or(Refused)?);
            self.at = end + 1;
            match bytes.get(end) {
                Some(b'\\') => string.push(self.escape()?),
                Some(b'"') => break,
                _ => return Err(Refused),
            }
        }
        if string.capacity() / 2 > string.len() {
            string.shrink_to_fit();
        }
        Ok(string)
    }

    /// How much storage to set aside for what follows in a string that will have at least `len`
    /// bytes.
    ///
    /// No text grows by being decoded, so the rest of the whole text is enough for good. Growing
    /// in steps instead would move a large string from place to place, and each of them costs more
    /// than the reading.
    /// Bound: the rest may be many short strings, so a short one does not take more than 16 KiB.
    fn room_for(&self, len: usize) -> usize {
        const SHORT_MAX: usize = 16 * 1024;
        let rest = self.rest().len() + char::MAX_LEN_UTF8;
        if len < SHORT_MAX {
            rest.min(SHORT_MAX)
        } else {
            rest
        }
    }

    /// Takes what follows a backslash.
    #[inline]
    fn escape(&mut self) -> Result<char, Refused> {
        let escape = self.byte().ok_or(Refused)?;
        self.at += 1;
        Ok(match escape {
            b'"' | b'\\' | b'/' => char::from(escape),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let rest = self.rest();
                let (character, after) = text::unescape_unit(rest).ok_or(Refused)?;
                self.at += rest.len() - after.len();
                // Half of a surrogate pair is repaired by the slow path, which reports it.
                character.ok_or(Refused)?
            }
            _ => return Err(Refused),
        })
    }
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.peek() {
            Some(b'{') => self.deserialize_map(visitor),
            Some(b'[') => self.deserialize_seq(visitor),
            Some(b'"') => self.deserialize_str(visitor),
            Some(b'n') => {
                self.take_word("null")?;
                visitor.visit_unit()
            }
            Some(b't') => {
                self.take_word("true")?;
                visitor.visit_bool(true)
            }
            Some(b'f') => {
                self.take_word("false")?;
                visitor.visit_bool(false)
            }
            _ => match self.small_number() {
                Some(number) => visitor.visit_u64(number),
                None => self.delegate(|number| number.deserialize_any(visitor)),
            },
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.within((b'{', b'}'), |reader| {
            visitor.visit_map(Elements::new(reader))
        })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.within((b'[', b']'), |reader| {
            visitor.visit_seq(Elements::new(reader))
        })
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.string()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.peek() == Some(b'n') {
            self.take_word("null")?;
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.delegate(|raw| raw.deserialize_newtype_struct(name, visitor))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.delegate(|skipped| skipped.deserialize_ignored_any(visitor))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct
        tuple tuple_struct struct enum
    }
}

/// The elements of the array or the object that was just opened.
struct Elements<'a, 'de> {
    reader: &'a mut Reader<'de>,
    is_first: bool,
}

impl<'a, 'de> Elements<'a, 'de> {
    const fn new(reader: &'a mut Reader<'de>) -> Self {
        Self {
            reader,
            is_first: true,
        }
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        if !self.reader.has_more(&mut self.is_first, b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

impl<'de> MapAccess<'de> for Elements<'_, 'de> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        if !self.reader.has_more(&mut self.is_first, b'}')? {
            return Ok(None);
        }
        if self.reader.peek() != Some(b'"') {
            return Err(Refused);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        self.reader.take(b':')?;
        seed.deserialize(&mut *self.reader)
    }
}
