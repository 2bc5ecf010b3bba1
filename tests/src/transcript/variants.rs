//! A transcript over HTTP, and its variants: rules that stand before those of the first part.

use std::path::Path;

use serde::Deserialize;

use super::far::Far;
use super::{Log, Transcript, in_runtime, run};
use crate::http::{Rules, ScriptedHttp};

/// One part of a file.
struct Part {
    name: String,
    rules: Rules,
    transcript: Transcript,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantLine {
    variant: String,
}

/// Plays a transcript over HTTP and each of its variants, with the clock stopped.
///
/// # Errors
///
/// Everything that was not as the transcript says.
///
/// # Panics
///
/// If something that must happen does not happen in time.
pub fn play_http(transcript: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(transcript).map_err(|error| error.to_string())?;
    let mut wrong = Vec::new();
    for part in parts(&text)? {
        let Part {
            name,
            rules,
            transcript,
        } = part;
        let played = in_runtime(true, async |log: &Log| {
            let server = ScriptedHttp::new(&rules);
            run(Far::Http(&server), transcript, log).await
        });
        if let Err(why) = played {
            wrong.push(format!("variant {name:?}:\n{why}"));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// The transcript as it stands first, and then each variant completed by it.
fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut sections = vec![("none".to_owned(), String::new())];
    for line in text.lines() {
        if line.starts_with("{\"variant\"") {
            let line: VariantLine =
                serde_json::from_str(line).map_err(|error| error.to_string())?;
            sections.push((line.variant, String::new()));
        } else if let Some((_name, section)) = sections.last_mut() {
            section.push_str(line);
            section.push('\n');
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    for (name, section) in sections {
        let fail = |why: String| format!("variant {name:?}: {why}");
        let rules = Rules::read(&section).map_err(fail)?;
        let transcript = Transcript::read(&section).map_err(fail)?;
        let part = match parts.first() {
            None => Part {
                name,
                rules,
                transcript: transcript.checked()?,
            },
            Some(first) => Part {
                name,
                rules: rules.before(&first.rules),
                transcript: transcript.or(&first.transcript),
            },
        };
        parts.push(part);
    }
    Ok(parts)
}
