//! `RawJson`: one JSON value kept as the text it arrived as.
//!
//! Schemas, arguments and structured results pass through this crate without being understood,
//! so their number digits, their member order and their spelling survive. Whoever wants the
//! meaning decodes it with [`RawJson::decode`].

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::decode::DecodeError;
use crate::wire::{self, strict};

/// One well-formed JSON value as text, without white space around it.
///
/// Two values are equal if their texts are. A text that is parsed or deserialized nests at most 128
/// arrays and objects. It may hold `\u` escapes of lone surrogates, which only matter to whoever
/// decodes it.
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Checks that `text` is one JSON value and keeps it.
    ///
    /// # Errors
    ///
    /// If the text is not exactly one JSON value, or nests too deeply.
    pub fn parse(text: impl Into<String>) -> Result<Self, DecodeError> {
        let text = text.into();
        // The check runs on a borrowed slice first, so that an error can quote the text.
        match serde_json::from_str::<&RawValue>(&text) {
            Ok(borrowed) if !strict::nesting_within(borrowed.get(), wire::DEPTH_MAX) => {
                Err(DecodeError::new("", wire::TOO_DEEP, borrowed.get()))
            }
            Ok(borrowed) if borrowed.get().len() < text.len() => Ok(Self(borrowed.to_owned())),
            Ok(_) => Self::assemble(text),
            Err(error) => Err(DecodeError::syntax(&text, &error)),
        }
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    ///
    /// If the value has no JSON form, as a map whose keys are not strings.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, DecodeError> {
        match serde_json::value::to_raw_value(value) {
            Ok(raw) => Ok(Self(raw)),
            Err(error) => Err(DecodeError::new("", &error.to_string(), "")),
        }
    }

    /// The value `null`.
    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// The value `{}`, with which capabilities say that something is there.
    #[must_use]
    pub fn empty_object() -> Self {
        Self::assemble("{}".to_owned()).unwrap_or_else(|_| Self::null())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.as_str().starts_with('{')
    }

    /// Decodes the value strictly; see [`Decode`](crate::Decode) for the forgiving way.
    ///
    /// # Errors
    ///
    /// If the value does not have the shape of `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        serde_json::from_str(self.as_str())
            .map_err(|error| DecodeError::syntax(self.as_str(), &error))
    }

    /// Takes a text that is known to be one JSON value.
    pub(crate) fn assemble(text: String) -> Result<Self, DecodeError> {
        match RawValue::from_string(text) {
            Ok(raw) => Ok(Self(raw)),
            Err(error) => Err(DecodeError::new("", &error.to_string(), "")),
        }
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl Hash for RawJson {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if strict::nesting_within(raw.get(), wire::DEPTH_MAX) {
            Ok(Self(raw))
        } else {
            Err(D::Error::custom(wire::TOO_DEEP))
        }
    }
}
