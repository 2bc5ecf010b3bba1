//! Compares our client with rmcp and with the floor, in fresh processes that take turns.
//!
//! `bench stdio` prints a table of medians and ratios; `bench gates` checks the counts that do not
//! depend on the machine's mood (instructions, allocations, system calls) and fails past a limit.
//! `bench http` does the same over HTTP. `bench run …` is what they start for each single
//! measurement. `bench sse` compares decoders of event streams. `bench registry` measures two hundred
//! servers in one registry.

mod clients;
mod gates;
mod http_table;
mod measure;
#[cfg(feature = "registry")]
mod registry;
mod sse;
mod sse_typed;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["stdio", rest @ ..] => table::stdio(rest),
        ["gates"] => gates::check(),
        ["sse", rest @ ..] => sse::table(rest),
        ["http", rest @ ..] => http_table::http(rest),
        #[cfg(feature = "registry")]
        ["registry"] => registry::measure(),
        ["run", "http", rest @ ..] => clients::http::run(rest),
        ["run", rest @ ..] => clients::run(rest),
        _ => Err("usage: bench (http | stdio | sse) [--rounds N] | bench (gates | registry)".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}
