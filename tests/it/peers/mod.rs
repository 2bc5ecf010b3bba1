//! Real servers, which `cargo xtask peers` installs.

mod http;
mod registry;
mod serve;
mod stdio;
mod table;

use std::path::PathBuf;

use hermes_registry::{Catalog, CatalogTool, Origin};

fn folder() -> PathBuf {
    let folder = std::env::var_os("HERMES_MCP_PEERS");
    folder
        .expect("HERMES_MCP_PEERS names what was installed; `cargo xtask peers` sets it")
        .into()
}

/// The tools on offer that a server has itself.
fn own_tools<'a>(catalog: &'a Catalog, server: &str) -> Vec<&'a CatalogTool> {
    let tools = catalog.tools().iter();
    let own = tools.filter(|tool| tool.origin == Origin::Server);
    own.filter(|tool| tool.route.server.as_str() == server)
        .collect()
}
