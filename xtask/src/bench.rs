//! `cargo xtask bench NAME`: runs a benchmark of `benches/`, a workspace of its own.
//!
//! `gates` are the counts that the gate holds to: instructions, allocations, system calls.

use crate::debian;
use crate::shell::{Cmd, Outcome, root};

pub(crate) fn run(args: &[&str]) -> Outcome {
    if args.is_empty() {
        return Err("name a benchmark, as in `cargo xtask bench stdio`".to_owned());
    }
    if !exists() {
        return Err("there is no benches/Cargo.toml yet, so there is nothing to run".to_owned());
    }
    debian::ensure("taskset", "util-linux")?;
    measure("", args)
}

/// Builds the benchmark and the server that stands beside it, then runs it.
fn measure(features: &str, args: &[&str]) -> Outcome {
    let build =
        "cargo build --release --manifest-path benches/Cargo.toml --target-dir benches/target";
    Cmd::new(&format!("{build}{features}")).run()?;
    let cmd = Cmd::at(&root().join("benches/target/release/bench"));
    args.iter().fold(cmd, |cmd, arg| cmd.arg(*arg)).run()
}

/// The counts that the gate holds to, with the tools that take them.
pub(crate) fn gates() -> Outcome {
    debian::ensure("valgrind", "valgrind")?;
    debian::ensure("strace", "strace")?;
    // The peers that are compared with are not needed to count, and take long to compile.
    measure(" --no-default-features", &["gates"])
}

/// Whether the benchmarks have been written.
pub(crate) fn exists() -> bool {
    root().join("benches/Cargo.toml").is_file()
}
