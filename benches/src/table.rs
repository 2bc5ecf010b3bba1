//! The table of medians: fresh processes, pinned to one core, taking turns.

use std::process::Command;

/// One row of the table: what is done, and how much of rmcp's processor time it may take.
struct Row {
    name: &'static str,
    tool: &'static str,
    in_flight: usize,
    runtime: &'static str,
    ratio_max: Option<f64>,
}

const ROWS: [Row; 8] = [
    Row {
        name: "100 B, one at a time",
        tool: "t100",
        in_flight: 1,
        runtime: "current",
        ratio_max: Some(0.50),
    },
    Row {
        name: "100 B, 256 in flight",
        tool: "t100",
        in_flight: 256,
        runtime: "current",
        ratio_max: Some(0.14),
    },
    Row {
        name: "100 B, one at a time",
        tool: "t100",
        in_flight: 1,
        runtime: "multi",
        ratio_max: Some(0.70),
    },
    Row {
        name: "100 B, 256 in flight",
        tool: "t100",
        in_flight: 256,
        runtime: "multi",
        ratio_max: Some(0.25),
    },
    Row {
        name: "10 kB, one at a time",
        tool: "t10k",
        in_flight: 1,
        runtime: "current",
        ratio_max: None,
    },
    Row {
        name: "1 MB, one at a time",
        tool: "t1m",
        in_flight: 1,
        runtime: "current",
        ratio_max: None,
    },
    Row {
        name: "per progress notice",
        tool: "progress",
        in_flight: 1,
        runtime: "current",
        ratio_max: None,
    },
    Row {
        name: "per progress notice",
        tool: "progress",
        in_flight: 1,
        runtime: "multi",
        ratio_max: None,
    },
];

const CLIENTS: [&str; 4] = ["floor", "ours", "ours-raw", "rmcp"];

/// Measures everything and prints the table.
pub fn stdio(words: &[&str]) -> Result<(), String> {
    let rounds = rounds(words)?;
    println!("client processor time in µs, median of {rounds} interleaved rounds, one core");
    println!(
        "{:24} {:8} {:>9} {:>9} {:>9} {:>9} {:>8} {:>6}",
        "", "runtime", "floor", "ours", "ours-raw", "rmcp", "ours/rmcp", "max"
    );
    let mut missed = Vec::new();
    for row in &ROWS {
        let mut figures: [Vec<f64>; 4] = Default::default();
        for _ in 0..rounds {
            for (client, figures) in CLIENTS.iter().zip(&mut figures) {
                figures.push(measure(client, row)?);
            }
        }
        let [floor, ours, raw, rmcp] = figures.map(median);
        let ratio = ours / rmcp;
        let max = row
            .ratio_max
            .map_or(String::new(), |max| format!("{max:.2}"));
        println!(
            "{:24} {:8} {floor:9.3} {ours:9.3} {raw:9.3} {rmcp:9.3} {ratio:8.3} {max:>6}",
            row.name, row.runtime
        );
        if row.ratio_max.is_some_and(|max| ratio > max) {
            missed.push(format!("{} ({})", row.name, row.runtime));
        }
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("over its bar: {}", missed.join(", ")))
    }
}

fn measure(client: &str, row: &Row) -> Result<f64, String> {
    let in_flight = row.in_flight.to_string();
    let words = [client, row.tool, &in_flight, row.runtime, "ms", "400"];
    pinned(&words, "cpu_us")
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
