//! Why a value was not held against a schema.

use std::fmt;

/// Why a value was not held against a schema.
///
/// The texts may quote the schema, which is a server's text: redact them before showing them.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Unchecked {
    /// The schema is not a valid one, or has a pattern that cannot be matched in linear time.
    BadSchema {
        /// What is wrong with it, at most 200 characters.
        reason: String,
    },
    /// The schema refers to something outside of itself, or in a way that is not followed here.
    ForeignReference {
        /// The reference, at most 200 characters.
        reference: String,
    },
    /// The schema is longer than [`super::SCHEMA_LEN_MAX`].
    LongSchema,
    /// The schema has more patterns than [`super::PATTERNS_MAX`].
    ManyPatterns,
    /// The schema asks for more at one place of the value than [`super::VISITS_DEEP_MAX`].
    TooDeep,
    /// Checking would take more steps than [`super::STEPS_MAX`].
    TooMuchWork,
    /// `$schema` names a dialect that is not known here.
    UnknownDialect {
        /// The dialect, at most 200 characters.
        dialect: String,
    },
    /// The value has a number or a text that only exists as text: too large, or half a character.
    UnreadableValue {
        /// What is wrong with it, at most 200 characters.
        reason: String,
    },
}

impl fmt::Display for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadSchema { reason } => write!(f, "the schema cannot be used: {reason}"),
            Self::ForeignReference { reference } => {
                write!(
                    f,
                    "the schema refers to `{reference}`, which is not followed"
                )
            }
            Self::LongSchema => write!(
                f,
                "the schema is longer than {} bytes",
                super::SCHEMA_LEN_MAX
            ),
            Self::ManyPatterns => {
                write!(
                    f,
                    "the schema has more than {} patterns",
                    super::PATTERNS_MAX
                )
            }
            Self::TooDeep => f.write_str("the schema refers to itself too deeply"),
            Self::TooMuchWork => f.write_str("checking the value would take too long"),
            Self::UnknownDialect { dialect } => {
                write!(
                    f,
                    "the schema is written in `{dialect}`, which is not known"
                )
            }
            Self::UnreadableValue { reason } => write!(f, "the value cannot be read: {reason}"),
        }
    }
}
