//! Which era is spoken, decided once, and what differs by it.

mod caching;
mod headers;
mod input;
mod negotiation;
mod notices;
mod streams;
mod subscriptions;
mod tracing;

use mcp_client::{Builder, Client, Error};
use mcp_tests::script::ScriptedServer;
use mcp_tests::stage::builder;

/// Connects while the server plays its part.
async fn connect_while<T>(
    options: Builder,
    server: impl AsyncFnOnce(&mut ScriptedServer) -> T,
) -> (Result<Client, Error>, ScriptedServer, T) {
    let (link, mut far) = ScriptedServer::pair();
    let (connected, played) = tokio::join!(options.connect(link), server(&mut far));
    (connected, far, played)
}

/// A client of a modern server.
async fn modern() -> (Client, ScriptedServer) {
    let (client, far, _probe) = connect_while(builder(), async |far| far.open_modern().await).await;
    (client.unwrap(), far)
}

/// A client of a legacy server.
async fn legacy() -> (Client, ScriptedServer) {
    let open = async |far: &mut ScriptedServer| far.open_legacy("2025-11-25").await;
    let (client, far, ()) = connect_while(builder(), open).await;
    (client.unwrap(), far)
}
