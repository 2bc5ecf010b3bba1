//! Gives eventsource-client its stream, through our backend and by our rules.
//!
//! It would follow redirects itself, with all headers to any origin; so redirects, credentials and
//! refusals are dealt with here, and all that it gets is a stream of events.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use http::header;
use http_body::Body as _;
use launchdarkly_sdk_transport::{ByteStream, HttpTransport, ResponseFuture, TransportError};

use super::super::refusal::read_excerpt;
use super::super::shell::Running;
use super::super::value::essence;
use super::super::wire::Wire;
use super::super::{Body, Failure};
use super::filter::{Filter, Filtered, PREAMBLE};
use crate::link::{ExchangeFailure, ExchangeFailureKind as Kind};

/// Why there is no stream, or no more of it.
#[derive(Debug)]
pub(super) enum Fault {
    /// It broke off.
    Broken(Failure),
    /// An event is longer than this.
    TooLong { len_max: usize },
    /// The server did not open one.
    Unopened(ExchangeFailure),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(failure) => failure.fmt(f),
            Self::TooLong { len_max } => write!(
                f,
                "an event in the event stream is longer than {len_max} bytes"
            ),
            Self::Unopened(failure) => f.write_str(&failure.reason),
        }
    }
}

impl std::error::Error for Fault {}

/// Opens the stream whatever it is asked for.
#[derive(Clone, Debug)]
pub(super) struct Carrier {
    wire: Arc<Wire>,
    is_repaired: Arc<AtomicBool>,
}

impl Carrier {
    pub(super) fn new(wire: Arc<Wire>) -> Self {
        Self {
            wire,
            is_repaired: Arc::default(),
        }
    }

    /// Becomes true once something in the stream was replaced that is not UTF-8.
    pub(super) fn is_repaired(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_repaired)
    }
}

impl HttpTransport for Carrier {
    fn request(&self, _for_itself: http::Request<Option<Bytes>>) -> ResponseFuture {
        let Self { wire, is_repaired } = self.clone();
        Box::pin(Exclusive::new(async move {
            let body = open(&wire)
                .await
                .map_err(|failure| TransportError::new(Fault::Unopened(failure)))?;
            let flow: ByteStream = Box::pin(Flow {
                preamble: Some(PREAMBLE),
                body: Mutex::new(Some(body)),
                filter: Filter::new(wire.limits.frame_len_max),
                fault: None,
                len_max: wire.limits.frame_len_max,
                is_repaired,
            });
            Ok(http::Response::new(flow))
        }))
    }
}

/// Asks for the stream.
async fn open(wire: &Wire) -> Result<Body, ExchangeFailure> {
    let response = wire.sender.stream().await.map_err(|failure| {
        let failure = ExchangeFailure::from(failure);
        // Nothing that asks for anything has been posted yet.
        ExchangeFailure::new(failure.kind, failure.reason, false)
    })?;
    let status = response.status();
    let media = essence(response.headers().get(header::CONTENT_TYPE));
    if status.is_success() && media == "text/event-stream" {
        return Ok(response.into_body());
    }
    let head = format!("{status} {media}");
    let reason = format!(
        "the server opened no stream of events, it answered GET by {}{}",
        head.trim_end(),
        wire.shown(&read_excerpt(response).await)
    );
    let kind = if status.is_success() {
        Kind::Media
    } else {
        Kind::Status(status.as_u16())
    };
    Err(ExchangeFailure::new(kind, reason, false))
}

/// The body of the stream, made fit.
struct Flow {
    preamble: Option<Bytes>,
    /// `None` after its end and after a fault: a body that failed is not asked again.
    body: Mutex<Option<Body>>,
    filter: Filter,
    /// What comes after the bytes that were handed out last.
    fault: Option<Fault>,
    len_max: usize,
    is_repaired: Arc<AtomicBool>,
}

impl Stream for Flow {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some(preamble) = this.preamble.take() {
            return Poll::Ready(Some(Ok(preamble)));
        }
        let slot = this.body.get_mut().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(fault) = this.fault.take() {
                *slot = None;
                return Poll::Ready(Some(Err(TransportError::new(fault))));
            }
            let Some(body) = slot else {
                return Poll::Ready(None);
            };
            match ready!(Pin::new(body).poll_frame(context)) {
                None => *slot = None,
                Some(Err(failure)) => this.fault = Some(Fault::Broken(failure)),
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else {
                        continue;
                    };
                    let Filtered { bytes, is_too_long } = this.filter.push(data);
                    let is_repaired = this.filter.is_repaired();
                    this.is_repaired.store(is_repaired, Ordering::Relaxed);
                    let len_max = this.len_max;
                    this.fault = is_too_long.then_some(Fault::TooLong { len_max });
                    if !bytes.is_empty() {
                        return Poll::Ready(Some(Ok(bytes)));
                    }
                }
            }
        }
    }
}

/// A future that may be shared between threads although its parts may not, since nobody can reach
/// them but by a unique borrow.
struct Exclusive<T>(Mutex<Running<T>>);

impl<T> Exclusive<T> {
    fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Mutex::new(Box::pin(future)))
    }
}

impl<T> Future for Exclusive<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let running = self.get_mut().0.get_mut();
        let running = running.unwrap_or_else(PoisonError::into_inner);
        running.as_mut().poll(context)
    }
}
