//! Resources that are watched, whatever becomes of their server.

use std::sync::Arc;

use mcp_client::{ResourceUpdate, Subscription};
use mcp_types::method;

use super::Registry;
use super::slots::SlotId;
use crate::RegistryError;
use crate::life::{Epoch, State};

/// Resources of one server that are watched until it is dropped; see [`Registry::watch`].
#[derive(Debug)]
pub struct Watch {
    registry: Registry,
    server: String,
    uris: Vec<String>,
    subscription: Option<Subscription>,
}

impl Registry {
    /// Watches resources of a server, by their URIs.
    ///
    /// The server is connected for it. It is subscribed again whenever it has been connected anew,
    /// and [`ResourceUpdate::Many`] is told then, since changes may have been missed. A server that
    /// is asleep is not woken to be watched, and watching does not keep it awake.
    ///
    /// # Errors
    ///
    /// As [`Registry::resources`]; also if the server refuses one of the resources.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future watches nothing.
    pub async fn watch(
        &self,
        server: &str,
        uris: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Watch, RegistryError> {
        let uris: Vec<String> = uris.into_iter().map(Into::into).collect();
        let subscription = subscribe(self, server, &uris).await?;
        Ok(Watch {
            registry: self.clone(),
            server: server.to_owned(),
            uris,
            subscription: Some(subscription),
        })
    }
}

impl Watch {
    /// Waits for the next update; `None` once the server is configured no more or the registry is
    /// closed.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn next(&mut self) -> Option<ResourceUpdate> {
        // Each by itself, so that the future can be sent to another thread, as the subscription
        // cannot be shared with one.
        let Self {
            registry,
            server,
            uris,
            subscription,
        } = self;
        loop {
            if let Some(open) = subscription {
                if let Some(update) = open.next().await {
                    return Some(update);
                }
                *subscription = None;
            }
            let epoch = until(registry, server, |now| now.is_some()).await??;
            match subscribe(registry, server, uris).await {
                Ok(open) => {
                    *subscription = Some(open);
                    return Some(ResourceUpdate::Many);
                }
                Err(error) => {
                    let server = server.as_str();
                    tracing::warn!(server, %error, "its resources could not be watched again");
                    // Bound: one try for each connection.
                    until(registry, server, |now| now != Some(epoch)).await?;
                }
            }
        }
    }
}

async fn subscribe(
    registry: &Registry,
    server: &str,
    uris: &[String],
) -> Result<Subscription, RegistryError> {
    let ask = async |client: mcp_client::Client| client.subscribe(uris.to_owned()).await;
    let request = registry.request(server, method::RESOURCES_SUBSCRIBE, ask);
    request.await
}

/// Waits until the connection there is to a server, if there is one, is as wanted; `None` once the
/// server is configured no more or the registry is closed.
async fn until(
    registry: &Registry,
    server: &str,
    is_wanted: impl Fn(Option<(SlotId, Epoch)>) -> bool,
) -> Option<Option<(SlotId, Epoch)>> {
    let inner = &registry.inner;
    let closing = inner.closing();
    let mut seen = registry.catalog();
    loop {
        let (id, _) = inner.named(server)?;
        if *closing.borrow() {
            return None;
        }
        let epoch = inner.with(id, |slot| match slot.life().state() {
            State::Ready => slot.life().epoch(),
            _ => None,
        })?;
        let now = epoch.map(|epoch| (id, epoch));
        if is_wanted(now) {
            return Some(now);
        }
        let newer = registry.changed(&seen).await;
        if Arc::ptr_eq(&newer, &seen) {
            return None;
        }
        seen = newer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Send>(_future: &T) {}

    #[test]
    fn a_watch_can_be_followed_by_a_task_of_its_own() {
        let _compiles = |registry: &Registry, watch: &mut Watch| {
            check(&registry.watch("server", ["uri"]));
            check(&watch.next());
        };
    }
}
