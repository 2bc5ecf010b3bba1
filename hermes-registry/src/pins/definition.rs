//! What makes a tool what it is, as one text.

use std::fmt;

use mcp_types::{RawJson, Tool};
use sha2::{Digest as _, Sha256};

use crate::json::{Json, Members};

/// The longest definition whose text is kept, in bytes: 256 KiB.
///
/// Bound: memory and disk; a longer one is known by its digest only.
pub const DEFINITION_LEN_MAX: usize = 256 << 10;

/// The most values of a schema that is taken apart; a larger one is compared as it stands, as is
/// one that is longer than a whole definition may be.
///
/// Bound: memory and time.
const VALUES_MAX: usize = 100_000;

/// A part of a definition.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Field {
    /// The name for people.
    Title,
    /// What the tool does.
    Description,
    /// The schema of its arguments.
    InputSchema,
    /// The schema of its structured result.
    OutputSchema,
    /// The hints about its behaviour.
    Annotations,
}

impl Field {
    pub(super) const ALL: [Self; 5] = [
        Self::Title,
        Self::Description,
        Self::InputSchema,
        Self::OutputSchema,
        Self::Annotations,
    ];

    /// The name of the member of a tool.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Description => "description",
            Self::InputSchema => "inputSchema",
            Self::OutputSchema => "outputSchema",
            Self::Annotations => "annotations",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A definition as canonical JSON.
pub(super) struct Definition {
    pub(super) text: String,
}

impl Definition {
    pub(super) fn of(tool: &Tool) -> Self {
        let annotations = tool.annotations.as_ref();
        let annotations = annotations.and_then(|hints| RawJson::from_value(hints).ok());
        let text = |text: &Option<String>| text.as_deref().map(Json::text);
        let json = |raw: &Option<RawJson>| raw.as_ref().map(|raw| value(raw.as_str()));
        let parts = [
            ("name", Some(Json::text(&tool.name))),
            (Field::Title.name(), text(&tool.title)),
            (Field::Description.name(), text(&tool.description)),
            (Field::InputSchema.name(), json(&tool.input_schema)),
            (Field::OutputSchema.name(), json(&tool.output_schema)),
            (Field::Annotations.name(), json(&annotations)),
        ];
        let parts = parts.into_iter();
        let members = parts.filter_map(|(name, part)| Some((name.to_owned(), part?)));
        Self {
            text: Json::Object(Members(members.collect())).canonical(),
        }
    }

    /// The definition that is written so, in whatever order.
    pub(super) fn read(text: &str) -> Self {
        Self {
            text: value(text).canonical(),
        }
    }

    /// SHA-256 of the text, in hexadecimal digits behind `sha256:`.
    pub(super) fn digest(&self) -> String {
        let hash = Sha256::digest(&self.text);
        let hex = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let hex = hex.filter_map(|digit| char::from_digit(u32::from(digit), 16));
        "sha256:".chars().chain(hex).collect()
    }

    /// The parts by their names.
    pub(super) fn parts(text: &str) -> Members {
        // Each schema has its own bound, so that the whole may have twice as many values.
        match Json::parse(text, 4 * VALUES_MAX) {
            Ok(Json::Object(members)) => members,
            _ => Members::default(),
        }
    }
}

/// The value taken apart, or as it stands where that is not possible or takes too long.
fn value(text: &str) -> Json {
    let as_it_stands = || Json::Plain(text.into());
    if text.len() > DEFINITION_LEN_MAX {
        return as_it_stands();
    }
    Json::parse(text, VALUES_MAX).unwrap_or_else(|_odd| as_it_stands())
}
