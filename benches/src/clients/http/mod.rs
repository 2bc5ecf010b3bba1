//! The clients that are compared over HTTP, each run in a process of its own.

mod floor;
mod ours;
#[cfg(feature = "peers")]
mod peer;
mod server;

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

use self::server::Server;
use super::idle;
use crate::measure::{Amount, Meter};

/// One who makes one call after another.
trait Caller: Send + 'static {
    /// Makes a call; says how many results or notices it brought.
    fn call(&mut self) -> impl Future<Output = Result<u64, String>> + Send;
}

/// `http CLIENT PATH TOOL IN_FLIGHT (ms | calls | connections | allocations) N`, or
/// `http CLIENT idle`
pub fn run(words: &[&str]) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let [client, path, tool, in_flight, unit, amount] = match *words {
        [client, "idle"] => return runtime.block_on(hold(client)),
        [client, path, tool, in_flight, unit, amount] => {
            [client, path, tool, in_flight, unit, amount]
        }
        _ => return Err("http CLIENT PATH TOOL IN_FLIGHT UNIT N".to_owned()),
    };
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|error| format!("{text}: {error}"))
    };
    let amount = number(amount)?;
    if unit == "allocations" {
        return ours::allocations(&runtime, path, tool, amount);
    }
    let is_timed = unit == "ms";
    let measured = if is_timed {
        Amount::Time(Duration::from_millis(amount))
    } else {
        Amount::Calls(amount)
    };
    let count = usize::try_from(number(in_flight)?).map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let server = Server::start(1)?;
        let url = server.url(0, path);
        match client {
            "floor" => drive(floor::callers(&server, path, tool, count).await?, measured).await?,
            "ours" | "ours-kept" => {
                let is_keeping_all = client == "ours-kept";
                let callers = ours::callers(&url, tool, count, is_keeping_all).await?;
                drive(callers, measured).await?;
            }
            #[cfg(feature = "peers")]
            "rmcp" | "rmcp-pooled" => {
                let is_pooled = client == "rmcp-pooled";
                let (_session, callers) = peer::callers(&url, tool, count, is_pooled).await?;
                drive(callers, measured).await?;
            }
            other => return Err(format!("no client {other}")),
        }
        if unit == "connections" {
            println!("{{\"connections\":{}}}", server.connections()?);
        }
        Ok(())
    })
}

/// Lets the callers call until it is enough, and prints what it cost.
async fn drive<C: Caller>(callers: Vec<C>, amount: Amount) -> Result<(), String> {
    let is_timed = matches!(amount, Amount::Time(_));
    let meter = Arc::new(Mutex::new(Meter::start(amount)));
    let mut calling = JoinSet::new();
    for mut caller in callers {
        let meter = Arc::clone(&meter);
        calling.spawn(async move {
            loop {
                let made = caller.call().await?;
                let mut meter = meter.lock().unwrap_or_else(PoisonError::into_inner);
                if !meter.goes_on(made) {
                    return Ok::<(), String>(());
                }
            }
        });
    }
    while let Some(done) = calling.join_next().await {
        done.map_err(|error| error.to_string())??;
    }
    if is_timed {
        meter
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .report();
    }
    Ok(())
}

/// Prints what a client costs in private memory that has nothing to do.
async fn hold(client: &str) -> Result<(), String> {
    let server = Server::start(idle::SERVERS)?;
    let urls: Vec<String> = (0..idle::SERVERS)
        .map(|at| server.url(at, "/json"))
        .collect();
    match client {
        "floor" => idle::cost(async |servers| floor::many(&server, servers).await).await,
        "ours" => {
            let backend = ours::backend(None)?;
            idle::cost(async |servers| ours::many(&backend, &urls[servers]).await).await
        }
        #[cfg(feature = "peers")]
        "rmcp" | "rmcp-pooled" => {
            let pooled = (client == "rmcp-pooled").then(reqwest::Client::new);
            idle::cost(async |servers| peer::many(&urls[servers], pooled.as_ref()).await).await
        }
        other => Err(format!("no client {other}")),
    }
}
