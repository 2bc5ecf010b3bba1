//! What happens in a registry, told to whoever listens, in the order in which it happens.
//!
//! Nobody waits for a listener: one that is too slow is told how much it missed.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_client::Change;
use mcp_types::LoggingLevel;
use tokio::sync::{broadcast, watch};

use super::Registry;
use crate::catalog::{Catalog, CatalogTool};
use crate::life::{State, Transition, Why};
use crate::name::{PublicName, ServerName};
use crate::usage::UsageRecord;

/// Events that are kept for a listener that has not taken them yet.
// Bound: memory; a server may log as fast as it can write.
const KEPT_MAX: usize = 1_024;

/// Something that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A tool was called, or was to be, and that has ended.
    Called(Arc<UsageRecord>),
    /// A server says that its prompts or its resources are others. Its tools are read again by the
    /// registry itself, which tells of them with [`Event::Tools`].
    List {
        /// The server.
        server: ServerName,
        /// What is another list now.
        change: Change,
    },
    /// A server has logged something.
    Log {
        /// The server.
        server: ServerName,
        /// How severe it is.
        level: LoggingLevel,
        /// The part of the server that says it.
        logger: Option<String>,
        /// What it says, at most 2,000 bytes, with credentials hidden: a text, or JSON as it came.
        text: String,
    },
    /// So many events were not taken in time, and are lost.
    Missed(u64),
    /// A server is in another state.
    State {
        /// The server.
        server: ServerName,
        /// The state that it is in now.
        state: State,
        /// Why.
        why: Why,
    },
    /// Other tools are on offer, by their public names in order.
    Tools {
        /// Those that were not on offer.
        added: Vec<PublicName>,
        /// Those that are on offer no more.
        removed: Vec<PublicName>,
        /// Those whose definition is another one.
        changed: Vec<PublicName>,
    },
}

/// What happens in a registry from now on; see [`Registry::events`].
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<Event>,
    closing: watch::Receiver<bool>,
}

impl Events {
    /// Waits for the next event; `None` once the registry is closed and everything was told.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn next(&mut self) -> Option<Event> {
        let Self { receiver, closing } = self;
        let event = tokio::select! {
            biased;
            event = receiver.recv() => event,
            _over = closing.wait_for(|is_over| *is_over) => return receiver.try_recv().ok(),
        };
        match event {
            Ok(event) => Some(event),
            Err(broadcast::error::RecvError::Lagged(count)) => Some(Event::Missed(count)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

impl Registry {
    /// What happens from now on.
    ///
    /// A listener that is more than 1,024 events behind loses the oldest and is told so.
    #[must_use]
    pub fn events(&self) -> Events {
        Events {
            receiver: self.inner.setup().teller.0.subscribe(),
            closing: self.inner.closing(),
        }
    }
}

/// Where events are told.
#[derive(Clone, Debug)]
pub(crate) struct Teller(broadcast::Sender<Event>);

impl Default for Teller {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT_MAX))
    }
}

impl Teller {
    /// Whether anybody listens.
    pub(super) fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// Tells an event that is put together only if somebody listens.
    pub(crate) fn tell(&self, event: impl FnOnce() -> Option<Event>) {
        if self.0.receiver_count() > 0
            && let Some(event) = event()
        {
            // The last listener may have gone just now.
            let _: Result<usize, broadcast::error::SendError<Event>> = self.0.send(event);
        }
    }

    /// Tells that a server changed its state.
    pub(super) fn tell_state(&self, server: &ServerName, change: &Transition) {
        self.tell(|| {
            Some(Event::State {
                server: server.clone(),
                state: change.state,
                why: change.why.clone(),
            })
        });
    }

    /// Tells what a catalog offers that another one did not.
    pub(super) fn tell_tools(&self, before: &Catalog, after: &Catalog) {
        self.tell(|| difference(before, after));
    }
}

fn difference(before: &Catalog, after: &Catalog) -> Option<Event> {
    let by_name = |catalog: &'_ Catalog| -> BTreeMap<PublicName, CatalogTool> {
        let tools = catalog.tools().iter();
        tools
            .map(|tool| (tool.name.clone(), tool.clone()))
            .collect()
    };
    let (mut before, after) = (by_name(before), by_name(after));
    let (mut added, mut changed) = (Vec::new(), Vec::new());
    for (name, tool) in after {
        match before.remove(&name) {
            None => added.push(name),
            Some(old) if old.route != tool.route || *old.tool != *tool.tool => changed.push(name),
            Some(_same) => {}
        }
    }
    let removed: Vec<PublicName> = before.into_keys().collect();
    let is_news = !(added.is_empty() && changed.is_empty() && removed.is_empty());
    is_news.then_some(Event::Tools {
        added,
        removed,
        changed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_listener_that_falls_behind_is_told_how_much_it_missed_and_goes_on() {
        let (teller, over) = (Teller::default(), watch::Sender::new(false));
        let mut events = Events {
            receiver: teller.0.subscribe(),
            closing: over.subscribe(),
        };
        for _ in 0..=KEPT_MAX {
            teller.tell(|| Some(Event::Missed(7)));
        }
        assert!(matches!(events.next().await, Some(Event::Missed(1))));
        over.send_replace(true);
        for _ in 0..KEPT_MAX {
            assert!(matches!(events.next().await, Some(Event::Missed(7))));
        }
        assert!(events.next().await.is_none());
    }

    #[tokio::test]
    async fn what_nobody_listens_to_is_not_even_put_together() {
        Teller::default().tell(|| panic!("nobody listens"));
    }
}
