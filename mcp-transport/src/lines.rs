//! Newline framing without I/O: bytes in, frames out, wherever the reads were cut.
//!
//! Spec: STDIO-01, T-06. A frame ends at `\n` and nowhere else; U+2028 and its like are ordinary
//! characters.
//! Interop: one `\r` before the `\n` and a byte order mark on any line are dropped, empty lines
//! are skipped, invalid UTF-8 is replaced and counted.

use bytes::{Bytes, BytesMut};
use memchr::memchr;

/// Bytes kept of the beginning of a line that is too long.
const HEAD_MAX: usize = 4 * 1024;
/// Bytes kept of its end, where some servers put the id.
const TAIL_MAX: usize = 256;
/// The most storage that a quiet connection keeps for its next line.
// Bound: memory of many connections of which few are used at a time.
const KEPT_MAX: usize = 32 * 1024;
/// The first and the largest step in which the buffer grows.
const READ_MIN: usize = 8 * 1024;
const READ_MAX: usize = 1024 * 1024;

/// One line.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Line {
    /// A frame: valid UTF-8, without its line end, not empty.
    Frame {
        /// The text.
        body: Bytes,
        /// Whether invalid UTF-8 in it was replaced by U+FFFD.
        is_repaired: bool,
    },
    /// A line longer than allowed; its middle was never kept.
    TooLong {
        /// Its first bytes, at most 4 KiB.
        head: Bytes,
        /// Its last bytes, at most 256.
        tail: Bytes,
        /// How long it was.
        len: u64,
    },
}

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub struct LineDecoder {
    buffer: BytesMut,
    /// Invariant: the first `searched` bytes of the buffer hold no line end.
    searched: usize,
    len_max: usize,
    /// How long the next line may well be, by the lines before it.
    expected: usize,
    oversized: Option<Oversized>,
    /// Whether the storage behind the buffer is larger than [`KEPT_MAX`].
    is_large: bool,
}

/// A line of which only the edges are kept.
#[derive(Debug)]
struct Oversized {
    head: Vec<u8>,
    tail: Vec<u8>,
    len: u64,
}

impl LineDecoder {
    /// A decoder that fails lines longer than `len_max` bytes.
    pub fn new(len_max: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            searched: 0,
            len_max,
            expected: READ_MIN,
            oversized: None,
            is_large: false,
        }
    }

    /// The buffer to read into, with room for at least one read.
    ///
    /// While a line is incomplete the room doubles with it, from 8 KiB to 1 MiB, so that a long
    /// line costs few reads and a short one little memory. A line is expected to be about as long
    /// as the longest one lately, and storage that nobody holds any more is used again; call this
    /// when there is something to read, and not before, for that to be likely.
    pub fn read_buffer(&mut self) -> &mut BytesMut {
        let len = self.buffer.len();
        let room = self.buffer.capacity() - len;
        if len > 0 {
            if room < READ_MIN / 2 {
                self.buffer.reserve(len.clamp(READ_MIN, READ_MAX));
            }
        } else if room < self.expected / 2 {
            self.buffer.reserve(self.expected);
        } else if room / 8 > self.expected {
            // Bound: the storage of one long line is not kept for the short ones after it.
            self.buffer = BytesMut::with_capacity(self.expected);
            self.is_large = false;
        }
        self.is_large |= self.buffer.capacity() > KEPT_MAX;
        &mut self.buffer
    }

    /// Whether a long line has left storage behind that nothing is in.
    pub fn holds_storage(&self) -> bool {
        self.is_large && self.buffer.is_empty()
    }

    /// Lets go of that storage; for connections that have been quiet for a while.
    pub fn let_go(&mut self) {
        if self.holds_storage() {
            self.buffer = BytesMut::new();
            self.expected = READ_MIN;
            self.is_large = false;
        }
    }

    /// Appends bytes; for readers that hold them already.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete line.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(found) = memchr(b'\n', unsearched) else {
                self.searched = self.buffer.len();
                self.swallow_oversized();
                return None;
            };
            let end = self.searched + found;
            self.searched = 0;
            let len = (end + end / 8).clamp(READ_MIN, READ_MAX);
            self.expected = len.max(self.expected / 2);
            let mut line = self.buffer.split_to(end + 1).freeze();
            line.truncate(end);
            if let Some(line) = self.finish_line(line) {
                return Some(line);
            }
        }
    }

    /// The last line, if the stream ended without a line end; the decoder is empty afterwards.
    pub fn finish(&mut self) -> Option<Line> {
        self.searched = 0;
        let rest = self.buffer.split().freeze();
        self.finish_line(rest)
    }

    fn finish_line(&mut self, line: Bytes) -> Option<Line> {
        if let Some(mut oversized) = self.oversized.take() {
            oversized.push(&line);
            return Some(oversized.into_line());
        }
        // The whole line counts, so that it makes no difference where the reads were cut.
        if line.len() > self.len_max {
            return Some(Oversized::new(&line).into_line());
        }
        let mut line = line;
        if line.ends_with(b"\r") {
            line.truncate(line.len() - 1);
        }
        if line.starts_with(b"\xEF\xBB\xBF") {
            line = line.slice(3..);
        }
        // A line of spaces alone says nothing.
        if line.first().is_none_or(u8::is_ascii_whitespace) && line.trim_ascii().is_empty() {
            return None;
        }
        let (body, is_repaired) = match std::str::from_utf8(&line) {
            Ok(_) => (line, false),
            Err(_broken) => (
                Bytes::from(String::from_utf8_lossy(&line).into_owned().into_bytes()),
                true,
            ),
        };
        Some(Line::Frame { body, is_repaired })
    }

    /// Keeps only the edges of an unfinished line that has grown past the limit.
    fn swallow_oversized(&mut self) {
        if let Some(oversized) = &mut self.oversized {
            oversized.push(&self.buffer);
        } else if self.buffer.len() > self.len_max {
            self.oversized = Some(Oversized::new(&self.buffer));
        } else {
            return;
        }
        // Dropping the storage too, since it may have grown as large as the limit.
        self.buffer = BytesMut::new();
        self.searched = 0;
        self.is_large = false;
    }
}

impl Oversized {
    fn new(start: &[u8]) -> Self {
        let mut oversized = Self {
            head: Vec::new(),
            tail: Vec::new(),
            len: 0,
        };
        oversized.push(start);
        oversized
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = HEAD_MAX - self.head.len();
        self.head
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        self.len = self
            .len
            .saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let last = bytes
            .get(bytes.len().saturating_sub(TAIL_MAX)..)
            .unwrap_or_default();
        self.tail.extend_from_slice(last);
        let surplus = self.tail.len().saturating_sub(TAIL_MAX);
        self.tail.drain(..surplus);
    }

    fn into_line(self) -> Line {
        Line::TooLong {
            head: Bytes::from(self.head),
            tail: Bytes::from(self.tail),
            len: self.len,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<Line> {
        let mut decoder = LineDecoder::new(16);
        let mut lines = Vec::new();
        for chunk in chunks {
            decoder.extend(chunk);
            lines.extend(std::iter::from_fn(|| decoder.next_line()));
        }
        lines.extend(decoder.finish());
        lines
    }

    fn frame(text: &str) -> Line {
        Line::Frame {
            body: Bytes::copy_from_slice(text.as_bytes()),
            is_repaired: false,
        }
    }

    #[test]
    fn frames_end_at_newlines_only() {
        assert_eq!(lines(&[b"a\nb\r\nc"]), [frame("a"), frame("b"), frame("c")]);
        assert_eq!(lines(&[b"\n\r\n  \n"]), []);
        assert_eq!(lines(&[b"a\rb\n"]), [frame("a\rb")]);
        assert_eq!(
            lines(&["a\u{2028}b\u{85}c\n".as_bytes()]),
            [frame("a\u{2028}b\u{85}c")]
        );
    }

    #[test]
    fn a_byte_order_mark_is_dropped_on_any_line() {
        assert_eq!(
            lines(&["\u{feff}{}\n\u{feff}[]\n".as_bytes()]),
            [frame("{}"), frame("[]")]
        );
    }

    #[test]
    fn every_split_gives_the_same_lines() {
        let text = "é\u{2028}\r\n{}\n\u{feff}0123456789abcdefXYZ\nlast".as_bytes();
        let whole = lines(&[text]);
        for cut in 0..text.len() {
            for second in cut..text.len() {
                let chunks = [&text[..cut], &text[cut..second], &text[second..]];
                assert_eq!(lines(&chunks), whole, "{cut} {second}");
            }
        }
    }

    #[test]
    fn invalid_utf8_is_replaced_and_reported() {
        let body = Bytes::from_static("a\u{fffd}b".as_bytes());
        assert_eq!(
            lines(&[b"a\xFFb\n"]),
            [Line::Frame {
                body,
                is_repaired: true
            }]
        );
    }

    #[test]
    fn a_line_at_the_limit_passes_and_one_past_it_keeps_its_edges() {
        assert_eq!(lines(&[b"0123456789abcdef\n"]), [frame("0123456789abcdef")]);
        let long = |text: &'static [u8]| Line::TooLong {
            head: Bytes::from_static(text),
            tail: Bytes::from_static(text),
            len: 17,
        };
        assert_eq!(
            lines(&[b"0123456789abcdefg\nok\n"]),
            [long(b"0123456789abcdefg"), frame("ok")]
        );
    }

    #[test]
    fn a_line_that_never_ends_is_not_kept_in_memory() {
        let mut decoder = LineDecoder::new(1024);
        for _ in 0..1000 {
            decoder.extend(&[b'x'; 1024]);
            assert_eq!(decoder.next_line(), None);
            assert!(decoder.buffer.capacity() <= 4096);
        }
        decoder.extend(b"end\nok\n");
        let Some(Line::TooLong { head, tail, len }) = decoder.next_line() else {
            panic!()
        };
        assert_eq!((head.len(), len), (HEAD_MAX, 1024 * 1000 + 3));
        assert!(tail.ends_with(b"xend") && tail.len() == TAIL_MAX);
        assert_eq!(decoder.next_line(), Some(frame("ok")));
    }

    #[test]
    fn the_storage_of_a_long_line_can_be_let_go_of_between_lines() {
        let mut decoder = LineDecoder::new(usize::MAX);
        let long = [&vec![b'x'; 100_000][..], b"\n"].concat();
        for line in [&b"short\n"[..], &long] {
            for piece in line.chunks(8 * 1024) {
                let buffer = decoder.read_buffer();
                buffer.extend_from_slice(piece);
                assert!(!decoder.holds_storage(), "something is in it");
            }
            assert!(decoder.next_line().is_some());
        }
        assert!(decoder.holds_storage());
        decoder.let_go();
        assert!(!decoder.holds_storage());
        decoder.read_buffer().extend_from_slice(b"next\n");
        assert_eq!(decoder.next_line(), Some(frame("next")));
        assert!(!decoder.holds_storage());
    }
}
