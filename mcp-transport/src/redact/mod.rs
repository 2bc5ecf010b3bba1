//! stub
use std::borrow::Cow;
/// Hides credentials.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Redactor;
impl Redactor {
    /// new
    #[must_use]
    pub fn new() -> Self {
        Self
    }
    /// redact
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
    /// excerpt
    #[must_use]
    pub fn redact_bytes_lossy(&self, bytes: &[u8], max_len: usize) -> String {
        String::from_utf8_lossy(bytes.get(..max_len).unwrap_or(bytes)).into_owned()
    }
}
impl Redactor {
    pub(crate) fn secret_len_max(&self) -> usize {
        4096
    }
}
