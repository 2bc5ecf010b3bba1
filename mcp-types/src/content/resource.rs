//! The contents of a resource: a text or bytes, told apart by which of the two is there.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::decode::{Decode, DecodeError, Decoded, Effect};
use crate::map::Extra;
use crate::meta::Meta;
use crate::raw::RawJson;
use crate::wire::object::Verdict;
use crate::wire::{self, Failure, Salvage, Wire};

/// The contents of a resource. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// A text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
    /// Neither, or without a URI.
    Unknown(RawJson),
}

impl ResourceContents {
    /// The URI of the resource.
    #[must_use]
    pub const fn uri(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => Some(contents.uri.as_str()),
            Self::Blob(contents) => Some(contents.uri.as_str()),
            Self::Unknown(_) => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub const fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => Some(contents.text.as_str()),
            _ => None,
        }
    }
}

/// A resource that is a text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TextResourceContents {
    /// The URI of the resource, or of a part of it.
    pub uri: String,
    /// The media type.
    pub mime_type: Option<String>,
    /// The text.
    pub text: String,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here, and `blob` if it came as well.
    pub extra: Extra,
}

impl TextResourceContents {
    /// A URI and its text.
    pub fn new(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: None,
            text: text.into(),
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }
}

wire_object! {
    TextResourceContents {
        Required uri = "uri",
        Optional mime_type = "mimeType",
        Required text = "text",
        Optional meta = "_meta",
    }
}

/// A resource that is bytes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlobResourceContents {
    /// The URI of the resource, or of a part of it.
    pub uri: String,
    /// The media type.
    pub mime_type: Option<String>,
    /// The bytes in base64.
    pub blob: String,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl BlobResourceContents {
    /// A URI and its bytes in base64.
    pub fn new(uri: impl Into<String>, blob: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: None,
            blob: blob.into(),
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }
}

wire_object! {
    BlobResourceContents {
        Required uri = "uri",
        Optional mime_type = "mimeType",
        Required blob = "blob",
        Optional meta = "_meta",
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(contents: TextResourceContents) -> Self {
        Self::Text(contents)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(contents: BlobResourceContents) -> Self {
        Self::Blob(contents)
    }
}

/// The members of both kinds, as they come.
struct Parts {
    uri: String,
    mime_type: Option<String>,
    text: Option<String>,
    blob: Option<String>,
    meta: Option<Meta>,
    extra: Extra,
}

impl Parts {
    fn verdict(&self) -> Verdict<'_> {
        if self.text.is_some() || self.blob.is_some() {
            Verdict::Good
        } else {
            Verdict::Bad("text", "neither text nor blob is there", "")
        }
    }

    fn sorted(self) -> ResourceContents {
        let Self {
            uri,
            mime_type,
            text,
            blob,
            meta,
            mut extra,
        } = self;
        match (text, blob) {
            (Some(text), blob) => {
                // Some servers send both, one of them empty; the text says more.
                if let Some(blob) = blob.and_then(|blob| RawJson::from_value(&blob).ok()) {
                    extra.push("blob".to_owned(), blob);
                }
                TextResourceContents {
                    uri,
                    mime_type,
                    text,
                    meta,
                    extra,
                }
                .into()
            }
            (None, blob) => {
                let blob = blob.unwrap_or_default();
                BlobResourceContents {
                    uri,
                    mime_type,
                    blob,
                    meta,
                    extra,
                }
                .into()
            }
        }
    }
}

wire_object! {
    Parts check Parts::verdict {
        Required uri = "uri",
        Optional mime_type = "mimeType",
        Optional text = "text",
        Optional blob = "blob",
        Optional meta = "_meta",
    }
}

impl Serialize for ResourceContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(contents) => contents.serialize(serializer),
            Self::Blob(contents) => contents.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Parts::deserialize(deserializer).map(Parts::sorted)
    }
}

impl Wire for ResourceContents {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        Parts::salvage(raw, salvage)
            .map(Parts::sorted)
            .or_else(|failure| {
                salvage.report(failure, Effect::KeptRaw);
                RawJson::assemble(raw.to_owned()).map(Self::Unknown)
            })
    }
}

impl Decode for ResourceContents {
    fn decode(json: &str) -> Result<Decoded<Self>, DecodeError> {
        wire::decode(json)
    }
}
