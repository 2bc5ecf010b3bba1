//! Resources that are watched: one interface for both eras.
//!
//! | era | how |
//! |---|---|
//! | legacy | `resources/subscribe` and `resources/unsubscribe`, once for each resource however often it is watched; `intents` decides when |
//! | modern | `subscriptions/listen`, kept alive while somebody waits |

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_types::{SubscriptionFilter, method};
use tokio::sync::Notify;

use crate::call::misused;
use crate::error::Misuse;
use crate::intents::Intents;
use crate::listening::Listening;
use crate::session::Era;
use crate::{Client, Error};

/// Resources that wait to be told to one subscriber.
// Bound: a server may name any number of resources; past it, they are told as one.
const PENDING_MAX: usize = 1_024;

/// Something that a watched resource did.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ResourceUpdate {
    /// More may have changed than can be told one by one: look at all of them. So many changed, or
    /// changes were not told of: while a subscription was down, before a modern server acknowledged
    /// one, or in a session that was lost.
    Many,
    /// This one changed; it may be a part of a watched one (SUB-07).
    One(String),
}

/// What a subscriber has not been told yet.
#[derive(Debug)]
pub(crate) struct Mailbox {
    watched: Vec<String>,
    pending: Mutex<Pending>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Pending {
    uris: BTreeSet<String>,
    is_many: bool,
    is_closed: bool,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<ResourceUpdate> {
        let mut pending = self.lock();
        if std::mem::take(&mut pending.is_many) {
            return Some(ResourceUpdate::Many);
        }
        pending.uris.pop_first().map(ResourceUpdate::One)
    }

    fn put(&self, uri: &str) {
        if !self.watched.iter().any(|watched| lies_within(uri, watched)) {
            return;
        }
        let mut pending = self.lock();
        if pending.uris.len() >= PENDING_MAX {
            pending.uris.clear();
            pending.is_many = true;
        }
        if !pending.is_many {
            pending.uris.insert(uri.to_owned());
        }
        drop(pending);
        self.arrived.notify_one();
    }

    fn put_many(&self) {
        let mut pending = self.lock();
        pending.uris.clear();
        pending.is_many = true;
        drop(pending);
        self.arrived.notify_one();
    }
}

/// Whether a resource is the one that is watched, or lies below it.
///
/// Spec: `ResourceUpdatedNotification`, all revisions. A server may name a part of what was
/// subscribed to.
fn lies_within(uri: &str, watched: &str) -> bool {
    let rest = uri.strip_prefix(watched);
    rest.is_some_and(|rest| {
        rest.is_empty() || watched.ends_with('/') || rest.starts_with(['/', '?', '#'])
    })
}

#[derive(Debug, Default)]
struct Mailboxes {
    open: Vec<Weak<Mailbox>>,
    is_closed: bool,
}

/// Who watches what on one connection.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    mailboxes: Mutex<Mailboxes>,
    /// What a legacy server is asked to tell of.
    intents: Mutex<Intents>,
}

impl Watchers {
    /// Tells everybody who watches a resource that it changed.
    pub(crate) fn tell(&self, uri: &str) {
        for mailbox in self.alive() {
            mailbox.put(uri);
        }
    }

    /// Tells everybody to look at all that they watch.
    pub(crate) fn tell_many(&self) {
        for mailbox in self.alive() {
            mailbox.put_many();
        }
    }

    /// Tells everybody that nothing more comes.
    pub(crate) fn close(&self) {
        self.mailboxes().is_closed = true;
        for mailbox in self.alive() {
            mailbox.lock().is_closed = true;
            mailbox.arrived.notify_one();
        }
        self.intents().close();
    }

    /// What a legacy server is asked to tell of; never held across an await.
    pub(crate) fn intents(&self) -> MutexGuard<'_, Intents> {
        self.intents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alive(&self) -> Vec<Arc<Mailbox>> {
        let mut mailboxes = self.mailboxes();
        mailboxes.open.retain(|mailbox| mailbox.strong_count() > 0);
        mailboxes.open.iter().filter_map(Weak::upgrade).collect()
    }

    fn open(&self, watched: Vec<String>) -> Arc<Mailbox> {
        let mailbox = Arc::new(Mailbox {
            watched,
            pending: Mutex::default(),
            arrived: Notify::new(),
        });
        let mut mailboxes = self.mailboxes();
        // Whoever comes after the end of the connection is told so too.
        mailbox.lock().is_closed = mailboxes.is_closed;
        mailboxes.open.push(Arc::downgrade(&mailbox));
        mailbox
    }

    fn mailboxes(&self) -> MutexGuard<'_, Mailboxes> {
        self.mailboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Resources that are watched, until it is dropped.
#[derive(Debug)]
pub struct Subscription {
    client: Client,
    mailbox: Arc<Mailbox>,
    /// What a legacy server was asked to tell of.
    subscribed: Vec<String>,
    /// The subscription of a modern server.
    listening: Option<Listening>,
}

impl Subscription {
    /// Waits for the next update; `None` once the connection has ended.
    ///
    /// A resource that changes several times before it is looked at is told once. A modern server
    /// is listened to only while this is awaited at least now and then.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn next(&mut self) -> Option<ResourceUpdate> {
        let Self {
            mailbox, listening, ..
        } = self;
        let arrived = async {
            loop {
                if let Some(update) = mailbox.take() {
                    return Some(update);
                }
                if mailbox.lock().is_closed {
                    return None;
                }
                mailbox.arrived.notified().await;
            }
        };
        let keep = async {
            match listening {
                Some(listening) => listening.keep().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            update = arrived => update,
            () = keep => None,
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.subscribed.is_empty() {
            return;
        }
        let mut intents = self.client.watchers().intents();
        for uri in std::mem::take(&mut self.subscribed) {
            intents.leave(&uri);
        }
        drop(intents);
        self.client.pursue_intents();
    }
}

impl Client {
    /// Watches resources, by their URIs.
    ///
    /// A resource that somebody watches already, or is about to, costs a legacy server no further
    /// request. Between reading resources and the first acknowledgement of a modern server, which
    /// comes once [`Subscription::next`] is awaited, changes are not told; the acknowledgement is
    /// followed by [`ResourceUpdate::Many`] for that reason, and so is each one after a gap.
    ///
    /// # Errors
    ///
    /// If the server does not offer it, or refuses one of them; none is watched then. All who wait
    /// for the same request are told of its failure.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future watches nothing.
    pub async fn subscribe(
        &self,
        uris: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Subscription, Error> {
        let uris: Vec<String> = uris.into_iter().map(Into::into).collect();
        let resources = self.session().capabilities.resources.as_ref();
        if resources.and_then(|resources| resources.subscribe) != Some(true) {
            let method = match self.session().era {
                Era::Legacy => method::RESOURCES_SUBSCRIBE,
                Era::Modern => method::SUBSCRIPTIONS_LISTEN,
            };
            let capability = "resources.subscribe";
            return Err(misused(Misuse::NotOffered { method, capability }));
        }
        let mut subscription = Subscription {
            client: self.clone(),
            mailbox: self.watchers().open(uris.clone()),
            subscribed: Vec::new(),
            listening: None,
        };
        match self.session().era {
            Era::Legacy => {
                for uri in uris {
                    let granted = self.watchers().intents().enter(&uri);
                    // Cancel safety: counted in and noted in one go, so that whoever drops the
                    // future takes it back.
                    subscription.subscribed.push(uri);
                    self.pursue_intents();
                    match granted.await {
                        Ok(granted) => granted?,
                        Err(_nobody_is_left_to_ask) => return Err(self.gone()),
                    }
                }
            }
            Era::Modern => {
                let filter = SubscriptionFilter::new();
                let filter = uris
                    .into_iter()
                    .fold(filter, SubscriptionFilter::with_resource);
                let mailbox = Arc::clone(&subscription.mailbox);
                let acknowledged = move || mailbox.put_many();
                subscription.listening = Some(self.listening(filter, Arc::new(acknowledged)));
            }
        }
        Ok(subscription)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_what_is_watched_is_watched_and_a_neighbour_is_not() {
        for (uri, watched, is_within) in [
            ("file:///a", "file:///a", true),
            ("file:///a/b", "file:///a", true),
            ("file:///a/b", "file:///a/", true),
            ("file:///a#part", "file:///a", true),
            ("file:///ab", "file:///a", false),
            ("file:///a", "file:///a/", false),
            ("file:///", "file:///a", false),
        ] {
            assert_eq!(lies_within(uri, watched), is_within, "{uri} in {watched}");
        }
    }

    #[test]
    fn a_subscriber_hears_of_its_resources_and_their_parts_once_each() {
        let watchers = Watchers::default();
        let mailbox = watchers.open(vec!["file:///a".to_owned()]);
        for uri in ["file:///b", "file:///a/x", "file:///a", "file:///a"] {
            watchers.tell(uri);
        }
        let one = |uri: &str| Some(ResourceUpdate::One(uri.to_owned()));
        assert_eq!(mailbox.take(), one("file:///a"));
        assert_eq!(mailbox.take(), one("file:///a/x"));
        assert_eq!(mailbox.take(), None);
    }

    #[test]
    fn more_updates_than_are_kept_are_told_as_one() {
        let watchers = Watchers::default();
        let mailbox = watchers.open(vec!["x:/".to_owned()]);
        for number in 0..=PENDING_MAX {
            watchers.tell(&format!("x:/{number}"));
        }
        assert_eq!(mailbox.take(), Some(ResourceUpdate::Many));
        assert_eq!(mailbox.take(), None);
        watchers.tell("x:/again");
        assert!(matches!(mailbox.take(), Some(ResourceUpdate::One(_))));
    }

    #[test]
    fn whoever_subscribes_after_the_end_hears_of_it() {
        let watchers = Watchers::default();
        let before = watchers.open(Vec::new());
        watchers.close();
        for mailbox in [before, watchers.open(Vec::new())] {
            assert!(mailbox.lock().is_closed);
        }
    }

    #[test]
    fn who_is_gone_is_told_nothing_more() {
        let watchers = Watchers::default();
        drop(watchers.open(Vec::new()));
        assert!(watchers.alive().is_empty());
    }
}
