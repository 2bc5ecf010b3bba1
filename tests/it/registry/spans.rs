//! The spans of calls, as whoever collects them gets them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use hermes_registry::{Config, Registry};
use mcp_client::TraceContext;
use mcp_tests::record::Message;
use mcp_types::Implementation;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use super::requests::{everything, legacy, serving};
use super::{close, configured};

/// Keeps the fields of every span of a call, by the number of the span.
#[derive(Clone, Default)]
struct Collector {
    spans: Arc<Mutex<BTreeMap<u64, Fields>>>,
    last: Arc<AtomicU64>,
    /// How many of the spans are being worked in.
    entered: Arc<AtomicU64>,
}

#[derive(Clone, Debug, Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.name() == "tools/call"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        assert_eq!(*span.metadata().level(), Level::INFO);
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let mut fields = Fields::default();
        span.record(&mut fields);
        self.spans.lock().unwrap().insert(number, fields);
        Id::from_u64(number)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.spans.lock().unwrap();
        values.record(spans.get_mut(&span.into_u64()).unwrap());
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, _event: &Event<'_>) {}

    fn enter(&self, _span: &Id) {
        self.entered.fetch_add(1, Ordering::Relaxed);
    }

    fn exit(&self, _span: &Id) {
        self.entered.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A registry whose requests tell by their trace that they were made within the span of a call.
fn open(servers: &Value, entered: Arc<AtomicU64>) -> Registry {
    let text = json!({ "mcp_servers": servers }).to_string();
    let config = Config::parse(&text, "config.yaml", &|_name| None).unwrap();
    let client = Implementation::new("mcp-tests", "1");
    let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    Registry::builder(config.config, client)
        .on_trace(move || {
            let is_within = entered.load(Ordering::Relaxed) > 0;
            is_within.then(|| TraceContext::new().with_traceparent(parent))
        })
        .open()
}

#[tokio::test]
async fn a_call_has_a_span_with_the_names_of_opentelemetry_and_without_its_content() {
    let mut results = everything();
    results["tools/list"]["tools"][0]["name"] = json!("look_hunter2hunter2");
    results["tools/call"] = json!({"content": [], "isError": true});
    let stage = serving(&results);
    let mut server = configured(&stage, legacy(json!({})));
    server["env"]["THE_TOKEN"] = json!("hunter2hunter2");
    let collector = Collector::default();
    let registry = open(&json!({ "s": server }), Arc::clone(&collector.entered));
    registry.discover().await;
    let collecting = tracing::subscriber::set_default(collector.clone());
    let name = "s/look_hunter2hunter2";
    let called = registry.call(name, r#"{"secret": 7654321}"#, None, None);
    assert!(called.await.unwrap().result.failed());
    let error = registry.call("s/unknown", "{}", None, None).await;
    assert_eq!(error.unwrap_err().code(), "unknown_tool");
    drop(collecting);

    let spans = collector.spans.lock().unwrap().clone();
    // What leads to no tool is no call.
    let [Fields(fields)] = &spans.into_values().collect::<Vec<_>>()[..] else {
        panic!("one call was made")
    };
    let mut fields = fields.clone();
    let id = fields.remove("jsonrpc.request.id").unwrap();
    assert!(id.parse::<u64>().unwrap() > 0);
    let expected = [
        ("error.type", "tool_error"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "look_[REDACTED]"),
        ("hermes.server", "s"),
        ("mcp.method.name", "tools/call"),
        ("mcp.protocol.version", "2025-11-25"),
        ("network.transport", "pipe"),
        ("otel.kind", "client"),
        ("otel.name", "tools/call look_[REDACTED]"),
        ("otel.status_code", "ERROR"),
    ];
    let fields: Vec<_> = fields.iter().map(|(name, text)| (*name, &**text)).collect();
    assert_eq!(fields, expected);
    let record = stage.record();
    let [call] = &record.of("tools/call")[..] else {
        panic!("one call was sent")
    };
    // The request was made within the span, the list was read outside of it.
    let parent = |message: &Message| message.at("params._meta.traceparent").is_some();
    assert!(parent(call), "{}", call.text);
    assert!(!parent(record.of("tools/list")[0]));
    close(&registry, &[&stage]).await;
}

#[tokio::test]
async fn an_error_with_which_a_server_answers_has_its_code_in_the_span() {
    let mut results = everything();
    // What is not served is refused, by the code for an unknown method.
    results.as_object_mut().unwrap().remove("tools/call");
    let stage = serving(&results);
    let collector = Collector::default();
    let server = configured(&stage, legacy(json!({})));
    let registry = open(&json!({ "s": server }), Arc::default());
    registry.discover().await;
    let collecting = tracing::subscriber::set_default(collector.clone());
    let error = registry.call("s/a", "{}", None, None).await.unwrap_err();
    assert_eq!(error.code(), "call_failed");
    drop(collecting);
    let spans = collector.spans.lock().unwrap().clone();
    let Fields(fields) = &spans[&1];
    assert_eq!(fields["error.type"], "-32601");
    assert_eq!(fields["rpc.response.status_code"], "-32601");
    close(&registry, &[&stage]).await;
}
