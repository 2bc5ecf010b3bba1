//! `ContentBlock`: one piece of content, told apart by its member `type`.
//!
//! ```text
//!   first member is "type" ------> the kind reads the rest, in the same pass
//!   "type" comes later ----------> the members before it are set aside, then replayed
//!   the kind is unknown ---------> kept raw
//!   refused, or no "type" -------> the slow path: repaired, or kept raw with a diagnostic
//! ```

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::{
    AudioContent, EmbeddedResource, ImageContent, ResourceLink, TextContent, ToolResultContent,
    ToolUseContent,
};
use crate::decode::{Decode, DecodeError, Decoded, Effect};
use crate::raw::RawJson;
use crate::wire::{self, Failure, Object as _, Salvage, Wire, strict};

/// One piece of content.
///
/// Tools and prompts use the first five kinds; sampling uses text, image, audio and the two tool
/// kinds. All kinds are read wherever content is, so that nothing a peer sends gets lost. Kinds
/// larger than a text are boxed: a block is moved often, and is a text nearly always.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// A text.
    Text(TextContent),
    /// A picture.
    Image(Box<ImageContent>),
    /// A sound.
    Audio(Box<AudioContent>),
    /// A link to a resource.
    ResourceLink(Box<ResourceLink>),
    /// The contents of a resource.
    Resource(Box<EmbeddedResource>),
    /// A model's wish to use a tool.
    ToolUse(ToolUseContent),
    /// What the tool returned.
    ToolResult(ToolResultContent),
    /// A kind that this crate does not know, or a known one without its required members.
    Unknown {
        /// The member `type`; empty if there is none.
        kind: String,
        /// The whole block.
        raw: RawJson,
    },
}

impl ContentBlock {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The member `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Text(_) => "text",
            Self::Image(_) => "image",
            Self::Audio(_) => "audio",
            Self::ResourceLink(_) => "resource_link",
            Self::Resource(_) => "resource",
            Self::ToolUse(_) => "tool_use",
            Self::ToolResult(_) => "tool_result",
            Self::Unknown { kind, .. } => kind,
        }
    }

    /// The text, if this is a block of text.
    #[must_use]
    pub const fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(block.text.as_str()),
            _ => None,
        }
    }

    /// Reads a block whose first members may be taken already.
    pub(crate) fn from_members<'de, A: MapAccess<'de>>(mut members: A) -> Result<Self, A::Error> {
        let mut ahead = Vec::new();
        while let Some(name) = members.next_key_seed(strict::KeySeed::new())? {
            match name {
                strict::Key::Known(Type) if ahead.is_empty() => {
                    return Self::of_kind(members.next_value()?, members);
                }
                strict::Key::Known(Type) => {
                    let kind = members.next_value()?;
                    if !ahead.iter().all(|(_, value): &(String, RawJson)| {
                        strict::nesting_within(value.as_str(), REPLAY_DEPTH_MAX)
                    }) {
                        return Err(A::Error::custom("nested too deep to be read in one pass"));
                    }
                    return Self::of_kind(kind, strict::Replay::new(ahead, members));
                }
                strict::Key::Unknown(name) => ahead.push((name, members.next_value()?)),
            }
        }
        Err(A::Error::missing_field("type"))
    }

    fn of_kind<'de, A: MapAccess<'de>>(kind: Kind, rest: A) -> Result<Self, A::Error> {
        Ok(match kind {
            Kind::Text => Self::Text(TextContent::from_members(rest)?),
            Kind::Image => Self::Image(Box::new(ImageContent::from_members(rest)?)),
            Kind::Audio => Self::Audio(Box::new(AudioContent::from_members(rest)?)),
            Kind::ResourceLink => Self::ResourceLink(Box::new(ResourceLink::from_members(rest)?)),
            Kind::Resource => Self::Resource(Box::new(EmbeddedResource::from_members(rest)?)),
            Kind::ToolUse => Self::ToolUse(ToolUseContent::from_members(rest)?),
            Kind::ToolResult => Self::ToolResult(ToolResultContent::from_members(rest)?),
            Kind::Other(kind) => {
                let raw = reassemble(&kind, rest)?;
                Self::Unknown { kind, raw }
            }
        })
    }

    fn salvage_kind(kind: &Kind, raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        Ok(match kind {
            Kind::Text => Self::Text(TextContent::salvage(raw, salvage)?),
            Kind::Image => Self::Image(Box::new(ImageContent::salvage(raw, salvage)?)),
            Kind::Audio => Self::Audio(Box::new(AudioContent::salvage(raw, salvage)?)),
            Kind::ResourceLink => {
                Self::ResourceLink(Box::new(ResourceLink::salvage(raw, salvage)?))
            }
            Kind::Resource => Self::Resource(Box::new(EmbeddedResource::salvage(raw, salvage)?)),
            Kind::ToolUse => Self::ToolUse(ToolUseContent::salvage(raw, salvage)?),
            Kind::ToolResult => Self::ToolResult(ToolResultContent::salvage(raw, salvage)?),
            Kind::Other(kind) => {
                let raw = RawJson::assemble(raw.to_owned())?;
                Self::Unknown {
                    kind: kind.clone(),
                    raw,
                }
            }
        })
    }
}

/// Bound: how deep a block may nest whose `type` does not come first. Each level of such blocks
/// copies the level below, so this is also the factor by which they can take memory.
const REPLAY_DEPTH_MAX: usize = 32;

/// The one member name that matters before the kind is known.
struct Type;

impl wire::Named for Type {
    fn named(name: &str) -> Option<Self> {
        (name == "type").then_some(Self)
    }
}

/// The values of `type`.
enum Kind {
    Text,
    Image,
    Audio,
    ResourceLink,
    Resource,
    ToolUse,
    ToolResult,
    Other(String),
}

impl From<&str> for Kind {
    fn from(text: &str) -> Self {
        match text {
            "text" => Self::Text,
            "image" => Self::Image,
            "audio" => Self::Audio,
            "resource_link" => Self::ResourceLink,
            "resource" => Self::Resource,
            "tool_use" => Self::ToolUse,
            "tool_result" => Self::ToolResult,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict::text(deserializer)
    }
}

/// Writes a block of an unknown kind down again, with its members in their order.
fn reassemble<'de, A: MapAccess<'de>>(kind: &str, mut rest: A) -> Result<RawJson, A::Error> {
    let quoted = |text: &str| serde_json::to_string(text).map_err(A::Error::custom);
    let mut raw = format!("{{\"type\":{}", quoted(kind)?);
    while let Some((name, value)) = rest.next_entry::<String, RawJson>()? {
        raw.push(',');
        raw.push_str(&quoted(&name)?);
        raw.push(':');
        raw.push_str(value.as_str());
    }
    raw.push('}');
    RawJson::assemble(raw).map_err(A::Error::custom)
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(block) => block.serialize(serializer),
            Self::Image(block) => block.serialize(serializer),
            Self::Audio(block) => block.serialize(serializer),
            Self::ResourceLink(block) => block.serialize(serializer),
            Self::Resource(block) => block.serialize(serializer),
            Self::ToolUse(block) => block.serialize(serializer),
            Self::ToolResult(block) => block.serialize(serializer),
            Self::Unknown { raw, .. } => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Block;

        impl<'de> Visitor<'de> for Block {
            type Value = ContentBlock;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a content block")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<ContentBlock, A::Error> {
                ContentBlock::from_members(members)
            }
        }

        deserializer.deserialize_map(Block)
    }
}

impl Wire for ContentBlock {
    /// Never fails: what cannot be read stays as it is (T-50).
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        let kind = salvage.kind(raw);
        let decoded = match &kind {
            _ if !salvage.has_room() => Err(salvage.failure("nested too deep", raw)),
            Ok(kind) => Self::salvage_kind(&Kind::from(kind.as_str()), raw, salvage),
            Err(failure) => Err(failure.clone()),
        };
        decoded.or_else(|failure| {
            salvage.report(failure, Effect::KeptRaw);
            let raw = RawJson::assemble(raw.to_owned())?;
            Ok(Self::Unknown {
                kind: kind.unwrap_or_default(),
                raw,
            })
        })
    }
}

impl Decode for ContentBlock {
    fn decode(json: &str) -> Result<Decoded<Self>, DecodeError> {
        wire::decode(json)
    }
}

macro_rules! from_kinds {
    ($($variant:ident($kind:ident) $(in $boxed:ident)?,)+) => {
        $(impl From<$kind> for ContentBlock {
            fn from(block: $kind) -> Self {
                Self::$variant($($boxed::new)?(block))
            }
        })+
    };
}

from_kinds! {
    Text(TextContent),
    Image(ImageContent) in Box,
    Audio(AudioContent) in Box,
    ResourceLink(ResourceLink) in Box,
    Resource(EmbeddedResource) in Box,
    ToolUse(ToolUseContent),
    ToolResult(ToolResultContent),
}
