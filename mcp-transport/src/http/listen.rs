//! The stream that belongs to no exchange (GET), optional for both sides.

use std::time::Duration;

use http::{StatusCode, header};
use tokio::time::{Instant, sleep};

use super::body::{Events, Stop};
use super::exchange::Cursor;
use super::resume::Backoff;
use super::value::essence;
use super::wire::{Listening, Wire};
use crate::Step;
use crate::link::{Inbound, Origin};

/// A stream that lived this long counts as one that worked, whether or not anything came.
const LONG_LIVED: Duration = Duration::from_secs(5);

/// Keeps the stream open as long as the server goes along with it.
///
/// Spec: HTTP-27, T-24. A server may refuse it in any way without harm to the rest.
pub(super) async fn listen(wire: &Wire) {
    let mut cursor = Cursor::default();
    let mut backoff = Backoff::default();
    let session = wire.sender.session().id().cloned();
    let _until_over = Over(wire);
    loop {
        // A session that has taken the place of this one gets a stream of its own.
        if wire.sender.session().id() != session.as_ref() {
            return;
        }
        let last_event_id = cursor.last_event_id.as_deref();
        if let Ok(response) = wire.sender.get(Step::Ordinary, last_event_id).await {
            let status = response.status();
            let media = essence(response.headers().get(header::CONTENT_TYPE));
            let may_pass = status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
                || status == StatusCode::TOO_MANY_REQUESTS;
            if status.is_success() && media == "text/event-stream" {
                let mut events =
                    Events::new(response.into_body(), wire.limits.frame_len_max, &wire.shelf);
                wire.listening.send_replace(Listening::Open);
                let since = Instant::now();
                // Proxies cut quiet streams after a minute or so, which says nothing against them.
                if hand_on(wire, &mut events).await || since.elapsed() >= LONG_LIVED {
                    backoff.progressed();
                }
                cursor.advance(&events);
            } else if !may_pass {
                return;
            }
        }
        wire.listening.send_replace(Listening::Due);
        let Some(pause) = backoff.ended(cursor.retry) else {
            return;
        };
        sleep(pause).await;
    }
}

/// Hands on events until the stream stops; says whether there were any.
async fn hand_on(wire: &Wire, events: &mut Events<'_>) -> bool {
    let mut has_delivered = false;
    loop {
        let event = match events.next().await {
            Ok(event) => event,
            Err(Stop::Invalid(error)) => {
                // Whose it was cannot be known, so it ends no call; the stream goes on behind it
                // if the server numbers its events.
                let reason = error.to_string();
                wire.tell(Inbound::Unread { reason }).await;
                return has_delivered;
            }
            Err(Stop::Ended | Stop::Broken(_)) => return has_delivered,
        };
        if event.name() == "message" {
            has_delivered = true;
            wire.tell(Inbound::Frame {
                origin: Origin::Shared,
                body: event.data,
                is_repaired: event.is_repaired,
            })
            .await;
        }
    }
}

/// Says that there is no stream, however it came to that.
struct Over<'a>(&'a Wire);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.listening.send_replace(Listening::Over);
    }
}
