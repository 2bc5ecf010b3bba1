//! The messages of a conversation.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::{ContentBlock, Role};
use crate::map::Extra;
use crate::meta::Meta;
use crate::wire::{Failure, Salvage, Wire};

/// A message of a conversation. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: SamplingContent,
    /// Open data. Since 2025-11-25.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SamplingMessage {
    /// A message.
    pub fn new(role: Role, content: impl Into<SamplingContent>) -> Self {
        Self {
            role,
            content: content.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    SamplingMessage {
        Required role = "role",
        Required content = "content",
        Optional meta = "_meta",
    }
}

/// What a message says: one block, or a list of them since 2025-11-25. The two are kept apart, so
/// that a message goes back in the shape in which it came.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON has no third shape for one or several"
)]
pub enum SamplingContent {
    /// One block.
    One(ContentBlock),
    /// A list of blocks.
    Many(Vec<ContentBlock>),
}

impl SamplingContent {
    /// The blocks.
    #[must_use]
    pub const fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks.as_slice(),
        }
    }
}

impl<B: Into<ContentBlock>> From<B> for SamplingContent {
    fn from(block: B) -> Self {
        Self::One(block.into())
    }
}

impl From<Vec<ContentBlock>> for SamplingContent {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;

        impl<'de> Visitor<'de> for OneOrMany {
            type Value = SamplingContent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a content block or a list of them")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
                ContentBlock::from_members(members).map(SamplingContent::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = items.next_element()? {
                    blocks.push(block);
                }
                Ok(SamplingContent::Many(blocks))
            }
        }

        deserializer.deserialize_any(OneOrMany)
    }
}

impl Wire for SamplingContent {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        match raw.as_bytes().first() {
            Some(b'[') => Vec::recover(raw, salvage).map(Self::Many),
            Some(b'{') => ContentBlock::recover(raw, salvage).map(Self::One),
            _ => Err(salvage.failure("expected a content block or a list of them", raw)),
        }
    }
}
