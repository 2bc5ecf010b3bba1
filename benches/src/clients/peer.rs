//! rmcp, as its documentation uses it.

use std::collections::HashMap;

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, Tool};
use rmcp::service::{Peer, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;

use super::{TOOLS, Work, server};
use crate::measure::Meter;

type Session = RunningService<RoleClient, ()>;

async fn connect() -> Result<Session, String> {
    let transport = TokioChildProcess::new(tokio::process::Command::new(server()))
        .map_err(|error| error.to_string())?;
    ().serve(transport).await.map_err(|error| error.to_string())
}

/// Clients that have nothing to do, each with a server of its own.
pub async fn many(count: usize) -> Result<Vec<Session>, String> {
    let mut sessions = Vec::new();
    for _ in 0..count {
        sessions.push(connect().await?);
    }
    Ok(sessions)
}

/// Lists the tools and finds each by its name.
async fn list(peer: &Peer<RoleClient>) -> Result<(), String> {
    let tools = peer.list_all_tools().await;
    let tools = tools.map_err(|error| error.to_string())?;
    let by_name: HashMap<&str, &Tool> = tools
        .iter()
        .map(|tool| (tool.name.as_ref(), tool))
        .collect();
    match by_name.len() {
        TOOLS => Ok(()),
        count => Err(format!("{count} of {TOOLS} tools came")),
    }
}

pub async fn run(work: Work) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let client = connect().await?;
    let params = || CallToolRequestParams::new(work.tool).with_arguments(serde_json::Map::new());
    let mut meter = Meter::start(work.amount);
    if work.in_flight == 1 {
        loop {
            if work.tool == "list" {
                list(&client).await?;
            } else {
                let reply = client
                    .call_tool(params())
                    .await
                    .map_err(|error| text(&error))?;
                std::hint::black_box(reply.content.len());
            }
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
