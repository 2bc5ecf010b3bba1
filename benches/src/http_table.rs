//! The table of medians over HTTP: fresh processes, pinned to one core, taking turns.

use crate::sse_typed;
use crate::table::{median, pinned, rounds};

/// One row of the table: what is done, and how much of rmcp's processor time it may take, as it
/// comes and with its connections kept.
struct Row {
    name: &'static str,
    path: &'static str,
    tool: &'static str,
    in_flight: &'static str,
    ratio_max: Option<f64>,
    pooled_ratio_max: Option<f64>,
}

impl Row {
    const fn new(name: &'static str, path: &'static str, tool: &'static str) -> Self {
        Self {
            name,
            path,
            tool,
            in_flight: "1",
            ratio_max: None,
            pooled_ratio_max: None,
        }
    }

    const fn in_flight(mut self, in_flight: &'static str) -> Self {
        self.in_flight = in_flight;
        self
    }

    const fn at_most(mut self, ratio: f64) -> Self {
        self.ratio_max = Some(ratio);
        self
    }

    const fn at_most_pooled(mut self, ratio: f64) -> Self {
        self.pooled_ratio_max = Some(ratio);
        self
    }
}

const ROWS: [Row; 13] = [
    Row::new("JSON, 100 B", "/json", "t100")
        .at_most(0.15)
        .at_most_pooled(0.40),
    Row::new("SSE, 100 B", "/sse", "t100")
        .at_most(0.15)
        .at_most_pooled(0.35),
    Row::new("JSON, 10 kB", "/json", "t10k"),
    Row::new("SSE, 10 kB", "/sse", "t10k"),
    Row::new("JSON, 1 MB", "/json", "t1m")
        .at_most(0.25)
        .at_most_pooled(0.25),
    Row::new("SSE, 1 MB", "/sse", "t1m")
        .at_most(0.25)
        .at_most_pooled(0.25),
    Row::new("JSON, 100 B, 16 in flight", "/json", "t100")
        .in_flight("16")
        .at_most(0.17),
    Row::new("JSON, 100 B, 256 in flight", "/json", "t100")
        .in_flight("256")
        .at_most(0.20),
    Row::new("JSON, 100 B, 1,000 in flight", "/json", "t100")
        .in_flight("1000")
        .at_most(0.28),
    Row::new("SSE, 100 B, 16 in flight", "/sse", "t100")
        .in_flight("16")
        .at_most(0.17),
    Row::new("SSE, 100 B, 256 in flight", "/sse", "t100")
        .in_flight("256")
        .at_most(0.20),
    Row::new("SSE, 100 B, 1,000 in flight", "/sse", "t100")
        .in_flight("1000")
        .at_most(0.28),
    Row::new("SSE, per progress notice", "/sse", "progress").at_most(0.12),
];

const CLIENTS: [&str; 5] = ["floor", "ours", "ours-kept", "rmcp", "rmcp-pooled"];
/// Those that are told apart where only one server or one call is at work.
const SINGLE: [&str; 3] = ["ours", "rmcp", "rmcp-pooled"];

/// Connections that 1,000 calls may open, one after another.
pub const CONNECTIONS_MAX: f64 = 1.0;
/// Allocations that a call may make.
pub const ALLOCATIONS_MAX: f64 = 28.0;
/// Kilobytes that an idle server may cost.
const IDLE_KB_MAX: f64 = 28.0;

/// Measures everything and prints the table.
pub fn http(words: &[&str]) -> Result<(), String> {
    let rounds = rounds(words)?;
    let mut missed = Vec::new();
    println!(
        "client processor time in µs per call, median of {rounds} interleaved rounds, one core"
    );
    println!(
        "{:30} {:>8} {:>8} {:>8} {:>8} {:>9} {:>5} {:>11} {:>5}",
        "", "floor", "ours", "rmcp", "pooled", "ours/rmcp", "max", "ours/pooled", "max"
    );
    for row in &ROWS {
        if !time(row, rounds)? {
            missed.push(row.name);
        }
    }
    let mut check = |name: &'static str, is_met: bool| {
        if !is_met {
            missed.push(name);
        }
    };
    println!();
    for path in ["/json", "/sse"] {
        let opened = SINGLE.iter().map(|client| connections(client, path));
        let opened = opened.collect::<Result<Vec<_>, _>>()?;
        let name = "connections for 1,000 calls";
        print_counts(name, path, None, &opened, CONNECTIONS_MAX);
        check(name, opened[0] <= CONNECTIONS_MAX);
    }
    for path in ["/json", "/sse"] {
        let counted = allocations(path)?;
        let name = "allocations per 100 B call";
        print_counts(name, path, None, &[counted], ALLOCATIONS_MAX);
        check(name, counted <= ALLOCATIONS_MAX);
    }
    let idle = |client: &str| pinned(&["http", client, "idle"], "idle_kb");
    let floor = idle("floor")?;
    let idle = SINGLE.iter().map(|client| idle(client));
    let idle = idle.collect::<Result<Vec<_>, _>>()?;
    let name = "private kB per idle server";
    print_counts(name, "", Some(floor), &idle, IDLE_KB_MAX);
    check(name, idle[0] <= IDLE_KB_MAX);
    check("typed events", sse_typed::table(rounds)?);
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("over its bar: {}", missed.join(", ")))
    }
}

/// Measures one row and prints it; says whether it meets its bars, with as many connections kept
/// as there are callers.
fn time(row: &Row, rounds: usize) -> Result<bool, String> {
    let mut figures: [Vec<f64>; 5] = Default::default();
    for _ in 0..rounds {
        for (client, figures) in CLIENTS.iter().zip(&mut figures) {
            // A single caller has no more connections to keep than one.
            if *client == "ours-kept" && row.in_flight == "1" {
                continue;
            }
            let words = [
                "http",
                client,
                row.path,
                row.tool,
                row.in_flight,
                "ms",
                "400",
            ];
            figures.push(pinned(&words, "cpu_us")?);
        }
    }
    let [floor, as_it_comes, kept, rmcp, pooled] = figures.map(median);
    let shown = |max: Option<f64>| max.map_or(String::new(), |max| format!("{max:.2}"));
    let (max, pooled_max) = (shown(row.ratio_max), shown(row.pooled_ratio_max));
    let print = |name: &str, ours: f64| {
        let (ratio, pooled_ratio) = (ours / rmcp, ours / pooled);
        println!(
            "{name:30} {floor:8.2} {ours:8.2} {rmcp:8.2} {pooled:8.2} {ratio:9.3} {max:>5} {pooled_ratio:11.3} {pooled_max:>5}"
        );
    };
    print(row.name, as_it_comes);
    let mut ours = as_it_comes;
    if !kept.is_nan() {
        print("    as many connections kept", kept);
        ours = kept;
    }
    Ok(row.ratio_max.is_none_or(|max| ours / rmcp <= max)
        && row.pooled_ratio_max.is_none_or(|max| ours / pooled <= max))
}

fn print_counts(name: &str, path: &str, floor: Option<f64>, counts: &[f64], max: f64) {
    let floor = floor.map_or(String::new(), |floor| format!("{floor:.2}"));
    print!("{:30} {floor:>8}", format!("{name} {path}"));
    for count in counts {
        print!(" {count:8.2}");
    }
    println!("  max {max}");
}

/// Connections that 1,000 calls open, one after another, the opening of the session included.
pub fn connections(client: &str, path: &str) -> Result<f64, String> {
    let words = ["http", client, path, "t100", "1", "connections", "1000"];
    pinned(&words, "connections")
}

/// Allocations of a call of ours.
pub fn allocations(path: &str) -> Result<f64, String> {
    let words = ["http", "ours", path, "t100", "1", "allocations", "2000"];
    pinned(&words, "allocations")
}
