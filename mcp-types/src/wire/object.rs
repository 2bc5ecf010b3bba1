//! The macro that writes the impls of an object type.

/// Writes the impls of an object type; the type itself is written by hand.
///
/// ```text
/// wire_object! {
///     Annotations {
///         Optional audience = "audience",      // kind, field, member name
///         Optional priority = "priority",
///     }
/// }
/// ```
///
/// The kinds are those of `wire::kind`. The type needs a further field `extra: Extra`. Two clauses
/// may follow the name of the type:
///
/// - `tag "type" = "text"`: a member that is always written first, with this value, and that may
///   have no other value if it is there;
/// - `check Type::verdict`: a function `fn(&Type) -> Verdict` over the finished value.
///
/// Generated are:
///
/// 1. `Object` and `Deserialize`: a visitor that takes one pass. Member names are matched without
///    allocation, also if they came with escapes. A member that comes twice has its last value.
///    Unknown members go to `extra` as raw text.
/// 2. `Serialize`: the fields in the given order, absent ones left out, then `extra`.
/// 3. `Wire::salvage`: the object in pieces, for when 1 refused it.
/// 4. `Decode`: 1, then 3.
macro_rules! wire_object {
    (
        $type:ident
        $(tag $tag_name:literal = $tag:literal)?
        $(check $check:path)?
        { $($kind:ident $field:ident = $name:literal,)+ }
    ) => {
        const _: () = {
            /// The member names, as variants named like the fields.
            #[expect(non_camel_case_types, reason = "the variants are named by the fields")]
            enum Member {
                $($field,)+
                $(#[doc = $tag_name] Tag)?
            }

            impl $crate::wire::Named for Member {
                fn named(name: &str) -> Option<Self> {
                    match name {
                        $($name => Some(Self::$field),)+
                        $($tag_name => Some(Self::Tag),)?
                        _ => None,
                    }
                }
            }

            impl $crate::wire::Object for $type {
                const NAME: &'static str = stringify!($type);

                fn from_members<'de, A: serde::de::MapAccess<'de>>(
                    mut members: A,
                ) -> Result<Self, A::Error> {
                    use $crate::wire::{Key, Seed, strict};

                    $(let mut $field = None;)+
                    let mut extra = $crate::map::Extra::new();
                    while let Some(key) = members.next_key_seed(strict::KeySeed::<Member>::new())? {
                        match key {
                            $(Key::Known(Member::$field) => {
                                let seed = Seed::<$crate::wire::$kind, _>::new();
                                $field = Some(members.next_value_seed(seed)?);
                            })+
                            $(Key::Known(Member::Tag) => {
                                members.next_value_seed(strict::TagSeed($tag))?;
                            })?
                            Key::Unknown(name) => extra.push(name, members.next_value()?),
                        }
                    }
                    extra.settle();
                    let value = Self {
                        $($field: strict::settle::<$crate::wire::$kind, _, _>($field, $name)?,)+
                        extra,
                    };
                    $($check(&value).strictly()?;)?
                    Ok(value)
                }
            }

            impl<'de> serde::Deserialize<'de> for $type {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    $crate::wire::strict::object(deserializer)
                }
            }

            impl serde::Serialize for $type {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    use serde::ser::SerializeMap as _;
                    use $crate::wire::{Kind, Named as _, kind::Written};

                    let mut map = serializer.serialize_map(None)?;
                    $(map.serialize_entry($tag_name, $tag)?;)?
                    $(if $crate::wire::kind::is_due::<$crate::wire::$kind, _>(
                        &self.$field,
                        $name,
                        &self.extra,
                    ) {
                        let field = Written::<$crate::wire::$kind, _>::new(&self.$field);
                        map.serialize_entry($name, &field)?;
                    })+
                    for (name, value) in self.extra.iter() {
                        // A name must not be written twice.
                        let written = match Member::named(name) {
                            $(Some(Member::$field) => {
                                <$crate::wire::$kind as Kind<_>>::is_written(&self.$field)
                            })+
                            $(Some(Member::Tag) => !$tag.is_empty(),)?
                            None => false,
                        };
                        if !written {
                            map.serialize_entry(name, value)?;
                        }
                    }
                    map.end()
                }
            }

            impl $crate::wire::Wire for $type {
                fn salvage(
                    raw: &str,
                    salvage: &mut $crate::wire::Salvage,
                ) -> Result<Self, $crate::wire::Failure> {
                    use $crate::wire::Named as _;

                    $(let mut $field = None;)+
                    let mut extra = $crate::map::Extra::new();
                    for (name, value) in salvage.entries(raw)? {
                        match Member::named(&name) {
                            $(Some(Member::$field) => {
                                $field = salvage.member::<$crate::wire::$kind, _>($name, value, &mut extra)?;
                            })+
                            $(Some(Member::Tag) => salvage.tag($tag_name, $tag, value)?,)?
                            None => extra.push(name.into_owned(), value.into()),
                        }
                    }
                    extra.settle();
                    let value = Self {
                        $($field: salvage.settle::<$crate::wire::$kind, _>($field, $name, raw)?,)+
                        extra,
                    };
                    $($check(&value).leniently(salvage)?;)?
                    Ok(value)
                }
            }

            impl $crate::decode::Decode for $type {
                fn decode(
                    json: &str,
                ) -> Result<$crate::decode::Decoded<Self>, $crate::decode::DecodeError> {
                    $crate::wire::decode(json)
                }
            }
        };
    };
}

use serde::de::Error;

use crate::decode::Effect;
use crate::wire::{Failure, Salvage};

/// What a look at a finished object says.
pub(crate) enum Verdict<'a> {
    Good,
    /// Worth a diagnostic: the member, why, and its text.
    Odd(&'static str, &'static str, &'a str),
    /// Not worth having: the member, why, and its text.
    Bad(&'static str, &'static str, &'a str),
}

impl Verdict<'_> {
    /// Refuses anything worth a word, so that the slow path says it.
    pub(crate) fn strictly<E: Error>(self) -> Result<(), E> {
        match self {
            Self::Good => Ok(()),
            Self::Odd(member, reason, _) | Self::Bad(member, reason, _) => {
                Err(E::custom(format_args!("{member}: {reason}")))
            }
        }
    }

    pub(crate) fn leniently(self, salvage: &mut Salvage) -> Result<(), Failure> {
        let (member, reason, raw, is_bad) = match self {
            Self::Good => return Ok(()),
            Self::Odd(member, reason, raw) => (member, reason, raw, false),
            Self::Bad(member, reason, raw) => (member, reason, raw, true),
        };
        salvage.within_member(member, |salvage| {
            let failure = salvage.failure(reason, raw);
            if is_bad {
                return Err(failure);
            }
            salvage.report(failure, Effect::KeptRaw);
            Ok(())
        })
    }
}
