//! `cargo xtask conformance`: the official conformance suite against our client, one scenario at
//! one wire version after the other, each judged strictly.
//!
//! The suite is installed from `peers/conformance/`, and the client is `conformance-client` of the
//! package `mcp-tests`. What the suite writes down stays in `target/conformance/`.

mod table;
mod verdict;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use self::table::{LeftOut, PAIRS, Pair};
use self::verdict::{Verdict, judge};
use crate::peers::install;
use crate::shell::{Cmd, Outcome, quoted, root};
use crate::tidy;

/// How long a client may take for a scenario. The slowest waits for half a second.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn run(args: &[&str]) -> Outcome {
    match args {
        [] => all(),
        ["--list"] => {
            list();
            Ok(())
        }
        [scenario] => some(&named(scenario)?),
        _ => Err("name one scenario, or none for all of them".to_owned()),
    }
}

/// All of the table, and a word on what is not in it.
pub(crate) fn all() -> Outcome {
    let suite = Suite::ready()?;
    let left_out = suite.compare()?;
    let outcome = suite.play(&PAIRS.iter().collect::<Vec<_>>());
    for (start, reason, count) in left_out {
        println!("left out: {count} pairs of {start}*, since {reason}");
    }
    outcome
}

fn some(pairs: &[&Pair]) -> Outcome {
    Suite::ready()?.play(pairs)
}

fn list() {
    for pair in PAIRS {
        println!("{pair} ({})", checks(pair.passes));
    }
    for (start, reason) in table::LEFT_OUT {
        println!("left out: {start}*, since {reason}");
    }
}

fn named(scenario: &str) -> Outcome<Vec<&'static Pair>> {
    let pairs: Vec<&Pair> = PAIRS
        .iter()
        .filter(|pair| pair.scenario == scenario)
        .collect();
    if pairs.is_empty() {
        return Err(format!(
            "the table has no scenario `{scenario}`; `cargo xtask conformance --list` shows it"
        ));
    }
    Ok(pairs)
}

/// The installed suite and the client that was built for it.
struct Suite {
    node: PathBuf,
    script: PathBuf,
    client: PathBuf,
    results: PathBuf,
}

impl Suite {
    /// Installs and builds what is missing, and forgets earlier results.
    fn ready() -> Outcome<Self> {
        let modules = install::conformance()?;
        Cmd::new("cargo build --quiet -p mcp-tests --bin conformance-client").run()?;
        let metadata = tidy::metadata(&["--no-deps"])?;
        let built = PathBuf::from(tidy::text(&metadata, "target_directory"));
        let results = root().join("target/conformance");
        if results.exists() {
            std::fs::remove_dir_all(&results)
                .map_err(|error| format!("{}: {error}", results.display()))?;
        }
        Ok(Self {
            node: install::own_node(&modules)?,
            script: modules.join("@modelcontextprotocol/conformance/dist/index.js"),
            client: built.join("debug/conformance-client"),
            results,
        })
    }

    /// Fails if the suite and the table do not hold the same.
    fn compare(&self) -> Outcome<LeftOut> {
        let list = Cmd::at(&self.node).path(&self.script);
        let listing = list.arg("list").arg("--client").read()?;
        table::compare(&listing)
            .map_err(|differences| format!("the suite is not what the table says\n{differences}"))
    }

    fn play(&self, pairs: &[&Pair]) -> Outcome {
        let began = Instant::now();
        let mut failed = 0;
        for pair in pairs {
            let verdict = self.run(pair);
            println!("{}", shown(pair, &verdict));
            if !verdict.complaints.is_empty() {
                failed += 1;
                println!("  $ {}", self.command(pair).line());
            }
        }
        let total = pairs.len();
        println!(
            "{} of {total} pairs pass, in {:.1} s",
            total - failed,
            began.elapsed().as_secs_f64()
        );
        if failed == 0 {
            Ok(())
        } else {
            Err(format!(
                "{failed} of {total} pairs fail; what was sent is in {}",
                self.results.display()
            ))
        }
    }

    /// Runs one scenario in the only mode in which the exit status of the client counts.
    fn run(&self, pair: &Pair) -> Verdict {
        let succeeds = self.command(pair).succeeds();
        let mut verdict = match read(&self.results_of(pair)) {
            Ok((checks, client_says)) => {
                let mut verdict = judge(pair, &checks);
                if !succeeds && !client_says.is_empty() {
                    verdict.complaints.push(client_says);
                }
                verdict
            }
            Err(why) => Verdict {
                passes: 0,
                complaints: vec![why],
            },
        };
        if !succeeds && verdict.complaints.is_empty() {
            let what = "every check passed, and yet the suite or the client failed";
            verdict.complaints.push(what.to_owned());
        }
        verdict
    }

    fn command(&self, pair: &Pair) -> Cmd {
        Cmd::at(&self.node)
            .path(&self.script)
            .arg("client")
            .arg("--command")
            // The suite hands it to a shell.
            .arg(quoted(&self.client.display().to_string()))
            .arg("--scenario")
            .arg(pair.scenario)
            .arg("--spec-version")
            .arg(pair.version)
            .arg("--timeout")
            .arg(PATIENCE.as_millis().to_string())
            .arg("--output-dir")
            .path(&self.results_of(pair))
    }

    fn results_of(&self, pair: &Pair) -> PathBuf {
        self.results.join(pair.version).join(pair.scenario)
    }
}

/// The checks of a run and what the client wrote to its standard error.
fn read(results: &Path) -> Outcome<(Value, String)> {
    // The suite puts them into a folder named by the time.
    let folder = std::fs::read_dir(results)
        .ok()
        .and_then(|mut entries| entries.next()?.ok())
        .ok_or("the suite wrote no checks, so it did not run the scenario")?
        .path();
    let text = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let checks = serde_json::from_str(&text("checks.json")?)
        .map_err(|error| format!("{}: {error}", folder.join("checks.json").display()))?;
    Ok((checks, text("stderr.txt")?.trim().to_owned()))
}

/// One line for a pair that passed, one for each complaint about another.
fn shown(pair: &Pair, verdict: &Verdict) -> String {
    if verdict.complaints.is_empty() {
        return format!("pass {pair} ({})", checks(verdict.passes));
    }
    let complaints = verdict.complaints.iter();
    let lines: Vec<String> = complaints
        .map(|complaint| format!("FAIL {pair}: {complaint}"))
        .collect();
    lines.join("\n")
}

fn checks(count: usize) -> String {
    match count {
        1 => "1 check".to_owned(),
        _ => format!("{count} checks"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_all_of_its_pairs() {
        assert_eq!(named("tools_call").unwrap().len(), 3);
        assert!(named("no-such").unwrap_err().contains("--list"));
    }

    #[test]
    fn a_run_that_left_no_checks_is_an_error() {
        let folder = std::env::temp_dir().join("xtask-conformance-no-such-folder");
        assert!(read(&folder).unwrap_err().contains("did not run"));
    }

    #[test]
    fn a_pair_is_told_in_a_line_for_each_complaint() {
        let pair = named("sse-retry").unwrap()[0];
        let mut verdict = Verdict {
            passes: 3,
            complaints: Vec::new(),
        };
        assert_eq!(
            shown(pair, &verdict),
            "pass sse-retry 2025-11-25 (3 checks)"
        );
        verdict.complaints = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(
            shown(pair, &verdict),
            "FAIL sse-retry 2025-11-25: a\nFAIL sse-retry 2025-11-25: b"
        );
    }
}
