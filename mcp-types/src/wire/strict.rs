//! The parts of the one-pass visitors: keys without allocation, seeds for members, and the
//! replay of members that were read before their meaning was known.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Error as _, IntoDeserializer as _, MapAccess, Visitor};

use crate::raw::RawJson;
use crate::wire::Kind;

/// The member names of one object type.
pub(crate) trait Named: Sized {
    fn named(name: &str) -> Option<Self>;
}

/// An object that can be read from members.
pub(crate) trait Object: Sized {
    /// The name of the type, for errors.
    const NAME: &'static str;

    fn from_members<'de, A: MapAccess<'de>>(members: A) -> Result<Self, A::Error>;
}

/// Reads an object type with its own `from_members`.
pub(crate) fn object<'de, T: Object, D: Deserializer<'de>>(d: D) -> Result<T, D::Error> {
    struct Members<T>(PhantomData<T>);

    impl<'de, T: Object> Visitor<'de> for Members<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "an object ({})", T::NAME)
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            T::from_members(members)
        }
    }

    d.deserialize_map(Members(PhantomData))
}

/// A member name: one of the known ones, or the text.
pub(crate) enum Key<F> {
    Known(F),
    Unknown(String),
}

/// Reads a member name; only an unknown one is allocated.
pub(crate) struct KeySeed<F>(PhantomData<F>);

impl<F> KeySeed<F> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, F: Named> DeserializeSeed<'de> for KeySeed<F> {
    type Value = Key<F>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key<F>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<F: Named> Visitor<'_> for KeySeed<F> {
    type Value = Key<F>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Key<F>, E> {
        Ok(F::named(name).map_or_else(|| Key::Unknown(name.to_owned()), Key::Known))
    }
}

/// Reads a member of kind `K` and type `T`.
pub(crate) struct Seed<K, T>(PhantomData<(K, T)>);

impl<K, T> Seed<K, T> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, K: Kind<T>, T> DeserializeSeed<'de> for Seed<K, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        K::strict(deserializer)
    }
}

/// Accepts exactly one text, as the value of a member that tells types apart.
pub(crate) struct TagSeed(pub(crate) &'static str);

impl<'de> DeserializeSeed<'de> for TagSeed {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for TagSeed {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text {:?}", self.0)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        if text == self.0 {
            Ok(())
        } else {
            Err(E::custom(format_args!("expected {:?}", self.0)))
        }
    }
}

/// The value of a member, or what its absence means.
pub(crate) fn settle<K: Kind<T>, T, E: serde::de::Error>(
    found: Option<T>,
    name: &'static str,
) -> Result<T, E> {
    found
        .or_else(K::absent)
        .ok_or_else(|| E::missing_field(name))
}

/// Members that were read ahead, followed by those that still come.
///
/// The pieces are read from a fresh deserializer, which starts a fresh count of the nesting. The
/// caller therefore checks the nesting of the pieces first, with `nesting_within`.
pub(crate) struct Replay<A> {
    ahead: std::vec::IntoIter<(String, RawJson)>,
    value: Option<RawJson>,
    rest: A,
}

impl<A> Replay<A> {
    pub(crate) fn new(ahead: Vec<(String, RawJson)>, rest: A) -> Self {
        Self {
            ahead: ahead.into_iter(),
            value: None,
            rest,
        }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Replay<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Some((name, value)) = self.ahead.next() else {
            return self.rest.next_key_seed(seed);
        };
        self.value = Some(value);
        let name: StringDeserializer<A::Error> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        let Some(value) = self.value.take() else {
            return self.rest.next_value_seed(seed);
        };
        // A reader lends nothing out, so the values may outlive the piece.
        let mut piece = serde_json::Deserializer::from_reader(value.as_str().as_bytes());
        seed.deserialize(&mut piece).map_err(A::Error::custom)
    }
}

/// Whether a well-formed JSON text nests at most `depth_max` arrays and objects.
pub(crate) fn nesting_within(json: &str, depth_max: usize) -> bool {
    // Counting openers runs at memory speed and is enough for nearly every text.
    // Bound: a chunk of 255 bytes cannot overflow its count.
    let is_opener = |byte: &u8| u8::from(matches!(byte, b'[' | b'{'));
    let openers = |chunk: &[u8]| usize::from(chunk.iter().map(is_opener).sum::<u8>());
    let chunks = json.as_bytes().chunks(255);
    if json.len() <= depth_max || chunks.map(openers).sum::<usize>() <= depth_max {
        return true;
    }
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut escaped = false;
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > depth_max {
            return false;
        }
    }
    true
}

/// Reads a type that is a text; a known text needs no allocation.
pub(crate) fn text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: for<'a> From<&'a str>,
    D: Deserializer<'de>,
{
    struct Text<T>(PhantomData<T>);

    impl<T: for<'a> From<&'a str>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E>(self, text: &str) -> Result<T, E> {
            Ok(T::from(text))
        }
    }

    deserializer.deserialize_str(Text(PhantomData))
}
