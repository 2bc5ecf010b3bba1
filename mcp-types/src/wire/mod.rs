//! How values stand on the wire: one pass for what is well-formed, piece by piece for the rest.
//!
//! | module | job |
//! |---|---|
//! | `object` | the macro that writes the impls of an object type |
//! | `kind` | what a member's absence, `null` or malformation means |
//! | `reader` | the one pass itself, for texts that are in memory |
//! | `strict` | the parts of the one-pass visitors |
//! | `salvage` | the slow path: raw members, paths, diagnostics |
//! | `scalar` | strings, numbers, lists |
//! | `text` | JSON strings that may hold lone surrogates |
//! | `open` | enumerations that new revisions extend |
//!
//! Nothing here knows a type of the protocol.

#[macro_use]
pub(crate) mod object;
#[macro_use]
pub(crate) mod open;
pub(crate) mod kind;
mod reader;
pub(crate) mod salvage;
mod scalar;
pub(crate) mod strict;
pub(crate) mod text;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize as _, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::decode::{DecodeError, Decoded};
use crate::raw::RawJson;

pub(crate) use kind::{Kind, List, Nullish, Optional, Raw, Required};
pub(crate) use salvage::{Failure, Salvage};
pub(crate) use scalar::whole;
pub(crate) use strict::{Key, Named, Object, Seed};

/// A value that can be read strictly and, failing that, leniently.
pub(crate) trait Wire: Sized + Serialize + DeserializeOwned {
    /// Reads the value in one pass.
    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }

    /// Reads what `strict` refused. `raw` is one well-formed JSON value without white space
    /// around it.
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure>;

    /// Writes the value.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }

    /// Reads a piece of something that was refused as a whole, but may be good itself.
    fn recover(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        match from_text(raw) {
            Ok(value) => Ok(value),
            Err(_) => Self::salvage(raw, salvage),
        }
    }
}

/// Bound: how deep a text may nest. Whoever takes a raw value apart recurses, and `serde_json` goes
/// about as deep.
pub(crate) const DEPTH_MAX: usize = 128;
pub(crate) const TOO_DEEP: &str = "nested more than 128 deep";

/// Reads a text strictly.
fn from_text<T: Wire>(json: &str) -> Result<T, reader::Refused> {
    let mut reader = reader::Reader::new(json);
    let value = T::strict(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Reads a text strictly and, if it is refused, piece by piece.
pub(crate) fn decode<T: Wire>(json: &str) -> Result<Decoded<T>, DecodeError> {
    match from_text(json) {
        Ok(value) => Ok(Decoded::new(value, Vec::new())),
        Err(_) => decode_in_pieces(json),
    }
}

#[cold]
fn decode_in_pieces<T: Wire>(json: &str) -> Result<Decoded<T>, DecodeError> {
    let raw: &RawValue =
        serde_json::from_str(json).map_err(|error| DecodeError::syntax(json, &error))?;
    if !strict::nesting_within(raw.get(), DEPTH_MAX) {
        return Err(DecodeError::new("", TOO_DEEP, raw.get()));
    }
    let mut salvage = Salvage::new();
    let value = T::salvage(raw.get(), &mut salvage)?;
    Ok(Decoded::new(value, salvage.into_diagnostics()))
}

/// Reads a rare and small value from its text, with the same code that repairs it, and refuses
/// whatever would need a word.
pub(crate) fn by_text<'de, T: Wire, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let raw = RawJson::deserialize(deserializer)?;
    let mut salvage = Salvage::new();
    let value = T::salvage(raw.as_str(), &mut salvage).map_err(D::Error::custom)?;
    match salvage.into_diagnostics().first() {
        Some(diagnostic) => Err(D::Error::custom(diagnostic)),
        None => Ok(value),
    }
}
