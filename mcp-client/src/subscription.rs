//! Resources that are watched: one interface for both eras.
//!
//! | era | how |
//! |---|---|
//! | legacy | `resources/subscribe` and `resources/unsubscribe`, once for each resource however often it is watched |
//! | modern | `subscriptions/listen`, kept alive while somebody waits |

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_types::{EmptyResult, SubscriptionFilter, method};
use tokio::sync::Notify;

use crate::call::{Call, Reply, Request, misused, read_typed};
use crate::error::Misuse;
use crate::listening::Listening;
use crate::negotiate::members_of;
use crate::session::Era;
use crate::{Client, Error};

/// Resources that wait to be told to one subscriber.
// Bound: a server may name any number of resources; past it, they are told as one.
const PENDING_MAX: usize = 1_024;

/// Something that a watched resource did.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ResourceUpdate {
    /// So many changed that they are no longer told one by one: look at all of them.
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
        let is_watched = |watched: &String| uri.starts_with(watched.as_str());
        if !self.watched.iter().any(is_watched) {
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
}

/// Who watches what on one connection.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    mailboxes: Mutex<Vec<Weak<Mailbox>>>,
    /// The resources that a legacy server was asked to tell of, and by how many.
    subscribed: Mutex<BTreeMap<String, usize>>,
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
            let mut pending = mailbox.lock();
            pending.uris.clear();
            pending.is_many = true;
            drop(pending);
            mailbox.arrived.notify_one();
        }
    }

    /// Tells everybody that nothing more comes.
    pub(crate) fn close(&self) {
        for mailbox in self.alive() {
            mailbox.lock().is_closed = true;
            mailbox.arrived.notify_one();
        }
    }

    /// The resources that a legacy server has to be asked for anew after its session was lost.
    pub(crate) fn subscribed(&self) -> Vec<String> {
        self.counts().keys().cloned().collect()
    }

    fn alive(&self) -> Vec<Arc<Mailbox>> {
        let mut mailboxes = self
            .mailboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        mailboxes.retain(|mailbox| mailbox.strong_count() > 0);
        mailboxes.iter().filter_map(Weak::upgrade).collect()
    }

    fn open(&self, watched: Vec<String>) -> Arc<Mailbox> {
        let mailbox = Arc::new(Mailbox {
            watched,
            pending: Mutex::default(),
            arrived: Notify::new(),
        });
        let mut mailboxes = self
            .mailboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        mailboxes.push(Arc::downgrade(&mailbox));
        mailbox
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a subscriber in; says whether it is the first.
    fn enter(&self, uri: &str) -> bool {
        let mut counts = self.counts();
        let count = counts.entry(uri.to_owned()).or_default();
        *count += 1;
        *count == 1
    }

    /// Counts a subscriber out; says whether it was the last.
    fn leave(&self, uri: &str) -> bool {
        let mut counts = self.counts();
        let Some(count) = counts.get_mut(uri) else {
            return false;
        };
        *count -= 1;
        let was_last = *count == 0;
        if was_last {
            counts.remove(uri);
        }
        was_last
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
        let watchers = self.client.watchers();
        for uri in std::mem::take(&mut self.subscribed) {
            if watchers.leave(&uri) {
                // Nobody waits for the answer, and a connection that is gone needs none.
                let _: Result<(), Error> = self
                    .client
                    .watch(method::RESOURCES_UNSUBSCRIBE, &uri)
                    .detach();
            }
        }
    }
}

impl Client {
    /// Watches resources, by their URIs.
    ///
    /// # Errors
    ///
    /// If the server does not offer it, or refuses one of them; none is watched then.
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
                    // Counted first, so that whoever drops the future takes it back.
                    let is_first = self.watchers().enter(&uri);
                    subscription.subscribed.push(uri.clone());
                    if is_first {
                        self.watch(method::RESOURCES_SUBSCRIBE, &uri).await?;
                    }
                }
            }
            Era::Modern => {
                let filter = SubscriptionFilter::new();
                let filter = uris
                    .into_iter()
                    .fold(filter, SubscriptionFilter::with_resource);
                subscription.listening = Some(self.listening(filter));
            }
        }
        Ok(subscription)
    }

    /// Asks a legacy server to tell, or no longer to tell, of a resource.
    fn watch(&self, method: &'static str, uri: &str) -> Call<Reply<EmptyResult>> {
        #[derive(serde::Serialize)]
        struct Params<'a> {
            uri: &'a str,
        }
        let request = Request::new(method, members_of(&Params { uri }));
        self.call(request, read_typed::<EmptyResult>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mailbox = watchers.open(vec![String::new()]);
        for number in 0..=PENDING_MAX {
            watchers.tell(&number.to_string());
        }
        assert_eq!(mailbox.take(), Some(ResourceUpdate::Many));
        assert_eq!(mailbox.take(), None);
        watchers.tell("again");
        assert!(matches!(mailbox.take(), Some(ResourceUpdate::One(_))));
    }

    #[test]
    fn the_first_subscriber_subscribes_and_the_last_one_unsubscribes() {
        let watchers = Watchers::default();
        assert!(watchers.enter("a"));
        assert!(!watchers.enter("a"));
        assert_eq!(watchers.subscribed(), ["a"]);
        assert!(!watchers.leave("a"));
        assert!(watchers.leave("a"));
        assert!(!watchers.leave("a"));
        assert!(watchers.subscribed().is_empty());
    }

    #[test]
    fn who_is_gone_is_told_nothing_more() {
        let watchers = Watchers::default();
        drop(watchers.open(Vec::new()));
        assert!(watchers.alive().is_empty());
    }
}
