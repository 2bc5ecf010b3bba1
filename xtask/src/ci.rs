//! `cargo xtask ci`: the gate, step by step in order of cost, ending at the first step that fails.
//!
//! Each step has a budget of minutes. A step over its budget is a warning; a full gate over its
//! own is an error, since a gate that nobody waits for is not a gate.

use std::time::{Duration, Instant};

use crate::shell::{Cmd, Outcome};

/// How much of the gate runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What needs cargo alone.
    Plain,
    /// All of it; what is missing is installed.
    Full,
}

/// A part of the gate.
struct Step {
    name: &'static str,
    minutes: u64,
    advice: &'static str,
    work: fn() -> Outcome,
}

/// What became of a step that ran.
struct Done {
    name: &'static str,
    took: Duration,
    budget: Duration,
    passed: bool,
}

const FULL_BUDGET: Duration = Duration::from_mins(25);

const PLAIN: &[Step] = &[
    Step {
        name: "fmt",
        minutes: 1,
        advice: "run `cargo fmt --all`",
        work: fmt,
    },
    Step {
        name: "clippy",
        minutes: 6,
        advice: "mend what clippy names; an exception needs #[expect(…, reason = \"…\")]",
        work: clippy,
    },
    Step {
        name: "test",
        minutes: 8,
        advice: "run the failing test alone by its name",
        work: test,
    },
    Step {
        name: "doctest",
        minutes: 2,
        advice: "mend the example in the documentation",
        work: doctest,
    },
    Step {
        name: "doc",
        minutes: 2,
        advice: "mend the documentation that rustdoc names",
        work: doc,
    },
    Step {
        name: "examples",
        minutes: 2,
        advice: "mend the example",
        work: examples,
    },
];

const FULL: &[Step] = &[];

/// Examples that end by themselves, as (package, example); the gate runs each.
const EXAMPLES_TO_RUN: &[(&str, &str)] = &[];

pub(crate) fn run(extent: Extent) -> Outcome {
    let start = Instant::now();
    let mut done = Vec::new();
    let more = if extent == Extent::Full { FULL } else { &[] };
    let mut failure = None;
    for step in PLAIN.iter().chain(more) {
        println!("\n== {} (budget {} min)", step.name, step.minutes);
        let began = Instant::now();
        let outcome = (step.work)();
        let (took, budget) = (began.elapsed(), Duration::from_mins(step.minutes));
        println!("-- {}: {}", step.name, minutes(took));
        if took > budget {
            println!(
                "warning: step {} took {}, over its budget",
                step.name,
                minutes(took)
            );
        }
        done.push(Done {
            name: step.name,
            took,
            budget,
            passed: outcome.is_ok(),
        });
        if let Err(message) = outcome {
            failure = Some(format!(
                "step `{}` failed: {message}\n  → {}",
                step.name, step.advice
            ));
            break;
        }
    }
    let total = start.elapsed();
    println!("\n{}", summary(&done, total));
    match failure {
        Some(message) => Err(message),
        None if extent == Extent::Full && total > FULL_BUDGET => Err(format!(
            "everything passed, but in {}: over the {} of the full gate",
            minutes(total),
            minutes(FULL_BUDGET)
        )),
        None => Ok(()),
    }
}

fn fmt() -> Outcome {
    Cmd::new("cargo fmt --all --check").run()
}

fn clippy() -> Outcome {
    // Crate by crate: features that one crate turns on must not hide what another one lacks.
    for package in packages()? {
        Cmd::new("cargo clippy --quiet -p")
            .arg(package)
            .arg("--all-targets")
            .arg("--")
            .arg("-D")
            .arg("warnings")
            .run()?;
    }
    Ok(())
}

fn test() -> Outcome {
    if Cmd::new("cargo nextest --version").succeeds() {
        println!("tests run under nextest");
        Cmd::new("cargo nextest run --workspace").run()
    } else {
        println!("tests run under `cargo test`, since nextest is not installed");
        Cmd::new("cargo test --workspace --lib --bins --tests").run()
    }
}

fn doctest() -> Outcome {
    Cmd::new("cargo test --workspace --doc").run()
}

fn doc() -> Outcome {
    Cmd::new("cargo doc --workspace --no-deps --quiet")
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}

fn examples() -> Outcome {
    Cmd::new("cargo build --workspace --examples").run()?;
    for (package, example) in EXAMPLES_TO_RUN {
        Cmd::new("cargo run --quiet -p")
            .arg(*package)
            .arg("--example")
            .arg(*example)
            .run()?;
    }
    Ok(())
}

/// The packages of the workspace, by name.
fn packages() -> Outcome<Vec<String>> {
    let text = Cmd::new("cargo metadata --format-version 1 --no-deps").read()?;
    let data: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let names = data["packages"].as_array().into_iter().flatten();
    Ok(names
        .filter_map(|package| package["name"].as_str().map(str::to_owned))
        .collect())
}

fn minutes(time: Duration) -> String {
    format!("{:.1} min", time.as_secs_f64() / 60.0)
}

fn summary(done: &[Done], total: Duration) -> String {
    let mut lines = vec![format!("{:<12} {:>9} {:>9}", "step", "took", "budget")];
    for step in done {
        let remark = match (step.passed, step.took > step.budget) {
            (false, _) => "FAILED",
            (true, true) => "over budget",
            (true, false) => "",
        };
        let line = format!(
            "{:<12} {:>9} {:>9} {remark}",
            step.name,
            minutes(step.took),
            minutes(step.budget)
        );
        lines.push(line.trim_end().to_owned());
    }
    lines.push(format!("{:<12} {:>9}", "total", minutes(total)));
    let passed = done.iter().filter(|step| step.passed).count();
    lines.push(format!(
        "steps: {passed} passed, {} failed",
        done.len() - passed
    ));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_names_the_failed_step_and_the_slow_one() {
        let done = |name, secs, passed| Done {
            name,
            took: Duration::from_secs(secs),
            budget: Duration::from_mins(1),
            passed,
        };
        let text = summary(
            &[
                done("fmt", 6, true),
                done("clippy", 90, true),
                done("test", 30, false),
            ],
            Duration::from_secs(126),
        );
        assert!(
            text.contains("fmt            0.1 min   1.0 min\n"),
            "{text}"
        );
        assert!(text.contains("1.5 min   1.0 min over budget"), "{text}");
        assert!(text.contains("0.5 min   1.0 min FAILED"), "{text}");
        assert!(text.ends_with("steps: 2 passed, 1 failed"), "{text}");
    }

    #[test]
    fn budgets_of_all_steps_fit_into_the_full_gate() {
        let all: u64 = PLAIN.iter().chain(FULL).map(|step| step.minutes).sum();
        assert!(Duration::from_mins(all) <= FULL_BUDGET, "{all} min");
    }
}
