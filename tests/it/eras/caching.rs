//! Lists that a modern server says are fresh.

use std::time::Duration;

use mcp_client::Client;
use mcp_tests::script::ScriptedServer;
use serde_json::{Value, json};

use super::{legacy, modern};

fn page(name: &str, ttl: Value, cursor: Option<&str>) -> Value {
    let tool = json!({"name": name, "inputSchema": {"type": "object"}});
    let mut page = json!({"tools": [tool], "ttlMs": ttl, "cacheScope": "private"});
    if let Some(cursor) = cursor {
        page["nextCursor"] = json!(cursor);
    }
    page
}

async fn asked(client: &Client, far: &mut ScriptedServer, pages: &[Value]) -> usize {
    let (listing, ()) = tokio::join!(client.list_tools(), async {
        for page in pages {
            let list = far.expect("tools/list").await;
            far.answer(&list, page.clone()).await;
        }
    });
    listing.unwrap().items.len()
}

async fn is_kept(client: &Client) -> bool {
    let listing = tokio::time::timeout(Duration::from_millis(1), client.list_tools());
    listing.await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_list_is_kept_for_as_long_as_its_first_page_to_expire() {
    let (client, mut far) = modern().await;
    let pages = [
        page("a", json!(60_000), Some("2")),
        page("b", json!(5_000), None),
    ];
    assert_eq!(asked(&client, &mut far, &pages).await, 2);
    assert!(is_kept(&client).await);
    tokio::time::advance(Duration::from_secs(5)).await;
    assert!(!is_kept(&client).await);
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_page_counts_from_when_that_page_came() {
    let (client, mut far) = modern().await;
    let (listing, ()) = tokio::join!(client.list_tools(), async {
        let list = far.expect("tools/list").await;
        far.answer(&list, page("a", json!(10_000), Some("2"))).await;
        let list = far.expect("tools/list").await;
        tokio::time::advance(Duration::from_secs(8)).await;
        far.answer(&list, page("b", json!(60_000), None)).await;
    });
    listing.unwrap();
    tokio::time::advance(Duration::from_millis(1_999)).await;
    assert!(is_kept(&client).await);
    tokio::time::advance(Duration::from_millis(1)).await;
    assert!(!is_kept(&client).await);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_time_is_never_kept() {
    for ttl in [json!(0), json!(-1), json!(null)] {
        let (client, mut far) = modern().await;
        asked(&client, &mut far, &[page("a", ttl, None)]).await;
        assert!(!is_kept(&client).await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_that_is_told_makes_a_list_stale_at_once() {
    let (client, mut far) = modern().await;
    asked(&client, &mut far, &[page("a", json!(60_000), None)]).await;
    far.say(json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}))
        .await;
    tokio::task::yield_now().await;
    assert!(is_kept(&client).await);
    far.say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
        .await;
    tokio::time::advance(Duration::from_millis(1)).await;
    assert!(!is_kept(&client).await);
}

#[tokio::test(start_paused = true)]
async fn a_list_can_be_forgotten_and_a_legacy_one_is_never_kept() {
    let (client, mut far) = modern().await;
    asked(&client, &mut far, &[page("a", json!(60_000), None)]).await;
    client.forget_lists();
    assert!(!is_kept(&client).await);
    let (client, mut far) = legacy().await;
    asked(&client, &mut far, &[page("a", json!(60_000), None)]).await;
    assert!(!is_kept(&client).await);
}
