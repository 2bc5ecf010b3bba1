//! What a client costs in private memory that has nothing to do, over stdio and over HTTP.

use std::ops::Range;
use std::time::Duration;

/// Clients that are held at once, each to a server of its own, after a first one.
const IDLE: usize = 100;

/// Servers that this takes.
pub const SERVERS: usize = IDLE + 1;

/// Prints what one of many clients costs; `hold` gives those of the named servers.
pub async fn cost<C>(
    mut hold: impl AsyncFnMut(Range<usize>) -> Result<Vec<C>, String>,
) -> Result<(), String> {
    // What a process pays once is paid with the first.
    let _first = hold(0..1).await?;
    let before = settled().await?;
    let _others = hold(1..SERVERS).await?;
    let after = settled().await?;
    let each = after.saturating_sub(before) as f64 / IDLE as f64;
    println!("{{\"idle_kb\":{each:.2}}}");
    Ok(())
}

/// The private memory once nothing more is under way.
async fn settled() -> Result<u64, String> {
    tokio::time::sleep(Duration::from_millis(300)).await;
    private_dirty()
}

pub fn private_dirty() -> Result<u64, String> {
    let rollup =
        std::fs::read_to_string("/proc/self/smaps_rollup").map_err(|error| error.to_string())?;
    let line = rollup
        .lines()
        .find_map(|line| line.strip_prefix("Private_Dirty:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok());
    kilobytes.ok_or_else(|| "no Private_Dirty".to_owned())
}
