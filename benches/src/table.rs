//! The table of medians: fresh processes, pinned to one core, taking turns.

use std::process::Command;

/// One row of the table: what is done, and how much of rmcp's processor time it may take, typed
/// and raw.
struct Row {
    name: &'static str,
    tool: &'static str,
    in_flight: &'static str,
    runtime: &'static str,
    ratio_max: Option<f64>,
    raw_ratio_max: Option<f64>,
}

impl Row {
    const fn new(name: &'static str, tool: &'static str) -> Self {
        Self {
            name,
            tool,
            in_flight: "1",
            runtime: "current",
            ratio_max: None,
            raw_ratio_max: None,
        }
    }

    const fn in_flight(mut self, in_flight: &'static str) -> Self {
        self.in_flight = in_flight;
        self
    }

    const fn multi(mut self) -> Self {
        self.runtime = "multi";
        self
    }

    const fn at_most(mut self, ratio: f64) -> Self {
        self.ratio_max = Some(ratio);
        self
    }

    const fn raw_at_most(mut self, ratio: f64) -> Self {
        self.raw_ratio_max = Some(ratio);
        self
    }
}

const ROWS: [Row; 11] = [
    Row::new("100 B, one at a time", "t100").at_most(0.50),
    Row::new("100 B, 16 in flight", "t100")
        .in_flight("16")
        .at_most(0.16),
    Row::new("100 B, 256 in flight", "t100")
        .in_flight("256")
        .at_most(0.14),
    Row::new("100 B, 1,000 in flight", "t100")
        .in_flight("1000")
        .at_most(0.12),
    Row::new("100 B, one at a time", "t100")
        .multi()
        .at_most(0.70),
    Row::new("100 B, 256 in flight", "t100")
        .in_flight("256")
        .multi()
        .at_most(0.25),
    Row::new("10 kB, one at a time", "t10k")
        .at_most(0.55)
        .raw_at_most(0.25),
    Row::new("1 MB, one at a time", "t1m").at_most(0.28),
    Row::new("list of 1,000 tools", "list").at_most(0.10),
    Row::new("per progress notice", "progress").at_most(0.12),
    Row::new("per progress notice", "progress").multi(),
];

const CLIENTS: [&str; 4] = ["floor", "ours", "ours-raw", "rmcp"];
/// Those that have memory of their own to look at.
const HELD: [&str; 2] = ["ours", "rmcp"];

/// Kilobytes that an idle server may cost.
const IDLE_KB_MAX: f64 = 16.0;

/// Measures everything and prints the table.
pub fn stdio(words: &[&str]) -> Result<(), String> {
    let rounds = rounds(words)?;
    println!("client processor time in µs, median of {rounds} interleaved rounds, one core");
    println!(
        "{:24} {:8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>5} {:>8} {:>5}",
        "", "runtime", "floor", "ours", "ours-raw", "rmcp", "ours/rmcp", "max", "raw/rmcp", "max"
    );
    let mut missed = Vec::new();
    for row in &ROWS {
        if !time(row, rounds)? {
            missed.push(format!("{} ({})", row.name, row.runtime));
        }
    }
    println!();
    let idle = HELD
        .iter()
        .map(|client| pinned(&[client, "idle"], "idle_kb"));
    let idle = idle.collect::<Result<Vec<_>, _>>()?;
    let (name, [ours, rmcp]) = ("private kB per idle server", [idle[0], idle[1]]);
    println!("{name}: ours {ours:.2}, rmcp {rmcp:.2}, max {IDLE_KB_MAX}");
    if ours > IDLE_KB_MAX {
        missed.push(name.to_owned());
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("over its bar: {}", missed.join(", ")))
    }
}

/// Measures one row and prints it; says whether it meets its bars.
fn time(row: &Row, rounds: usize) -> Result<bool, String> {
    let mut figures: [Vec<f64>; 4] = Default::default();
    for _ in 0..rounds {
        for (client, figures) in CLIENTS.iter().zip(&mut figures) {
            let words = [client, row.tool, row.in_flight, row.runtime, "ms", "400"];
            figures.push(pinned(&words, "cpu_us")?);
        }
    }
    let [floor, ours, raw, rmcp] = figures.map(median);
    let (ratio, raw_ratio) = (ours / rmcp, raw / rmcp);
    let shown = |max: Option<f64>| max.map_or(String::new(), |max| format!("{max:.2}"));
    let (max, raw_max) = (shown(row.ratio_max), shown(row.raw_ratio_max));
    println!(
        "{:24} {:8} {floor:9.3} {ours:9.3} {raw:9.3} {rmcp:9.3} {ratio:9.3} {max:>5} {raw_ratio:8.3} {raw_max:>5}",
        row.name, row.runtime
    );
    Ok(row.ratio_max.is_none_or(|max| ratio <= max)
        && row.raw_ratio_max.is_none_or(|max| raw_ratio <= max))
}

/// Takes one figure in a fresh process on one core.
pub fn pinned(words: &[&str], figure: &str) -> Result<f64, String> {
    let me = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("taskset")
        .args(["-c", "1"])
        .arg(me)
        .arg("run")
        .args(words)
        .output()
        .map_err(|error| format!("taskset: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {stderr}", words.join(" ")));
    }
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    report[figure]
        .as_f64()
        .ok_or_else(|| "no figure".to_owned())
}

/// The number of rounds that the arguments ask for.
pub fn rounds(words: &[&str]) -> Result<usize, String> {
    match words {
        ["--rounds", rounds] => rounds.parse().map_err(|error| format!("{rounds}: {error}")),
        [] => Ok(5),
        _ => Err("the only option is --rounds N".to_owned()),
    }
}

pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
