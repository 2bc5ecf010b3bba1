//! Servers behind a URL of which something else speaks for them: what a call of one comes to.

use hermes_registry::config::HttpEndpoint;
use hermes_registry::life::State;
use hermes_registry::{Connect, Registry, ServerConfig};
use mcp_client::{Error, HttpServer};
use mcp_tests::http::ScriptedHttp;
use mcp_transport::Link;
use mcp_transport::redact::Redactor;
use serde_json::{Value, json};

use super::builder;

/// Every URL leads to this server.
struct Leads(ScriptedHttp);

impl Connect for Leads {
    fn link(&self, _server: &ServerConfig, _redactor: &Redactor) -> Result<Link, Error> {
        Err(Error::not_started("there are no processes".to_owned()))
    }

    fn http(&self, _server: &ServerConfig, _at: &HttpEndpoint) -> Result<HttpServer, Error> {
        Ok(HttpServer::new(self.0.backend(), self.0.target("/mcp")))
    }
}

fn registry(server: &ScriptedHttp) -> Registry {
    let settings = json!({"url": "http://server.test/mcp", "transport": "http"});
    let servers = json!({ "s": settings });
    builder(&servers).connector(Leads(server.clone())).open()
}

async fn dispatched(registry: &Registry) -> Value {
    serde_json::from_str(&registry.dispatch("s/a", "{}").await).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_answers_in_place_of_the_server_says_that_it_is_not_there() {
    for (status, code, uncertain) in [
        (500, "call_failed", true),
        (502, "server_unavailable", true),
        (503, "server_unavailable", true),
        (504, "server_unavailable", true),
    ] {
        let refusal = format!(r#"{{"on":"POST tools/call","status":{status},"body":"not here"}}"#);
        let tools = super::tools(&["a"]);
        let server = ScriptedHttp::of(&format!(
            "{{\"handshake\":\"s1\",\"capabilities\":{{\"tools\":{{}}}}}}\n\
             {{\"on\":\"POST tools/list\",\"result\":{tools}}}\n\
             {{\"on\":\"POST ping\",\"result\":{{}}}}\n{refusal}\n"
        ));
        let registry = registry(&server);
        registry.discover().await;
        let shown = dispatched(&registry).await;
        let error = &shown["error"];
        assert_eq!(error["code"], code, "{status}: {shown}");
        assert_eq!(error["outcome_uncertain"], uncertain, "{status}: {shown}");
        assert!(
            error["message"].as_str().unwrap().contains("not here"),
            "{shown}"
        );
        assert_eq!(server.count("tools/call"), 1, "it is not made again");
        registry.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_wants_a_login_during_a_call_is_connected_once_more_and_then_given_up() {
    let probed = r#"{"on":"POST server/discover","status":400,"body":"no","times":1}"#;
    let refused = r#"{"on":"POST *","status":401}"#;
    let tools = super::tools(&["a"]);
    let server = ScriptedHttp::of(&format!(
        "{{\"handshake\":\"s1\",\"capabilities\":{{\"tools\":{{}}}},\"times\":1}}\n\
         {{\"on\":\"POST tools/list\",\"result\":{tools},\"times\":1}}\n\
         {probed}\n{refused}\n"
    ));
    let registry = registry(&server);
    registry.discover().await;
    let mut seen = registry.catalog();
    assert_eq!(seen.tools().len(), 1);
    let shown = dispatched(&registry).await;
    assert!(
        shown["error"]["message"].as_str().unwrap().contains("401"),
        "{shown}"
    );
    while registry.lives()[0].1.state != State::Parked {
        seen = registry.changed(&seen).await;
    }
    let shown = dispatched(&registry).await;
    assert_eq!(shown["error"]["code"], "parked", "{shown}");
    assert!(
        shown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("login"),
        "{shown}"
    );
    registry.close().await;
}
