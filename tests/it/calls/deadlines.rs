//! The two budgets of a call, what extends them, and when their clocks stand still.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::error::Budget;
use mcp_client::{Asker, ElicitationHandler, Error, Refusal};
use mcp_tests::stage::builder;
use mcp_transport::Limits;
use mcp_types::{ElicitParams, ElicitResult};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{connected, connected_with, empty, ends};

const SECOND: Duration = Duration::from_secs(1);

fn budget_of(error: &Error) -> (Budget, Duration) {
    match error {
        Error::TimedOut(timed_out) => (timed_out.budget, timed_out.after),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_without_a_sign_of_life_ends_when_its_idle_budget_is_spent() {
    let (client, mut far) = connected().await;
    let start = Instant::now();
    let arguments = empty();
    let call = client.call_tool("t", &arguments).timeout(10 * SECOND);
    let (ended, _request) = tokio::join!(ends(call), far.expect("tools/call"));
    let error = ended.unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 10);
    assert_eq!(budget_of(&error), (Budget::Idle, 10 * SECOND));
    assert_eq!(error.to_string(), "nothing heard of tools/call for 10s");
}

#[tokio::test(start_paused = true)]
async fn progress_extends_the_idle_budget_and_never_the_hard_one() {
    let (client, mut far) = connected().await;
    let (start, seen) = (Instant::now(), Arc::new(Mutex::new(0)));
    let (arguments, count) = (empty(), Arc::clone(&seen));
    let call = client
        .call_tool("t", &arguments)
        .timeout(10 * SECOND)
        .timeout_max(45 * SECOND);
    let call = call.on_progress(move |_progress| *count.lock().unwrap() += 1);
    let serve = async {
        let request = far.expect("tools/call").await;
        let token = &request.params()["_meta"]["progressToken"];
        for progress in 1..=6 {
            sleep(8 * SECOND).await; // sleep: the time is paused
            let params = json!({"progressToken": token, "progress": progress});
            far.say(
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
            )
            .await;
        }
    };
    let (ended, ()) = tokio::join!(ends(call), serve);
    let error = ended.unwrap_err();
    assert_eq!(budget_of(&error), (Budget::Hard, 45 * SECOND));
    assert_eq!(
        error.to_string(),
        "no answer to tools/call within 45s in all"
    );
    // The sixth came at 48 s, after the end, and is for nobody.
    assert_eq!(*seen.lock().unwrap(), 5);
    assert_eq!(start.elapsed().as_secs(), 48);
}

#[tokio::test(start_paused = true)]
async fn progress_with_a_token_that_became_a_text_keeps_its_call_alive() {
    let (client, mut far) = connected().await;
    let (arguments, seen) = (empty(), Arc::new(Mutex::new(0)));
    let count = Arc::clone(&seen);
    let call = client.call_tool("t", &arguments).timeout(10 * SECOND);
    let call = call.on_progress(move |_progress| *count.lock().unwrap() += 1);
    let serve = async {
        let request = far.expect("tools/call").await;
        let token = request.params()["_meta"]["progressToken"].to_string();
        for progress in 1..=2 {
            sleep(8 * SECOND).await; // sleep: the time is paused
            let params = json!({"progressToken": token, "progress": progress});
            far.say(
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
            )
            .await;
        }
        far.answer(&request, json!({"content": []})).await;
    };
    let (ended, ()) = tokio::join!(ends(call), serve);
    ended.unwrap();
    assert_eq!(*seen.lock().unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn progress_of_another_call_extends_nothing() {
    let (client, mut far) = connected().await;
    let arguments = empty();
    let call = client.call_tool("t", &arguments).timeout(10 * SECOND);
    let serve = async {
        let request = far.expect("tools/call").await;
        for token in [
            json!(request.id().as_u64().unwrap() + 1),
            json!("x"),
            json!(null),
        ] {
            sleep(4 * SECOND).await; // sleep: the time is paused
            let params = json!({"progressToken": token, "progress": 1});
            far.say(
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
            )
            .await;
        }
        far.answer(&request, json!({"content": []})).await;
    };
    let (ended, ()) = tokio::join!(ends(call), serve);
    assert_eq!(budget_of(&ended.unwrap_err()).0, Budget::Idle);
}

#[tokio::test(start_paused = true)]
async fn a_short_call_beside_a_long_one_ends_in_its_own_time() {
    let (client, _far) = connected().await;
    let (start, arguments) = (Instant::now(), empty());
    let long = client.call_tool("long", &arguments).timeout(100 * SECOND);
    let short = async {
        sleep(5 * SECOND).await; // sleep: the time is paused
        let short = ends(client.call_tool("short", &arguments).timeout(SECOND)).await;
        (short, start.elapsed())
    };
    let (long, (short, took)) = tokio::join!(ends(long), short);
    assert!(long.is_err() && short.is_err());
    assert_eq!((took.as_secs(), start.elapsed().as_secs()), (6, 100));
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_does_no_harm() {
    let (client, mut far) = connected().await;
    let arguments = empty();
    let call = client.call_tool("t", &arguments).timeout(SECOND);
    let (ended, late) = tokio::join!(ends(call), far.expect("tools/call"));
    assert!(ended.is_err());
    far.expect("notifications/cancelled").await;
    for _ in 0..2_000 {
        far.answer(&late, json!({"content": []})).await;
    }
    let (reply, ()) = tokio::join!(client.call_tool("t", &arguments), async {
        let request = far.expect("tools/call").await;
        far.answer(&request, json!({"content": []})).await;
    });
    assert!(reply.is_ok(), "late answers are no misbehaviour");
}

/// A user who takes an hour.
struct SlowUser;

#[async_trait]
impl ElicitationHandler for SlowUser {
    async fn elicit(&self, _asker: Asker, _params: ElicitParams) -> Result<ElicitResult, Refusal> {
        sleep(Duration::from_secs(3_600)).await; // sleep: the time is paused
        Ok(ElicitResult::decline())
    }
}

/// Has the user asked during a call; the answer to the call comes `then` after the user's.
async fn call_during_a_question(then: Duration) -> (Result<(), Error>, Duration) {
    let options = builder().elicitation(Arc::new(SlowUser));
    let (client, mut far) = connected_with(options, Limits::default()).await;
    let arguments = empty();
    let start = Instant::now();
    let call = client
        .call_tool("t", &arguments)
        .timeout(10 * SECOND)
        .timeout_max(20 * SECOND);
    let serve = async {
        let request = far.expect("tools/call").await;
        sleep(6 * SECOND).await; // sleep: the time is paused
        let params =
            json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
        let ask =
            json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params});
        far.say(ask).await;
        let answer = far.heard().await;
        assert_eq!(
            answer.value["result"]["action"], "decline",
            "{}",
            answer.value
        );
        sleep(then).await; // sleep: the time is paused
        far.answer(&request, json!({"content": []})).await;
    };
    let (ended, ()) = tokio::join!(
        async { (ends(call).await.map(drop), start.elapsed()) },
        serve
    );
    ended
}

#[tokio::test(start_paused = true)]
async fn clocks_stand_still_while_our_user_is_asked() {
    let (ended, took) = call_during_a_question(3 * SECOND).await;
    assert!(ended.is_ok(), "{ended:?}");
    assert_eq!(took.as_secs(), 3_609);
}

#[tokio::test(start_paused = true)]
async fn clocks_run_on_after_our_user_has_answered() {
    let (ended, took) = call_during_a_question(30 * SECOND).await;
    assert_eq!(budget_of(&ended.unwrap_err()).0, Budget::Idle);
    // Six seconds before the question and four after it.
    assert_eq!(took.as_secs(), 3_610);
}
