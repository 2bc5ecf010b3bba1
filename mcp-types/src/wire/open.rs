//! Enumerations that new revisions extend: known values, and any other text as it is.

/// Writes the impls of an open enumeration whose last variant is `Other(String)`.
///
/// `wire_enum! { Role { User = "user", Assistant = "assistant" } }` gives `as_str`, `Display`,
/// `From` for texts, and the wire impls. The type itself is written by hand.
macro_rules! wire_enum {
    ($name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        impl $name {
            /// The value as it stands on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(text) => text,
                }
            }

            fn known(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::known(text).unwrap_or_else(|| Self::Other(text.to_owned()))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::known(&text).unwrap_or(Self::Other(text))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        wire_text!($name);
    };
}

/// Writes the wire impls of a type that is a text: it has `as_str`, `From<&str>` and
/// `From<String>`.
macro_rules! wire_text {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::strict::text(deserializer)
            }
        }

        impl $crate::wire::Wire for $name {
            fn salvage(
                raw: &str,
                salvage: &mut $crate::wire::Salvage,
            ) -> Result<Self, $crate::wire::Failure> {
                salvage.text(raw).map(Self::from)
            }
        }
    };
}
