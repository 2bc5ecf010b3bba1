//! The life of a call, its deadlines, the server's questions, and the end of a connection.

mod asks;
mod deadlines;
mod ends;
mod gives_up;
mod sockets;
mod standing;

use std::future::Future;
use std::time::Duration;

use mcp_client::{Builder, Client};
use mcp_tests::script::ScriptedServer;
use mcp_tests::stage::builder;
use mcp_transport::Limits;
use mcp_types::RawJson;
use tokio::time::timeout;

/// A client of a legacy server.
async fn connected() -> (Client, ScriptedServer) {
    connected_with(builder(), Limits::default()).await
}

async fn connected_with(options: Builder, limits: Limits) -> (Client, ScriptedServer) {
    let (link, mut far) = ScriptedServer::pair_with(limits);
    let (client, ()) = tokio::join!(options.connect(link), far.open_legacy("2025-11-25"));
    (client.unwrap(), far)
}

/// Under paused time, what never ends fails instead of hanging.
async fn ends<T>(work: impl Future<Output = T>) -> T {
    let day = Duration::from_secs(24 * 3_600);
    timeout(day, work).await.expect("it does not end")
}

fn empty() -> RawJson {
    RawJson::empty_object()
}
