//! `OrderedMap`: an open object in arrival order, and `Extra`, the members nobody knew.
//!
//! The order is kept because a result is passed on as it came. Look-up is a linear search, which
//! is right for the few entries that such objects have.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::decode::{Decode, DecodeError, Decoded, Effect};
use crate::raw::RawJson;
use crate::wire::{self, Failure, Salvage, Wire};

/// An object whose member names are not fixed, in the order of arrival.
///
/// A name that arrived twice is held once, with its last value.
#[derive(Clone, PartialEq)]
pub struct OrderedMap<V>(Vec<(String, V)>);

/// The members of an object that this crate has no name for, each kept as its own text.
///
/// An empty one costs no allocation. An optional member that could not be read is here as well,
/// under its own name; it is written out again as long as the typed field stays absent.
pub type Extra = OrderedMap<RawJson>;

impl<V> OrderedMap<V> {
    /// A map without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// Whether the name is there.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets the value of a name, in place if it is there and at the end otherwise, and returns
    /// the value that it had.
    pub fn insert(&mut self, name: impl Into<String>, value: V) -> Option<V> {
        let name = name.into();
        match self.0.iter_mut().find(|(key, _)| *key == name) {
            Some((_, slot)) => Some(std::mem::replace(slot, value)),
            None => {
                self.0.push((name, value));
                None
            }
        }
    }

    /// Takes a name out and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        let place = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(place).1)
    }

    /// The entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &V)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many entries there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an entry as it arrives; `settle` must follow the last one.
    pub(crate) fn push(&mut self, name: String, value: V) {
        self.0.push((name, value));
    }

    /// Leaves one entry per name, the last.
    pub(crate) fn settle(&mut self) {
        // Bound: few names are compared in pairs, many through a set, so that a hostile object
        // of a million names costs no quadratic time.
        const PAIRS_MAX: usize = 8;
        if self.0.len() <= PAIRS_MAX && !self.has_twins() {
            return;
        }
        let mut seen = HashSet::with_capacity(self.0.len());
        let last: Vec<bool> = self
            .0
            .iter()
            .rev()
            .map(|(name, _)| seen.insert(name.as_str()))
            .collect();
        if last.iter().all(|keep| *keep) {
            return;
        }
        let mut last = last.into_iter().rev();
        self.0.retain(|_| last.next().unwrap_or(true));
    }

    fn has_twins(&self) -> bool {
        let mut rest = self.0.as_slice();
        while let [(name, _), tail @ ..] = rest {
            if tail.iter().any(|(other, _)| other == name) {
                return true;
            }
            rest = tail;
        }
        false
    }
}

impl<V> Default for OrderedMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for OrderedMap<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, V> FromIterator<(K, V)> for OrderedMap<V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries
            .into_iter()
            .map(|(name, value)| (name.into(), value));
        let mut map = Self(entries.collect());
        map.settle();
        map
    }
}

impl<V> IntoIterator for OrderedMap<V> {
    type Item = (String, V);
    type IntoIter = std::vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<V: Serialize> Serialize for OrderedMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for OrderedMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = OrderedMap<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = OrderedMap::new();
                while let Some((name, value)) = map.next_entry()? {
                    entries.push(name, value);
                }
                entries.settle();
                Ok(entries)
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

impl<V: Wire> Wire for OrderedMap<V> {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        let mut entries = Self::new();
        for (name, value) in salvage.entries(raw)? {
            let decoded = salvage.within_member(&name, |salvage| V::recover(value.get(), salvage));
            match decoded {
                Ok(value) => entries.push(name.into_owned(), value),
                Err(failure) => salvage.report(failure, Effect::Dropped),
            }
        }
        entries.settle();
        Ok(entries)
    }
}

impl<V: Wire> Decode for OrderedMap<V> {
    fn decode(json: &str) -> Result<Decoded<Self>, DecodeError> {
        wire::decode(json)
    }
}
