//! Reads a server's list of tools again when it says that the list has changed, and tells of its
//! other lists.

use std::sync::{Arc, Weak};
use std::time::Duration;

use mcp_client::{Change, Changes};
use tokio::time::{Instant, sleep_until};

use super::events::Event;
use super::inner::Inner;
use super::memory::Memory;
use super::slots::SlotId;
use crate::life::Epoch;
use crate::open::ask;

/// The shortest time between two readings of a server's list of tools.
// Bound: a storm of change notices, or a server that tells of a change whenever it is asked for
// its list, must not keep us reading lists.
const RELIST_INTERVAL: Duration = Duration::from_millis(500);

/// How often a list that could not be read again is tried once more.
const RELIST_TRIES: u32 = 5;

/// Follows the list of one connection until that ends.
///
/// It holds neither the registry nor the client while it waits, so that dropping the registry ends
/// the servers.
pub(super) async fn follow(
    inner: &Weak<Inner>,
    server: SlotId,
    epoch: Epoch,
    mut changes: Changes,
) {
    while let Some(change) = changes.next().await {
        if change != Change::Tools {
            tell(inner, server, change);
            continue;
        }
        let mut pause = RELIST_INTERVAL;
        for _ in 0..RELIST_TRIES {
            let read_at = Instant::now();
            let is_read = read_again(inner, server, epoch).await;
            sleep_until(read_at + pause).await;
            if is_read {
                break;
            }
            pause *= 2;
        }
    }
}

/// Tells of a list that nobody keeps here.
fn tell(inner: &Weak<Inner>, server: SlotId, change: Change) {
    if let Some(inner) = inner.upgrade() {
        inner.setup().teller.tell(|| {
            let server = inner.with(server, |slot| slot.server().config.name().clone())?;
            Some(Event::List { server, change })
        });
    }
}

/// Reads the list once more; returns whether there is nothing left to do.
async fn read_again(inner: &Weak<Inner>, server: SlotId, epoch: Epoch) -> bool {
    let found = inner.upgrade().and_then(|inner| {
        let configured = inner.with(server, |slot| Arc::clone(slot.server()))?;
        Some((inner.client(server, epoch)?, configured))
    });
    let Some((client, configured)) = found else {
        return true;
    };
    match ask(&client, &configured.config, &configured.redactor).await {
        Ok(mut told) => {
            if let Some(inner) = inner.upgrade() {
                let pins = inner.pins();
                Memory::compare(pins.as_deref(), &configured.config, &mut told);
                inner.take_told(server, epoch, told);
            }
            true
        }
        // The old list is better than none.
        Err(error) => {
            let name = configured.config.name().as_str();
            tracing::warn!(server = name, %error, "the list of tools could not be read again");
            client.closed().is_some()
        }
    }
}
