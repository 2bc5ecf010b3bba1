//! Our client over HTTP, with everything on and every setting as it comes, but for the idle
//! connections that are kept where that is said.

use std::sync::Arc;

use mcp_client::{Client, HttpServer};
use mcp_transport::http::{HttpOptions, HyperBackend, Target};
use mcp_types::{Implementation, RawJson};
use tokio::runtime::Runtime;

use super::{Caller, Server};
use crate::clients::ours::{call, progress};

pub struct Ours {
    client: Client,
    tool: String,
    arguments: RawJson,
}

/// The backend as it comes, or one that keeps as many connections as there are callers.
pub fn backend(idle_max: Option<usize>) -> Result<Arc<HyperBackend>, String> {
    let mut options = HttpOptions::new();
    if let Some(count) = idle_max {
        options = options.idle_max(count);
    }
    HyperBackend::new(options)
        .map(Arc::new)
        .map_err(|error| error.to_string())
}

async fn connect(backend: &Arc<HyperBackend>, url: &str) -> Result<Client, String> {
    let target = Target::new(url).map_err(|error| error.to_string())?;
    Client::builder(Implementation::new("bench", "1"))
        .connect_http(HttpServer::new(Arc::<HyperBackend>::clone(backend), target))
        .await
        .map_err(|error| error.to_string())
}

pub async fn callers(
    url: &str,
    tool: &str,
    count: usize,
    is_keeping_all: bool,
) -> Result<Vec<Ours>, String> {
    let backend = backend(is_keeping_all.then_some(count))?;
    let client = connect(&backend, url).await?;
    let caller = || Ours {
        client: client.clone(),
        tool: tool.to_owned(),
        arguments: RawJson::empty_object(),
    };
    Ok(std::iter::repeat_with(caller).take(count).collect())
}

/// A client for each server, all over one backend.
pub async fn many(backend: &Arc<HyperBackend>, urls: &[String]) -> Result<Vec<Client>, String> {
    let mut clients = Vec::new();
    for url in urls {
        clients.push(connect(backend, url).await?);
    }
    Ok(clients)
}

impl Caller for Ours {
    async fn call(&mut self) -> Result<u64, String> {
        if self.tool == "progress" {
            return progress(&self.client, &self.arguments).await;
        }
        let made = call(&self.client, &self.tool, &self.arguments, false).await;
        made.map_err(|error| error.to_string())?;
        Ok(1)
    }
}

/// Counts the allocations of calls made one at a time, on the only thread there is.
pub fn allocations(runtime: &Runtime, path: &str, tool: &str, calls: u64) -> Result<(), String> {
    let server = Server::start(1)?;
    let mut callers = runtime.block_on(callers(&server.url(0, path), tool, 1, false))?;
    let mut many = |calls| {
        runtime.block_on(async {
            for _ in 0..calls {
                for caller in &mut callers {
                    caller.call().await?;
                }
            }
            Ok::<(), String>(())
        })
    };
    many(100)?;
    let mut done = Ok(());
    let counted = allocation_counter::measure(|| done = many(calls));
    done?;
    println!(
        "{{\"allocations\":{:.3}}}",
        counted.count_total as f64 / calls as f64
    );
    Ok(())
}
