//! HTTP: values of headers, and replies of every kind, whole or broken.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::stream::unfold;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::StreamBody;
use mcp_client::{Client, Error, HttpServer};
use mcp_transport::http::{Backend, Body, Failure, FailureKind, Target, header_value};
use mcp_types::RawJson;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::Choices;
use crate::script::{discovered, initialized};
use crate::stage::builder;

/// Any text can be the value of a header, printable and without a line break, and can be read
/// back; what a configuration writes is taken whole or refused.
pub fn header_values(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let value = header_value(&text);
    let written = value.to_str().expect("it is visible ASCII or space");
    assert_eq!(written.trim_matches([' ', '\t']), written);
    let encoded = written
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        Some(encoded) => {
            let bytes = STANDARD.decode(encoded).expect("it is base64");
            assert_eq!(bytes, text.as_bytes());
        }
        None => assert_eq!(written, text),
    }
    let (name, value) = text.split_at(text.floor_char_boundary(text.len() / 3));
    if let Ok(target) = Target::new("http://localhost").and_then(|at| at.with_header(name, value)) {
        let is_sound = !value.contains(['\r', '\n', '\0']);
        assert!(is_sound && name.parse::<HeaderName>().is_ok(), "{target:?}");
    }
    if let Ok(target) = Target::new(&text) {
        let scheme = target.url().scheme_str();
        assert!(matches!(scheme, Some("http" | "https")), "{target:?}");
        // A path may hold what separates a login elsewhere.
        let authority = target.url().authority().expect("it names a host");
        assert!(!authority.as_str().contains('@'), "{target:?}");
    }
}

const CONNECT: Duration = Duration::from_secs(60);
const IDLE: Duration = Duration::from_secs(20);
const HARD: Duration = Duration::from_secs(50);
/// What an end may be late by; closing may take two seconds of its own.
const LATE: Duration = Duration::from_secs(5);

/// Plays an HTTP server made of the bytes, under paused time: connecting, each call and closing
/// end within their deadlines, whatever heads, bodies and breaks come.
pub fn http_head(data: &[u8]) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime can be built");
    runtime.block_on(async {
        let server = Arc::new(Made(Mutex::new(data.to_vec())));
        let target = Target::new("http://localhost/mcp").expect("it is a URL");
        let connecting = builder()
            .connect_timeout(CONNECT)
            .connect_http(HttpServer::new(server, target));
        let connected = timeout(CONNECT + LATE, connecting).await;
        if let Ok(client) = connected.expect("connecting does not end") {
            calls(&client).await;
        }
    });
}

async fn calls(client: &Client) {
    let empty = RawJson::empty_object();
    let call = || {
        let call = client.call_tool("t", &empty);
        call.timeout(IDLE).timeout_max(HARD)
    };
    // Twice the time: a call whose session was lost is made again.
    let within = |call| timeout(HARD * 2 + LATE, call);
    let list = client.list_tools_page(None).timeout(IDLE).timeout_max(HARD);
    let (first, second, list) = tokio::join!(
        within(call()),
        within(call().on_progress(|_progress| ())),
        timeout(HARD * 2 + LATE, list),
    );
    drop(timeout(Duration::from_millis(1), call()).await);
    let results = [
        first.expect("a call does not end").map(drop),
        second.expect("a call with progress does not end").map(drop),
        list.expect("a list does not end").map(drop),
    ];
    for error in results.into_iter().filter_map(Result::err) {
        assert!(!error.to_string().is_empty());
        let is_misuse = matches!(&error, Error::Misused(_));
        assert!(!is_misuse || error.to_string().contains("needs"), "{error}");
    }
    let closed = timeout(LATE, client.close()).await;
    assert!(closed.is_ok(), "closing does not end");
}

/// A server that answers as its bytes say.
#[derive(Debug)]
struct Made(Mutex<Vec<u8>>);

#[async_trait]
impl Backend for Made {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, Failure> {
        let taken = self.take();
        reply(&request, &mut Choices(&taken)).await
    }
}

impl Made {
    /// Each request takes some bytes from the front, so that they decide about it alone.
    fn take(&self) -> Vec<u8> {
        let mut data = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let len = data.len().min(24);
        let rest = data.split_off(len);
        std::mem::replace(&mut *data, rest)
    }
}

async fn reply(
    request: &Request<Bytes>,
    choices: &mut Choices<'_>,
) -> Result<Response<Body>, Failure> {
    let message: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    match choices.below(12) {
        0 => return Err(Failure::unsent(FailureKind::Refused, "nothing listens")),
        1 => return Err(Failure::maybe_sent(FailureKind::Broken, "it broke")),
        2 => sleep(Duration::from_secs(choices.byte().into())).await, // sleep: under paused time
        3 => std::future::pending().await,
        _ => {}
    }
    let status = match choices.below(16) {
        0..=8 => 200,
        9 => 202,
        10 => 404,
        11 => 307,
        12 => 400,
        13 => 503,
        14 => 204,
        _ => 100 + u16::from(choices.byte()) * 3,
    };
    let is_stream = request.method() == Method::GET || choices.below(2) == 0;
    let mut response = Response::new(body(&message, is_stream, choices));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    let media = match choices.below(8) {
        0 => "text/html",
        1 => "Application/JSON; charset=utf-8",
        _ if is_stream => "text/event-stream",
        _ => "application/json",
    };
    headers.insert("content-type", HeaderValue::from_static(media));
    if choices.below(3) == 0 {
        for name in ["mcp-session-id", "location", "content-type"] {
            if let Ok(value) = HeaderValue::from_bytes(choices.bytes()) {
                headers.insert(name, value);
            }
        }
    }
    Ok(response)
}

/// What a server says to a message, cut, repeated, garbled or broken off as the bytes say.
fn body(message: &Value, is_stream: bool, choices: &mut Choices<'_>) -> Body {
    let id = &message["id"];
    let result = match message["method"].as_str() {
        Some("server/discover") if choices.below(3) > 0 => {
            discovered(&["2026-07-28"], json!({"tools": {"listChanged": true}}))
        }
        Some("initialize") => initialized(
            "2025-11-25",
            json!({"tools": {"listChanged": true}, "logging": {}}),
        ),
        _ => json!({"content": [], "tools": []}),
    };
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    let text = match choices.below(10) {
        0 => choices.text(),
        1 => json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32020, "message": "m"}})
            .to_string(),
        2 => json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string(),
        _ => answer,
    };
    let mut pieces = VecDeque::new();
    for _ in 0..=choices.below(3) {
        if is_stream {
            let id = match choices.below(3) {
                0 => format!("id: {}\n", choices.byte()),
                1 => format!("retry: {}\n", u32::from(choices.byte()) * 1_000),
                _ => String::new(),
            };
            let event =
                ["", "event: message\n", "event: endpoint\n"][usize::from(choices.below(16) / 7)];
            let data = if choices.below(5) == 0 {
                ""
            } else {
                text.as_str()
            };
            pieces.push_back(format!("{id}{event}data: {data}\n\n").into_bytes());
        } else {
            pieces.push_back(text.into_bytes());
            break;
        }
    }
    if let Some(last) = pieces.back_mut()
        && choices.below(6) == 0
    {
        last.truncate(usize::from(choices.byte()));
    }
    let end = choices.below(6);
    let frames = unfold(
        (pieces, end, false),
        |(mut pieces, end, is_over)| async move {
            match (pieces.pop_front(), end) {
                _ if is_over => None,
                (Some(piece), _) => {
                    Some((Ok(Frame::data(Bytes::from(piece))), (pieces, end, false)))
                }
                (None, 0) => {
                    let reset = Failure::maybe_sent(FailureKind::Broken, "reset");
                    Some((Err(reset), (pieces, end, true)))
                }
                (None, 1) => std::future::pending().await,
                (None, _) => None,
            }
        },
    );
    Body::new(StreamBody::new(frames))
}
