//! The command `hermes`: lists and calls the tools of the MCP servers in a configuration.
//!
//! ```text
//!   args ──> settings ──> commands::{list, tools, add, …} ──> Report ──> stdout, stderr, Exit
//!                              │ job: what is known before a command begins
//!                              │ session: a registry, started and closed
//!                              │ ask: questions to whoever sits at the terminal
//!                              │ file: the configuration file, changed and put in place
//!                              │ watch: what keeps running, and is asked by others
//!                              └ output: texts for people, JSON for programs
//! ```
//!
//! Commands return what is to be printed, and `app` prints it; only `demo` and `replay` speak MCP
//! themselves.

mod app;
mod args;
mod ask;
mod commands;
mod demo;
mod exit;
mod failure;
mod fault;
mod file;
mod job;
mod output;
mod permission;
mod replay;
mod session;
mod settings;
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    app::main().into()
}
