//! `cargo xtask ci`: the gate, step by step in order of cost, ending at the first step that fails.
//!
//! Each step has a budget of time. A step over its budget is a warning; a full gate over its
//! own is an error, since a gate that nobody waits for is not a gate.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::shell::{Cmd, Outcome};
use crate::{bench, conformance, peers, tidy};

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
    budget: Duration,
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
        budget: Duration::from_secs(20),
        advice: "run `cargo fmt --all`",
        work: fmt,
    },
    Step {
        name: "tidy",
        budget: Duration::from_secs(40),
        advice: "mend what is listed; `cargo xtask tidy` checks again",
        work: tidy::run,
    },
    Step {
        name: "clippy",
        budget: Duration::from_mins(5),
        advice: "mend what clippy names; an exception needs #[expect(…, reason = \"…\")]",
        work: clippy,
    },
    Step {
        name: "test",
        budget: Duration::from_mins(6),
        advice: "run the failing test alone by its name",
        work: test,
    },
    Step {
        name: "doctest",
        budget: Duration::from_mins(2),
        advice: "mend the example in the documentation",
        work: doctest,
    },
    Step {
        name: "doc",
        budget: Duration::from_mins(2),
        advice: "mend the documentation that rustdoc names",
        work: doc,
    },
    Step {
        name: "examples",
        budget: Duration::from_mins(2),
        advice: "mend the example; the README promises the quick start",
        work: examples,
    },
];

const FULL: &[Step] = &[
    Step {
        name: "peers",
        budget: Duration::from_mins(3),
        advice: "`cargo xtask peers` runs this step alone; it needs npm, PyPI and crates.io",
        work: || peers::run(peers::Kind::ALL),
    },
    Step {
        name: "conformance",
        budget: Duration::from_mins(1),
        advice: "`cargo xtask conformance SCENARIO` runs one scenario; it needs the npm registry",
        work: conformance::all,
    },
    Step {
        name: "gates",
        budget: Duration::from_mins(3),
        advice: "`cargo xtask bench gates` runs this step alone; a count rose, so find out why",
        work: bench::gates,
    },
];

/// Examples that end by themselves, as (package, example); the gate runs each.
const EXAMPLES_TO_RUN: &[(&str, &str)] = &[];

pub(crate) fn run(extent: Extent) -> Outcome {
    let start = Instant::now();
    let mut done = Vec::new();
    let mut outcome = Ok(());
    for step in steps(extent, bench::exists()) {
        outcome = run_step(step, &mut done);
        if outcome.is_err() {
            break;
        }
    }
    let total = start.elapsed();
    println!("\n{}", summary(&done, total));
    outcome?;
    if extent == Extent::Full && total > FULL_BUDGET {
        return Err(format!(
            "everything passed, but in {}: over the {} of the full gate",
            minutes(total),
            minutes(FULL_BUDGET)
        ));
    }
    Ok(())
}

fn steps(extent: Extent, has_benches: bool) -> Vec<&'static Step> {
    let more = if extent == Extent::Full { FULL } else { &[] };
    let mut steps: Vec<&Step> = PLAIN.iter().chain(more).collect();
    if extent == Extent::Full && !has_benches {
        println!("the step `gates` does not exist yet: there is no benches/Cargo.toml");
        steps.retain(|step| step.name != "gates");
    }
    steps
}

fn run_step(step: &Step, done: &mut Vec<Done>) -> Outcome {
    println!("\n== {} (budget {})", step.name, minutes(step.budget));
    let began = Instant::now();
    let outcome = (step.work)();
    let took = began.elapsed();
    println!("-- {}: {}", step.name, minutes(took));
    if took > step.budget {
        println!(
            "warning: step {} took {}, over its budget",
            step.name,
            minutes(took)
        );
    }
    done.push(Done {
        name: step.name,
        took,
        budget: step.budget,
        passed: outcome.is_ok(),
    });
    outcome.map_err(|message| {
        format!(
            "step `{}` failed: {message}\n  → {}",
            step.name, step.advice
        )
    })
}

fn fmt() -> Outcome {
    Cmd::new("cargo fmt --all --check").run()
}

fn clippy() -> Outcome {
    // Crate by crate: features that one crate turns on must not hide what another one lacks.
    let metadata = tidy::metadata(&["--no-deps"])?;
    for package in tidy::packages(&metadata) {
        Cmd::new("cargo clippy --quiet -p")
            .arg(tidy::text(package, "name"))
            .arg("--all-targets")
            // The crate's own ones, which only ever add code, such as `real-peers`.
            .arg("--all-features")
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
    let metadata = tidy::metadata(&["--no-deps"])?;
    let targets = tidy::packages(&metadata).flat_map(|package| package["targets"].as_array());
    if targets
        .flatten()
        .any(|target| target["kind"][0] == "example")
    {
        Cmd::new("cargo build --workspace --examples").run()?;
    } else {
        println!("there are no examples yet");
    }
    for (package, example) in EXAMPLES_TO_RUN {
        Cmd::new("cargo run --quiet -p")
            .arg(*package)
            .arg("--example")
            .arg(*example)
            .run()?;
    }
    quick_start()
}

/// What the README tells a new user to type.
fn quick_start() -> Outcome {
    let tools = Cmd::new("cargo run --quiet -- mcp tools --demo").tee()?;
    if !tools.contains("mcp_demo_add") {
        return Err("`hermes mcp tools --demo` does not list mcp_demo_add".to_owned());
    }
    let answer = Cmd::new("cargo run --quiet -- mcp call mcp_demo_add")
        .arg(r#"{"a":2,"b":3}"#)
        .arg("--demo")
        .arg("--json")
        .tee()?;
    let answer: Value = serde_json::from_str(&answer)
        .map_err(|error| format!("`hermes mcp call --json` did not print one object: {error}"))?;
    if answer["version"].is_null() || !answer["result"].to_string().contains('5') {
        return Err(format!("`hermes mcp call mcp_demo_add` answered {answer}"));
    }
    Ok(())
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
    fn step_that_does_not_exist_yet_is_left_out_rather_than_passed() {
        let names = |extent, has_benches| -> Vec<&str> {
            steps(extent, has_benches)
                .iter()
                .map(|step| step.name)
                .collect()
        };
        assert!(names(Extent::Full, true).ends_with(&["peers", "conformance", "gates"]));
        assert!(names(Extent::Full, false).ends_with(&["peers", "conformance"]));
        assert!(names(Extent::Plain, true).ends_with(&["examples"]));
    }

    #[test]
    fn failing_step_names_itself_and_what_to_do() {
        let step = Step {
            name: "odd",
            budget: Duration::from_mins(1),
            advice: "do this",
            work: || Err("it broke".to_owned()),
        };
        let mut done = Vec::new();
        let error = run_step(&step, &mut done).unwrap_err();
        assert_eq!(error, "step `odd` failed: it broke\n  → do this");
        assert!(!done[0].passed);
    }

    #[test]
    fn budgets_of_all_steps_fit_into_the_full_gate() {
        let all: Duration = PLAIN.iter().chain(FULL).map(|step| step.budget).sum();
        assert!(all <= FULL_BUDGET, "{}", minutes(all));
    }
}
