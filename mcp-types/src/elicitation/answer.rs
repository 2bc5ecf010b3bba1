//! What the user answers.

use std::fmt;

use serde::de::{SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::map::{Extra, OrderedMap};
use crate::meta::Meta;
use crate::raw::RawJson;
use crate::result::ResultType;
use crate::version::Version;
use crate::wire::{self, Failure, Salvage, Wire};

/// The result of `elicitation/create`. Since 2025-06-18.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the user decided.
    pub action: ElicitAction,
    /// What the form holds; only for an accepted form.
    pub content: Option<OrderedMap<ElicitValue>>,
    /// Not a member of any revision, but legal in those with a handshake.
    pub result_type: Option<ResultType>,
    /// Open data. Until 2025-11-25.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ElicitResult {
    /// The user decided something that needs no form.
    #[must_use]
    pub const fn new(action: ElicitAction) -> Self {
        Self {
            action,
            content: None,
            result_type: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// The user filled in the form.
    #[must_use]
    pub fn accept(content: OrderedMap<ElicitValue>) -> Self {
        Self {
            content: Some(content),
            ..Self::new(ElicitAction::Accept)
        }
    }

    /// The user refused.
    #[must_use]
    pub const fn decline() -> Self {
        Self::new(ElicitAction::Decline)
    }

    /// The user went away without deciding.
    #[must_use]
    pub const fn cancel() -> Self {
        Self::new(ElicitAction::Cancel)
    }

    /// What may be said at a revision; `None` if it has no elicitation, or no lists of texts as
    /// values (ELIC-14).
    #[must_use]
    pub fn for_version(&self, version: &Version) -> Option<Self> {
        let has_list = || {
            let values = self.content.iter().flat_map(OrderedMap::iter);
            values
                .into_iter()
                .any(|(_, value)| matches!(value, ElicitValue::List(_)))
        };
        if version.is_before(&Version::V2025_06_18)
            || (version.is_before(&Version::V2025_11_25) && has_list())
        {
            return None;
        }
        Some(self.clone())
    }
}

wire_object! {
    ElicitResult {
        Optional result_type = "resultType",
        Required action = "action",
        Optional content = "content",
        Optional meta = "_meta",
    }
}

/// What the user decided.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ElicitAction {
    /// To answer, or to open the URL.
    Accept,
    /// To refuse.
    Decline,
    /// Nothing.
    Cancel,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! { ElicitAction { Accept = "accept", Decline = "decline", Cancel = "cancel" } }

/// What a field of a form holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitValue {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction. The schema as JSON forgets these, the one as text has them
    /// (T-38).
    Number(f64),
    /// A truth value.
    Boolean(bool),
    /// Some texts. Since 2025-11-25.
    List(Vec<String>),
    /// Anything else, which no revision allows.
    Other(RawJson),
}

macro_rules! from_values {
    ($($variant:ident($value:ty),)+) => {
        $(impl From<$value> for ElicitValue {
            fn from(value: $value) -> Self {
                Self::$variant(value)
            }
        })+
    };
}

from_values! {
    Text(String),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    List(Vec<String>),
}

impl From<&str> for ElicitValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Serialize for ElicitValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Boolean(truth) => serializer.serialize_bool(*truth),
            Self::List(texts) => texts.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitValue {
    /// Takes what the revisions allow; anything else is read from its text when this refuses it.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = ElicitValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number, a truth value or a list of strings")
            }

            fn visit_bool<E>(self, truth: bool) -> Result<ElicitValue, E> {
                Ok(ElicitValue::Boolean(truth))
            }

            fn visit_i64<E>(self, number: i64) -> Result<ElicitValue, E> {
                Ok(ElicitValue::Integer(number))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<ElicitValue, E> {
                let number = i64::try_from(number).map_err(E::custom)?;
                Ok(ElicitValue::Integer(number))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<ElicitValue, E> {
                // A whole number that came as a float may have lost digits on the way.
                if number.fract() == 0.0 && wire::whole(number).is_none() {
                    return Err(E::invalid_value(Unexpected::Float(number), &self));
                }
                Ok(ElicitValue::Number(number))
            }

            fn visit_str<E>(self, text: &str) -> Result<ElicitValue, E> {
                Ok(ElicitValue::from(text))
            }

            fn visit_string<E>(self, text: String) -> Result<ElicitValue, E> {
                Ok(ElicitValue::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ElicitValue, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = items.next_element()? {
                    texts.push(text);
                }
                Ok(ElicitValue::List(texts))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

impl Wire for ElicitValue {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        match raw.as_bytes().first() {
            Some(b'"') => salvage.text(raw).map(Self::Text),
            _ => RawJson::assemble(raw.to_owned()).map(Self::Other),
        }
    }
}
