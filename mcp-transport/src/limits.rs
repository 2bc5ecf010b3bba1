//! The bounds of one link, each with its default and its reason.

/// How much a link may hold.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one frame; a longer one fails the call it answers. Default 32 MiB: larger than
    /// any honest result, smaller than memory.
    pub frame_len_max: usize,
    /// Bytes that wait to be written because the other side does not read. Default 64 MiB: a few
    /// of the largest frames.
    pub unsent_len_max: usize,
    /// Frames that wait in each direction of a link over channels. Default 64: enough to keep
    /// both sides busy.
    pub queue_len_max: usize,
    /// Lines on stdout that are no frames, kept as evidence for an obituary. Default 20.
    pub stray_lines_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame_len_max: 32 * 1024 * 1024,
            unsent_len_max: 64 * 1024 * 1024,
            queue_len_max: 64,
            stray_lines_max: 20,
        }
    }
}

impl Limits {
    /// Sets the longest frame, in bytes.
    #[must_use]
    pub fn with_frame_len_max(mut self, len: usize) -> Self {
        self.frame_len_max = len;
        self
    }

    /// Sets how many bytes may wait to be written.
    #[must_use]
    pub fn with_unsent_len_max(mut self, len: usize) -> Self {
        self.unsent_len_max = len;
        self
    }
}
