//! Changes and watched resources, through one interface in both eras.

use std::time::Duration;

use mcp_client::error::Misuse;
use mcp_client::{Change, Client, Error, ResourceUpdate};
use mcp_tests::script::{ScriptedServer, discovered, initialized};
use mcp_tests::stage::builder;
use mcp_transport::link::Outbound;
use mcp_types::CompleteParams;
use mcp_types::completion::{CompletionArgument, PromptReference};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{connect_while, legacy, modern};

fn capabilities() -> Value {
    json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "completions": {}})
}

async fn watching_modern() -> (Client, ScriptedServer) {
    let (client, far, ()) = connect_while(builder(), async |far| {
        let probe = far.expect("server/discover").await;
        far.answer(&probe, discovered(&["2026-07-28"], capabilities()))
            .await;
    })
    .await;
    (client.unwrap(), far)
}

async fn watching_legacy() -> (Client, ScriptedServer) {
    let (client, far, _opening) = connect_while(builder(), async |far| {
        far.open_legacy_with("2025-11-25", capabilities()).await
    })
    .await;
    (client.unwrap(), far)
}

fn updated(uri: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
}

fn one(uri: &str) -> Option<ResourceUpdate> {
    Some(ResourceUpdate::One(uri.to_owned()))
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_is_asked_once_for_each_resource_however_often_it_is_watched() {
    let (client, mut far) = watching_legacy().await;
    let (subscription, request) = tokio::join!(client.subscribe(["file:///a"]), async {
        let request = far.expect("resources/subscribe").await;
        far.answer(&request, json!({})).await;
        request
    });
    let mut first = subscription.unwrap();
    assert_eq!(request.params()["uri"], "file:///a");
    let mut second = client.subscribe(["file:///a"]).await.unwrap();
    far.say(updated("file:///b")).await;
    far.say(updated("file:///a/part")).await;
    assert_eq!(first.next().await, one("file:///a/part"));
    assert_eq!(second.next().await, one("file:///a/part"));
    drop(first);
    drop(second);
    let request = far.expect("resources/unsubscribe").await;
    assert_eq!(request.params()["uri"], "file:///a");
}

#[tokio::test(start_paused = true)]
async fn a_refused_resource_watches_nothing_and_takes_back_the_others() {
    let (client, mut far) = watching_legacy().await;
    let (subscription, ()) = tokio::join!(client.subscribe(["a:1", "a:2"]), async {
        let first = far.expect("resources/subscribe").await;
        far.answer(&first, json!({})).await;
        let second = far.expect("resources/subscribe").await;
        far.refuse(&second, json!({"code": -32002, "message": "not found"}))
            .await;
    });
    assert!(matches!(subscription, Err(Error::Answered(_))));
    let taken_back = far.expect("resources/unsubscribe").await;
    assert_eq!(taken_back.params()["uri"], "a:1");
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_listened_to_and_again_whenever_that_ends() {
    let (client, mut far) = watching_modern().await;
    let mut subscription = client.subscribe(["file:///a"]).await.unwrap();
    let (update, ()) = tokio::join!(subscription.next(), async {
        let listen = far.expect("subscriptions/listen").await;
        let wanted = &listen.params()["notifications"];
        assert_eq!(wanted, &json!({"resourceSubscriptions": ["file:///a"]}));
        // The three ways in which a server ends a subscription.
        far.answer(&listen, json!({"resultType": "complete"})).await;
        let listen = far.expect("subscriptions/listen").await;
        far.say(
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": listen.id()}}),
        )
        .await;
        let listen = far.expect("subscriptions/listen").await;
        far.refuse(&listen, json!({"code": -32000, "message": "busy"}))
            .await;
        far.expect("subscriptions/listen").await;
        far.say(updated("file:///a")).await;
    });
    assert_eq!(update, one("file:///a"));
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_without_subscriptions_is_asked_once() {
    let (client, mut far) = watching_modern().await;
    let mut subscription = client.subscribe(["file:///a"]).await.unwrap();
    let waiting = tokio::time::timeout(Duration::from_secs(3_600), subscription.next());
    let (update, ()) = tokio::join!(waiting, async {
        let listen = far.expect("subscriptions/listen").await;
        far.refuse(&listen, json!({"code": -32601, "message": "no"}))
            .await;
    });
    assert!(update.is_err());
    drop(subscription);
    client.close().await;
    let rest = far.until_hung_up().await;
    assert_eq!(
        rest.into_iter()
            .filter_map(mcp_tests::script::heard)
            .count(),
        0
    );
}

#[tokio::test(start_paused = true)]
async fn changes_of_a_modern_server_are_listened_for_while_somebody_waits() {
    let (client, mut far) = watching_modern().await;
    let mut changes = client.changes();
    let (change, listen) = tokio::join!(changes.next(), async {
        let listen = far.expect("subscriptions/listen").await;
        far.say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
            .await;
        listen
    });
    assert_eq!(change, Some(Change::Tools));
    assert_eq!(
        listen.params()["notifications"],
        json!({"toolsListChanged": true})
    );
    // It lives on, and other calls go on as if it were not there.
    let (pong, ()) = tokio::join!(client.list_tools_page(None), async {
        let list = far.expect("tools/list").await;
        far.say(json!({"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "loose"}}))
            .await;
        drop(list);
    });
    assert!(pong.unwrap_err().to_string().contains("loose"));
    drop(changes);
    // Over streams, closing one is how its end is told.
    let exchange = listen.exchange.unwrap();
    assert_eq!(far.outbound().await, Outbound::Abort { exchange });
}

#[tokio::test(start_paused = true)]
async fn pauses_between_subscriptions_that_fail_grow_to_a_minute() {
    let (client, mut far) = watching_modern().await;
    let mut subscription = client.subscribe(["file:///a"]).await.unwrap();
    let waiting = tokio::time::timeout(Duration::from_secs(300), subscription.next());
    let mut at = Vec::new();
    let serve = async {
        loop {
            let listen = far.expect("subscriptions/listen").await;
            at.push(Instant::now());
            far.refuse(&listen, json!({"code": -32000, "message": "busy"}))
                .await;
        }
    };
    tokio::select! {
        _elapsed = waiting => {}
        () = serve => {}
    }
    let pauses: Vec<_> = at
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_secs())
        .collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn what_the_server_does_not_offer_is_not_asked_for() {
    for (client, _far) in [modern().await, legacy().await] {
        let error = client.subscribe(["file:///a"]).await.unwrap_err();
        let Error::Misused(Misuse::NotOffered { capability, .. }) = error else {
            panic!("{error:?}")
        };
        assert_eq!(capability, "resources.subscribe");
        let error = client.complete(&completion()).await.unwrap_err();
        assert!(matches!(error, Error::Misused(Misuse::NotOffered { .. })));
    }
}

fn completion() -> CompleteParams {
    let reference = PromptReference::new("greet");
    CompleteParams::new(reference, CompletionArgument::new("name", "A"))
        .with_filled_in("language", "en")
}

#[tokio::test(start_paused = true)]
async fn an_argument_is_completed() {
    let (client, mut far) = watching_modern().await;
    let params = completion();
    let (reply, request) = tokio::join!(client.complete(&params), async {
        let request = far.expect("completion/complete").await;
        let completion = json!({"values": ["Ada", "Alan"], "total": 2, "hasMore": false});
        far.answer(&request, json!({"completion": completion}))
            .await;
        request
    });
    assert_eq!(reply.unwrap().value.completion.values, ["Ada", "Alan"]);
    let params = request.params();
    assert_eq!(
        params["ref"],
        json!({"type": "ref/prompt", "name": "greet"})
    );
    assert_eq!(params["context"]["arguments"]["language"], "en");
}

#[tokio::test(start_paused = true)]
async fn the_first_revision_completes_without_saying_so() {
    let (client, mut far, ()) = connect_while(builder(), async |far| {
        let probe = far.expect("server/discover").await;
        far.refuse(&probe, json!({"code": -32601, "message": "no"}))
            .await;
        let opening = far.expect("initialize").await;
        far.answer(&opening, initialized("2024-11-05", json!({})))
            .await;
        far.expect("notifications/initialized").await;
    })
    .await;
    let (client, params) = (client.unwrap(), completion());
    let (reply, ()) = tokio::join!(client.complete(&params), async {
        let request = far.expect("completion/complete").await;
        far.refuse(&request, json!({"code": -32601, "message": "no"}))
            .await;
    });
    assert!(matches!(reply, Err(Error::Answered(_))));
}
