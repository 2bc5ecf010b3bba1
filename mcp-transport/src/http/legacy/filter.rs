//! Makes a stream of bytes one that eventsource-client reads to its end, without I/O.
//!
//! What it would do otherwise, and what is done here:
//!
//! | a stream | would | is |
//! |---|---|---|
//! | with an event of any length | be gathered until memory is full | ended at a limit |
//! | with a byte that is not UTF-8 | be ended | read, with U+FFFD for it |
//! | with a block that sets no field, such as `x: y` | be ended | begun by an id, which every block has from then on |
//! | with a byte order mark | be read | stripped of it, since the id comes before |

use bytes::{Bytes, BytesMut};
use memchr::memchr2;

/// What every stream begins with.
///
/// Nothing reads the id: it goes to the server only when a stream is taken up again.
pub(super) const PREAMBLE: Bytes = Bytes::from_static(b"id:0\n\n");

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The state of one stream.
#[derive(Debug)]
pub(super) struct Filter {
    /// The beginning of a character whose rest has not come yet; at most three bytes.
    cut: Bytes,
    /// Whether anything has gone through.
    has_begun: bool,
    is_repaired: bool,
    blocks: Blocks,
}

/// What a chunk has become.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Filtered {
    /// Valid UTF-8; empty if more has to come first.
    pub(super) bytes: Bytes,
    /// Whether an event is too long that begins after these bytes; nothing further is read then.
    pub(super) is_too_long: bool,
}

impl Filter {
    /// A filter that allows `len_max` bytes between two blank lines, without comments, and in one
    /// comment.
    pub(super) fn new(len_max: usize) -> Self {
        Self {
            cut: Bytes::new(),
            has_begun: false,
            is_repaired: false,
            blocks: Blocks::new(len_max),
        }
    }

    /// Whether anything has been replaced so far.
    pub(super) fn is_repaired(&self) -> bool {
        self.is_repaired
    }

    /// Takes the next chunk.
    pub(super) fn push(&mut self, chunk: Bytes) -> Filtered {
        let mut bytes = self.repair(chunk);
        if !self.has_begun && !bytes.is_empty() {
            self.has_begun = true;
            if bytes.starts_with(BYTE_ORDER_MARK) {
                bytes = bytes.slice(BYTE_ORDER_MARK.len()..);
            }
        }
        match self.blocks.take(&bytes) {
            Ok(()) => Filtered {
                bytes,
                is_too_long: false,
            },
            Err(at) => Filtered {
                bytes: bytes.slice(..at),
                is_too_long: true,
            },
        }
    }

    /// Replaces what is not UTF-8, and keeps a character that is not whole yet.
    fn repair(&mut self, chunk: Bytes) -> Bytes {
        let mut bytes = chunk;
        if !self.cut.is_empty() {
            let mut joined = BytesMut::with_capacity(self.cut.len() + bytes.len());
            joined.extend_from_slice(&std::mem::take(&mut self.cut));
            joined.extend_from_slice(&bytes);
            bytes = joined.freeze();
        }
        let Err(error) = std::str::from_utf8(&bytes) else {
            return bytes;
        };
        if error.error_len().is_none() {
            // Most chunks that end within a character are valid but for that.
            self.cut = Bytes::copy_from_slice(&bytes.split_off(error.valid_up_to()));
            return bytes;
        }
        let last = bytes.utf8_chunks().last();
        let last = last.map_or(&b""[..], |chunk| chunk.invalid());
        let is_cut = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
        if is_cut {
            let whole = bytes.len() - last.len();
            self.cut = Bytes::copy_from_slice(&bytes.split_off(whole));
        }
        self.is_repaired = true;
        Bytes::from(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// How much has gathered since the last blank line.
///
/// Bound: that is what a decoder has to keep. Comments are not kept beyond their line, and pings
/// that no blank line follows may go on for months.
#[derive(Debug)]
struct Blocks {
    len_max: usize,
    /// Bytes of the lines since the last blank one, comments left out.
    block_len: usize,
    /// Bytes of the line that has begun.
    line_len: usize,
    is_comment: bool,
    /// Whether the last byte was `\r`, so that a `\n` now belongs to it.
    is_after_cr: bool,
}

impl Blocks {
    fn new(len_max: usize) -> Self {
        Self {
            len_max,
            block_len: 0,
            line_len: 0,
            is_comment: false,
            is_after_cr: false,
        }
    }

    /// Counts bytes; the error is where the last whole block ends if a limit is passed.
    fn take(&mut self, bytes: &[u8]) -> Result<(), usize> {
        let (mut at, mut block_end) = (0, 0);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if std::mem::take(&mut self.is_after_cr) && rest.starts_with(b"\n") {
                // It is the rest of a line end, and of a blank line if that was one.
                block_end += usize::from(block_end == at);
                at += 1;
                continue;
            }
            let end = memchr2(b'\n', b'\r', rest);
            let part_len = end.unwrap_or(rest.len());
            if self.line_len == 0 {
                self.is_comment = rest.starts_with(b":");
            }
            self.line_len = self.line_len.saturating_add(part_len);
            if part_len > 0 && self.block_len.saturating_add(self.line_len) > self.len_max {
                return Err(block_end);
            }
            at += part_len;
            let Some(end) = end else { break };
            at += 1;
            self.is_after_cr = rest.get(end) == Some(&b'\r');
            if self.end_line() {
                block_end = at;
            }
        }
        Ok(())
    }

    /// Ends a line; says whether it was a blank one.
    fn end_line(&mut self) -> bool {
        let line_len = std::mem::take(&mut self.line_len);
        if line_len == 0 {
            self.block_len = 0;
        } else if !self.is_comment {
            self.block_len = self.block_len.saturating_add(line_len + 1);
        }
        line_len == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filtered(len_max: usize, chunks: &[&[u8]]) -> (Vec<u8>, bool) {
        let mut filter = Filter::new(len_max);
        let mut all = Vec::new();
        for chunk in chunks {
            let Filtered { bytes, is_too_long } = filter.push(Bytes::copy_from_slice(chunk));
            all.extend_from_slice(&bytes);
            if is_too_long {
                return (all, true);
            }
        }
        (all, false)
    }

    #[test]
    fn an_event_at_the_limit_goes_through_and_one_past_it_does_not() {
        for end in ["\n", "\r", "\r\n"] {
            let events = |data: &str| format!("data:{data}{end}{end}").repeat(3).into_bytes();
            let fits = events("0123456789");
            assert_eq!(filtered(15, &[&fits]), (fits.clone(), false));
            let whole = events("01234");
            let long = [&whole[..], b"data:01234567890"].concat();
            assert_eq!(filtered(15, &[&long]), (whole, true), "{end:?}");
        }
    }

    #[test]
    fn lines_of_one_event_are_counted_together_and_comments_each_alone() {
        assert!(filtered(14, &[b"data:0\ndata:0\nx\n"]).1);
        assert!(!filtered(15, &[b"data:0\ndata:0\nx\n"]).1);
        let pings = b":0123456789\n".repeat(100);
        assert!(!filtered(15, &[&pings]).1);
        assert!(filtered(15, &[b":0123456", b"7890123456"]).1);
    }

    #[test]
    fn a_character_cut_between_chunks_is_whole_and_a_broken_one_is_replaced() {
        let rows: [(&[&[u8]], &str); 5] = [
            (&[b"a\xE2", b"\x82", b"\xACb"], "a\u{20AC}b"),
            (&[b"a\xE2\x82", b"\nb"], "a\u{FFFD}\nb"),
            (&[b"\xFFa\xE2\x82", b"\xAC"], "\u{FFFD}a\u{20AC}"),
            (&[b"\xEF", b"\xBB\xBFdata"], "data"),
            (&[b"a", b"\xEF\xBB\xBF"], "a\u{FEFF}"),
        ];
        for (chunks, wanted) in rows {
            let (bytes, _) = filtered(100, chunks);
            assert_eq!(String::from_utf8(bytes).unwrap(), wanted);
        }
    }

    proptest! {
        #[test]
        fn what_comes_out_does_not_hang_on_where_the_chunks_were_cut(
            text in "(data: ?|: ?|\r|\n|\r\n|\u{FEFF}|[a-zé日]){0,40}",
            dirt in proptest::collection::vec((0..60_usize, any::<u8>()), 0..4),
            cuts in proptest::collection::vec(1..7_usize, 1..9),
        ) {
            let mut bytes = text.into_bytes();
            for (at, byte) in dirt {
                let at = at.min(bytes.len());
                bytes.insert(at, byte);
            }
            let whole = filtered(20, &[&bytes]);
            prop_assert!(std::str::from_utf8(&whole.0).is_ok());
            let (mut chunks, mut rest, mut at) = (Vec::new(), &bytes[..], 0);
            while !rest.is_empty() {
                let len = cuts[at % cuts.len()].min(rest.len());
                let (chunk, tail) = rest.split_at(len);
                chunks.push(chunk);
                (rest, at) = (tail, at + 1);
            }
            let cut = filtered(20, &chunks);
            prop_assert_eq!(cut.1, whole.1);
            // Past the limit, parts of the event may have gone through before it was known.
            if whole.1 {
                prop_assert!(cut.0.starts_with(&whole.0));
            } else {
                prop_assert_eq!(cut.0, whole.0);
            }
        }
    }
}
