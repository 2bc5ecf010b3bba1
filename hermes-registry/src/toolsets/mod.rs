//! Toolsets: the tools of one server under one name, for hosts that switch tools on and off in
//! sets.
//!
//! | name | stands for |
//! |---|---|
//! | `mcp-git` | the tools of server `git` |
//! | `git` | the same |
//! | `hermes-cli`, `hermes-telegram`, any `hermes-*` | a platform of the host: the toolsets of all servers, unless it is restricted |
//! | `mcp-g*` | every toolset that the glob matches, by either name |
//! | `-git`, `-mcp-g*` | none of these, whatever else is named |
//!
//! A server that has no tool left has no toolset.
//! Exact names go before globs, and the name of a toolset before another server's own name, so that
//! a name means the same whichever servers there are.

mod error;
mod resolve;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use error::UnknownToolset;
pub use resolve::Resolved;

use crate::name::ServerName;
use crate::{Catalog, Config, Origin};

/// What the name of a toolset begins with.
pub const TOOLSET_PREFIX: &str = "mcp-";

/// What the name of a platform of the host begins with.
pub const PLATFORM_PREFIX: &str = "hermes-";

/// What is said where there is nothing to make a toolset of.
pub const NO_SERVERS: &str = "No MCP servers configured";

/// The toolsets of all servers, in the order of the configuration.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Toolsets {
    sets: Vec<Toolset>,
    /// What restricted platforms are made of, by their names.
    platforms: BTreeMap<String, Vec<String>>,
    /// Whether any server is configured, with or without a toolset.
    has_servers: bool,
}

/// The tools of one server under one name.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Toolset {
    /// The name: `mcp-` and that of the server.
    pub name: String,
    /// The server, whose name stands for the toolset too.
    pub server: ServerName,
}

impl Toolsets {
    /// The toolsets of these servers.
    #[must_use]
    pub fn new<'s>(servers: impl IntoIterator<Item = &'s ServerName>) -> Self {
        let servers = servers.into_iter();
        let sets: Vec<Toolset> = servers
            .map(|server| Toolset {
                name: format!("{TOOLSET_PREFIX}{server}"),
                server: server.clone(),
            })
            .collect();
        Self {
            has_servers: !sets.is_empty(),
            sets,
            platforms: BTreeMap::new(),
        }
    }

    /// The toolsets that may come to be: those of all servers that are enabled.
    ///
    /// With these a host tells which servers it needs before any is connected.
    #[must_use]
    pub fn configured(config: &Config) -> Self {
        let servers = config.servers().iter();
        let enabled = servers.filter(|server| server.is_enabled());
        Self {
            has_servers: !config.servers().is_empty(),
            ..Self::new(enabled.map(|server| server.name()))
        }
    }

    /// The toolsets that there are: those of all servers of which a tool is offered.
    #[must_use]
    pub fn offered(catalog: &Catalog) -> Self {
        let tools = catalog.tools().iter();
        let tools = tools.filter(|tool| tool.origin != Origin::Host);
        let offering: BTreeSet<&ServerName> = tools.map(|tool| &tool.route.server).collect();
        let servers = catalog.servers().iter().map(|server| &server.name);
        Self {
            has_servers: !catalog.servers().is_empty(),
            ..Self::new(servers.filter(|server| offering.contains(server)))
        }
    }

    /// The same toolsets, with this platform made of what these names stand for, and of nothing
    /// else.
    #[must_use]
    pub fn with_platform<T: Into<String>>(
        mut self,
        platform: impl Into<String>,
        names: impl IntoIterator<Item = T>,
    ) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        self.platforms.insert(platform.into(), names);
        self
    }

    /// The toolsets, in the order of the configuration.
    pub fn iter(&self) -> impl Iterator<Item = &Toolset> {
        self.sets.iter()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }
}

/// One toolset on each line, or a sentence if there is none.
impl fmt::Display for Toolsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has_servers {
            return f.write_str(NO_SERVERS);
        }
        if self.sets.is_empty() {
            return f.write_str("No MCP server has a tool to offer");
        }
        for (index, set) in self.sets.iter().enumerate() {
            let end = if index > 0 { "\n" } else { "" };
            write!(f, "{end}{} ({})", set.name, set.server)?;
        }
        Ok(())
    }
}
