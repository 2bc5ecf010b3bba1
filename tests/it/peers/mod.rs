//! Real servers, which `cargo xtask peers` installs.

mod http;
mod serve;
mod stdio;

use std::path::PathBuf;

fn folder() -> PathBuf {
    let folder = std::env::var_os("HERMES_MCP_PEERS");
    folder
        .expect("HERMES_MCP_PEERS names what was installed; `cargo xtask peers` sets it")
        .into()
}
