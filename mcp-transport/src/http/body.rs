//! Reads the body of a response: as one frame, or as a stream of events.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;

use super::{Body, Failure};
use crate::sse::{Event, SseDecoder, SseError};
use crate::storage::{Shelf, Storage};

/// Bytes that are kept of a body that is too long.
const EXCERPT_MAX: usize = 8 * 1024;
/// The longest body that came in one piece and is handed on as a copy.
///
/// As a part of what it was read into it would keep all of that, several KiB, for as long as
/// somebody keeps it; and its connection could not read the next one into the same place.
const COPIED_MAX: usize = 2 * 1024;
/// Bytes set aside at once for a body whose length is announced; more is taken as it comes, since
/// an announcement costs a server nothing.
const RESERVED_MAX: usize = 1024 * 1024;

/// A body that was read to its end, or as far as allowed.
#[derive(Debug)]
pub(super) enum Whole {
    /// All of it, with every invalid sequence replaced.
    Read { body: Bytes, is_repaired: bool },
    /// Its beginning, and how long it was until it was given up.
    TooLong { head: Bytes, len: u64 },
}

/// Reads a whole body of at most `len_max` bytes.
pub(super) async fn read_whole(
    mut body: Body,
    len_max: usize,
    shelf: &Shelf,
) -> Result<Whole, Failure> {
    let announced = http_body::Body::size_hint(&body).exact();
    let mut first = Bytes::new();
    let mut gathered = None::<Storage>;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        let so_far = gathered.as_ref().map_or(first.len(), Storage::len);
        let len = so_far + data.len();
        if len > len_max {
            let gathered = gathered.as_ref().map_or(&[][..], Storage::as_slice);
            return Ok(too_long(&first, gathered, &data, len));
        }
        // Most bodies come in one piece, which then needs no copy.
        if so_far == 0 {
            first = data;
            continue;
        }
        let gathered = gathered.get_or_insert_with(|| {
            let mut storage = shelf.take();
            let announced = announced.and_then(|len| usize::try_from(len).ok());
            storage.reserve(announced.unwrap_or(0).min(RESERVED_MAX).max(len), len_max);
            storage.extend(&std::mem::take(&mut first), len_max);
            storage
        });
        gathered.extend(&data, len_max);
    }
    match gathered {
        Some(mut storage) => {
            first = storage.take();
            shelf.put_back(storage);
        }
        None => {
            shelf.pass(first.len());
            if first.len() <= COPIED_MAX {
                first = Bytes::copy_from_slice(&first);
            }
        }
    }
    let (body, is_repaired) = repaired(first);
    Ok(Whole::Read { body, is_repaired })
}

/// The body with every invalid sequence replaced, and whether there was one.
pub(super) fn repaired(body: Bytes) -> (Bytes, bool) {
    match std::str::from_utf8(&body) {
        Ok(_text) => (body, false),
        Err(_invalid) => (String::from_utf8_lossy(&body).into_owned().into(), true),
    }
}

/// The beginning is kept whole, whatever pieces it came in, since half a credential is not
/// recognised; a copy of it, so that the rest can go.
fn too_long(first: &[u8], gathered: &[u8], data: &[u8], len: usize) -> Whole {
    let mut head = BytesMut::new();
    for piece in [first, gathered, data] {
        let room = EXCERPT_MAX.saturating_sub(head.len());
        head.extend_from_slice(piece.get(..room).unwrap_or(piece));
    }
    Whole::TooLong {
        head: head.freeze(),
        len: u64::try_from(len).unwrap_or(u64::MAX),
    }
}

/// A body as a stream of events.
#[derive(Debug)]
pub(super) struct Events<'a> {
    body: Body,
    decoder: SseDecoder,
    shelf: &'a Shelf,
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        self.shelf.put_back(self.decoder.take_storage());
    }
}

/// Why a stream of events gives no further one.
#[derive(Debug)]
pub(super) enum Stop {
    /// It ended; an unfinished event was dropped.
    Ended,
    /// It broke off.
    Broken(Failure),
    /// It holds what no stream may.
    Invalid(SseError),
}

impl<'a> Events<'a> {
    pub(super) fn new(body: Body, event_len_max: usize, shelf: &'a Shelf) -> Self {
        Self {
            body,
            decoder: SseDecoder::with_storage(event_len_max, shelf.take()),
            shelf,
        }
    }

    /// The next event.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub(super) async fn next(&mut self) -> Result<Event, Stop> {
        loop {
            if let Some(event) = self.decoder.next_event().map_err(Stop::Invalid)? {
                return Ok(event);
            }
            match self.body.frame().await {
                None => return Err(Stop::Ended),
                Some(Err(failure)) => return Err(Stop::Broken(failure)),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.decoder.push(data);
                    }
                }
            }
        }
    }

    pub(super) fn decoder(&self) -> &SseDecoder {
        &self.decoder
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::StreamBody;

    use super::*;

    fn body(chunks: &[&[u8]]) -> Body {
        let frames: Vec<_> = chunks
            .iter()
            .map(|chunk| Ok(http_body::Frame::data(Bytes::copy_from_slice(chunk))))
            .collect();
        Body::new(StreamBody::new(futures_util::stream::iter(frames)))
    }

    fn shelf() -> Shelf {
        Shelf::default()
    }

    #[tokio::test]
    async fn a_body_is_one_frame_however_it_is_cut() {
        for chunks in [&[&b"{\"a\":1}"[..]][..], &[b"{\"a\"", b"", b":1", b"}"]] {
            let Ok(Whole::Read { body, is_repaired }) =
                read_whole(body(chunks), 100, &shelf()).await
            else {
                panic!("not read")
            };
            assert_eq!((&body[..], is_repaired), (&b"{\"a\":1}"[..], false));
        }
    }

    #[tokio::test]
    async fn a_body_longer_than_allowed_is_given_up() {
        let read = read_whole(body(&[b"0123", b"4567", b"89"]), 9, &shelf()).await;
        let Ok(Whole::TooLong { head, len }) = read else {
            panic!("{read:?}")
        };
        assert_eq!((&head[..], len), (&b"0123456789"[..], 10));
    }

    #[tokio::test]
    async fn invalid_utf_8_is_replaced_and_reported() {
        let Ok(Whole::Read { body, is_repaired }) =
            read_whole(body(&[b"\"\xe2", b"\x28\""]), 9, &shelf()).await
        else {
            panic!("not read")
        };
        assert!(is_repaired);
        assert_eq!(body, "\"\u{fffd}(\"");
    }
}
