//! The clients that are compared, each run in a process of its own.

mod floor;
pub mod http;
pub mod idle;
mod ours;
#[cfg(feature = "peers")]
mod peer;

use std::path::PathBuf;
use std::time::Duration;

use tokio::runtime::Runtime;

use crate::measure::Amount;

/// The tools that the server lists.
const TOOLS: usize = 1000;

/// What a client is to do.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Calls in flight at once.
    pub in_flight: usize,
    /// The tool, which decides the size of the result; `list` lists the tools.
    pub tool: &'static str,
    /// Whether one more call is in flight all the time, so that every request has to queue.
    pub is_busy: bool,
    pub amount: Amount,
}

/// `run CLIENT TOOL IN_FLIGHT RUNTIME (ms N | calls N) [allocations]`, or `run CLIENT idle`
pub fn run(words: &[&str]) -> Result<(), String> {
    if let [client, "idle"] = words {
        return runtime("current")?.block_on(hold(client));
    }
    let [client, tool, in_flight, runtime, unit, amount, rest @ ..] = words else {
        return Err("run CLIENT TOOL IN_FLIGHT RUNTIME (ms N | calls N)".to_owned());
    };
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|error| format!("{text}: {error}"))
    };
    let amount = match *unit {
        "ms" => Amount::Time(Duration::from_millis(number(amount)?)),
        _ => Amount::Calls(number(amount)?),
    };
    let is_busy = *tool == "t100-busy";
    let tool = match *tool {
        "t100" | "t100-busy" => "t100",
        "t10k" => "t10k",
        "t1m" => "t1m",
        "list" => "list",
        _ => "progress",
    };
    let in_flight = usize::try_from(number(in_flight)?).map_err(|error| error.to_string())?;
    let work = Work {
        in_flight,
        tool,
        is_busy,
        amount,
    };
    if *client == "floor" {
        return floor::run(work).map_err(|error| error.to_string());
    }
    let runtime = self::runtime(runtime)?;
    if rest.contains(&"allocations") {
        return ours::allocations(&runtime, work, *client == "ours-raw");
    }
    runtime.block_on(async {
        match *client {
            "ours" => ours::run(work, false).await,
            "ours-raw" => ours::run(work, true).await,
            #[cfg(feature = "peers")]
            "rmcp" => peer::run(work).await,
            other => Err(format!("no client {other}")),
        }
    })
}

/// Prints what a client costs in private memory that has nothing to do.
async fn hold(client: &str) -> Result<(), String> {
    match client {
        "ours" => idle::cost(async |servers| ours::many(servers.len()).await).await,
        #[cfg(feature = "peers")]
        "rmcp" => idle::cost(async |servers| peer::many(servers.len()).await).await,
        other => Err(format!("no client {other}")),
    }
}

fn runtime(kind: &str) -> Result<Runtime, String> {
    let mut builder = match kind {
        "multi" => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    // The runtime of one thread has no workers to count.
    let built = builder.worker_threads(2).enable_all().build();
    built.map_err(|error| error.to_string())
}

/// The server that stands beside this program.
pub fn server() -> PathBuf {
    let mut path = std::env::current_exe().unwrap_or_default();
    path.set_file_name("bench-server");
    path
}
