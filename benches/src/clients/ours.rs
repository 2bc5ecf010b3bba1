//! Our client, with everything on: deadlines, cancellation, limits, redaction.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_client::{Call, Client, Error, RawReply, Reply};
use mcp_transport::{Limits, process::Command, stdio};
use mcp_types::{CallToolResult, Implementation, RawJson, Tool, method};
use tokio::runtime::Runtime;

use super::{TOOLS, Work, server};
use crate::measure::{Amount, Meter};

async fn connect() -> Result<Client, Error> {
    Client::builder(Implementation::new("bench", "1"))
        .connect_with(|| {
            stdio::spawn(Command::new(server()), Limits::default()).map_err(Error::from)
        })
        .await
}

/// Clients that have nothing to do, each with a server of its own.
pub async fn many(count: usize) -> Result<Vec<Client>, String> {
    let mut clients = Vec::new();
    for _ in 0..count {
        clients.push(connect().await.map_err(|error| error.to_string())?);
    }
    Ok(clients)
}

pub async fn call(
    client: &Client,
    tool: &str,
    arguments: &RawJson,
    raw: bool,
) -> Result<(), Error> {
    if raw {
        let reply = client.call_tool_raw(tool, arguments).await?;
        std::hint::black_box(reply.as_bytes().len());
    } else {
        let reply = client.call_tool(tool, arguments).await?;
        std::hint::black_box(reply.value.content.len());
    }
    Ok(())
}

/// Makes a call that brings 100,000 notices, and looks whether all came, in order.
pub async fn progress(client: &Client, arguments: &RawJson) -> Result<u64, String> {
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let mut last = 0.0;
    let made = client
        .call_tool("progress", arguments)
        .on_progress(move |progress| {
            assert!(progress.progress > last, "out of order");
            last = progress.progress;
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .await;
    made.map_err(|error| error.to_string())?;
    match count.load(Ordering::Relaxed) {
        100_000 => Ok(100_000),
        count => Err(format!("{count} of 100000 progress notices came")),
    }
}

/// Lists the tools and finds each by its name; their schemas stay as they came.
async fn list(client: &Client, raw: bool) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    if raw {
        let reply = client.call_raw(method::TOOLS_LIST, None).await;
        std::hint::black_box(reply.map_err(text)?.as_bytes().len());
        return Ok(());
    }
    // A list that is kept would cost nothing.
    client.forget_lists();
    let listing = client.list_tools().await.map_err(text)?;
    let by_name: HashMap<&str, &Tool> = listing
        .items
        .iter()
        .map(|tool| (tool.name.as_str(), tool))
        .collect();
    match by_name.len() {
        TOOLS => Ok(()),
        count => Err(format!("{count} of {TOOLS} tools came")),
    }
}

pub async fn run(work: Work, raw: bool) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    let client = connect().await.map_err(text)?;
    let arguments = RawJson::empty_object();
    if work.is_busy {
        client
            .call_tool("hold", &arguments)
            .detach()
            .map_err(text)?;
    }
    let mut meter = Meter::start(work.amount);
    if work.in_flight == 1 {
        loop {
            let brought = match work.tool {
                "progress" => progress(&client, &arguments).await?,
                "list" => list(&client, raw).await.map(|()| 1)?,
                tool => call(&client, tool, &arguments, raw)
                    .await
                    .map(|()| 1)
                    .map_err(text)?,
            };
            if !meter.goes_on(brought) {
                break;
            }
        }
    } else {
        loop {
            if raw {
                let made = || client.call_tool_raw(work.tool, &arguments);
                let look = |reply: RawReply| reply.as_bytes().len();
                at_once(work.in_flight, made, look).await?;
            } else {
                let made = || client.call_tool(work.tool, &arguments);
                let look = |reply: Reply<CallToolResult>| reply.value.content.len();
                at_once(work.in_flight, made, look).await?;
            }
            if !meter.goes_on(work.in_flight as u64) {
                break;
            }
        }
    }
    meter.report();
    client.close().await;
    Ok(())
}

/// Makes many calls, each in a task of its own, and looks at what came.
async fn at_once<T: Send + 'static>(
    count: usize,
    made: impl Fn() -> Call<T>,
    look: impl Fn(T) -> usize,
) -> Result<(), String> {
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..count {
        calls.spawn(made());
    }
    while let Some(done) = calls.join_next().await {
        let reply = done.map_err(|error| error.to_string())?;
        std::hint::black_box(look(reply.map_err(|error| error.to_string())?));
    }
    Ok(())
}

/// Counts the allocations of calls made one at a time, on the only thread there is.
pub fn allocations(runtime: &Runtime, work: Work, raw: bool) -> Result<(), String> {
    let Amount::Calls(calls) = work.amount else {
        return Err("allocations are counted over a number of calls".to_owned());
    };
    let arguments = RawJson::empty_object();
    let client = runtime
        .block_on(connect())
        .map_err(|error| error.to_string())?;
    let many = async |calls| {
        for _ in 0..calls {
            call(&client, work.tool, &arguments, raw).await?;
        }
        Ok::<(), Error>(())
    };
    runtime
        .block_on(many(100))
        .map_err(|error| error.to_string())?;
    let mut done = Ok(());
    let counted = allocation_counter::measure(|| done = runtime.block_on(many(calls)));
    done.map_err(|error| error.to_string())?;
    println!(
        "{{\"allocations\":{:.3}}}",
        counted.count_total as f64 / calls as f64
    );
    runtime.block_on(client.close());
    Ok(())
}
