//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! One file per command; `shell` runs other programs and prints each as a line that can be pasted.
//! Nothing here is part of the library crates, and nothing here depends on them.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these commands talk to the person at the terminal"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "steps are timed with the real clock; there is no pure core here"
)]

mod bench;
mod ci;
mod conformance;
mod debian;
mod fuzz;
mod graph;
mod peers;
mod shell;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci                       the gate: format, tidy, clippy, tests, documentation, examples;
                           needs cargo alone
  ci --full                the same, and what needs more than cargo: it is installed, and said so
  tidy                     the rules of this repository that no compiler checks
  graph                    which crate uses which, as ARCHITECTURE.md shows it
  peers                    installs real servers into target/peers and runs the tests that use them
  peers stdio|http|registry
                           the same with the tests of one kind
  peers --install          the same without the tests
  conformance [SCENARIO]   runs the official conformance suite against the client
  conformance --list       which scenarios, at which versions of the wire
  bench NAME …             runs a benchmark of benches/
  fuzz [TARGET] [--secs N] fuzzes one target, or all, for 60 seconds each; needs nightly
  help                     this text
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["ci"] => ci::run(ci::Extent::Plain),
        ["ci", "--full"] => ci::run(ci::Extent::Full),
        ["tidy"] => tidy::run(),
        ["graph"] => graph::run(),
        ["peers"] => peers::run(peers::Kind::ALL),
        ["peers", "stdio"] => peers::run(&[peers::Kind::Stdio]),
        ["peers", "http"] => peers::run(&[peers::Kind::Http]),
        ["peers", "registry"] => peers::run(&[peers::Kind::Registry]),
        ["peers", "--install"] => peers::run(&[]),
        ["conformance", rest @ ..] => conformance::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [] => Err(format!("a command is missing\n\n{USAGE}")),
        _ => Err(format!("unknown command `{}`\n\n{USAGE}", words.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}
