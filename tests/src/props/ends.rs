//! Whatever a server sends, all calls end.

use std::time::Duration;

use bytes::Bytes;
use mcp_client::{Client, Error};
use mcp_transport::link::{
    ExchangeFailure, ExchangeFailureKind, ExchangeId, FarEnd, Inbound, Origin,
};
use mcp_types::RawJson;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::Choices;
use crate::fault::{Fault, Faulty};
use crate::script::{discovered, frame_of, heard, initialized};
use crate::stage::builder;

const CONNECT: Duration = Duration::from_secs(60);
const IDLE: Duration = Duration::from_secs(20);
const HARD: Duration = Duration::from_secs(50);
/// What an end may be late by.
const LATE: Duration = Duration::from_secs(2);

/// Plays a server made of the bytes, under paused time: connecting, each call and closing end
/// within their deadlines.
pub fn all_calls_end(data: &[u8]) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime can be built");
    runtime.block_on(async {
        let (link, far) = mcp_transport::pair(mcp_transport::Limits::default());
        let options = builder().connect_timeout(CONNECT);
        let client = async {
            let connected = timeout(CONNECT + LATE, options.connect(link)).await;
            if let Ok(client) = connected.expect("connecting does not end") {
                calls(&client).await;
            }
        };
        tokio::select! {
            biased;
            () = client => {}
            () = serve(far, Choices(data)) => {}
        }
    });
}

async fn calls(client: &Client) {
    let empty = RawJson::empty_object();
    let call = || {
        client
            .call_tool("t", &empty)
            .timeout(IDLE)
            .timeout_max(HARD)
    };
    let within = |call| timeout(HARD + LATE, call);
    let (first, second, raw, list) = tokio::join!(
        within(call()),
        within(call().on_progress(|_progress| ())),
        timeout(
            HARD + LATE,
            client
                .call_raw("any/thing", None)
                .timeout(IDLE)
                .timeout_max(HARD)
        ),
        timeout(
            HARD + LATE,
            client.list_tools_page(None).timeout(IDLE).timeout_max(HARD)
        ),
    );
    // Dropped at once: nothing may come of it.
    drop(timeout(Duration::ZERO, call()).await);
    let results = [
        first.expect("a call does not end").map(drop),
        second.expect("a call with progress does not end").map(drop),
        raw.expect("a raw call does not end").map(drop),
        list.expect("a list does not end").map(drop),
    ];
    for error in results.into_iter().filter_map(Result::err) {
        assert!(!error.to_string().is_empty());
        // An error of a call that was made is no misuse of ours, unless it is not offered.
        let is_offered =
            !matches!(&error, Error::Misused(misuse) if !misuse.to_string().contains("needs"));
        assert!(is_offered, "{error}");
    }
    let closed = timeout(LATE, client.close()).await;
    assert!(closed.is_ok(), "closing does not end");
}

/// Answers what comes, as the bytes say; never returns.
async fn serve(far: FarEnd, mut choices: Choices<'_>) {
    let FarEnd {
        mut outbound,
        inbound,
        ..
    } = far;
    let mut way = Faulty::new(inbound, []);
    // The first byte decides whether opening a session goes well.
    let opens_well = choices.below(4) != 0;
    let is_modern = choices.below(2) == 0;
    let mut ids = Vec::new();
    while let Some(sent) = outbound.recv().await {
        let Some(message) = heard(*sent) else {
            continue;
        };
        let method = message.method().to_owned();
        let is_opening = ["server/discover", "initialize"].contains(&method.as_str());
        let id = message.id();
        if !id.is_null() && !message.method().is_empty() {
            ids.push(id.clone());
        }
        if is_opening && opens_well {
            let frame = opening(&method, &id, is_modern);
            way.send(Origin::Shared, frame).await;
            continue;
        }
        if choices.is_empty() {
            // A server that has nothing more to say is silent.
            continue;
        }
        for _ in 0..=choices.below(4) {
            let fault = Fault::of(choices.byte(), choices.byte());
            way.push(fault);
            say(&mut way, &ids, &id, &mut choices).await;
        }
    }
    std::future::pending::<()>().await;
}

fn opening(method: &str, id: &Value, is_modern: bool) -> Bytes {
    let offered = json!({"tools": {}});
    let answer = match (method, is_modern) {
        ("server/discover", true) => {
            json!({"jsonrpc": "2.0", "id": id, "result": discovered(&["2026-07-28"], offered)})
        }
        ("initialize", _) => {
            json!({"jsonrpc": "2.0", "id": id, "result": initialized("2025-11-25", offered)})
        }
        _ => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}),
    };
    Bytes::from(answer.to_string())
}

async fn say(way: &mut Faulty, ids: &[Value], last: &Value, choices: &mut Choices<'_>) {
    let which = usize::from(choices.byte());
    let id = ids.get(which % ids.len().max(1)).unwrap_or(last).clone();
    let number = id.as_u64().unwrap_or_default();
    let exchange = ExchangeId(number);
    let mut origin = Origin::Shared;
    match choices.below(8) {
        0 => origin = Origin::Reply(exchange),
        1 => origin = Origin::Stream(exchange),
        _ => {}
    }
    let result = json!({"content": [{"type": "text", "text": "x"}], "tools": []});
    let message = match choices.below(18) {
        0..=3 => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        4 => json!({"id": id.to_string(), "result": result}),
        5 => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": "no"}}),
        6 => json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700}}),
        7 => json!([{"jsonrpc": "2.0", "id": id, "result": result}, 1, {}]),
        8 => json!({"jsonrpc": "2.0", "id": id, "method": "ping"}),
        9 => json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {}}),
        10 => json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": id, "progress": 1}}),
        11 => json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
        12 => json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id}}),
        13 => json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "odd"}}),
        14 => return way.hand_on(Inbound::ExchangeEnded { exchange }).await,
        15 => {
            let failure = ExchangeFailure::new(ExchangeFailureKind::Broken, "it broke", true);
            return way
                .hand_on(Inbound::ExchangeFailed { exchange, failure })
                .await;
        }
        16 => {
            sleep(Duration::from_secs(choices.byte().into())).await; // sleep: under paused time
            return;
        }
        _ => return way.hand_on(frame_of(origin, choices.text().into())).await,
    };
    way.send(origin, Bytes::from(message.to_string())).await;
}
