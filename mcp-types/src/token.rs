//! `Token`: a text or a number that somebody chose and wants back.

use std::fmt;

use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::raw::RawJson;
use crate::wire::{Failure, Salvage, Wire};

/// A progress token, a request id inside a value, or the id of a subscription.
///
/// A number and a text are different even if they look alike (T-01).
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Token {
    /// A whole number; `1.0` is read as 1, since some peers echo ids so.
    Number(i64),
    /// A text.
    Text(String),
    /// A number with a fraction, or beyond 64 bits, as it was written.
    Raw(RawJson),
}

impl From<i64> for Token {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Token {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Token {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Raw(raw) => f.write_str(raw.as_str()),
        }
    }
}

impl Serialize for Token {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Raw(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Token {
    /// One pass without a detour. A number that needs its digits kept is refused here, because
    /// serde hands over a rounded float; [`Decode`](crate::Decode) reads it from the text.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl Visitor<'_> for Any {
            type Value = Token;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a whole number")
            }

            fn visit_i64<E>(self, number: i64) -> Result<Token, E> {
                Ok(Token::Number(number))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Token, E> {
                let whole = i64::try_from(number).ok().map(Token::Number);
                whole.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Token, E> {
                crate::wire::whole(number)
                    .map(Token::Number)
                    .ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
            }

            fn visit_str<E>(self, text: &str) -> Result<Token, E> {
                Ok(Token::from(text))
            }

            fn visit_string<E>(self, text: String) -> Result<Token, E> {
                Ok(Token::Text(text))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

impl Wire for Token {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        if raw.starts_with('"') {
            return salvage.text(raw).map(Self::Text);
        }
        if raw.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return RawJson::assemble(raw.to_owned()).map(Self::Raw);
        }
        Err(salvage.failure("expected a string or a number", raw))
    }
}
