//! Streamable HTTP as a [`Link`]: one task that owns every exchange.
//!
//! ```text
//!  LinkSender ──► FarEnd ──► serve ──► exchange … exchange   (POST, and GET to resume)
//!                              │  └──► listen                (GET, optional)
//!  LinkReceiver ◄──────────────┴────── Wire::tell
//! ```

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::timeout;

use super::body::read_excerpt;
use super::exchange::{run, shown};
use super::listen::listen;
use super::sender::Sender;
use super::wire::{Control, Wire};
use super::{Backend, Target};
use crate::link::{
    Closed, ClosedKind, ExchangeFailure, ExchangeFailureKind as Kind, ExchangeId, FarEnd, Inbound,
    Link, Outbound,
};
use crate::{Labels, Limits, Step};

/// How long the end of a link may take: last notifications and the end of the session.
const CLOSE_MAX: Duration = Duration::from_secs(2);
/// How long the server may take to reply to a notification or an answer.
// Bound: what a deaf server never takes must not gather, and calls wait for the confirmation.
const POST_MAX: Duration = Duration::from_secs(30);
/// How long last notifications may take of it.
const LAST_WORDS: Duration = Duration::from_secs(1);

type Running<T> = Pin<Box<dyn Future<Output = T> + Send>>;

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

async fn serve(wire: Arc<Wire>, mut outbound: tokio::sync::mpsc::Receiver<Outbound<Bytes>>) {
    let mut shell = Shell::new(wire);
    loop {
        // Cancel safety: each branch may be dropped without losing anything.
        tokio::select! {
            // What follows a confirmation waits until the server has taken it.
            taken = outbound.recv(), if shell.confirming.is_none() => match taken {
                Some(outbound) => shell.take(outbound),
                None => break,
            },
            Some(exchange) = shell.exchanges.next() => {
                shell.controls.remove(&exchange);
            }
            Some(()) = shell.notices.next() => {}
            confirmed = ready_or_pending(&mut shell.confirming) => {
                shell.confirming = None;
                if !tell_confirmed(&shell.wire, confirmed).await {
                    break;
                }
            }
            () = ready_or_pending(&mut shell.listening) => shell.listening = None,
            () = shell.wire.is_deserted() => break,
        }
    }
    shell.close().await;
}

async fn ready_or_pending<T>(running: &mut Option<Running<T>>) -> T {
    match running {
        Some(running) => running.await,
        None => std::future::pending().await,
    }
}

/// Everything that a link over HTTP has under way.
struct Shell {
    wire: Arc<Wire>,
    // Bound: the layer above bounds its calls, and its answers by the questions it takes.
    exchanges: FuturesUnordered<Running<ExchangeId>>,
    controls: HashMap<ExchangeId, Arc<Control>>,
    notices: FuturesUnordered<Running<()>>,
    confirming: Option<Running<Result<(), ExchangeFailure>>>,
    listening: Option<Running<()>>,
}

impl Shell {
    fn new(wire: Arc<Wire>) -> Self {
        Self {
            wire,
            exchanges: FuturesUnordered::new(),
            controls: HashMap::new(),
            notices: FuturesUnordered::new(),
            confirming: None,
            listening: None,
        }
    }

    fn take(&mut self, outbound: Outbound<Bytes>) {
        let wire = Arc::clone(&self.wire);
        match outbound {
            Outbound::Send {
                exchange,
                labels,
                body,
            } => {
                let control = Arc::new(Control::default());
                self.controls.insert(exchange, Arc::clone(&control));
                self.exchanges.push(Box::pin(async move {
                    run(&wire, exchange, &labels, body, &control).await;
                    exchange
                }));
            }
            Outbound::Notify { labels, body } if labels.step == Step::Confirmation => {
                self.confirming = Some(Box::pin(async move { post(&wire, &labels, body).await }));
            }
            Outbound::Notify { labels, body } => self.notices.push(Box::pin(async move {
                // Nobody waits for it, and a server that is gone shows with the next request.
                let _: Result<(), ExchangeFailure> = post(&wire, &labels, body).await;
            })),
            Outbound::Settled { exchange } => {
                if let Some(control) = self.controls.get(&exchange) {
                    control.settle();
                }
            }
            Outbound::Abort { exchange } => {
                if let Some(control) = self.controls.get(&exchange) {
                    control.abort();
                }
            }
            Outbound::Session { version } => self.wire.sender.session().set_version(&version),
            Outbound::Listen => {
                self.listening = Some(Box::pin(async move { listen(&wire).await }));
            }
        }
    }

    /// Ends what is under way and then the session.
    async fn close(self) {
        let Self {
            wire, mut notices, ..
        } = self;
        let end = async {
            let last_words = async { while notices.next().await.is_some() {} };
            // What does not get out in time has nobody left who waits for it.
            let _: Result<(), tokio::time::error::Elapsed> = timeout(LAST_WORDS, last_words).await;
            // Spec: HTTP-08. Whatever the server says to it, the session is over for us.
            let has_session = wire.sender.session().id().is_some();
            if has_session && let Ok(response) = wire.sender.delete().await {
                read_excerpt(response).await;
            }
        };
        let _: Result<(), tokio::time::error::Elapsed> = timeout(CLOSE_MAX, end).await;
    }
}

/// Tells how the confirmation of the session went; says whether there is one.
async fn tell_confirmed(wire: &Wire, confirmed: Result<(), ExchangeFailure>) -> bool {
    let is_open = confirmed.is_ok();
    wire.tell(match confirmed {
        Ok(()) => Inbound::Confirmed,
        Err(failure) => Inbound::Closed(Closed::with_detail(
            ClosedKind::NotConfirmed,
            failure.reason,
        )),
    })
    .await;
    is_open
}

/// Posts a notification or an answer, for which nothing comes back.
async fn post(wire: &Wire, labels: &Labels, body: Bytes) -> Result<(), ExchangeFailure> {
    let Ok(response) = timeout(POST_MAX, wire.sender.post(labels, body)).await else {
        let reason = format!("no reply within {POST_MAX:?}");
        return Err(ExchangeFailure::new(Kind::NoAnswer, reason, true));
    };
    let response = response?;
    let status = response.status();
    // Reading the body to its end keeps the connection.
    let said = timeout(LAST_WORDS, read_excerpt(response)).await;
    if status.is_success() {
        return Ok(());
    }
    let reason = format!("{status}{}", shown(&said.unwrap_or_default()));
    Err(ExchangeFailure::new(
        Kind::Status(status.as_u16()),
        reason,
        true,
    ))
}
