//! Changes and watched resources, through one interface in both eras.

use std::time::Duration;

use mcp_client::error::Misuse;
use mcp_client::{Change, Client, Error, ResourceUpdate, Subscription};
use mcp_tests::script::{Heard, ScriptedServer, discovered, initialized};
use mcp_tests::stage::builder;
use mcp_transport::link::{ExchangeFailure, ExchangeFailureKind, Inbound, Origin, Outbound};
use mcp_types::CompleteParams;
use mcp_types::completion::{CompletionArgument, PromptReference};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{connect_while, legacy, modern};

/// Long enough for whatever comes at all, under paused time.
const HOUR: Duration = Duration::from_secs(3_600);

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

/// Lets the client do what it has to do, which must not be a message.
async fn says_nothing(far: &mut ScriptedServer) {
    tokio::time::advance(Duration::from_secs(1)).await;
    while let Some(outbound) = far.try_outbound() {
        let is_note = matches!(outbound, Outbound::Settled { .. });
        assert!(is_note, "{outbound:?}");
    }
}

/// A client that watches `a:1`.
async fn watching_one() -> (Client, ScriptedServer, Subscription) {
    let (client, mut far) = watching_legacy().await;
    let (subscription, ()) = tokio::join!(client.subscribe(["a:1"]), async {
        let request = far.expect("resources/subscribe").await;
        far.answer(&request, json!({})).await;
    });
    (client, far, subscription.unwrap())
}

#[tokio::test(start_paused = true)]
async fn whoever_relies_on_the_request_of_another_is_told_its_failure_and_the_next_tries_anew() {
    let (client, mut far) = watching_legacy().await;
    let both = async { tokio::join!(client.subscribe(["a:1"]), client.subscribe(["a:1"])) };
    let ((first, second), ()) = tokio::join!(both, async {
        let request = far.expect("resources/subscribe").await;
        far.refuse(&request, json!({"code": -32002, "message": "not found"}))
            .await;
    });
    for refused in [first, second] {
        assert!(matches!(refused, Err(Error::Answered(_))), "{refused:?}");
    }
    let (third, ()) = tokio::join!(client.subscribe(["a:1"]), async {
        let request = far.expect("resources/subscribe").await;
        far.answer(&request, json!({})).await;
    });
    third.unwrap();
}

#[tokio::test(start_paused = true)]
async fn whoever_subscribes_while_it_is_taken_back_is_asked_for_after_that() {
    let (client, mut far, first) = watching_one().await;
    drop(first);
    let taken_back = far.expect("resources/unsubscribe").await;
    let (second, ()) = tokio::join!(client.subscribe(["a:1"]), async {
        // Over HTTP each is a post of its own, and the later one could overtake.
        says_nothing(&mut far).await;
        far.answer(&taken_back, json!({})).await;
        let request = far.expect("resources/subscribe").await;
        far.answer(&request, json!({})).await;
    });
    let mut second = second.unwrap();
    far.say(updated("a:1")).await;
    assert_eq!(second.next().await, one("a:1"));
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_that_follows_the_last_one_at_once_costs_no_request() {
    let (client, mut far, first) = watching_one().await;
    drop(first);
    let second = client.subscribe(["a:1"]).await.unwrap();
    says_nothing(&mut far).await;
    drop(second);
    far.expect("resources/unsubscribe").await;
}

#[tokio::test(start_paused = true)]
async fn what_is_granted_after_its_subscriber_left_is_taken_back_and_a_server_has_ten_seconds() {
    let (client, mut far) = watching_legacy().await;
    let request = tokio::select! {
        subscription = client.subscribe(["a:1"]) => panic!("{subscription:?}"),
        request = far.expect("resources/subscribe") => request,
    };
    tokio::task::yield_now().await;
    assert_eq!(
        far.try_outbound(),
        None,
        "in one order, whatever the transport"
    );
    far.answer(&request, json!({})).await;
    far.expect("resources/unsubscribe").await;
    let start = Instant::now();
    let (second, ()) = tokio::join!(client.subscribe(["a:1"]), async {
        far.expect("notifications/cancelled").await;
        let request = far.expect("resources/subscribe").await;
        far.answer(&request, json!({})).await;
    });
    second.unwrap();
    assert_eq!(start.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_to_be_granted_hears_of_the_end_of_the_connection() {
    let (client, mut far) = watching_legacy().await;
    let (subscription, ()) = tokio::join!(client.subscribe(["a:1"]), async {
        far.expect("resources/subscribe").await;
        drop(far.into_far_end());
    });
    assert!(
        matches!(subscription, Err(Error::Closed(_))),
        "{subscription:?}"
    );
    let again = client.subscribe(["a:1"]).await;
    assert!(matches!(again, Err(Error::Closed(_))), "{again:?}");
}

#[tokio::test(start_paused = true)]
async fn whoever_subscribes_to_a_modern_server_that_is_gone_hears_of_its_end() {
    let (client, far) = watching_modern().await;
    drop(far.into_far_end());
    client.ended().await;
    let mut subscription = client.subscribe(["file:///a"]).await.unwrap();
    let next = timeout(HOUR, subscription.next());
    assert_eq!(next.await, Ok(None));
}

#[tokio::test(start_paused = true)]
async fn a_new_session_is_asked_for_all_that_is_watched_sixteen_at_a_time() {
    let (client, mut far) = watching_legacy().await;
    let uris: Vec<_> = (0..20).map(|number| format!("a:{number:02}")).collect();
    let (subscription, ()) = tokio::join!(client.subscribe(uris.clone()), async {
        for _ in 0..20 {
            let request = far.expect("resources/subscribe").await;
            far.answer(&request, json!({})).await;
        }
    });
    let mut subscription = subscription.unwrap();
    let ((), listed) = tokio::join!(
        async {
            let list = far.expect("tools/list").await;
            let (kind, exchange) = (ExchangeFailureKind::SessionLost, list.exchange.unwrap());
            let failure = ExchangeFailure::new(kind, "lost", false);
            far.inbound(Inbound::ExchangeFailed { exchange, failure })
                .await;
            let opening = far.expect("initialize").await;
            far.answer(&opening, initialized("2025-11-25", capabilities()))
                .await;
            far.expect("notifications/initialized").await;
            let list = far.expect("tools/list").await;
            far.answer(&list, json!({"tools": []})).await;
        },
        client.list_tools()
    );
    listed.unwrap();
    let mut asked = Vec::new();
    for _ in 0..16 {
        asked.push(far.expect("resources/subscribe").await);
    }
    says_nothing(&mut far).await;
    while let Some(request) = asked.pop() {
        far.answer(&request, json!({})).await;
        if asked.len() < 16 && asked.len() >= 12 {
            far.expect("resources/subscribe").await;
        }
    }
    assert_eq!(subscription.next().await, Some(ResourceUpdate::Many));
}

/// Acknowledges a subscription on its own stream, by its id or by the stream alone.
async fn acknowledge(far: &ScriptedServer, listen: &Heard, names_it: bool) {
    let mut params = json!({"notifications": listen.params()["notifications"]});
    if names_it {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": listen.id()});
    }
    let method = "notifications/subscriptions/acknowledged";
    let notice = json!({"jsonrpc": "2.0", "method": method, "params": params});
    let stream = Origin::Stream(listen.exchange.unwrap());
    far.say_from(if names_it { Origin::Shared } else { stream }, notice)
        .await;
}

#[tokio::test(start_paused = true)]
async fn what_changed_while_nobody_was_told_is_told_by_each_acknowledgement() {
    let (client, mut far) = watching_modern().await;
    let mut subscription = client.subscribe(["file:///a"]).await.unwrap();
    for names_it in [true, false] {
        let listen = async {
            let listen = far.expect("subscriptions/listen").await;
            acknowledge(&far, &listen, names_it).await;
            listen
        };
        let next = timeout(HOUR, subscription.next());
        let (update, listen) = tokio::join!(next, listen);
        assert_eq!(update, Ok(Some(ResourceUpdate::Many)));
        far.answer(&listen, json!({"resultType": "complete"})).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_kept_is_asked_for_again_once_changes_are_told_of() {
    let (client, mut far) = watching_modern().await;
    let fresh = json!({"tools": [], "ttlMs": 3_600_000, "cacheScope": "private"});
    let (listed, ()) = tokio::join!(client.list_tools(), async {
        let list = far.expect("tools/list").await;
        far.answer(&list, fresh.clone()).await;
    });
    listed.unwrap();
    client.list_tools().await.unwrap();
    let mut changes = client.changes();
    let (change, ()) = tokio::join!(timeout(HOUR, changes.next()), async {
        let listen = far.expect("subscriptions/listen").await;
        acknowledge(&far, &listen, true).await;
    });
    assert_eq!(change, Ok(Some(Change::Tools)));
    assert_eq!(changes.try_next(), None, "nothing else is listened for");
    let (listed, ()) = tokio::join!(client.list_tools(), async {
        let list = far.expect("tools/list").await;
        far.answer(&list, fresh).await;
    });
    listed.unwrap();
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
        // Servers that make text of ids do so here too.
        for makes_text in [false, true] {
            let listen = far.expect("subscriptions/listen").await;
            let id = listen.id();
            let id = if makes_text {
                json!(id.to_string())
            } else {
                json!(id)
            };
            let params = json!({"requestId": id});
            let method = "notifications/cancelled";
            far.say(json!({"jsonrpc": "2.0", "method": method, "params": params}))
                .await;
        }
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
    let waiting = timeout(HOUR, subscription.next());
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
    let waiting = timeout(Duration::from_secs(300), subscription.next());
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
