//! The server's questions: answered by handlers, advertised by their presence, refused without.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use mcp_client::{
    Asker, Builder, Client, ElicitationHandler, Refusal, RootsHandler, SamplingHandler,
};
use mcp_tests::script::ScriptedServer;
use mcp_tests::stage::builder;
use mcp_types::sampling::SamplingContent;
use mcp_types::{
    CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ListRootsResult, Root,
};
use serde_json::{Value, json};

use super::empty;

/// Answers everything, each question in its own way.
#[derive(Default)]
struct Handler {
    /// Whether a question was begun and given up.
    dropped: Arc<AtomicBool>,
}

#[async_trait]
impl SamplingHandler for Handler {
    async fn create_message(
        &self,
        asker: Asker,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, Refusal> {
        match params.max_tokens {
            0 => Err(Refusal::Declined),
            1 => panic!("a handler that panics"),
            2 => Err(Refusal::Invalid("too few tokens".to_owned())),
            3 => {
                let _given_up = Dropped(Arc::clone(&self.dropped));
                std::future::pending().await
            }
            _ => {
                let text = format!("{} at {}", asker.server, asker.version.unwrap());
                let text = mcp_types::content::TextContent::new(text);
                let content = mcp_types::ContentBlock::Text(text);
                Ok(CreateMessageResult::new(
                    "a-model",
                    SamplingContent::from(content),
                ))
            }
        }
    }
}

struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[async_trait]
impl ElicitationHandler for Handler {
    async fn elicit(&self, _asker: Asker, _params: ElicitParams) -> Result<ElicitResult, Refusal> {
        Ok(ElicitResult::cancel())
    }
}

#[async_trait]
impl RootsHandler for Handler {
    async fn list_roots(&self, _asker: Asker) -> Result<ListRootsResult, Refusal> {
        Ok(ListRootsResult::new(vec![Root::new("file:///srv/data")]))
    }
}

async fn connect(options: Builder) -> (Client, ScriptedServer, Value) {
    let (link, mut far) = ScriptedServer::pair();
    let open = far.open_legacy_with("2025-11-25", json!({"tools": {}}));
    let (client, opening) = tokio::join!(options.connect(link), open);
    (
        client.unwrap(),
        far,
        opening.params()["capabilities"].clone(),
    )
}

fn all_handlers(handler: &Arc<Handler>) -> Builder {
    let handler = || Arc::clone(handler);
    builder()
        .server_name("files")
        .sampling(handler())
        .elicitation(handler())
        .roots(handler())
}

async fn ask(far: &mut ScriptedServer, id: Value, method: &str, params: Value) -> Value {
    far.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
        .await;
    let answer = far.heard().await.value;
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

fn sampling(max_tokens: i64) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": "hi"}});
    json!({"messages": [message], "maxTokens": max_tokens})
}

#[tokio::test(start_paused = true)]
async fn handlers_that_are_there_are_advertised_and_answer() {
    let handler = Arc::new(Handler::default());
    let (_client, mut far, capabilities) = connect(all_handlers(&handler)).await;
    for capability in ["sampling", "elicitation", "roots"] {
        assert!(
            capabilities[capability].is_object(),
            "{capability}: {capabilities}"
        );
    }
    let answer = ask(&mut far, json!(1), "sampling/createMessage", sampling(10)).await;
    assert_eq!(answer["result"]["content"]["text"], "files at 2025-11-25");
    let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
    let answer = ask(&mut far, json!("1"), "elicitation/create", form).await;
    assert_eq!(answer["result"]["action"], "cancel");
    let answer = ask(&mut far, json!(1.5), "roots/list", json!({})).await;
    assert_eq!(answer["result"]["roots"][0]["uri"], "file:///srv/data");
}

#[tokio::test(start_paused = true)]
async fn handlers_that_are_not_there_are_neither_advertised_nor_pretended() {
    let (_client, mut far, capabilities) = connect(builder()).await;
    for capability in ["sampling", "elicitation", "roots"] {
        assert!(
            capabilities[capability].is_null(),
            "{capability}: {capabilities}"
        );
    }
    for method in [
        "sampling/createMessage",
        "elicitation/create",
        "roots/list",
        "any/thing",
    ] {
        let answer = ask(&mut far, json!("q"), method, json!({})).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    let answer = ask(&mut far, json!("p"), "ping", json!({})).await;
    assert_eq!(answer["result"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_whatever_becomes_of_its_handler() {
    let handler = Arc::new(Handler::default());
    let (_client, mut far, _capabilities) = connect(all_handlers(&handler)).await;
    let table = [
        (sampling(0), -1),
        (sampling(1), -32603),
        (sampling(2), -32602),
        (json!({"messages": 7}), -32602),
        (json!([1]), -32602),
    ];
    for (params, code) in table {
        let answer = ask(&mut far, json!(9), "sampling/createMessage", params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{params}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_server_takes_back_stops_its_handler_and_gets_no_answer() {
    let handler = Arc::new(Handler::default());
    let (client, mut far, _capabilities) = connect(all_handlers(&handler)).await;
    far.say(json!({"jsonrpc": "2.0", "id": 5, "method": "sampling/createMessage", "params": sampling(3)})).await;
    // Another question, answered at once, shows that the first one was taken up.
    let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
    ask(&mut far, json!("other"), "elicitation/create", form).await;
    assert!(!handler.dropped.load(Ordering::Acquire));
    far.say(
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}),
    )
    .await;
    ask(&mut far, json!("p"), "ping", json!({})).await;
    tokio::task::yield_now().await;
    assert!(
        handler.dropped.load(Ordering::Acquire),
        "the handler still runs"
    );
    client.close().await;
    let rest = far.until_hung_up().await;
    assert!(rest.is_empty(), "{rest:?}");
}

#[tokio::test(start_paused = true)]
async fn an_id_that_the_server_uses_again_is_answered_for_the_question_that_has_it_now() {
    let handler = Arc::new(Handler::default());
    let (_client, mut far, _capabilities) = connect(all_handlers(&handler)).await;
    let ask_with = |tokens| {
        json!({"jsonrpc": "2.0", "id": 5, "method": "sampling/createMessage",
            "params": sampling(tokens)})
    };
    far.say(ask_with(3)).await;
    // Another question, answered at once, shows that the first one was taken up.
    let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
    ask(&mut far, json!("other"), "elicitation/create", form).await;
    // Both are there before the handler of the first one can end.
    far.say(
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}),
    )
    .await;
    far.say(ask_with(10)).await;
    let answer = far.heard().await.value;
    assert!(
        handler.dropped.load(Ordering::Acquire),
        "the first one ended"
    );
    assert!(answer["result"].is_object(), "{answer}");
    ask(&mut far, json!(6), "sampling/createMessage", sampling(10)).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_of_our_id_by_the_server_ends_no_call_of_ours() {
    let (client, mut far, _capabilities) = connect(builder()).await;
    let arguments = empty();
    let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let request = far.expect("tools/call").await;
        let params = json!({"requestId": request.id()});
        far.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
            .await;
        far.answer(&request, json!({"content": []})).await;
    });
    assert!(reply.is_ok());
}

#[tokio::test(start_paused = true)]
async fn questions_past_the_limit_are_refused_at_once_and_the_others_go_on() {
    let handler = Arc::new(Handler::default());
    let (_client, mut far, _capabilities) = connect(all_handlers(&handler)).await;
    for id in 0..64 {
        far.say(json!({"jsonrpc": "2.0", "id": id, "method": "sampling/createMessage", "params": sampling(3)})).await;
    }
    let answer = ask(&mut far, json!(64), "sampling/createMessage", sampling(10)).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    far.say(
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 0}}),
    )
    .await;
    let answer = ask(&mut far, json!(65), "sampling/createMessage", sampling(10)).await;
    assert!(answer["result"].is_object(), "{answer}");
}
