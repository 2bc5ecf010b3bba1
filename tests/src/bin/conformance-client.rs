//! The client under test of the official conformance suite: `conformance-client URL`.
//!
//! The suite names the scenario, its data and its wire version in the variables
//! `MCP_CONFORMANCE_*`. `cargo xtask conformance` runs it.

#![expect(clippy::print_stderr, reason = "the suite keeps it beside its verdict")]

use std::process::ExitCode;

use mcp_tests::conformance::{Outcome, Settings, run};

fn main() -> ExitCode {
    match play() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("conformance-client: {why}");
            ExitCode::FAILURE
        }
    }
}

fn play() -> Outcome {
    let url = std::env::args()
        .nth(1)
        .ok_or("usage: conformance-client URL")?;
    let settings = Settings::read(|name| std::env::var(name).ok())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(run(&url, &settings))
}
