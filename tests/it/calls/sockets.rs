//! Servers behind sockets that speak lines.

use mcp_client::{Client, Error, Sent};
use mcp_tests::stage::builder;
use mcp_transport::{Limits, socket};
use mcp_types::RawJson;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, UnixListener};

/// Opens a session, answers one call in two pieces, and hangs up at the second.
async fn serve(stream: impl AsyncRead + AsyncWrite) {
    let (reading, mut writing) = tokio::io::split(stream);
    let mut lines = BufReader::new(reading).lines();
    let mut calls = 0;
    while let Some(line) = lines.next_line().await.unwrap() {
        let message: Value = serde_json::from_str(&line).unwrap();
        let result = match message["method"].as_str() {
            Some("server/discover") => {
                mcp_tests::script::discovered(&["2026-07-28"], json!({"tools": {}}))
            }
            Some("tools/call") if calls == 0 => {
                json!({"content": [{"type": "text", "text": "x".repeat(100_000)}]})
            }
            _ => return,
        };
        calls += usize::from(message["method"] == "tools/call");
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
        let (first, second) = answer.split_at(answer.len() / 2);
        writing.write_all(first.as_bytes()).await.unwrap();
        writing.flush().await.unwrap();
        writing
            .write_all(format!("{second}\n").as_bytes())
            .await
            .unwrap();
    }
}

async fn talk(client: Client) {
    let arguments = RawJson::empty_object();
    let reply = client.call_tool("t", &arguments).await.unwrap();
    let text = reply
        .value
        .content
        .first()
        .and_then(|block| block.as_text());
    assert_eq!(text.map(str::len), Some(100_000));
    let error = client.call_tool("t", &arguments).await.unwrap_err();
    assert!(matches!(error, Error::Closed(_)), "{error:?}");
    assert_eq!(error.sent(), Sent::Maybe);
    client.close().await;
}

#[tokio::test]
async fn a_server_behind_a_tcp_socket_is_spoken_with_in_lines() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = async {
        let link = socket::tcp(address, Limits::default()).await.unwrap();
        talk(builder().connect(link).await.unwrap()).await;
    };
    tokio::join!(client, async {
        serve(listener.accept().await.unwrap().0).await
    });
}

#[tokio::test]
async fn a_server_behind_a_unix_socket_is_spoken_with_in_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let client = async {
        let link = socket::unix(&path, Limits::default()).await.unwrap();
        talk(builder().connect(link).await.unwrap()).await;
    };
    tokio::join!(client, async {
        serve(listener.accept().await.unwrap().0).await
    });
}

#[tokio::test]
async fn where_nobody_listens_there_is_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = socket::unix(folder.path().join("none"), Limits::default()).await;
    assert_eq!(nowhere.unwrap_err().kind(), std::io::ErrorKind::NotFound);
}
