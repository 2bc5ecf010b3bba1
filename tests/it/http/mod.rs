//! Servers over HTTP that misbehave, played by rules in memory.

mod cases;
mod legacy;
mod refusals;
mod streams;
mod torture;
mod wire;

use mcp_client::{Client, Error};
use mcp_tests::http::{ScriptedHttp, Stream};
use mcp_types::RawJson;

/// Calls the tool `t`, and gives its result as it came.
async fn call(client: &Client) -> Result<String, Error> {
    let arguments = RawJson::parse("{}").unwrap();
    let reply = client.call_tool("t", &arguments).await?;
    Ok(String::from_utf8_lossy(&reply.raw.as_bytes()).into_owned())
}

/// What became of the streams of requests of a kind.
fn streams(server: &ScriptedHttp, kind: &str) -> Vec<Stream> {
    let heard = server.heard();
    let heard = heard.iter().filter(|heard| heard.is(kind));
    heard.map(|heard| heard.stream).collect()
}
