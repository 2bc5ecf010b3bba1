//! Strings, numbers, truth values, lists and raw values.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, SeqAccess, Unexpected, Visitor};
use serde::{Deserializer, Serialize as _, Serializer};

use crate::decode::Effect;
use crate::raw::RawJson;
use crate::wire::{Failure, Salvage, Wire};

impl Wire for String {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        salvage.text(raw)
    }
}

impl Wire for bool {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        Err(salvage.failure("expected true or false", raw))
    }
}

impl Wire for RawJson {
    fn salvage(raw: &str, _: &mut Salvage) -> Result<Self, Failure> {
        Self::assemble(raw.to_owned())
    }
}

impl Wire for f64 {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        Err(salvage.failure("expected a number", raw))
    }

    /// A whole number is written without a fraction, as most peers would write it.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match whole(*self) {
            Some(number) if *self != 0.0 || self.is_sign_positive() => {
                serializer.serialize_i64(number)
            }
            _ => self.serialize(serializer),
        }
    }
}

impl Wire for i64 {
    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;

        impl Visitor<'_> for Whole {
            type Value = i64;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_i64<E>(self, number: i64) -> Result<i64, E> {
                Ok(number)
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<i64, E> {
                let whole = Self::Value::try_from(number).ok();
                whole.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<i64, E> {
                whole(number).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
            }
        }

        deserializer.deserialize_i64(Whole)
    }

    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        Err(salvage.failure("expected a whole number of 64 bits", raw))
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Items(PhantomData))
    }

    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        let items = salvage.items(raw)?;
        let mut list = Self::new();
        for (index, item) in items.into_iter().enumerate() {
            match salvage.within_item(index, |salvage| T::recover(item.get(), salvage)) {
                Ok(value) => list.push(value),
                Err(failure) => salvage.report(failure, Effect::Dropped),
            }
        }
        Ok(list)
    }
}

/// Reads a list with room for one item first, where the usual way is room for four: most lists have
/// one, the content of a result above all, and items are large.
struct Items<T>(PhantomData<T>);

impl<'de, T: Wire> Visitor<'de> for Items<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let Some(first) = seq.next_element_seed(Item(PhantomData))? else {
            return Ok(Vec::new());
        };
        let mut items = vec![first];
        while let Some(item) = seq.next_element_seed(Item(PhantomData))? {
            items.push(item);
        }
        Ok(items)
    }
}

struct Item<T>(PhantomData<T>);

impl<'de, T: Wire> DeserializeSeed<'de> for Item<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::strict(deserializer)
    }
}

/// The whole number that a float stands for, as in `5000.0`, if it is small enough that every
/// whole number around it has a float of its own.
pub(crate) fn whole(number: f64) -> Option<i64> {
    const EXACT_MAX: f64 = 9_007_199_254_740_991.0;
    if number.fract() != 0.0 || number.abs() > EXACT_MAX {
        return None;
    }
    format!("{number:.0}").parse().ok()
}
