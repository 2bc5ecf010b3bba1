//! Questions inside a result, and the rounds that answer them. Since 2026-07-28.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::error::PeerFault;
use mcp_client::{Asker, Builder, Client, ElicitationHandler, Error, Refusal, RootsHandler, Sent};
use mcp_tests::script::{Heard, ScriptedServer};
use mcp_tests::stage::builder;
use mcp_types::{ElicitParams, ElicitResult, GetPromptParams, ListRootsResult, RawJson, Root};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::connect_while;

struct User;

#[async_trait]
impl ElicitationHandler for User {
    async fn elicit(&self, _asker: Asker, params: ElicitParams) -> Result<ElicitResult, Refusal> {
        let json = serde_json::to_string(&params).unwrap();
        if json.contains("broken") {
            return Err(Refusal::Failed("the terminal is gone".to_owned()));
        }
        tokio::time::sleep(Duration::from_secs(3_600)).await; // sleep: a user who thinks, under paused time
        Ok(ElicitResult::decline())
    }
}

#[async_trait]
impl RootsHandler for User {
    async fn list_roots(&self, _asker: Asker) -> Result<ListRootsResult, Refusal> {
        Ok(ListRootsResult::new(vec![Root::new("file:///srv/data")]))
    }
}

fn with_handlers() -> Builder {
    builder().elicitation(Arc::new(User)).roots(Arc::new(User))
}

async fn modern_with(options: Builder) -> (Client, ScriptedServer) {
    let open = async |far: &mut ScriptedServer| far.open_modern().await;
    let (client, far, _probe) = connect_while(options, open).await;
    (client.unwrap(), far)
}

fn form(message: &str) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    json!({"method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema}})
}

fn arguments() -> RawJson {
    RawJson::parse(r#"{"big":12345678901234567890123}"#.to_owned()).unwrap()
}

async fn needs_input(far: &ScriptedServer, request: &Heard, result: Value) {
    let mut result = result;
    result["resultType"] = json!("input_required");
    far.answer(request, result).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_again_with_the_answers_and_the_exact_state() {
    let (client, mut far) = modern_with(with_handlers()).await;
    let state = "\u{0}é\"\\ 7";
    let (arguments, start) = (arguments(), Instant::now());
    let call = client
        .call_tool("t", &arguments)
        .timeout(Duration::from_secs(5));
    let (reply, ()) = tokio::join!(call, async {
        let first = far.expect("tools/call").await;
        let asked = json!({"who": form("name?"), "where": {"method": "roots/list"}});
        needs_input(
            &far,
            &first,
            json!({"inputRequests": asked, "requestState": state}),
        )
        .await;
        let second = far.expect("tools/call").await;
        assert_ne!(first.id(), second.id());
        assert_eq!(second.params()["requestState"], state);
        let answers = &second.params()["inputResponses"];
        assert_eq!(answers["who"], json!({"action": "decline"}));
        assert_eq!(answers["where"]["roots"][0]["uri"], "file:///srv/data");
        assert_eq!(second.params()["arguments"], first.params()["arguments"]);
        // Of an earlier round nothing stays.
        needs_input(
            &far,
            &second,
            json!({"inputRequests": {"where": {"method": "roots/list"}}}),
        )
        .await;
        let third = far.expect("tools/call").await;
        assert!(third.params().get("requestState").is_none());
        assert!(third.params()["inputResponses"].get("who").is_none());
        far.answer(&third, json!({"content": []})).await;
    });
    reply.unwrap();
    assert!(
        start.elapsed() >= Duration::from_secs(3_600),
        "the user's time does not count"
    );
}

#[tokio::test(start_paused = true)]
async fn a_round_without_questions_is_made_again_after_a_moment() {
    let (client, mut far) = modern_with(builder()).await;
    let (arguments, start) = (arguments(), Instant::now());
    let (reply, ()) = tokio::join!(client.call_tool_raw("t", &arguments), async {
        let first = far.expect("tools/call").await;
        needs_input(&far, &first, json!({"requestState": "later"})).await;
        let second = far.expect("tools/call").await;
        assert!(second.params().get("inputResponses").is_none());
        assert_eq!(second.params()["requestState"], "later");
        far.answer(&second, json!({"content": []})).await;
    });
    assert_eq!(reply.unwrap().as_bytes(), r#"{"content":[]}"#);
    assert!(start.elapsed() >= Duration::from_millis(250));
}

#[tokio::test(start_paused = true)]
async fn prompts_and_resources_may_ask_too() {
    let (client, mut far) = modern_with(with_handlers()).await;
    let asked = json!({"inputRequests": {"a": {"method": "roots/list"}}});
    let params = GetPromptParams::new("greet");
    let (prompt, ()) = tokio::join!(client.get_prompt(&params), async {
        let first = far.expect("prompts/get").await;
        needs_input(&far, &first, asked.clone()).await;
        let second = far.expect("prompts/get").await;
        assert!(second.params()["inputResponses"]["a"].is_object());
        far.answer(&second, json!({"messages": []})).await;
    });
    prompt.unwrap();
    let (resource, ()) = tokio::join!(client.read_resource("a:1"), async {
        let first = far.expect("resources/read").await;
        needs_input(&far, &first, asked).await;
        let second = far.expect("resources/read").await;
        assert_eq!(second.params()["uri"], "a:1");
        far.answer(&second, json!({"contents": []})).await;
    });
    resource.unwrap();
}

/// How a call ends whose first answer is `result`, with the handlers there.
async fn ends_with(result: Value) -> Error {
    let (client, mut far) = modern_with(with_handlers()).await;
    let arguments = arguments();
    let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let first = far.expect("tools/call").await;
        needs_input(&far, &first, result).await;
    });
    reply.unwrap_err()
}

fn fault(error: &Error) -> Option<&PeerFault> {
    match error {
        Error::PeerMisbehaved(misbehaved) => Some(&misbehaved.fault),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_never_offered_ends_the_call() {
    let sampling = json!({"method": "sampling/createMessage",
        "params": {"messages": [], "maxTokens": 1}});
    for asked in [sampling, json!({"method": "ask/anything"})] {
        let error = ends_with(json!({"inputRequests": {"a": asked}})).await;
        let fault = fault(&error);
        assert!(matches!(fault, Some(PeerFault::NotOffered(_))), "{error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_not_answered_ends_the_call_with_the_reason() {
    let error = ends_with(json!({"inputRequests": {"a": form("broken")}})).await;
    assert!(
        error.to_string().contains("the terminal is gone"),
        "{error}"
    );
    assert!(matches!(error, Error::Input(_)), "{error:?}");
    assert_eq!(error.sent(), Sent::Yes);
}

struct Silent;

#[async_trait]
impl RootsHandler for Silent {
    async fn list_roots(&self, _asker: Asker) -> Result<ListRootsResult, Refusal> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_never_answers_keeps_its_call_for_a_minute_and_no_longer() {
    let (client, mut far) = modern_with(builder().roots(Arc::new(Silent))).await;
    let (arguments, start) = (arguments(), Instant::now());
    let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let first = far.expect("tools/call").await;
        let asked = json!({"a": {"method": "roots/list"}});
        needs_input(&far, &first, json!({"inputRequests": asked})).await;
    });
    let error = reply.unwrap_err();
    assert!(error.to_string().contains("nobody answered"), "{error}");
    assert_eq!(start.elapsed().as_secs(), 60);
}

/// A user who is asked and never done thinking.
#[derive(Default)]
struct Thinking {
    asked: Notify,
}

#[async_trait]
impl ElicitationHandler for Thinking {
    async fn elicit(&self, _asker: Asker, _params: ElicitParams) -> Result<ElicitResult, Refusal> {
        self.asked.notify_one();
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_any_longer_once_the_connection_is_gone() {
    let user = Arc::new(Thinking::default());
    let (client, mut far) = modern_with(builder().elicitation(user.clone())).await;
    let (arguments, start) = (arguments(), Instant::now());
    let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let first = far.expect("tools/call").await;
        needs_input(&far, &first, json!({"inputRequests": {"a": form("name?")}})).await;
        user.asked.notified().await;
        drop(far.into_far_end());
    });
    assert!(matches!(reply, Err(Error::Closed(_))), "{reply:?}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_request_for_input_that_asks_nothing_is_no_answer() {
    let error = ends_with(json!({})).await;
    assert!(
        matches!(fault(&error), Some(PeerFault::NothingAsked)),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_stops_asking_is_left_after_ten_rounds() {
    let (client, mut far) = modern_with(with_handlers()).await;
    let arguments = arguments();
    let (reply, requests) = tokio::join!(client.call_tool("t", &arguments), async {
        let mut requests = 0;
        while requests <= 10 {
            let request = far.expect("tools/call").await;
            requests += 1;
            let asked = json!({"a": {"method": "roots/list"}});
            needs_input(&far, &request, json!({"inputRequests": asked})).await;
        }
        requests
    });
    let error = reply.unwrap_err();
    assert!(
        matches!(fault(&error), Some(PeerFault::TooManyRounds(10))),
        "{error:?}"
    );
    assert_eq!(requests, 11);
}

#[tokio::test(start_paused = true)]
async fn input_where_no_revision_allows_it_is_no_answer() {
    let (client, mut far) = modern_with(with_handlers()).await;
    let (reply, ()) = tokio::join!(client.list_tools(), async {
        let list = far.expect("tools/list").await;
        let asked = json!({"a": {"method": "roots/list"}});
        needs_input(&far, &list, json!({"inputRequests": asked})).await;
    });
    let error = reply.unwrap_err();
    assert!(
        matches!(fault(&error), Some(PeerFault::ResultType(_))),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_between_two_rounds_ends_it() {
    let (client, mut far) = modern_with(with_handlers()).await;
    let arguments = arguments();
    let call = client.call_tool("t", &arguments);
    let call = tokio::time::timeout(Duration::from_secs(60), call);
    let (reply, ()) = tokio::join!(call, async {
        let first = far.expect("tools/call").await;
        needs_input(&far, &first, json!({"inputRequests": {"a": form("name?")}})).await;
    });
    assert!(reply.is_err(), "the user still thinks");
    client.close().await;
    let sent = far.until_hung_up().await;
    let messages: Vec<_> = sent
        .into_iter()
        .filter_map(mcp_tests::script::heard)
        .collect();
    assert!(messages.is_empty(), "{messages:?}");
}
