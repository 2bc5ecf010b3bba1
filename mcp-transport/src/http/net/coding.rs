//! Undoes the content codings of replies, piece by piece.
//!
//! What has been decoded is handed on as soon as the server has sent no more, so an event inside a
//! compressed stream is not late. At most one piece of either side is held, so a body that swells
//! costs nothing until its reader has taken more than it wants to.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder};
use bytes::{Buf as _, Bytes};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use http_body::{Body as _, Frame};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

use super::explain;
use super::place::Place;
use crate::http::{Body, Failure, FailureKind};

/// What servers are asked for.
// Interop: `deflate` is understood and not asked for, since servers disagree about what it is.
pub(super) const ACCEPTED: HeaderValue = HeaderValue::from_static("gzip, br");

/// Bytes that are decoded at once.
const PIECE: usize = 16 * 1024;

/// A coding that can be undone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Coding {
    Brotli,
    Deflate,
    Gzip,
}

/// The response with its body as it was before it was coded.
pub(super) fn undo(response: Response<Incoming>, place: Place) -> Result<Response<Body>, Failure> {
    let coding = coding(response.headers(), &place)?;
    let (mut head, body) = response.into_parts();
    let Some(coding) = coding.filter(|_| has_body(head.status, &body)) else {
        let explain = move |error: hyper::Error| explain::broken_body(&error, &place);
        return Ok(Response::from_parts(head, Body::new(body.map_err(explain))));
    };
    head.headers.remove(header::CONTENT_ENCODING);
    head.headers.remove(header::CONTENT_LENGTH);
    let source = Source {
        body,
        piece: Bytes::new(),
        place: place.clone(),
    };
    let decoded = Decoded {
        state: State::Waiting(source, coding),
        place,
        scratch: Vec::new(),
    };
    Ok(Response::from_parts(head, Body::new(decoded)))
}

/// The coding that headers name; no coding and `identity` are the same.
fn coding(headers: &HeaderMap, place: &Place) -> Result<Option<Coding>, Failure> {
    let mut found = None;
    for value in headers.get_all(header::CONTENT_ENCODING) {
        for name in value.as_bytes().split(|byte| *byte == b',') {
            let coding = match name.trim_ascii().to_ascii_lowercase().as_slice() {
                b"" | b"identity" => continue,
                b"br" => Coding::Brotli,
                b"deflate" => Coding::Deflate,
                b"gzip" | b"x-gzip" => Coding::Gzip,
                _ => return Err(unknown(place)),
            };
            if found.replace(coding).is_some() {
                return Err(unknown(place));
            }
        }
    }
    Ok(found)
}

fn unknown(place: &Place) -> Failure {
    let detail = format!("{place} sent a content coding that it was not asked for");
    Failure::maybe_sent(FailureKind::Encoding, detail)
}

fn has_body(status: StatusCode, body: &Incoming) -> bool {
    !body.is_end_stream() && status != StatusCode::NO_CONTENT && status != StatusCode::NOT_MODIFIED
}

/// A body being decoded.
struct Decoded {
    state: State,
    place: Place,
    scratch: Vec<u8>,
}

enum State {
    /// For the first byte: an empty body is no coded one, whatever its headers say.
    Waiting(Source, Coding),
    Decoding(Pin<Box<dyn AsyncRead + Send>>),
    Ended,
}

impl http_body::Body for Decoded {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        let this = self.get_mut();
        let read = ready!(this.poll_read(cx));
        let frame = match read {
            Ok(0) => None,
            Ok(len) => {
                let data = this.scratch.get(..len).unwrap_or_default();
                Some(Ok(Frame::data(Bytes::copy_from_slice(data))))
            }
            Err(error) => Some(Err(explain_decoding(error, &this.place))),
        };
        if !matches!(frame, Some(Ok(_))) {
            this.state = State::Ended;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.state, State::Ended)
    }
}

impl Decoded {
    /// Decodes into the scratch space; nothing more is the end.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let State::Waiting(source, _coding) = &mut self.state {
            let first = ready!(Pin::new(source).poll_fill_buf(cx))?.first().copied();
            let waiting = std::mem::replace(&mut self.state, State::Ended);
            if let (State::Waiting(source, coding), Some(first)) = (waiting, first) {
                self.scratch.resize(PIECE, 0);
                self.state = State::Decoding(decoder(source, coding, first));
            }
        }
        let State::Decoding(decoder) = &mut self.state else {
            return Poll::Ready(Ok(0));
        };
        let mut room = ReadBuf::new(&mut self.scratch);
        ready!(decoder.as_mut().poll_read(cx, &mut room))?;
        Poll::Ready(Ok(room.filled().len()))
    }
}

fn decoder(source: Source, coding: Coding, first: u8) -> Pin<Box<dyn AsyncRead + Send>> {
    match coding {
        Coding::Brotli => Box::pin(BrotliDecoder::new(source)),
        // Interop: some servers send what is inside of zlib's frame without the frame, which
        // shows in the method that it begins with.
        Coding::Deflate if first & 0x8f == 0x08 => Box::pin(ZlibDecoder::new(source)),
        Coding::Deflate => Box::pin(DeflateDecoder::new(source)),
        Coding::Gzip => {
            let mut decoder = GzipDecoder::new(source);
            decoder.multiple_members(true);
            Box::pin(decoder)
        }
    }
}

fn explain_decoding(error: io::Error, place: &Place) -> Failure {
    // The body itself broke off, or what it holds is not what its header says.
    error.downcast::<Failure>().unwrap_or_else(|error| {
        let detail = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                format!("the body from {place} ends before its content coding does")
            }
            _ => format!("the body from {place} is not in the content coding it names: {error}"),
        };
        Failure::maybe_sent(FailureKind::Encoding, detail)
    })
}

/// The body as it comes, for decoders to read from.
struct Source {
    body: Incoming,
    piece: Bytes,
    place: Place,
}

impl AsyncBufRead for Source {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        while this.piece.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(cx)) {
                None => break,
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        this.piece = data;
                    }
                }
                Some(Err(error)) => {
                    let failure = explain::broken_body(&error, &this.place);
                    return Poll::Ready(Err(io::Error::other(failure)));
                }
            }
        }
        Poll::Ready(Ok(&this.piece))
    }

    fn consume(self: Pin<&mut Self>, len: usize) {
        self.get_mut().piece.advance(len);
    }
}

impl AsyncRead for Source {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let piece = ready!(self.as_mut().poll_fill_buf(cx))?;
        let len = piece.len().min(room.remaining());
        room.put_slice(piece.get(..len).unwrap_or_default());
        self.consume(len);
        Poll::Ready(Ok(()))
    }
}
