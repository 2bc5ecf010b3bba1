//! Odd servers on stdio: each oddity ends in a useful result or in an error that names its cause,
//! within its deadline, and closing is bounded.

mod death;
mod frames;
mod volume;

use std::future::Future;
use std::time::Duration;

use mcp_client::error::PeerFault;
use mcp_client::{Call, Client, Error, Reply};
use mcp_jsonrpc::Malformed;
use mcp_tests::stage::{PATIENCE, Stage, until};
use mcp_types::{CallToolResult, ContentBlock, RawJson};
use tokio::time::timeout;

const SERVER: &str = env!("CARGO_BIN_EXE_fake-server");

/// A server that opens a session and then plays these steps.
fn stage(steps: &[&str]) -> Stage {
    Stage::new(
        SERVER,
        &format!("{{\"handshake\":true}}\n{}\n", steps.join("\n")),
    )
}

/// The same, with a tool call waited for first; its id is in C.
async fn server_that_answers(steps: &[&str]) -> (Stage, Client) {
    let mut all = vec![r#"{"wait":"tools/call","id":"C"}"#];
    all.extend_from_slice(steps);
    let stage = stage(&all);
    let client = stage.connect().await.unwrap();
    (stage, client)
}

/// A call with a deadline that no odd answer may have to wait for.
fn call(client: &Client) -> Call<Reply<CallToolResult>> {
    client
        .call_tool("a", &RawJson::empty_object())
        .timeout(2 * PATIENCE)
}

async fn within<T>(patience: Duration, work: impl Future<Output = T>) -> T {
    timeout(patience, work).await.expect("it does not end")
}

async fn result(client: &Client) -> Reply<CallToolResult> {
    within(PATIENCE, call(client)).await.unwrap()
}

async fn error(client: &Client) -> Error {
    within(PATIENCE, call(client)).await.unwrap_err()
}

/// Closes within the graces of a shutdown, after which nothing may be left.
async fn close(stage: &Stage, client: &Client) {
    within(Duration::from_secs(10), client.close()).await;
    until("nothing is left", || stage.processes().is_empty()).await;
    assert_eq!(stage.record().failures(), Vec::<&str>::new());
}

fn text(reply: &Reply<CallToolResult>) -> String {
    let texts = reply.value.content.iter().filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("\n")
}

fn frame_fault(error: &Error) -> &Malformed {
    match error {
        Error::PeerMisbehaved(misbehaved) => match &misbehaved.fault {
            PeerFault::Frame(malformed) => malformed,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}
