//! A server of a few lines on rmcp, over Streamable HTTP: the tests call its tools.
//!
//! `rmcp-peer PORT` listens on loopback. What its tools see is written to standard output.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ProgressNotificationParam, RequestMetaObject};
use rmcp::schemars::{self, JsonSchema};
use rmcp::serde::Deserialize;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use tokio::net::TcpListener;

const KEEP_ALIVE: Duration = Duration::from_millis(100);

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "rmcp::serde")]
struct Pair {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "rmcp::serde")]
struct Steps {
    steps: u32,
}

struct Server;

#[tool_router]
impl Server {
    #[tool(description = "Subtract the second whole number from the first")]
    async fn subtract(&self, Parameters(Pair { a, b }): Parameters<Pair>) -> String {
        a.saturating_sub(b).to_string()
    }

    #[tool(description = "Report as many steps of progress as asked for")]
    async fn count(
        &self,
        Parameters(Steps { steps }): Parameters<Steps>,
        meta: RequestMetaObject,
        client: Peer<RoleServer>,
    ) -> Result<String, ErrorData> {
        let asked = "a progress token is needed";
        let token = meta.get_progress_token();
        let token = token.ok_or_else(|| ErrorData::invalid_params(asked, None))?;
        for step in 1..=steps {
            let progress = ProgressNotificationParam::new(token.clone(), f64::from(step))
                .with_total(f64::from(steps));
            let told = client.notify_progress(progress).await;
            told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        Ok(format!("counted to {steps}"))
    }

    #[tool(description = "Wait until the call is cancelled")]
    async fn wait(&self, context: RequestContext<RoleServer>) -> String {
        println!("tool wait: begun");
        context.ct.cancelled().await;
        println!("tool wait: cancelled");
        String::new()
    }
}

#[tool_handler]
impl ServerHandler for Server {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).ok_or("usage: rmcp-peer PORT")?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.parse()?)).await?;
    let service = StreamableHttpService::new(
        || Ok(Server),
        Arc::new(LocalSessionManager::default()),
        // A client that went away is only noticed by writing to it.
        StreamableHttpServerConfig::default().with_sse_keep_alive(Some(KEEP_ALIVE)),
    );
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let connection = hyper::server::conn::http1::Builder::new();
            if let Err(error) = connection
                .serve_connection(TokioIo::new(stream), service)
                .await
            {
                eprintln!("a connection ended: {error}");
            }
        });
    }
}
