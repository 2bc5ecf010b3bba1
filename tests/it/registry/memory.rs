//! Servers in memory behind a registry, played by functions of the tests.
//!
//! Under paused time whatever they wait for takes no time, and every delay is exact.

use std::cell::RefCell;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hermes_registry::config::HttpEndpoint;
use hermes_registry::{Connect, Registry, ServerConfig};
use mcp_client::{Error, HttpServer};
use mcp_tests::script::{Heard, ScriptedServer};
use mcp_transport::Link;
use mcp_transport::redact::Redactor;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The command of a server that cannot be started.
pub(crate) const MISSING: &str = "missing";

/// Where the links of a registry come from; clones are the same.
#[derive(Clone)]
pub(crate) struct Memory {
    links: mpsc::Sender<(String, ScriptedServer)>,
    begun: Instant,
    asked: Arc<Mutex<Vec<Duration>>>,
}

/// The far ends of the links, in the order in which they were asked for.
pub(crate) struct FarEnds(mpsc::Receiver<(String, ScriptedServer)>);

/// Both, for a registry that is yet to be opened.
pub(crate) fn memory() -> (Memory, FarEnds) {
    let (links, far_ends) = mpsc::channel(64);
    let (begun, asked) = (Instant::now(), Arc::default());
    let memory = Memory {
        links,
        begun,
        asked,
    };
    (memory, FarEnds(far_ends))
}

impl Memory {
    /// A registry of these servers.
    pub(crate) fn registry(&self, servers: &Value) -> Registry {
        super::builder(servers).connector(self.clone()).open()
    }

    /// When the registry asked for a link, counted from the beginning.
    pub(crate) fn asked(&self) -> Vec<Duration> {
        self.asked.lock().unwrap().clone()
    }
}

impl Connect for Memory {
    fn link(&self, server: &ServerConfig, _redactor: &Redactor) -> Result<Link, Error> {
        self.asked.lock().unwrap().push(self.begun.elapsed());
        if server.command().unwrap().program() == MISSING {
            return Err(Error::not_started("it cannot be started".to_owned()));
        }
        let (link, far_end) = ScriptedServer::pair();
        let name = server.name().as_str().to_owned();
        self.links.try_send((name, far_end)).unwrap();
        Ok(link)
    }

    fn http(&self, _server: &ServerConfig, _at: &HttpEndpoint) -> Result<HttpServer, Error> {
        Err(Error::not_started("there is no network".to_owned()))
    }
}

impl FarEnds {
    /// Plays the servers for as long as the test takes.
    pub(crate) async fn play_during<T, F: Future<Output = ()>>(
        self,
        test: impl Future<Output = T>,
        play: impl Fn(String, ScriptedServer) -> F,
    ) -> T {
        tokio::select! {
            never = self.play(play) => match never {},
            done = test => done,
        }
    }

    async fn play<F: Future<Output = ()>>(
        mut self,
        play: impl Fn(String, ScriptedServer) -> F,
    ) -> Infallible {
        let mut playing = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some((name, server)) = self.0.recv() => playing.push(play(name, server)),
                Some(()) = playing.next() => {}
                else => std::future::pending().await,
            }
        }
    }
}

/// Opens a legacy session with a server that has tools and nothing else, and lists these.
pub(crate) async fn open(server: &mut ScriptedServer, tools: &[&str]) {
    let capabilities = json!({"tools": {}});
    server.open_legacy_with("2025-11-25", capabilities).await;
    let list = server.expect("tools/list").await;
    let tools: Value = serde_json::from_str(&super::tools(tools)).unwrap();
    server.answer(&list, tools).await;
}

/// Answers every call with this text, and notes it, until the client hangs up.
pub(crate) async fn answer_calls(
    mut server: ScriptedServer,
    text: &str,
    calls: &RefCell<Vec<Heard>>,
) {
    let answer = json!({"content": [{"type": "text", "text": text}]});
    while let Some(heard) = server.heard_or_end().await {
        if heard.method() == "tools/call" {
            server.answer(&heard, answer.clone()).await;
            calls.borrow_mut().push(heard);
        }
    }
}
