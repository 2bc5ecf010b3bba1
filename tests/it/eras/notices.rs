//! What a server tells during one call, as a stream.

use std::sync::{Arc, Mutex};

use mcp_client::{Client, Notice, Notices};
use mcp_tests::script::{Heard, ScriptedServer};
use mcp_tests::stage::builder;
use mcp_transport::link::Origin;
use mcp_types::{LoggingLevel, RawJson};
use serde_json::{Value, json};

use super::{connect_while, legacy, modern};

fn progress(request: &Heard, at: u32) -> Value {
    let token = request.params()["_meta"]["progressToken"].clone();
    json!({"jsonrpc": "2.0", "method": "notifications/progress",
        "params": {"progressToken": token, "progress": at}})
}

fn log(data: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/message",
        "params": {"level": "info", "data": data}})
}

fn stream(request: &Heard) -> Origin {
    Origin::Stream(request.exchange.unwrap())
}

fn show(notice: &Notice) -> String {
    match notice {
        Notice::Log(message) => message.data.as_ref().unwrap().as_str().to_owned(),
        Notice::Missed(count) => format!("missed {count}"),
        Notice::Progress(progress) => progress.progress.to_string(),
        other => format!("{other:?}"),
    }
}

/// All that is told, to the end of the stream.
async fn told(mut notices: Notices) -> Vec<String> {
    let mut told = Vec::new();
    while let Some(notice) = notices.next().await {
        told.push(show(&notice));
    }
    told
}

fn arguments() -> RawJson {
    RawJson::parse("{}").unwrap()
}

#[tokio::test(start_paused = true)]
async fn progress_and_logs_of_a_call_come_in_their_order_and_all_before_the_answer() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log_sink = Arc::clone(&heard);
    let options = builder().on_log(move |message| {
        log_sink.lock().unwrap().push(show(&Notice::Log(message)));
    });
    let open = async |far: &mut ScriptedServer| far.open_modern().await;
    let (client, mut far, _probe) = connect_while(options, open).await;
    let client = client.unwrap();
    let (arguments, listed) = (arguments(), client.list_tools_page(None));
    let call = client
        .call_tool("t", &arguments)
        .log_level(LoggingLevel::Info);
    let (call, mut notices) = call.notices(16);
    let serve = async {
        let request = far.expect("tools/call").await;
        let list = far.expect("tools/list").await;
        assert_eq!(
            request.params()["_meta"]["io.modelcontextprotocol/logLevel"],
            "info"
        );
        far.say_from(stream(&request), progress(&request, 1)).await;
        far.say_from(stream(&request), log("mine")).await;
        far.say_from(stream(&list), log("another call's")).await;
        far.say(log("nobody's")).await;
        far.say_from(stream(&request), progress(&request, 2)).await;
        far.answer(&request, json!({"content": []})).await;
        far.say_from(stream(&request), log("late")).await;
        far.answer(&list, json!({"tools": []})).await;
    };
    let (reply, listed, ()) = tokio::join!(call, listed, serve);
    reply.unwrap();
    listed.unwrap();
    // Nothing has to be waited for once the answer is there.
    let mut told = Vec::new();
    while let Some(notice) = notices.try_next() {
        told.push(show(&notice));
    }
    assert_eq!(told, ["1", "\"mine\"", "2"]);
    assert_eq!(notices.next().await, None);
    let all = ["\"mine\"", "\"another call's\"", "\"nobody's\"", "\"late\""];
    assert_eq!(*heard.lock().unwrap(), all);
}

#[tokio::test(start_paused = true)]
async fn a_legacy_call_hears_what_came_on_its_stream_and_is_not_asked_for_a_level() {
    let (client, mut far) = legacy().await;
    let arguments = arguments();
    let call = client
        .call_tool("t", &arguments)
        .log_level(LoggingLevel::Info);
    let (call, notices) = call.notices(16);
    let (reply, told, ()) = tokio::join!(call, told(notices), async {
        let request = far.expect("tools/call").await;
        let meta = json!({"progressToken": request.id()});
        assert_eq!(request.params()["_meta"], meta);
        far.say_from(stream(&request), log("mine")).await;
        far.say(log("on the one stream of a pipe")).await;
        far.say(progress(&request, 1)).await;
        far.answer(&request, json!({"content": []})).await;
    });
    reply.unwrap();
    assert_eq!(told, ["\"mine\"", "1"]);
}

async fn slowly(client: &Client, far: &mut ScriptedServer, pending_max: usize) -> Vec<String> {
    let arguments = arguments();
    let (call, notices) = client.call_tool("t", &arguments).notices(pending_max);
    let (reply, ()) = tokio::join!(call, async {
        let request = far.expect("tools/call").await;
        for at in 1..=4 {
            far.say(progress(&request, at)).await;
        }
        far.answer(&request, json!({"content": []})).await;
    });
    reply.unwrap();
    told(notices).await
}

#[tokio::test(start_paused = true)]
async fn whoever_does_not_keep_up_is_told_how_much_was_missed_and_holds_up_nobody() {
    let (client, mut far) = legacy().await;
    assert_eq!(slowly(&client, &mut far, 4).await, ["1", "2", "3", "4"]);
    assert_eq!(slowly(&client, &mut far, 2).await, ["1", "2", "missed 2"]);
    assert_eq!(slowly(&client, &mut far, 0).await, ["missed 4"]);
}

#[tokio::test(start_paused = true)]
async fn the_stream_goes_on_through_the_rounds_of_a_call_and_ends_with_a_call_that_is_dropped() {
    let (client, mut far) = modern().await;
    let arguments = arguments();
    let (call, notices) = client.call_tool("t", &arguments).notices(16);
    let (reply, notices_told, ()) = tokio::join!(call, told(notices), async {
        for at in 1..=2 {
            let request = far.expect("tools/call").await;
            far.say(progress(&request, at)).await;
            let result = match at {
                1 => json!({"resultType": "input_required", "requestState": "s"}),
                _ => json!({"content": []}),
            };
            far.answer(&request, result).await;
        }
    });
    reply.unwrap();
    assert_eq!(notices_told, ["1", "2"]);
    let (call, notices) = client.call_tool("t", &arguments).notices(16);
    drop(call);
    assert_eq!(told(notices).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn any_call_whose_progress_is_heard_asks_for_it() {
    let (client, mut far) = legacy().await;
    let (call, notices) = client.list_tools_page(None).notices(1);
    let (listed, told, ()) = tokio::join!(call, told(notices), async {
        let request = far.expect("tools/list").await;
        far.say(progress(&request, 1)).await;
        far.answer(&request, json!({"tools": []})).await;
    });
    listed.unwrap();
    assert_eq!(told, ["1"]);
}
