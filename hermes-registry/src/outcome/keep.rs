//! What does not fit into what a model sees, and is kept beside it.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The most bytes of one file: 50 MiB.
///
/// Bound: disk; what is longer is told of and not kept.
pub const KEPT_LEN_MAX: usize = 50 << 20;

/// Servers leave out the padding now and then.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Keeps bytes somewhere.
pub trait Keep {
    /// Keeps these bytes; returns where they are, as a model can be told, or `None` if they are not
    /// kept. `extension` is that of a file of this kind, such as `png`.
    fn keep(&self, bytes: &[u8], extension: &str) -> Option<String>;
}

/// Something of a result that was kept.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct KeptFile {
    /// Where it is.
    pub path: String,
    /// Its media type.
    pub media_type: String,
    /// How many bytes it has.
    pub len: usize,
}

/// Keeps parts of one result.
pub(super) struct Keeper<'k> {
    keep: Option<&'k dyn Keep>,
    pub(super) files: Vec<KeptFile>,
}

impl<'k> Keeper<'k> {
    pub(super) fn new(keep: Option<&'k dyn Keep>) -> Self {
        Self {
            keep,
            files: Vec::new(),
        }
    }

    /// Keeps a text as a whole; returns where.
    pub(super) fn text(&mut self, text: &str, media_type: &str) -> Option<String> {
        self.bytes(text.as_bytes(), media_type)
    }

    /// Keeps what a text in base64 stands for; returns where.
    pub(super) fn decoded(&mut self, base64: &str, media_type: &str) -> Option<String> {
        // Nothing is decoded in vain.
        if self.keep.is_none() || base64.len() / 4 * 3 > KEPT_LEN_MAX {
            return None;
        }
        let digits: Vec<u8> = base64
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        let bytes = BASE64.decode(digits).ok()?;
        self.bytes(&bytes, media_type)
    }

    fn bytes(&mut self, bytes: &[u8], media_type: &str) -> Option<String> {
        if bytes.is_empty() || bytes.len() > KEPT_LEN_MAX {
            return None;
        }
        let path = self.keep?.keep(bytes, extension(media_type))?;
        self.files.push(KeptFile {
            path: path.clone(),
            media_type: media_type.to_owned(),
            len: bytes.len(),
        });
        Some(path)
    }
}

/// The extension of files of a media type; `bin` for those that are not known.
fn extension(media_type: &str) -> &'static str {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    match essence.to_ascii_lowercase().as_str() {
        "application/json" => "json",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "audio/flac" => "flac",
        "audio/mp4" => "m4a",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/ogg" => "ogg",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/webm" | "video/webm" => "webm",
        "image/gif" => "gif",
        "image/jpeg" | "image/jpg" => "jpg",
        "image/png" => "png",
        "image/svg+xml" => "svg",
        "image/webp" => "webp",
        "text/csv" => "csv",
        "text/html" => "html",
        "text/markdown" => "md",
        "video/mp4" => "mp4",
        text if text.starts_with("text/") => "txt",
        _ => "bin",
    }
}
