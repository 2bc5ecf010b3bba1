//! Finding out the era of a server.

use std::time::Duration;

use mcp_client::error::Incompatible;
use mcp_client::{Builder, Era, EraHint, Error, Sent};
use mcp_tests::script::{ScriptedServer, discovered, initialized};
use mcp_tests::stage::builder;
use mcp_transport::link::Outbound;
use mcp_types::{GetPromptParams, RawJson, Version};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{connect_while, legacy, modern};

const PROTOCOL: &str = "io.modelcontextprotocol/protocolVersion";
const MEMBERS: [&str; 3] = [
    PROTOCOL,
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
];

/// Answers the probe in one way, then opens the session that is asked for; gives its version.
async fn opens_legacy_after(answer: Value) -> Value {
    let (client, _far, version) = connect_while(builder(), async |far| {
        let probe = far.expect("server/discover").await;
        let mut message = json!({"jsonrpc": "2.0", "id": probe.id()});
        message
            .as_object_mut()
            .unwrap()
            .extend(answer.as_object().unwrap().clone());
        far.say(message).await;
        let opening = far.expect("initialize").await;
        let version = opening.params()["protocolVersion"].clone();
        far.answer(&opening, initialized(version.as_str().unwrap(), json!({})))
            .await;
        far.expect("notifications/initialized").await;
        version
    })
    .await;
    let client = client.unwrap();
    assert_eq!(client.session().era, Era::Legacy);
    assert_eq!(client.session().version.as_str(), version.as_str().unwrap());
    version
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_opened_by_one_question() {
    let (client, mut far, probe) =
        connect_while(builder(), async |far| far.open_modern().await).await;
    let client = client.unwrap();
    assert_eq!(client.session().era, Era::Modern);
    assert_eq!(client.session().version, Version::V2026_07_28);
    assert_eq!(client.session().server.as_ref().unwrap().name, "scripted");
    for member in MEMBERS {
        assert!(
            !probe.params()["_meta"][member].is_null(),
            "{member}: {}",
            probe.value
        );
    }
    let empty = RawJson::empty_object();
    let call = client.call_tool("t", &empty);
    let serve = async {
        // No `initialized`: the next message is the call.
        let call = far.expect("tools/call").await;
        far.answer(&call, json!({"resultType": "complete", "content": []}))
            .await;
    };
    let (reply, ()) = tokio::join!(call, serve);
    assert!(reply.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_server_of_both_eras_is_spoken_to_as_a_modern_one() {
    let (client, _far, ()) = connect_while(builder(), async |far| {
        let probe = far.expect("server/discover").await;
        let versions = ["2025-06-18", "2026-07-28", "2025-11-25"];
        far.answer(&probe, discovered(&versions, json!({}))).await;
    })
    .await;
    assert_eq!(client.unwrap().session().version, Version::V2026_07_28);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_discovers_only_legacy_revisions_gets_the_newest_of_them() {
    let result = discovered(&["2025-03-26", "2025-06-18"], json!({}));
    assert_eq!(
        opens_legacy_after(json!({ "result": result })).await,
        "2025-06-18"
    );
}

#[tokio::test(start_paused = true)]
async fn any_error_without_modern_evidence_means_legacy() {
    for code in [
        -32_601, -32_600, -32_602, -32_603, -32_700, -32_000, -32_001, 0, 1,
    ] {
        let error = json!({"error": {"code": code, "message": "no"}});
        assert_eq!(opens_legacy_after(error).await, "2025-11-25", "{code}");
    }
    for error in [
        json!("unknown method"),
        json!({"code": "E_NO"}),
        json!({}),
        json!([1]),
    ] {
        assert_eq!(
            opens_legacy_after(json!({ "error": error })).await,
            "2025-11-25"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_of_another_shape_means_legacy() {
    for result in [
        json!({}),
        json!(null),
        json!("ok"),
        json!({"supportedVersions": 7}),
    ] {
        assert_eq!(
            opens_legacy_after(json!({ "result": result })).await,
            "2025-11-25"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn silence_means_legacy_after_five_seconds_and_a_late_answer_does_no_harm() {
    let (client, mut far, asked_after) = connect_while(builder(), async |far| {
        let start = Instant::now();
        let probe = far.expect("server/discover").await;
        let opening = far.expect("initialize").await;
        let asked_after = start.elapsed();
        far.refuse(&probe, json!({"code": -32601, "message": "late"}))
            .await;
        far.answer(&opening, initialized("2025-11-25", json!({})))
            .await;
        far.expect("notifications/initialized").await;
        asked_after
    })
    .await;
    assert_eq!(asked_after.as_secs(), 5);
    let client = client.unwrap();
    let (pong, ()) = tokio::join!(client.ping(), async {
        let ping = far.expect("ping").await;
        far.answer(&ping, json!({})).await;
    });
    assert!(pong.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_when_probed_is_started_again_and_not_probed() {
    let (first_link, mut first) = ScriptedServer::pair();
    let (second_link, mut second) = ScriptedServer::pair();
    let mut links = vec![second_link, first_link];
    let connecting = builder().connect_with(|| Ok(links.pop().expect("two starts at most")));
    let serve = async {
        first.expect("server/discover").await;
        drop(first);
        let opening = second.expect("initialize").await;
        second
            .answer(&opening, initialized("2025-06-18", json!({})))
            .await;
        second.expect("notifications/initialized").await;
    };
    let (client, ()) = tokio::join!(connecting, serve);
    assert_eq!(client.unwrap().session().version, Version::V2025_06_18);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_when_probed_and_cannot_be_started_again_is_closed() {
    let (link, mut far) = ScriptedServer::pair();
    let (connected, ()) = tokio::join!(builder().connect(link), async {
        far.expect("server/discover").await;
        drop(far);
    });
    assert!(matches!(connected, Err(Error::Closed(_))));
}

#[tokio::test(start_paused = true)]
async fn a_refused_revision_is_asked_once_more() {
    let (client, _far, ()) = connect_while(builder(), async |far| {
        let data = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
        let probe = far.expect("server/discover").await;
        far.refuse(
            &probe,
            json!({"code": -32022, "message": "no", "data": data}),
        )
        .await;
        far.open_modern().await;
    })
    .await;
    assert_eq!(client.unwrap().session().era, Era::Modern);
}

#[tokio::test(start_paused = true)]
async fn a_revision_refused_twice_is_incompatible_and_both_sides_are_named() {
    let (client, _far, ()) = connect_while(builder(), async |far| {
        for _ in 0..2 {
            let data = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
            let probe = far.expect("server/discover").await;
            far.refuse(
                &probe,
                json!({"code": -32022, "message": "no", "data": data}),
            )
            .await;
        }
    })
    .await;
    let error = client.unwrap_err();
    let Error::PeerIncompatible(incompatible) = &error else {
        panic!("{error:?}")
    };
    assert!(
        matches!(&**incompatible, Incompatible::Version { theirs, .. }
        if *theirs == [Version::V2026_07_28])
    );
    assert_eq!(error.sent(), Sent::No);
}

#[tokio::test(start_paused = true)]
async fn a_revision_refused_for_legacy_ones_opens_with_the_newest_of_them() {
    let data = json!({"supported": ["2024-11-05", "2025-06-18"], "requested": "2026-07-28"});
    let error = json!({"error": {"code": -32022, "message": "no", "data": data}});
    assert_eq!(opens_legacy_after(error).await, "2025-06-18");
}

#[tokio::test(start_paused = true)]
async fn an_initialize_refused_as_a_modern_server_does_is_answered_by_another_probe() {
    let (client, _far, ()) = connect_while(builder(), async |far| {
        let probe = far.expect("server/discover").await;
        far.refuse(&probe, json!({"code": -32000, "message": "not yet"}))
            .await;
        let opening = far.expect("initialize").await;
        let data = json!({"supported": ["2026-07-28"], "requested": "2025-11-25"});
        far.refuse(
            &opening,
            json!({"code": -32022, "message": "no", "data": data}),
        )
        .await;
        far.open_modern().await;
    })
    .await;
    assert_eq!(client.unwrap().session().era, Era::Modern);
}

#[tokio::test(start_paused = true)]
async fn an_initialize_refused_for_an_older_revision_is_said_again_at_that_one() {
    let (client, _far, again) = connect_while(builder().era_hint(EraHint::Legacy), async |far| {
        let opening = far.expect("initialize").await;
        let data = json!({"supported": ["2024-11-05"], "requested": "2025-11-25"});
        far.refuse(
            &opening,
            json!({"code": -32602, "message": "no", "data": data}),
        )
        .await;
        let again = far.expect("initialize").await;
        far.answer(&again, initialized("2024-11-05", json!({})))
            .await;
        far.expect("notifications/initialized").await;
        again.params()["protocolVersion"].clone()
    })
    .await;
    assert_eq!(again, "2024-11-05");
    assert_eq!(client.unwrap().session().version, Version::V2024_11_05);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_revision_is_incompatible_and_named() {
    for version in ["1999-01-01", "2026-07-28", ""] {
        let (client, mut far, ()) = connect_while(builder(), async |far| {
            let probe = far.expect("server/discover").await;
            far.refuse(&probe, json!({"code": -32601, "message": "no"}))
                .await;
            let opening = far.expect("initialize").await;
            far.answer(&opening, initialized(version, json!({}))).await;
        })
        .await;
        let error = client.unwrap_err();
        assert!(matches!(error, Error::PeerIncompatible(_)), "{error:?}");
        assert!(error.to_string().contains(version), "{error}");
        // The connection ends, without `initialized`.
        let rest = far.until_hung_up().await;
        assert!(
            rest.iter()
                .all(|sent| !matches!(sent, Outbound::Notify { .. })),
            "{rest:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_every_opening_with_another_demand_is_no_mcp_server() {
    let (client, _far, ()) = connect_while(builder(), async |far| {
        for _ in 0..3 {
            let probe = far.expect("server/discover").await;
            far.refuse(&probe, json!({"code": -32601, "message": "no"}))
                .await;
            let opening = far.expect("initialize").await;
            let data = json!({"supported": ["2026-07-28"], "requested": "x"});
            far.refuse(
                &opening,
                json!({"code": -32022, "message": "no", "data": data}),
            )
            .await;
        }
    })
    .await;
    let error = client.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("does not look like an MCP server"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_known_of_the_era_is_not_asked() {
    let (client, _far, ()) = connect_while(builder().era_hint(EraHint::Legacy), async |far| {
        let opening = far.expect("initialize").await;
        far.answer(&opening, initialized("2025-11-25", json!({})))
            .await;
        far.expect("notifications/initialized").await;
    })
    .await;
    assert_eq!(client.unwrap().session().era, Era::Legacy);
    let (client, mut far, ()) = connect_while(builder().era_hint(EraHint::Modern), async |far| {
        let probe = far.expect("server/discover").await;
        far.refuse(&probe, json!({"code": -32601, "message": "no"}))
            .await;
    })
    .await;
    assert!(matches!(client, Err(Error::Answered(_))));
    assert!(far.until_hung_up().await.is_empty(), "there is no fallback");
}

#[tokio::test(start_paused = true)]
async fn connecting_to_a_server_that_never_answers_ends_at_its_budget() {
    let options = builder().connect_timeout(Duration::from_secs(30));
    let start = Instant::now();
    let (link, _far) = ScriptedServer::pair();
    let error = options.connect(link).await.unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 30);
    assert!(
        error.to_string().contains("not connected within 30s"),
        "{error}"
    );
}

/// The text of the error of a server that plays its part and then is silent.
async fn not_connected(options: Builder, server: impl AsyncFnOnce(&mut ScriptedServer)) -> String {
    let (client, _far, ()) = connect_while(options, server).await;
    let error = client.unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error:?}");
    error.to_string()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_connect_in_time_is_told_with_the_step_that_hung() {
    let text = not_connected(builder().era_hint(EraHint::Legacy), async |_far| ()).await;
    assert!(
        text.ends_with("(no answer to initialize (2025-11-25))"),
        "{text}"
    );
    let text = not_connected(builder(), async |_far| ()).await;
    let hung = "(no answer to initialize (2025-11-25); before that, server/discover (2026-07-28)";
    assert!(text.contains(hung), "{text}");
    let early = builder().connect_timeout(Duration::from_secs(2));
    let text = not_connected(early, async |_far| ()).await;
    assert!(
        text.ends_with("(no answer to server/discover (2026-07-28))"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn every_request_of_a_modern_session_says_who_and_what_we_are() {
    let (client, mut far) = modern().await;
    let empty = RawJson::empty_object();
    let prompt = GetPromptParams::new("p");
    let requests = async {
        drop(client.list_tools_page(None).await);
        drop(client.list_tools_page(Some("c")).await);
        drop(client.call_tool("t", &empty).await);
        drop(client.list_resources_page(None).await);
        drop(client.list_resource_templates_page(None).await);
        drop(client.read_resource("file:///x").await);
        drop(client.list_prompts_page(None).await);
        drop(client.get_prompt(&prompt).await);
        drop(client.call_raw("any/thing", None).await);
        drop(client.call_raw("any/thing", Some(&empty)).await);
    };
    let serve = async {
        for _ in 0..10 {
            let request = far.heard().await;
            let meta = &request.params()["_meta"];
            for member in MEMBERS {
                assert!(!meta[member].is_null(), "{member}: {}", request.value);
            }
            assert_eq!(meta[PROTOCOL], "2026-07-28");
            far.refuse(&request, json!({"code": 1, "message": "no"}))
                .await;
        }
    };
    tokio::join!(requests, serve);
}

#[tokio::test(start_paused = true)]
async fn a_request_of_a_legacy_session_carries_a_progress_token_at_most() {
    let (client, mut far) = legacy().await;
    let empty = RawJson::empty_object();
    let requests = async {
        drop(client.list_tools_page(None).await);
        drop(client.call_tool("t", &empty).await);
    };
    let serve = async {
        let list = far.expect("tools/list").await;
        assert!(list.params()["_meta"].is_null(), "{}", list.value);
        far.answer(&list, json!({"tools": []})).await;
        let call = far.expect("tools/call").await;
        assert_eq!(call.params()["_meta"], json!({"progressToken": call.id()}));
        far.answer(&call, json!({"content": []})).await;
    };
    tokio::join!(requests, serve);
}

#[tokio::test(start_paused = true)]
async fn a_request_of_a_modern_server_gets_no_answer() {
    let (client, mut far) = modern().await;
    for method in ["ping", "roots/list", "elicitation/create", "any/thing"] {
        far.say(json!({"jsonrpc": "2.0", "id": method, "method": method, "params": {}}))
            .await;
    }
    let empty = RawJson::empty_object();
    let (reply, ()) = tokio::join!(client.call_tool("t", &empty), async {
        // The next message is our own call, not an answer.
        let call = far.expect("tools/call").await;
        far.answer(&call, json!({"content": []})).await;
    });
    assert!(reply.is_ok());
    client.close().await;
    let rest = far.until_hung_up().await;
    assert!(rest.is_empty(), "{rest:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_revision_does_not_have_is_refused_before_it_is_sent() {
    let (client, mut far) = modern().await;
    let ping = client.ping().await.unwrap_err();
    assert!(
        ping.to_string()
            .contains("ping does not exist in revision 2026-07-28"),
        "{ping}"
    );
    assert_eq!(ping.sent(), Sent::No);
    client.close().await;
    assert!(
        far.until_hung_up()
            .await
            .iter()
            .all(|sent| matches!(sent, Outbound::Session { .. }))
    );
}
