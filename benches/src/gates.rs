//! Counts that do not depend on the machine's mood, with their limits.

use std::process::{Command, Output};

use crate::http_table;

/// How much more than its limit the gate allows of a count that varies with compilers.
const MARGIN: f64 = 1.15;

/// Measures every count, prints it beside its limit, and fails if one is over.
pub fn check() -> Result<(), String> {
    let mut missed = 0;
    let mut hold = |name: &str, figure: f64, limit: f64, margin: f64| {
        let verdict = if figure <= limit * margin {
            "ok"
        } else {
            "OVER"
        };
        missed += usize::from(verdict != "ok");
        let more = (margin - 1.0) * 100.0;
        println!("{name:52} {figure:12.2}  limit {limit:10.2} + {more:2.0} %  {verdict}");
    };
    for path in ["/json", "/sse"] {
        let opened = http_table::connections("ours", path)?;
        let name = format!("connections for 1,000 calls over HTTP, {path}");
        hold(&name, opened, http_table::CONNECTIONS_MAX, 1.0);
        let counted = http_table::allocations(path)?;
        let name = format!("allocations per typed 100 B call over HTTP, {path}");
        hold(&name, counted, http_table::ALLOCATIONS_MAX, 1.0);
    }
    let mut gate = |name: &str, figure, limit| hold(name, figure, limit, MARGIN);
    gate(
        "user instructions per typed 100 B call",
        instructions("ours")?,
        16_000.0,
    );
    gate(
        "allocations per typed 100 B call",
        allocations("ours")?,
        10.0,
    );
    gate(
        "allocations per raw 100 B call",
        allocations("ours-raw")?,
        4.0,
    );
    gate(
        "system calls per call, one at a time",
        syscalls("t100", "1", "500", "2500", None)?,
        4.0,
    );
    // On an idle connection the first caller writes its own request at once and the other 255 are
    // queued; on a busy one all 256 are.
    let writes = syscalls("t100-busy", "256", "2048", "10240", Some("write"))? * 256.0;
    gate("writes per batch of 256 queued requests", writes, 1.0);
    if missed == 0 {
        Ok(())
    } else {
        Err(format!("{missed} counts are over their limits"))
    }
}

fn me() -> Result<String, String> {
    let me = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(me.display().to_string())
}

/// Counts by difference, so that starting and connecting do not count.
fn instructions(client: &str) -> Result<f64, String> {
    let count = |calls: &str| {
        let mut command = Command::new("valgrind");
        command
            .args([
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
                "--trace-children=no",
            ])
            .args([
                &me()?,
                "run",
                client,
                "t100",
                "1",
                "current",
                "calls",
                calls,
            ]);
        let output = output(command, "valgrind")?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text
            .lines()
            .find_map(|line| line.split_once("Collected : "));
        let count = line.map(|(_, count)| count.trim().replace(',', ""));
        count
            .and_then(|count| count.parse::<f64>().ok())
            .ok_or(format!("no count in: {text}"))
    };
    Ok((count("2500")? - count("500")?) / 2000.0)
}

fn allocations(client: &str) -> Result<f64, String> {
    let mut command = Command::new(me()?);
    command.args([
        "run",
        client,
        "t100",
        "1",
        "current",
        "calls",
        "2000",
        "allocations",
    ]);
    let output = output(command, "the measuring process")?;
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    report["allocations"]
        .as_f64()
        .ok_or_else(|| "no figure".to_owned())
}

/// System calls per call, of one kind or of all, by difference.
fn syscalls(
    tool: &str,
    in_flight: &str,
    few: &str,
    many: &str,
    kind: Option<&str>,
) -> Result<f64, String> {
    let count = |calls: &str| {
        let mut command = Command::new("strace");
        // Without `-f` the server is not followed; the current-thread runtime is one thread.
        command.args(["-c", "-U", "name,calls", "-o", "/dev/stderr"]);
        if let Some(kind) = kind {
            command.args(["-e", &format!("trace={kind}")]);
        }
        command.args([
            &me()?,
            "run",
            "ours",
            tool,
            in_flight,
            "current",
            "calls",
            calls,
        ]);
        let output = output(command, "strace")?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let total = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("total"));
        let total = total.and_then(|total| total.split_whitespace().next()?.parse::<f64>().ok());
        total.ok_or(format!("no total in: {text}"))
    };
    let difference = many.parse::<f64>().unwrap_or(0.0) - few.parse::<f64>().unwrap_or(0.0);
    Ok((count(many)? - count(few)?) / difference)
}

fn output(mut command: Command, name: &str) -> Result<Output, String> {
    let output = command
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(format!(
            "{name} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}
