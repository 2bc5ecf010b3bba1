//! Credentials are hidden in every text that is shown: errors, logs, statuses, obituaries.
//!
//! Two things are hidden: what looks like a credential, and the values that the user
//! configured as one. What is handed over as data, such as the result of a tool, is not
//! this module's business and stays as it came.
//!
//! Work is linear in the length of the text, whatever the text is. A text without credentials is
//! returned as it is.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

mod exact;
mod patterns;
mod secret;

#[cfg(test)]
mod tests;

pub use secret::Secret;

/// What stands in the place of a credential.
pub const PLACEHOLDER: &str = "[REDACTED]";

/// Hides credentials in texts; cheap to clone.
///
/// ```
/// use mcp_transport::redact::Redactor;
///
/// let redactor = Redactor::new().with_secrets(["correct horse".to_owned()]);
/// assert_eq!(
///     redactor.redact("GET /?api_key=abc&page=2 said \"correct horse\""),
///     "GET /?api_key=[REDACTED]&page=2 said \"[REDACTED]\"",
/// );
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    exact: Arc<[exact::Exact]>,
}

impl Redactor {
    /// Hides what looks like a credential.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hides these values too, wherever they occur: as they are, escaped as in JSON, or
    /// percent-encoded.
    ///
    /// Values shorter than 8 bytes are ignored, since they also occur by chance; white space around
    /// a value is. Of a value with several lines, each line counts as a value.
    #[must_use]
    pub fn with_secrets(self, secrets: impl IntoIterator<Item = String>) -> Self {
        let added = secrets
            .into_iter()
            .flat_map(|secret| exact::compile(&secret));
        Self {
            exact: self.exact.iter().cloned().chain(added).collect(),
        }
    }

    /// Returns the text with every credential replaced by [`PLACEHOLDER`].
    ///
    /// Doing it twice changes nothing more. A text in which replacing keeps making up new
    /// credentials, which only one written for the purpose does, becomes a single placeholder.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.settle(Cow::Borrowed(text), text.len()).0
    }

    /// Returns the beginning of a text that may not be UTF-8: at most `len_max` bytes, redacted, and
    /// a note of how much is missing, if any is.
    ///
    /// It looks beyond the cut as far as a credential can reach, so none is shown by half.
    #[must_use]
    pub fn redact_bytes_lossy(&self, bytes: &[u8], len_max: usize) -> String {
        // Bound: the work depends on what is shown, not on what there is.
        let window = bytes
            .get(..len_max.saturating_add(self.secret_len_max()))
            .unwrap_or(bytes);
        let text = String::from_utf8_lossy(window);
        let shown = text.floor_char_boundary(len_max);
        let (redacted, shown) = self.settle(text, shown);
        let mut cut = redacted.floor_char_boundary(shown.min(len_max));
        let mut placeholders = redacted.match_indices(PLACEHOLDER);
        if let Some((start, _)) =
            placeholders.find(|(start, found)| (start + 1..start + found.len()).contains(&cut))
        {
            cut = start;
        }
        let excerpt = redacted.get(..cut).unwrap_or_default();
        match (bytes.len() - window.len()) + (redacted.len() - cut) {
            0 => excerpt.to_owned(),
            missing => format!("{excerpt}… ({missing} more bytes)"),
        }
    }

    /// The longest credential that is recognised although a part of it is out of sight.
    pub(crate) fn secret_len_max(&self) -> usize {
        let exact = self.exact.iter().map(exact::Exact::encoded_len_max).max();
        exact.unwrap_or_default().max(PATTERN_LEN_MAX)
    }

    /// Replaces until nothing changes; the second value follows the position `shown`.
    fn settle<'t>(&self, text: Cow<'t, str>, shown: usize) -> (Cow<'t, str>, usize) {
        let (mut text, mut shown) = (text, shown);
        // Bound: a hidden value can complete another credential, but hardly a third.
        for _ in 0..PASSES_MAX {
            let spans = self.spans(&text);
            if spans
                .iter()
                .all(|span| text.get(span.clone()) == Some(PLACEHOLDER))
            {
                return (text, shown);
            }
            let (replaced, moved) = replace(&text, &spans, shown);
            (text, shown) = (Cow::Owned(replaced), moved);
        }
        (Cow::Borrowed(PLACEHOLDER), PLACEHOLDER.len())
    }

    /// Where the credentials are: in order, not empty, not touching one another.
    fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = patterns::find(text);
        for exact in self.exact.iter() {
            exact.find(text, &mut found);
        }
        found.retain(|span| !span.is_empty());
        found.sort_unstable_by_key(|span| (span.start, span.end));
        found.dedup_by(|next, last| {
            let joined = next.start <= last.end;
            if joined {
                last.end = last.end.max(next.end);
            }
            joined
        });
        found
    }
}

impl fmt::Debug for Redactor {
    /// Counts the values and never shows one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("secrets", &self.exact.len())
            .finish()
    }
}

/// Puts a placeholder in each span; a position inside a span moves to the end of its placeholder.
fn replace(text: &str, spans: &[Range<usize>], position: usize) -> (String, usize) {
    let mut replaced = String::with_capacity(text.len());
    let mut moved = None;
    let mut done = 0;
    for span in spans {
        if position <= span.start {
            moved.get_or_insert(replaced.len() + (position - done));
        }
        replaced.push_str(text.get(done..span.start).unwrap_or_default());
        replaced.push_str(PLACEHOLDER);
        done = span.end;
        if position <= done {
            moved.get_or_insert(replaced.len());
        }
    }
    let moved = moved.unwrap_or_else(|| replaced.len() + (position - done));
    replaced.push_str(text.get(done..).unwrap_or_default());
    (replaced, moved)
}

/// Longer than any token in use; what a pattern has found the beginning of, it hides to the end.
const PATTERN_LEN_MAX: usize = 4096;
/// Rounds of replacement until a text counts as written to defeat it.
const PASSES_MAX: usize = 8;
