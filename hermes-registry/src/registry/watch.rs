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
        let mut watch = Watch {
            registry: self.clone(),
            server: server.to_owned(),
            uris: uris.into_iter().map(Into::into).collect(),
            subscription: None,
        };
        watch.subscription = Some(watch.subscribe().await?);
        Ok(watch)
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
        loop {
            if let Some(subscription) = &mut self.subscription {
                if let Some(update) = subscription.next().await {
                    return Some(update);
                }
                self.subscription = None;
            }
            let epoch = self.connected().await?;
            match self.subscribe().await {
                Ok(subscription) => {
                    self.subscription = Some(subscription);
                    return Some(ResourceUpdate::Many);
                }
                Err(error) => {
                    let server = self.server.as_str();
                    tracing::warn!(server, %error, "its resources could not be watched again");
                    // Bound: one try for each connection.
                    self.until(|now| now != Some(epoch)).await?;
                }
            }
        }
    }

    async fn subscribe(&self) -> Result<Subscription, RegistryError> {
        let ask = async |client: mcp_client::Client| client.subscribe(self.uris.clone()).await;
        let request = self
            .registry
            .request(&self.server, method::RESOURCES_SUBSCRIBE, ask);
        request.await
    }

    /// Waits until the server is connected; `None` if it never will be again.
    async fn connected(&self) -> Option<(SlotId, Epoch)> {
        self.until(|now| now.is_some()).await?
    }

    /// Waits until the connection there is, if there is one, is as wanted.
    async fn until(
        &self,
        is_wanted: impl Fn(Option<(SlotId, Epoch)>) -> bool,
    ) -> Option<Option<(SlotId, Epoch)>> {
        let inner = &self.registry.inner;
        let closing = inner.closing();
        let mut seen = self.registry.catalog();
        loop {
            let (id, _) = inner.named(&self.server)?;
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
            let newer = self.registry.changed(&seen).await;
            if Arc::ptr_eq(&newer, &seen) {
                return None;
            }
            seen = newer;
        }
    }
}
