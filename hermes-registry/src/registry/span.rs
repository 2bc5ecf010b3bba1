//! The span of one call, with the names that OpenTelemetry has for it: those of its semantic
//! conventions for MCP, and `otel.…`, by which a layer that exports spans takes their names.
//!
//! It holds neither arguments nor results, nor the id of a session over HTTP, which works like a
//! credential. If nobody listens, nothing of it is put together.

use std::future::poll_fn;
use std::pin::Pin;

use mcp_client::{Call, Client, Error};
use mcp_types::method;
use tracing::{Span, field};
use url::Url;

use super::called::Called;
use super::slot::Server;
use crate::RegistryError;
use crate::config::ServerConfig;
use crate::usage::shown;

/// What `error.type` says of a tool that reported an error of its own.
const TOOL_ERROR: &str = "tool_error";

/// The span of a call that is about to be made, of a tool by the name that its server uses.
pub(super) fn span_of(server: &Server, tool: &str) -> Span {
    let Server {
        config, redactor, ..
    } = server;
    let span = tracing::info_span!(
        "tools/call",
        otel.name = format!("{} {}", method::TOOLS_CALL, shown(tool, redactor)),
        otel.kind = "client",
        otel.status_code = field::Empty,
        mcp.method.name = method::TOOLS_CALL,
        mcp.protocol.version = field::Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = shown(tool, redactor),
        jsonrpc.request.id = field::Empty,
        rpc.response.status_code = field::Empty,
        error.type = field::Empty,
        network.transport = if config.http().is_some() { "tcp" } else { "pipe" },
        network.protocol.name = config.http().map(|_http| "http"),
        server.address = field::Empty,
        server.port = field::Empty,
        hermes.server = config.name().as_str(),
    );
    if !span.is_disabled() {
        record_address(&span, config);
    }
    span
}

fn record_address(span: &Span, config: &ServerConfig) {
    let url = config.http().and_then(|http| Url::parse(http.url()).ok());
    if let Some(url) = url {
        span.record("server.address", url.host_str());
        span.record("server.port", url.port_or_known_default());
    }
}

/// The connection that a call goes over is known.
pub(super) fn record_client(span: &Span, client: &Client) {
    if !span.is_disabled() {
        span.record("mcp.protocol.version", client.session().version.as_str());
    }
}

/// Waits for the answer to a call, and records the id of its first request.
pub(super) async fn answer<T>(span: &Span, mut call: Call<T>) -> Result<T, Error> {
    if span.is_disabled() {
        return call.await;
    }
    let mut is_recorded = false;
    poll_fn(|context| {
        let polled = Pin::new(&mut call).poll(context);
        if let (false, Some(id)) = (is_recorded, call.request_id()) {
            span.record("jsonrpc.request.id", id.to_string());
            is_recorded = true;
        }
        polled
    })
    .await
}

/// A call has ended.
pub(super) fn record_end(span: &Span, ended: &Result<Called, RegistryError>) {
    if span.is_disabled() {
        return;
    }
    let error = match ended {
        Ok(called) if called.result.failed() => TOOL_ERROR.to_owned(),
        Ok(_called) => return,
        Err(error) => match answered_code(error) {
            Some(code) => {
                span.record("rpc.response.status_code", &*code);
                code
            }
            None => error.code().to_owned(),
        },
    };
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
}

/// The code of the error with which the server answered, if it did.
fn answered_code(error: &RegistryError) -> Option<String> {
    let RegistryError::CallFailed { cause, .. } = error else {
        return None;
    };
    match cause.downcast_ref::<Error>()? {
        Error::Answered(error) => Some(error.code?.to_string()),
        _ => None,
    }
}
