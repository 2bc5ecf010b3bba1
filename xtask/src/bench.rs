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
    let cmd = Cmd::new("cargo run --release --manifest-path benches/Cargo.toml --");
    args.iter().fold(cmd, |cmd, arg| cmd.arg(*arg)).run()
}

/// The counts that the gate holds to, with the tools that take them.
pub(crate) fn gates() -> Outcome {
    debian::ensure("valgrind", "valgrind")?;
    debian::ensure("strace", "strace")?;
    run(&["gates"])
}

/// Whether the benchmarks have been written.
pub(crate) fn exists() -> bool {
    root().join("benches/Cargo.toml").is_file()
}
