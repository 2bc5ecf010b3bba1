//! What stands in the headers and comes on the streams of Streamable HTTP, as far as a client of
//! the library decides it.

use mcp_client::{Client, HttpServer, Notice};
use mcp_tests::http::ScriptedHttp;
use mcp_tests::stage::builder;
use mcp_types::{LoggingLevel, RawJson};

const LEGACY: &str = r#"{"handshake":"s1","capabilities":{"tools":{}}}"#;
const MODERN: &str = r#"{"on":"POST server/discover","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;

async fn connect(rules: &[&str]) -> (ScriptedHttp, Client) {
    let server = ScriptedHttp::of(&rules.join("\n"));
    let address = HttpServer::new(server.backend(), server.target("/mcp"));
    let client = builder().connect_http(address).await.unwrap();
    (server, client)
}

fn json(text: &str) -> RawJson {
    RawJson::parse(text.to_owned()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_headers_of_a_raw_call_are_those_of_a_typed_one() {
    let tools = r#"{"on":"POST tools/list","result":{"tools":[{"name":"é","inputSchema":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}]}}"#;
    let anything = r#"{"on":"POST tools/call","result":{"content":[]}}"#;
    let resource = r#"{"on":"POST resources/read","result":{"contents":[]}}"#;
    let (server, client) = connect(&[MODERN, tools, anything, resource]).await;
    client.list_tools().await.unwrap();
    client.call_tool("é", &json(r#"{"n":4}"#)).await.unwrap();
    let raw = json(r#"{"name":"\u00e9","arguments":{"n":4}}"#);
    client.call_raw("tools/call", Some(&raw)).await.unwrap();
    let raw = json(r#"{"uri":"a:1"}"#);
    client.call_raw("resources/read", Some(&raw)).await.unwrap();
    client.close().await;
    let heard = server.heard();
    let calls: Vec<_> = heard
        .iter()
        .filter(|heard| heard.is("tools/call"))
        .collect();
    let [typed, raw] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    for header in [
        "mcp-name",
        "mcp-param-n",
        "mcp-method",
        "mcp-protocol-version",
    ] {
        assert!(typed.header(header).is_some(), "{header}");
        assert_eq!(typed.header(header), raw.header(header), "{header}");
    }
    let read = heard
        .iter()
        .find(|heard| heard.is("resources/read"))
        .unwrap();
    assert_eq!(read.header("mcp-name"), Some("a:1"));
}

#[tokio::test(start_paused = true)]
async fn what_comes_on_the_reply_stream_of_a_call_is_told_in_its_order_in_either_era() {
    let reply = concat!(
        r#"{"on":"POST tools/call","chunks":["#,
        r#""data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n","#,
        r#""data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":{{id}},\"progress\":2}}\n\n","#,
        r#""data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":3}}\n\n","#,
        r#""data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[]}}\n\n"]}"#
    );
    for opening in [LEGACY, MODERN] {
        let (_server, client) = connect(&[reply, opening]).await;
        let arguments = json("{}");
        let call = client
            .call_tool("t", &arguments)
            .log_level(LoggingLevel::Info);
        let (call, mut notices) = call.notices(8);
        call.await.unwrap();
        let mut told = Vec::new();
        while let Some(notice) = notices.next().await {
            told.push(match notice {
                Notice::Log(message) => format!("log {}", message.data.unwrap().as_str()),
                Notice::Progress(progress) => format!("progress {}", progress.progress),
                other => format!("{other:?}"),
            });
        }
        assert_eq!(told, ["log 1", "progress 2", "log 3"], "{opening}");
        client.close().await;
    }
}
