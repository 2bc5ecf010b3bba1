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

mod ci;
mod shell;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci            the gate: format, clippy, tests, documentation; needs cargo alone
  ci --full     the same, and what needs more than cargo
  help          this text
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["ci"] => ci::run(ci::Extent::Plain),
        ["ci", "--full"] => ci::run(ci::Extent::Full),
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
