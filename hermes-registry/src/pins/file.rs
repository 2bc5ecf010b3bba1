//! Approved definitions as a text, to be kept between runs.
//!
//! The text is JSON with a line for each tool, in a fixed order, so that a change of one tool is a
//! change of one line.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::definition::Definition;
use super::error::PinsError;
use super::{DEFINITION_LEN_MAX, Pin, Pins};
use crate::json::quoted;

/// The version of the text that is written, and the only one that is read: 1.
pub const PINS_VERSION: u64 = 1;

/// The longest text that is read, in bytes: 64 MiB.
///
/// Bound: memory; ten thousand tools of six kilobytes each.
pub const PINS_LEN_MAX: usize = 64 << 20;

#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

#[derive(Deserialize)]
struct File {
    servers: BTreeMap<String, BTreeMap<String, Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    digest: String,
    /// It nests a little deeper than a schema may, so that it is read as a text first.
    definition: Option<Box<RawValue>>,
}

impl Pins {
    /// Reads what [`Pins::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// [`PinsError`] if the text is too long, of another version or shape, or if a definition is
    /// not the one that its digest belongs to.
    pub fn parse(text: &str) -> Result<Self, PinsError> {
        if text.len() > PINS_LEN_MAX {
            return Err(PinsError::TooLong);
        }
        let malformed = |error: serde_json::Error| PinsError::Malformed {
            reason: error.to_string(),
        };
        // The version is read first, as another one may have another shape.
        let Versioned { version } = serde_json::from_str(text).map_err(malformed)?;
        if version != PINS_VERSION {
            return Err(PinsError::UnknownVersion { version });
        }
        let file: File = serde_json::from_str(text).map_err(malformed)?;
        let mut pins = Self::new();
        for (server, entries) in file.servers {
            let tools = pins.servers.entry(server.clone()).or_default();
            for (tool, entry) in entries {
                let pin = read(entry).ok_or_else(|| PinsError::Altered {
                    server: server.clone(),
                    tool: tool.clone(),
                })?;
                tools.insert(tool, pin);
            }
        }
        Ok(pins)
    }

    /// Writes all that is approved.
    #[must_use]
    pub fn to_json(&self) -> String {
        let servers = self.servers.iter().map(|(server, tools)| {
            let tools = tools.iter().map(|(tool, pin)| {
                let text = pin.text.as_ref();
                let definition =
                    text.map_or_else(String::new, |text| format!(",\"definition\":{text}"));
                let digest = quoted(&pin.digest);
                format!(
                    "\n      {}: {{\"digest\":{digest}{definition}}}",
                    quoted(tool)
                )
            });
            let tools: Vec<String> = tools.collect();
            format!("\n    {}: {{{}\n    }}", quoted(server), tools.join(","))
        });
        let servers: Vec<String> = servers.collect();
        format!(
            "{{\n  \"version\": {PINS_VERSION},\n  \"servers\": {{{}\n  }}\n}}\n",
            servers.join(",")
        )
    }
}

fn read(entry: Entry) -> Option<Pin> {
    let digest = entry.digest;
    let text = entry.definition.map(|raw| Definition::read(raw.get()));
    let is_right = text.as_ref().is_none_or(|definition| {
        definition.digest() == digest && definition.text.len() <= DEFINITION_LEN_MAX
    });
    let text = text.map(|definition| definition.text);
    is_right.then_some(Pin { digest, text })
}
