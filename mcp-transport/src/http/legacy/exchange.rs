//! One exchange of the older transport: a request posted; its answer comes on the stream.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::super::exchange::refused;
use super::super::refusal::read_excerpt;
use super::super::shell::Posted;
use super::super::value::essence;
use super::super::wire::{Control, Wire};
use crate::Labels;
use crate::link::{ExchangeFailure, ExchangeId, Inbound};

/// How long a request may stay unreplied once it has been answered on the stream.
const LINGER: Duration = Duration::from_secs(1);

/// Posts a request, and tells if the server refuses it.
pub(super) async fn run(wire: Arc<Wire>, control: Arc<Control>, posted: Posted) -> ExchangeId {
    let Posted {
        exchange,
        labels,
        body,
    } = posted;
    if control.is_aborted() {
        return exchange;
    }
    let conversation = async {
        if let Err(failure) = converse(&wire, exchange, &labels, body).await {
            // An exchange that was answered on the stream has ended, and this is not heard.
            wire.tell(Inbound::ExchangeFailed { exchange, failure })
                .await;
        }
    };
    // Cancel safety: an exchange that was given up or answered needs no end.
    tokio::select! {
        biased;
        () = conversation => {}
        () = control.over(LINGER) => {}
    }
    exchange
}

async fn converse(
    wire: &Wire,
    exchange: ExchangeId,
    labels: &Labels,
    body: Bytes,
) -> Result<(), ExchangeFailure> {
    let response = wire.sender.post(labels, body).await?;
    let status = response.status();
    if !status.is_success() || !wire.sender.session().is_open() {
        let media = essence(response.headers().get(http::header::CONTENT_TYPE));
        wire.tell(Inbound::Head {
            exchange,
            status: status.as_u16(),
            media,
            // The session is the stream, and ends with it.
            is_in_session: false,
        })
        .await;
    }
    if !status.is_success() {
        return Box::pin(refused(wire, exchange, response)).await;
    }
    // Spec: SSE-05. Whatever it says is no answer; reading it to its end keeps the connection.
    let _: Bytes = read_excerpt(response).await;
    Ok(())
}
