//! A server in memory, at the far end of a link, led by the test step by step.
//!
//! Under paused time a wait for something that never comes ends at once, with a panic that says
//! what was waited for.

use std::time::Duration;

use bytes::Bytes;
use mcp_transport::link::{ExchangeId, FarEnd, Inbound, Origin, Outbound};
use mcp_transport::{Labels, Limits, Link};
use serde_json::{Value, json};
use tokio::time::timeout;

/// How long a scripted server waits for the client; hours, since the time is paused.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The far end of a link.
#[derive(Debug)]
pub struct ScriptedServer {
    far: FarEnd,
}

/// A request or notification of the client.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The message.
    pub value: Value,
    /// What the transport was told about it.
    pub labels: Labels,
    /// The exchange that a request opened.
    pub exchange: Option<ExchangeId>,
}

impl Heard {
    /// The method; empty for an answer.
    pub fn method(&self) -> &str {
        self.value["method"].as_str().unwrap_or_default()
    }

    /// The id.
    pub fn id(&self) -> Value {
        self.value["id"].clone()
    }

    /// The parameters.
    pub fn params(&self) -> &Value {
        &self.value["params"]
    }
}

impl ScriptedServer {
    /// A link and the server behind it.
    pub fn pair() -> (Link, Self) {
        Self::pair_with(Limits::default())
    }

    /// The same, with limits.
    pub fn pair_with(limits: Limits) -> (Link, Self) {
        let (link, far) = mcp_transport::pair(limits);
        (link, Self { far })
    }

    /// The far end itself.
    pub fn into_far_end(self) -> FarEnd {
        self.far
    }

    /// The next thing that the client sends, of any kind but for notes to the transport that an
    /// exchange is settled, which a server never sees.
    ///
    /// # Panics
    ///
    /// If nothing comes.
    pub async fn outbound(&mut self) -> Outbound<Bytes> {
        loop {
            let received = timeout(PATIENCE, self.far.outbound.recv()).await;
            let outbound = received
                .expect("the client sends nothing more")
                .expect("the client has hung up");
            if !matches!(*outbound, Outbound::Settled { .. }) {
                return *outbound;
            }
        }
    }

    /// What the client has sent without being waited for.
    pub fn try_outbound(&mut self) -> Option<Outbound<Bytes>> {
        self.far.outbound.try_recv().ok().map(|outbound| *outbound)
    }

    /// Waits until the client hangs up, and gives what it sent before.
    pub async fn until_hung_up(&mut self) -> Vec<Outbound<Bytes>> {
        let mut rest = Vec::new();
        let all = async {
            while let Some(outbound) = self.far.outbound.recv().await {
                if !matches!(*outbound, Outbound::Settled { .. }) {
                    rest.push(*outbound);
                }
            }
        };
        timeout(PATIENCE, all)
            .await
            .expect("the client does not hang up");
        rest
    }

    /// The next message, whatever else is sent before it.
    ///
    /// # Panics
    ///
    /// If none comes, or one that is no JSON.
    pub async fn heard(&mut self) -> Heard {
        loop {
            if let Some(heard) = heard(self.outbound().await) {
                return heard;
            }
        }
    }

    /// The next message; `None` once the client has hung up.
    pub async fn heard_or_end(&mut self) -> Option<Heard> {
        loop {
            let outbound = self.far.outbound.recv().await?;
            if let Some(heard) = heard(*outbound) {
                return Some(heard);
            }
        }
    }

    /// The next message, which must have this method.
    ///
    /// # Panics
    ///
    /// If another one comes.
    pub async fn expect(&mut self, method: &str) -> Heard {
        let heard = self.heard().await;
        assert_eq!(heard.method(), method, "{}", heard.value);
        heard
    }

    /// Hands something to the client; a client that hung up does not matter.
    pub async fn inbound(&self, inbound: Inbound) {
        drop(self.far.inbound.send(Box::new(inbound)).await);
    }

    /// Sends a frame on the shared stream.
    pub async fn say(&self, frame: impl ToString) {
        self.say_from(Origin::Shared, frame).await;
    }

    /// Sends a frame on a stream.
    pub async fn say_from(&self, origin: Origin, frame: impl ToString) {
        let body = Bytes::from(frame.to_string());
        self.inbound(frame_of(origin, body)).await;
    }

    /// Answers a request.
    pub async fn answer(&self, request: &Heard, result: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": request.id(), "result": result}))
            .await;
    }

    /// Refuses a request.
    pub async fn refuse(&self, request: &Heard, error: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": request.id(), "error": error}))
            .await;
    }

    /// Opens a legacy session.
    pub async fn open_legacy(&mut self, version: &str) {
        self.open_legacy_with(
            version,
            json!({"tools": {}, "resources": {}, "prompts": {}}),
        )
        .await;
    }

    /// Opens a legacy session with capabilities, and gives what the client introduced itself with.
    pub async fn open_legacy_with(&mut self, version: &str, capabilities: Value) -> Heard {
        let probe = self.expect("server/discover").await;
        self.refuse(&probe, json!({"code": -32601, "message": "no such method"}))
            .await;
        let opening = self.expect("initialize").await;
        self.answer(&opening, initialized(version, capabilities))
            .await;
        self.expect("notifications/initialized").await;
        opening
    }

    /// Opens a modern session, and gives the question that opened it.
    pub async fn open_modern(&mut self) -> Heard {
        let probe = self.expect("server/discover").await;
        let capabilities = json!({"tools": {}, "resources": {}, "prompts": {}});
        self.answer(&probe, discovered(&["2026-07-28"], capabilities))
            .await;
        probe
    }
}

/// The message in what was sent, if it is one.
pub fn heard(outbound: Outbound<Bytes>) -> Option<Heard> {
    let (labels, exchange, body) = match outbound {
        Outbound::Send {
            exchange,
            labels,
            body,
        } => (labels, Some(exchange), body),
        Outbound::Notify { labels, body } => (labels, None, body),
        _ => return None,
    };
    let value = serde_json::from_slice(&body).expect("the client sends JSON");
    Some(Heard {
        value,
        labels: labels.map(|labels| *labels).unwrap_or_default(),
        exchange,
    })
}

/// The result of `initialize`.
pub fn initialized(version: &str, capabilities: Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": {"name": "scripted", "version": "1"},
    })
}

/// The result of `server/discover`.
pub fn discovered(versions: &[&str], capabilities: Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": capabilities,
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}},
    })
}

/// A frame, as a transport hands it on.
pub fn frame_of(origin: Origin, body: Bytes) -> Inbound {
    Inbound::Frame {
        origin,
        body,
        is_repaired: false,
    }
}
