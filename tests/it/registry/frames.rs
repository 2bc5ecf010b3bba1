//! The log of frames of a registry.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hermes_registry::{Config, Registry};
use mcp_tests::stage::Stage;
use mcp_types::Implementation;
use serde_json::{Value, json};

use super::requests::{everything, legacy};
use super::{SERVER, close, configured};

#[tokio::test]
async fn every_frame_is_logged_with_its_direction_and_without_secrets() {
    let mut results = everything();
    results["tools/list"]["tools"][0]["description"] = json!("knows hunter2\"hunter2");
    results["tools/call"] =
        json!({"content": [{"type": "text", "text": "token=abcdefgh12345678"}]});
    let script = format!(
        "{}\n{}\n",
        json!({"write": "listening with hunter2\"hunter2\n"}),
        json!({ "serve": results })
    );
    let stage = Stage::new(SERVER, &script);
    let mut server = configured(&stage, legacy(json!({})));
    server["env"]["THE_TOKEN"] = json!("hunter2\"hunter2");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.jsonl");
    let text = json!({ "mcp_servers": { "s": server } }).to_string();
    let config = Config::parse(&text, "config.yaml", &|_name| None).unwrap();
    let builder = Registry::builder(config.config, Implementation::new("mcp-tests", "1"));
    let registry = builder.frame_log(&path).open();
    registry.discover().await;
    let called = registry.call("s/a", r#"{"n": 12345678901234567890}"#, None, None);
    called.await.unwrap();
    close(&registry, &[&stage]).await;

    let text = fs::read_to_string(&path).unwrap();
    assert!(
        !text.contains("hunter2") && !text.contains("abcdefgh"),
        "{text}"
    );
    assert!(text.contains("12345678901234567890"), "{text}");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.iter().all(|line| line["server"] == "s"), "{text}");
    let times: Vec<f64> = lines
        .iter()
        .filter_map(|line| line["at"].as_f64())
        .collect();
    assert!(times.len() == lines.len() && times.is_sorted(), "{text}");
    let stray = &lines.iter().find(|line| line["why"] == "not_json").unwrap();
    assert_eq!(stray["text"], "listening with [REDACTED]");
    assert_eq!(stray["direction"], "received");
    let said: Vec<_> = lines
        .iter()
        .filter(|line| line["frame"]["method"].is_string())
        .map(|line| {
            (
                line["direction"].as_str().unwrap(),
                line["frame"]["method"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("sent", "initialize"),
            ("sent", "notifications/initialized"),
            ("sent", "tools/list"),
            ("sent", "tools/call"),
        ]
    );
    let call = lines
        .iter()
        .find(|line| line["frame"]["method"] == "tools/call");
    let id = &call.unwrap()["frame"]["id"];
    let answer = lines
        .iter()
        .find(|line| line["direction"] == "received" && line["frame"]["id"] == *id)
        .unwrap();
    assert_eq!(
        answer["frame"]["result"]["content"][0]["text"],
        "token=[REDACTED]"
    );
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
