//! HTTP+SSE, the transport of revision 2024-11-05, as a [`Link`]: one task that owns the stream and
//! every exchange.
//!
//! ```text
//!  LinkSender ──► FarEnd ──► serve ──► exchange … exchange   (POST to what the stream told)
//!                              └─────► stream                (GET, for as long as the link)
//!  LinkReceiver ◄───────────────────── Wire::tell
//! ```
//!
//! | module | job |
//! |---|---|
//! | `endpoint` | where to post, decided |
//! | `filter` | bytes that eventsource-client can read |
//! | `carrier` | our backend, as eventsource-client wants it |
//! | `stream` | events, from where to post to the end |
//! | `exchange` | one request |
//!
//! There is no session apart from the stream, and nothing to delete at its end.

mod carrier;
mod endpoint;
mod exchange;
mod filter;
mod stream;

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

use self::exchange::run;
use self::stream::{ServerStream, open};
use super::sender::Sender;
use super::shell::{Shell, tell_confirmed};
use super::wire::Wire;
use super::{Backend, Target};
use crate::Limits;
use crate::link::{Closed, ClosedKind, ExchangeFailure, FarEnd, Inbound, Link, Outbound};

/// Speaks HTTP+SSE with the server whose stream is at `target`.
///
/// Nothing is sent yet: the stream is opened for the first message, and [`Inbound::Ready`] tells
/// that it has said where to post, for which it has 30 seconds. If there is no such stream, the
/// requests that wait for it fail, none of them sent, and the link ends with
/// [`ClosedKind::NoStream`]. It ends with its stream too. Needs a tokio runtime with time.
/// Closing takes at most one second.
pub fn legacy_sse(backend: Arc<dyn Backend>, target: Target, limits: Limits) -> Link {
    Link::of_task(limits, |far_end| {
        let FarEnd { outbound, inbound } = far_end;
        let wire = Wire::new(Sender::new(backend, target), limits, inbound);
        #[expect(
            clippy::disallowed_methods,
            reason = "the one task of a link over HTTP; it ends with the link, which waits for it"
        )]
        tokio::spawn(begin(Arc::new(wire), outbound))
    })
}

/// Opens the stream and serves the link over it.
async fn begin(wire: Arc<Wire>, mut outbound: mpsc::Receiver<Box<Outbound<Bytes>>>) {
    let Some(first) = outbound.recv().await else {
        return;
    };
    let opened = tokio::select! {
        biased;
        opened = open(&wire) => opened,
        () = wire.is_deserted() => return,
    };
    match opened {
        Ok(stream) => {
            wire.tell(Inbound::Ready).await;
            serve(wire, stream, first, outbound).await;
        }
        Err(failure) => fail(&wire, failure, first, outbound).await,
    }
}

/// Ends a link that has no stream; the requests that wait for one fail as never sent.
async fn fail(
    wire: &Wire,
    failure: ExchangeFailure,
    first: Box<Outbound<Bytes>>,
    mut outbound: mpsc::Receiver<Box<Outbound<Bytes>>>,
) {
    outbound.close();
    let mut next = Some(first);
    while let Some(taken) = next {
        if let Outbound::Send { exchange, .. } = *taken {
            let failure = failure.clone();
            wire.tell(Inbound::ExchangeFailed { exchange, failure })
                .await;
        }
        next = outbound.recv().await;
    }
    let closed = Closed::with_detail(ClosedKind::NoStream, failure.reason);
    wire.tell(Inbound::Closed(closed)).await;
}

async fn serve(
    wire: Arc<Wire>,
    stream: ServerStream,
    first: Box<Outbound<Bytes>>,
    mut outbound: mpsc::Receiver<Box<Outbound<Bytes>>>,
) {
    let mut shell = Shell::new(Arc::clone(&wire), run);
    // Of what may come, only `Listen` asks for something here, and that stream is open already.
    shell.take(*first);
    // Read beside the rest, so that a layer above that is slow to take messages holds up no post.
    let mut reading = Box::pin(stream.read(Arc::clone(&wire)));
    loop {
        // Cancel safety: each branch may be dropped without losing anything.
        tokio::select! {
            // What follows a confirmation waits until the server has taken it.
            taken = outbound.recv(), if shell.may_take() => match taken {
                Some(outbound) => shell.take(*outbound),
                None => break,
            },
            confirmed = shell.turn() => {
                if let Some(confirmed) = confirmed && !tell_confirmed(&wire, confirmed).await {
                    break;
                }
            }
            closed = &mut reading => {
                // Spec: SSE-06.
                wire.tell(Inbound::Closed(closed)).await;
                return;
            }
            () = wire.is_deserted() => break,
        }
    }
    // The server would refuse last words after the end of its stream.
    shell.close().await;
}
