//! rmcp, as its documentation uses it.

use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;

use super::{Work, server};
use crate::measure::Meter;

pub async fn run(work: Work) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let transport = TokioChildProcess::new(tokio::process::Command::new(server()))
        .map_err(|error| text(&error))?;
    let client = ().serve(transport).await.map_err(|error| text(&error))?;
    let params = || CallToolRequestParams::new(work.tool).with_arguments(serde_json::Map::new());
    let mut meter = Meter::start(work.amount);
    if work.in_flight == 1 {
        loop {
            let reply = client
                .call_tool(params())
                .await
                .map_err(|error| text(&error))?;
            std::hint::black_box(reply.content.len());
            if !meter.goes_on(if work.tool == "progress" { 100_000 } else { 1 }) {
                break;
            }
        }
    } else {
        loop {
            let mut calls = tokio::task::JoinSet::new();
            for _ in 0..work.in_flight {
                let (peer, params) = (client.peer().clone(), params());
                calls.spawn(async move { peer.call_tool(params).await });
            }
            while let Some(done) = calls.join_next().await {
                let reply = done
                    .map_err(|error| text(&error))?
                    .map_err(|error| text(&error))?;
                std::hint::black_box(reply.content.len());
            }
            if !meter.goes_on(work.in_flight as u64) {
                break;
            }
        }
    }
    meter.report();
    client.cancel().await.map_err(|error| text(&error))?;
    Ok(())
}
