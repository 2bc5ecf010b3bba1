//! The time that our user takes to answer is nobody's: whose clocks stand, and whose run.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::error::{Budget, ExchangeFailureKind};
use mcp_client::{Asker, Builder, Client, ElicitationHandler, Error, Refusal};
use mcp_tests::script::{Heard, ScriptedServer};
use mcp_tests::stage::builder;
use mcp_transport::link::{ExchangeFailure, Inbound, Origin};
use mcp_types::{ElicitParams, ElicitResult};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::empty;

/// How long the user thinks.
const HOUR: Duration = Duration::from_secs(3_600);
/// What a call may take as a whole.
const HARD: Duration = Duration::from_secs(100);

/// A user who takes an hour, and says when the question is there.
#[derive(Default)]
struct User {
    asked: Notify,
}

#[async_trait]
impl ElicitationHandler for User {
    async fn elicit(&self, _asker: Asker, _params: ElicitParams) -> Result<ElicitResult, Refusal> {
        self.asked.notify_one();
        tokio::time::sleep(HOUR).await; // sleep: a user who thinks, under paused time
        Ok(ElicitResult::decline())
    }
}

fn with_user(user: &Arc<User>) -> Builder {
    let user = Arc::clone(user);
    builder().elicitation(user)
}

async fn legacy(user: &Arc<User>) -> (Client, ScriptedServer) {
    let (link, mut far) = ScriptedServer::pair();
    let connecting = with_user(user).connect(link);
    let (client, ()) = tokio::join!(connecting, far.open_legacy("2025-11-25"));
    (client.unwrap(), far)
}

fn form() -> Value {
    let schema = json!({"type": "object", "properties": {}});
    json!({"mode": "form", "message": "?", "requestedSchema": schema})
}

fn ask(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": form()})
}

fn stream(request: &Heard) -> Origin {
    Origin::Stream(request.exchange.unwrap())
}

/// Waits for the answer of the user.
async fn user_answers(far: &mut ScriptedServer) {
    let answer = far.heard().await.value;
    assert_eq!(answer["result"]["action"], "decline", "{answer}");
}

fn is_idle(error: &Error) -> bool {
    matches!(error, Error::TimedOut(timed_out) if timed_out.budget == Budget::Idle)
}

#[tokio::test(start_paused = true)]
async fn a_question_on_the_stream_of_a_call_stops_the_clocks_of_that_call_alone() {
    let (client, mut far) = legacy(&Arc::default()).await;
    let (arguments, start) = (empty(), Instant::now());
    let other = async {
        let error = client.call_tool("other", &arguments).await.unwrap_err();
        (error, start.elapsed().as_secs())
    };
    let call = client.call_tool("t", &arguments);
    let (reply, (error, after), ()) = tokio::join!(call, other, async {
        let request = far.expect("tools/call").await;
        far.expect("tools/call").await;
        far.say_from(stream(&request), ask(1)).await;
        far.expect("notifications/cancelled").await;
        user_answers(&mut far).await;
        far.answer(&request, json!({"content": []})).await;
    });
    reply.unwrap();
    assert!(is_idle(&error), "{error:?}");
    assert_eq!(after, 120);
    assert_eq!(start.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_belongs_to_no_call_stops_the_clocks_of_all() {
    let (client, mut far) = legacy(&Arc::default()).await;
    let arguments = empty();
    let (a, b) = (
        client.call_tool("a", &arguments),
        client.call_tool("b", &arguments),
    );
    let (a, b, ()) = tokio::join!(a, b, async {
        let first = far.expect("tools/call").await;
        let second = far.expect("tools/call").await;
        far.say(ask(1)).await;
        user_answers(&mut far).await;
        for request in [first, second] {
            far.answer(&request, json!({"content": []})).await;
        }
    });
    assert!(a.is_ok() && b.is_ok(), "{a:?} {b:?}");
}

#[tokio::test(start_paused = true)]
async fn a_question_inside_a_result_stops_the_clocks_of_no_other_call() {
    let (link, mut far) = ScriptedServer::pair();
    let (client, _probe) =
        tokio::join!(with_user(&Arc::default()).connect(link), far.open_modern());
    let client = client.unwrap();
    let (arguments, start) = (empty(), Instant::now());
    let other = async {
        let error = client.call_tool("other", &arguments).await.unwrap_err();
        (error, start.elapsed().as_secs())
    };
    let call = client.call_tool("t", &arguments).timeout_max(HARD);
    let (reply, (error, after), ()) = tokio::join!(call, other, async {
        let request = far.expect("tools/call").await;
        far.expect("tools/call").await;
        let asked = json!({"a": {"method": "elicitation/create", "params": form()}});
        let result = json!({"resultType": "input_required", "inputRequests": asked});
        far.answer(&request, result).await;
        let again = far.expect("tools/call").await;
        far.answer(&again, json!({"content": []})).await;
    });
    reply.unwrap();
    assert!(is_idle(&error), "{error:?}");
    assert_eq!(after, 120);
    assert_eq!(start.elapsed(), HOUR);
}

async fn lose_session(far: &mut ScriptedServer, request: &Heard) {
    let kind = ExchangeFailureKind::SessionLost;
    let failure = ExchangeFailure::new(kind, "the session is gone", false);
    let exchange = request.exchange.unwrap();
    far.inbound(Inbound::ExchangeFailed { exchange, failure })
        .await;
    let opening = far.expect("initialize").await;
    let result = mcp_tests::script::initialized("2025-11-25", json!({"tools": {}}));
    far.answer(&opening, result).await;
    far.expect("notifications/initialized").await;
}

/// What a call may still take after its user took an hour and its session was lost.
async fn left_after(is_tied: bool, is_answered: bool) -> Duration {
    let user = Arc::default();
    let (client, mut far) = legacy(&user).await;
    let arguments = empty();
    let call = client.call_tool("t", &arguments).timeout_max(HARD);
    let (reply, again_at) = tokio::join!(call, async {
        let request = far.expect("tools/call").await;
        let origin = if is_tied {
            stream(&request)
        } else {
            Origin::Shared
        };
        far.say_from(origin, ask(1)).await;
        if is_answered {
            user_answers(&mut far).await;
        } else {
            user.asked.notified().await;
            tokio::time::advance(HOUR / 2).await;
        }
        lose_session(&mut far, &request).await;
        far.expect("tools/call").await;
        Instant::now()
    });
    let error = reply.unwrap_err();
    let Error::TimedOut(timed_out) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(timed_out.budget, Budget::Hard);
    again_at.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_sent_again_is_not_charged_for_the_time_of_the_user() {
    for is_tied in [true, false] {
        for is_answered in [true, false] {
            let left = left_after(is_tied, is_answered).await;
            assert_eq!(left, HARD, "tied: {is_tied}, answered: {is_answered}");
        }
    }
}
