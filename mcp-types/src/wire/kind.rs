//! What a member's absence, `null` or malformation means.

use std::fmt;
use std::marker::PhantomData;

use serde::de::Visitor;
use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

use crate::map::Extra;
use crate::nullable::Nullable;
use crate::raw::RawJson;
use crate::wire::{Failure, Salvage, Wire};

/// How a member of type `F` is read and written.
pub(crate) trait Kind<F> {
    /// Whether a member is written even if the field has nothing to say, unless the member's own
    /// text waits in `extra`.
    const IS_ALWAYS_THERE: bool = false;

    /// What absence means; `None` if the member has to be there.
    fn absent() -> Option<F>;

    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<F, D::Error>;

    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<F, Failure>;

    /// Whether the field has something to say.
    fn is_written(field: &F) -> bool;

    fn write<S: Serializer>(field: &F, serializer: S) -> Result<S::Ok, S::Error>;
}

/// Without it the object makes no sense.
pub(crate) struct Required;

/// May be absent; `null` counts as absent.
pub(crate) struct Optional;

/// A list that is empty if absent or `null`, and is always written.
pub(crate) struct List;

/// Any JSON value, where `null` is a value and not absence.
pub(crate) struct Raw;

/// May be absent, and may be `null` with a meaning of its own.
pub(crate) struct Nullish;

impl<T: Wire> Kind<T> for Required {
    fn absent() -> Option<T> {
        None
    }

    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        T::strict(deserializer)
    }

    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<T, Failure> {
        T::recover(raw, salvage)
    }

    fn is_written(_: &T) -> bool {
        true
    }

    fn write<S: Serializer>(field: &T, serializer: S) -> Result<S::Ok, S::Error> {
        field.write(serializer)
    }
}

impl<T: Wire> Kind<Option<T>> for Optional {
    fn absent() -> Option<Option<T>> {
        Some(None)
    }

    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_option(OrNull(PhantomData))
    }

    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Option<T>, Failure> {
        if raw == "null" {
            Ok(None)
        } else {
            T::recover(raw, salvage).map(Some)
        }
    }

    fn is_written(field: &Option<T>) -> bool {
        field.is_some()
    }

    fn write<S: Serializer>(field: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match field {
            Some(value) => value.write(serializer),
            None => serializer.serialize_none(),
        }
    }
}

impl<T: Wire> Kind<Vec<T>> for List {
    const IS_ALWAYS_THERE: bool = true;

    fn absent() -> Option<Vec<T>> {
        Some(Vec::new())
    }

    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        <Optional as Kind<Option<Vec<T>>>>::strict(deserializer).map(Option::unwrap_or_default)
    }

    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Vec<T>, Failure> {
        <Optional as Kind<Option<Vec<T>>>>::salvage(raw, salvage).map(Option::unwrap_or_default)
    }

    fn is_written(field: &Vec<T>) -> bool {
        !field.is_empty()
    }

    fn write<S: Serializer>(field: &Vec<T>, serializer: S) -> Result<S::Ok, S::Error> {
        field.write(serializer)
    }
}

impl Kind<Option<RawJson>> for Raw {
    fn absent() -> Option<Option<RawJson>> {
        Some(None)
    }

    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
        RawJson::deserialize(deserializer).map(Some)
    }

    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Option<RawJson>, Failure> {
        RawJson::salvage(raw, salvage).map(Some)
    }

    fn is_written(field: &Option<RawJson>) -> bool {
        field.is_some()
    }

    fn write<S: Serializer>(field: &Option<RawJson>, serializer: S) -> Result<S::Ok, S::Error> {
        field.serialize(serializer)
    }
}

impl<T: Wire> Kind<Nullable<T>> for Nullish {
    fn absent() -> Option<Nullable<T>> {
        Some(Nullable::Absent)
    }

    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Nullable<T>, D::Error> {
        <Optional as Kind<Option<T>>>::strict(deserializer).map(Nullable::or_null)
    }

    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Nullable<T>, Failure> {
        <Optional as Kind<Option<T>>>::salvage(raw, salvage).map(Nullable::or_null)
    }

    fn is_written(field: &Nullable<T>) -> bool {
        !matches!(field, Nullable::Absent)
    }

    fn write<S: Serializer>(field: &Nullable<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match field {
            Nullable::Value(value) => value.write(serializer),
            Nullable::Absent | Nullable::Null => serializer.serialize_none(),
        }
    }
}

/// Whether a field is written, rather than a text of the same name in `extra`.
pub(crate) fn is_due<K: Kind<F>, F>(field: &F, name: &str, extra: &Extra) -> bool {
    K::is_written(field) || (K::IS_ALWAYS_THERE && !extra.contains(name))
}

/// A field on its way out, with its kind.
pub(crate) struct Written<'a, K, F>(&'a F, PhantomData<K>);

impl<'a, K: Kind<F>, F> Written<'a, K, F> {
    pub(crate) const fn new(field: &'a F) -> Self {
        Self(field, PhantomData)
    }
}

impl<K: Kind<F>, F> Serialize for Written<'_, K, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        K::write(self.0, serializer)
    }
}

/// Reads a value or `null`.
struct OrNull<T>(PhantomData<T>);

impl<'de, T: Wire> Visitor<'de> for OrNull<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_unit<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        T::strict(deserializer).map(Some)
    }
}
