//! The stream on which a server of the older transport says everything, from its address for
//! messages to its end.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use eventsource_client::{BoxStream, Client as _, ClientBuilder, Error, ReconnectOptions, SSE};
use futures_util::StreamExt as _;
use tokio::time::timeout;

use super::super::wire::Wire;
use super::carrier::{Carrier, Fault};
use super::endpoint::resolve;
use crate::link::{
    Closed, ClosedKind, ExchangeFailure, ExchangeFailureKind as Kind, Inbound, Origin,
};

/// How long the server may take to open its stream and to tell where to post.
// Bound: pings keep a stream alive that never tells; the time for connecting may be shorter.
const ENDPOINT_MAX: Duration = Duration::from_secs(30);

/// An open stream.
pub(super) struct ServerStream {
    events: BoxStream<Result<SSE, Error>>,
    is_repaired: Arc<AtomicBool>,
}

/// Opens the stream and waits until it has told where to post, which the sender does from then on.
///
/// Spec: SSE-01, SSE-05. Interop: a message may come first, and is handed on
/// (transcript `answer-before-its-post-is-over`).
pub(super) async fn open(wire: &Arc<Wire>) -> Result<ServerStream, ExchangeFailure> {
    let opening = async {
        let mut stream = ServerStream::new(wire)?;
        loop {
            let (name, data) = stream.next().await.map_err(unopened)?;
            match name.as_str() {
                "endpoint" => {
                    let endpoint = resolve(&wire.sender.url(), &data)
                        .map_err(|why| no_endpoint(&format!("the server {why}")))?;
                    wire.sender.move_to(endpoint);
                    return Ok(stream);
                }
                "message" => wire.tell(stream.frame(data)).await,
                _ => {}
            }
        }
    };
    let opened = timeout(ENDPOINT_MAX, opening).await;
    opened.unwrap_or_else(|_elapsed| {
        Err(no_endpoint(&format!(
            "the server does not tell where to post within {ENDPOINT_MAX:?}"
        )))
    })
}

impl ServerStream {
    fn new(wire: &Arc<Wire>) -> Result<Self, ExchangeFailure> {
        let carrier = Carrier::new(Arc::clone(wire));
        let is_repaired = carrier.is_repaired();
        // Spec: SSE-06. A new stream would be a new session, which the layer above has to open.
        let client = ClientBuilder::for_url(&wire.sender.url().to_string())
            .map_err(unopened)?
            .reconnect(ReconnectOptions::reconnect(false).build())
            .build_with_transport(carrier);
        Ok(Self {
            events: client.stream(),
            is_repaired,
        })
    }

    /// Hands on messages until the stream ends; says why it did.
    pub(super) async fn read(mut self, wire: Arc<Wire>) -> Closed {
        loop {
            match self.next().await {
                // Spec: SSE-03. Other events are none of ours.
                Ok((name, data)) if name == "message" => wire.tell(self.frame(data)).await,
                Ok(_) => {}
                Err(error) => return closed(error),
            }
        }
    }

    /// The name and the data of the next event with any data.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    async fn next(&mut self) -> Result<(String, String), Error> {
        loop {
            match self.events.next().await {
                Some(Ok(SSE::Event(event))) if !event.data.is_empty() => {
                    return Ok((event.event_type, event.data));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                None => return Err(Error::Eof),
            }
        }
    }

    fn frame(&self, data: String) -> Inbound {
        let is_repaired =
            self.is_repaired.load(Ordering::Relaxed) && data.contains(char::REPLACEMENT_CHARACTER);
        Inbound::Frame {
            origin: Origin::Shared,
            body: Bytes::from(data),
            is_repaired,
        }
    }
}

fn no_endpoint(reason: &str) -> ExchangeFailure {
    ExchangeFailure::new(Kind::NoEndpoint, reason, false)
}

/// Why there is no stream, by what ended it before it told where to post.
fn unopened(error: Error) -> ExchangeFailure {
    match fault(&error) {
        Some(Fault::Unopened(failure)) => failure.clone(),
        Some(Fault::Broken(failure)) => {
            let reason = format!("the stream broke off before it told where to post: {failure}");
            ExchangeFailure::new(Kind::Connect(failure.kind), reason, false)
        }
        Some(fault @ Fault::TooLong { .. }) => no_endpoint(&fault.to_string()),
        None if matches!(error, Error::Eof | Error::UnexpectedEof) => {
            no_endpoint("the server ended its stream and had not told where to post")
        }
        None => no_endpoint(&format!("the stream cannot be read: {error}")),
    }
}

/// Why the link ends with its stream.
fn closed(error: Error) -> Closed {
    let (kind, detail) = match (fault(&error), &error) {
        (Some(fault @ Fault::TooLong { .. }), _) => (
            ClosedKind::ReadFailed(ErrorKind::InvalidData),
            fault.to_string(),
        ),
        (Some(fault), _) => (
            ClosedKind::ReadFailed(ErrorKind::ConnectionReset),
            fault.to_string(),
        ),
        (None, Error::Eof) => (
            ClosedKind::EndOfStream,
            "it ended the stream of events".to_owned(),
        ),
        (None, Error::UnexpectedEof) => (
            ClosedKind::EndOfStream,
            "it ended the stream of events within an event".to_owned(),
        ),
        (None, error) => (
            ClosedKind::ReadFailed(ErrorKind::InvalidData),
            error.to_string(),
        ),
    };
    Closed::with_detail(kind, detail)
}

/// The fault that we told eventsource-client.
fn fault(error: &Error) -> Option<&Fault> {
    match error {
        Error::Transport(error) => error.inner().downcast_ref(),
        _ => None,
    }
}
