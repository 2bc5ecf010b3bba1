//! rmcp over HTTP, as it comes, and with a client that keeps its connections.

use rmcp::model::CallToolRequestParams;
use rmcp::service::{Peer, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ServiceExt as _, service::ServiceError};

use super::Caller;

type Session = RunningService<RoleClient, ()>;

/// More than any row has in flight.
const REQUESTS_MAX: usize = 4096;

pub struct Rmcp {
    peer: Peer<RoleClient>,
    tool: String,
}

async fn connect(url: &str, client: Option<&reqwest::Client>) -> Result<Session, String> {
    let transport = match client {
        None => StreamableHttpClientTransport::from_uri(url),
        Some(client) => StreamableHttpClientTransport::with_client(
            client.clone(),
            StreamableHttpClientTransportConfig::with_uri(url)
                .max_concurrent_requests(REQUESTS_MAX),
        ),
    };
    ().serve(transport).await.map_err(|error| error.to_string())
}

pub async fn callers(
    url: &str,
    tool: &str,
    count: usize,
    is_pooled: bool,
) -> Result<(Session, Vec<Rmcp>), String> {
    let pooled = is_pooled.then(reqwest::Client::new);
    let session = connect(url, pooled.as_ref()).await?;
    let caller = || Rmcp {
        peer: session.peer().clone(),
        tool: tool.to_owned(),
    };
    let callers = std::iter::repeat_with(caller).take(count).collect();
    Ok((session, callers))
}

/// A client for each server, all over one pool if there is one.
pub async fn many(
    urls: &[String],
    pooled: Option<&reqwest::Client>,
) -> Result<Vec<Session>, String> {
    let mut sessions = Vec::new();
    for url in urls {
        sessions.push(connect(url, pooled).await?);
    }
    Ok(sessions)
}

impl Caller for Rmcp {
    async fn call(&mut self) -> Result<u64, String> {
        let params =
            CallToolRequestParams::new(self.tool.clone()).with_arguments(serde_json::Map::new());
        let reply = self.peer.call_tool(params).await;
        let reply = reply.map_err(|error: ServiceError| error.to_string())?;
        std::hint::black_box(reply.content.len());
        Ok(if self.tool == "progress" { 100_000 } else { 1 })
    }
}
