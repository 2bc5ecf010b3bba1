//! Watches one resource, whatever becomes of its server.

use std::sync::Arc;

use hermes_registry::{Registry, Watch};
use mcp_client::ResourceUpdate;
use tokio::sync::mpsc::Sender;

use super::news::News;
use crate::commands::resources::owner;
use crate::failure::Failure;

/// One resource that is to be watched.
pub(crate) struct Subscription {
    registry: Registry,
    /// Whose it is; whoever alone lists it, if nobody said so.
    server: Option<String>,
    uri: String,
}

impl Subscription {
    /// The resource that is named by its URI, or as `server/uri`.
    pub(crate) fn new(registry: Registry, name: &str) -> Self {
        let config = registry.config();
        let named = name.match_indices('/').find_map(|(slash, _)| {
            let (server, uri) = (name.get(..slash)?, name.get(slash + 1..)?);
            let server = config.server(server)?.name().to_string();
            Some((server, uri.to_owned()))
        });
        let (server, uri) = match named {
            Some((server, uri)) => (Some(server), uri),
            None => (None, name.to_owned()),
        };
        Self {
            registry,
            server,
            uri,
        }
    }

    /// Tells what the resource does until nobody listens or the registry is closed.
    pub(crate) async fn follow(self, telling: Sender<News>) {
        let mut seen = self.registry.discover().await;
        let mut failed = None;
        loop {
            match self.watch().await {
                Ok((server, mut watch)) => {
                    failed = None;
                    while let Some(update) = watch.next().await {
                        let server = server.clone();
                        let uri = match update {
                            ResourceUpdate::One(uri) => Some(uri),
                            _ => None,
                        };
                        if telling.send(News::Resource { server, uri }).await.is_err() {
                            return;
                        }
                    }
                }
                // The same is not told twice.
                Err(failure) if failed == Some(failure.sentence()) => {}
                Err(failure) => {
                    failed = Some(failure.sentence());
                    let (uri, error) = (self.uri.clone(), Box::new(failure));
                    if telling.send(News::Unwatched { uri, error }).await.is_err() {
                        return;
                    }
                }
            }
            // Bound: one try for each catalog.
            let newer = self.registry.changed(&seen).await;
            if Arc::ptr_eq(&newer, &seen) {
                return;
            }
            seen = newer;
        }
    }

    async fn watch(&self) -> Result<(String, Watch), Failure> {
        let server = match &self.server {
            Some(server) => server.clone(),
            None => owner(&self.registry, &self.uri).await?,
        };
        let watch = self.registry.watch(&server, [&self.uri]).await;
        let hint = format!("`hermes mcp resources {server}` lists what it has");
        let watch = watch.map_err(|error| Failure::of_request(error, &hint))?;
        Ok((server, watch))
    }
}
