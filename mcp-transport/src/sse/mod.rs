//! Server-sent events without I/O: chunks of bytes in, events out, wherever the chunks were cut.
//!
//! Spec: WHATWG HTML, "Interpreting an event stream", with these differences:
//!
//! - An event whose data is empty sets the id and the retry time and is not handed out, although
//!   a browser would dispatch it if it has a `data` line. Interop: servers of MCP open streams
//!   with such an event to make them resumable, and no frame is empty.
//! - `retry` is at most [`RETRY_MAX`].
//! - What is held is bounded; see [`SseDecoder::new`], [`NAME_LEN_MAX`], [`ID_LEN_MAX`].
//!
//! | part | job |
//! |---|---|
//! | this module | chunks into lines |
//! | `line` | a line that is spread over chunks |
//! | `draft` | lines into events |
//!
//! Connecting again, and what an event means, is left to the layer above.

mod draft;
mod line;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use memchr::memchr2;

use self::draft::Draft;
use self::line::OpenLine;
use crate::storage::Storage;

/// The longest time that `retry` may ask for; more is taken for this.
///
/// Bound: a server that says 99999999999 must not park the client for years.
pub const RETRY_MAX: Duration = Duration::from_secs(30);
/// The longest name of an event, in bytes.
///
/// Bound: names are words. A longer one ends the stream, since the event could be taken for
/// another one without it.
pub const NAME_LEN_MAX: usize = FIELD_LEN_MAX;
/// The longest id of an event, in bytes.
///
/// Bound: an id is sent back in a header, where servers take no more. A longer one stands for no
/// id at all: to resume from the one before it would repeat what has been handed on.
pub const ID_LEN_MAX: usize = FIELD_LEN_MAX;
/// The longest value of every field but `data`; a longer `retry` is ignored.
const FIELD_LEN_MAX: usize = 8 * 1024;

const BYTE_ORDER_MARK: [u8; 3] = *b"\xEF\xBB\xBF";

/// One event.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Its data: valid UTF-8, the values of its `data` lines joined by `\n`, not empty.
    ///
    /// A slice of the chunk if the event lies within one and has one `data` line; keeping it keeps
    /// that chunk.
    pub data: Bytes,
    /// Whether invalid UTF-8 in the data was replaced by U+FFFD.
    pub is_repaired: bool,
    /// Nothing stands for the default name, which nearly every event has.
    name: Option<Box<str>>,
    id: Option<Arc<str>>,
}

impl Event {
    /// Its name, at most [`NAME_LEN_MAX`] bytes; `message` if it has none of its own.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("message")
    }

    /// The id to resume from after this event: its own, or else that of an event before it.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

/// Why a stream cannot be read any further.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SseError {
    /// The data of one event is longer than allowed, as sent or with its invalid UTF-8 replaced.
    EventTooLong {
        /// What is allowed, in bytes.
        len_max: usize,
    },
    /// A line other than of data is longer than that.
    LineTooLong {
        /// What is allowed, in bytes.
        len_max: usize,
    },
    /// The name of an event is longer than [`NAME_LEN_MAX`].
    NameTooLong {
        /// What is allowed, in bytes.
        len_max: usize,
    },
}

impl fmt::Display for SseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, len_max) = match self {
            Self::EventTooLong { len_max } => ("an event", len_max),
            Self::LineTooLong { len_max } => ("a line", len_max),
            Self::NameTooLong { len_max } => ("the name of an event", len_max),
        };
        write!(
            f,
            "{what} in the event stream is longer than {len_max} bytes"
        )
    }
}

impl std::error::Error for SseError {}

/// Cuts a stream of bytes into events.
#[derive(Debug)]
pub struct SseDecoder {
    chunk: Bytes,
    /// Invariant: what stands before this place in the chunk has been read.
    at: usize,
    /// Chunks that came before the one above was used up.
    later: VecDeque<Bytes>,
    /// How much of a byte order mark the stream began with; all of it once that is decided.
    mark_seen: usize,
    /// Whether the last line ended with `\r`, so that a `\n` now belongs to it.
    is_after_cr: bool,
    line: OpenLine,
    draft: Draft,
    failure: Option<SseError>,
}

impl SseDecoder {
    /// A decoder that fails events with more than `event_len_max` bytes of data, and other lines
    /// longer than that, comments included.
    ///
    /// Bound: besides chunks not yet read it holds at most `event_len_max` bytes of data and a
    /// few times [`NAME_LEN_MAX`]; only while data grows or is repaired does it need a second
    /// buffer for them.
    pub fn new(event_len_max: usize) -> Self {
        Self::with_storage(event_len_max, Storage::default())
    }

    /// The same, with storage from an earlier decoder.
    pub(crate) fn with_storage(event_len_max: usize, storage: Storage) -> Self {
        Self {
            chunk: Bytes::new(),
            at: 0,
            later: VecDeque::new(),
            mark_seen: 0,
            is_after_cr: false,
            line: OpenLine::new(event_len_max),
            draft: Draft::new(event_len_max, storage),
            failure: None,
        }
    }

    /// Takes the next chunk; afterwards call [`next_event`](Self::next_event) until it gives
    /// `None`, since chunks are kept until then.
    pub fn push(&mut self, chunk: Bytes) {
        if chunk.is_empty() || self.failure.is_some() {
            return;
        }
        if self.chunk.is_empty() {
            self.chunk = chunk;
        } else {
            self.later.push_back(chunk);
        }
    }

    /// The next complete event.
    ///
    /// # Errors
    ///
    /// [`SseError`] if a limit is passed. It is final: every later call gives the same error.
    pub fn next_event(&mut self) -> Result<Option<Event>, SseError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        loop {
            let chunk = std::mem::take(&mut self.chunk);
            match self.read(&chunk) {
                Ok(Some(event)) => {
                    self.chunk = chunk;
                    return Ok(Some(event));
                }
                Ok(None) => {}
                Err(failure) => return Err(self.fail(failure)),
            }
            // Bound: data is kept as a slice only as long as its chunk is here anyway.
            self.draft.let_go_of_chunk();
            self.at = 0;
            match self.later.pop_front() {
                Some(next) => self.chunk = next,
                None => return Ok(None),
            }
        }
    }

    /// The id to resume from: the last one that a blank line has confirmed, whether or not its
    /// event had data. An empty id takes it back.
    ///
    /// At most [`ID_LEN_MAX`] bytes, without NUL and line ends, but not always fit for a header:
    /// it may hold other control characters, and any that is not ASCII.
    pub fn last_event_id(&self) -> Option<&str> {
        self.draft.last_event_id()
    }

    /// Takes the storage, once nothing more is read.
    pub(crate) fn take_storage(&mut self) -> Storage {
        self.draft.take_storage()
    }

    /// The last valid `retry`, at most [`RETRY_MAX`]. It counts from its line on.
    pub fn retry(&self) -> Option<Duration> {
        self.draft.retry()
    }

    /// Whether what came so far ends within an event or a line; once
    /// [`next_event`](Self::next_event) has given `None`. If the stream ends there, that event is
    /// dropped.
    pub fn is_mid_event(&self) -> bool {
        self.line.has_begun() || self.draft.has_begun()
    }

    /// Reads up to the end of the next event or of the chunk.
    fn read(&mut self, chunk: &Bytes) -> Result<Option<Event>, SseError> {
        self.skip_mark(chunk);
        while let Some(rest @ [first, ..]) = chunk.get(self.at..) {
            if std::mem::take(&mut self.is_after_cr) && *first == b'\n' {
                self.at += 1;
                continue;
            }
            let Some(found) = memchr2(b'\r', b'\n', rest) else {
                self.at = chunk.len();
                self.line.extend(rest, &mut self.draft)?;
                break;
            };
            self.at += found + 1;
            self.is_after_cr = rest.get(found) == Some(&b'\r');
            let line = rest.get(..found).unwrap_or_default();
            if self.line.has_begun() {
                self.line.finish(line, &mut self.draft)?;
            } else if found > 0 {
                self.draft.take_line(chunk, line)?;
            } else if let Some(event) = self.draft.dispatch()? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Skips a byte order mark, which only the very start of a stream may have.
    fn skip_mark(&mut self, chunk: &Bytes) {
        while let Some(wanted) = BYTE_ORDER_MARK.get(self.mark_seen) {
            match chunk.get(self.at) {
                None => return,
                Some(byte) if byte == wanted => {
                    self.mark_seen += 1;
                    self.at += 1;
                }
                Some(_other) => {
                    // The beginning of one was none, and thus belongs to the first line.
                    let seen = BYTE_ORDER_MARK.get(..self.mark_seen).unwrap_or_default();
                    self.line.begin_with(seen);
                    self.mark_seen = BYTE_ORDER_MARK.len();
                }
            }
        }
    }

    /// Lets go of everything but the error.
    fn fail(&mut self, failure: SseError) -> SseError {
        self.later = VecDeque::new();
        self.line.clear();
        self.draft.clear();
        self.failure = Some(failure);
        failure
    }
}
