//! Streamable HTTP as a [`Link`]: one task that owns every exchange.
//!
//! ```text
//!  LinkSender ──► FarEnd ──► serve ──► exchange … exchange   (POST, and GET to resume)
//!                              │  └──► listen                (GET, optional)
//!  LinkReceiver ◄──────────────┴────── Wire::tell
//! ```

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::exchange::run;
use super::listen::listen;
use super::refusal::read_excerpt;
use super::sender::Sender;
use super::shell::{Running, Shell, ready_or_pending, tell_confirmed};
use super::wire::{Listening, Wire};
use super::{Backend, Target};
use crate::Limits;
use crate::link::{ExchangeId, FarEnd, Link, Outbound};

/// How long the end of a link may take: last notifications and the end of the session.
const CLOSE_MAX: Duration = Duration::from_secs(2);

/// Speaks Streamable HTTP with the server at `target`, in whatever revision the layer above
/// negotiates.
///
/// Nothing is sent yet. Needs a tokio runtime with time. Closing the link ends the session, which
/// takes at most two seconds.
pub fn streamable(backend: Arc<dyn Backend>, target: Target, limits: Limits) -> Link {
    Link::of_task(limits, |far_end| {
        let FarEnd { outbound, inbound } = far_end;
        let wire = Wire::new(Sender::new(backend, target), limits, inbound);
        #[expect(
            clippy::disallowed_methods,
            reason = "the one task of a link over HTTP; it ends with the link, which waits for it"
        )]
        tokio::spawn(serve(Arc::new(wire), outbound))
    })
}

async fn serve(wire: Arc<Wire>, mut outbound: mpsc::Receiver<Box<Outbound<Bytes>>>) {
    let mut shell = Shell::new(Arc::clone(&wire), run);
    let mut listening: Option<Running<()>> = None;
    loop {
        // Cancel safety: each branch may be dropped without losing anything.
        tokio::select! {
            // What the layer above knows comes first: an exchange that has its answer ends without
            // another word. The budget of a task gives the exchanges their turn.
            biased;
            // What follows a confirmation waits until the server has taken it.
            taken = outbound.recv(), if shell.may_take() => match taken.map(|taken| *taken) {
                Some(Outbound::Listen) => {
                    // An earlier one says that there is none any more as it goes.
                    drop(listening.take());
                    wire.listening.send_replace(Listening::Due);
                    let wire = Arc::clone(&wire);
                    listening = Some(Box::pin(async move { listen(&wire).await }));
                }
                Some(outbound) => shell.take(outbound),
                None => break,
            },
            confirmed = shell.turn() => {
                if let Some(confirmed) = confirmed && !tell_confirmed(&wire, confirmed).await {
                    break;
                }
            }
            () = ready_or_pending(&mut listening) => listening = None,
            () = wire.is_deserted() => break,
        }
    }
    drop(listening);
    // Boxed, so that no link carries room for its end all its life.
    Box::pin(close(&wire, shell)).await;
}

/// Ends what is under way and then the session.
async fn close<E>(wire: &Wire, shell: Shell<E>)
where
    E: Future<Output = ExchangeId> + Send,
{
    let end = async {
        shell.close().await;
        // Spec: HTTP-08. Whatever the server says to it, the session is over for us.
        wire.sender.session().end();
        let has_session = wire.sender.session().id().is_some();
        if has_session && let Ok(response) = wire.sender.delete().await {
            read_excerpt(response).await;
        }
    };
    let _: Result<(), tokio::time::error::Elapsed> = timeout(CLOSE_MAX, end).await;
}
