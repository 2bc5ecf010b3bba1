//! The catalog: an immutable snapshot of all servers and all their tools.
//!
//! | module | job |
//! |---|---|
//! | `status` | how each server is |
//! | `told` | what servers told, before it becomes part of a catalog |
//! | `build` | puts a catalog together |
//! | `definitions` | tools as interfaces of models take them |

mod build;
mod definitions;
mod status;
mod told;

#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::sync::Arc;

use mcp_types::Tool;

pub(crate) use build::Parts;
use definitions::Kinds;
pub(crate) use definitions::Rendering;
pub use definitions::{Definitions, NormalisedTool};
pub(crate) use status::drifted;
pub use status::{Ready, ServerState, ServerStatus};
pub(crate) use told::{Knowledge, Seen, Told};

use crate::RegistryError;
use crate::config::{Config, ServerConfig};
use crate::life::State;
use crate::name::{NameTable, PublicName, Route, ServerName};
use crate::nearest::nearest_few;
use crate::schema::Flavor;
use crate::utility::Utility;

/// Names that an error proposes instead of an unknown one.
const NEAREST_MAX: usize = 3;

/// A tool that is offered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CatalogTool {
    /// The name that a model uses.
    pub name: PublicName,
    /// Whose it is, and what its server calls it.
    pub route: Route,
    /// What its server says about it.
    pub tool: Arc<Tool>,
    /// Where it comes from.
    pub origin: Origin,
    rendering: Arc<Rendering>,
}

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Origin {
    /// The host has it itself; [`Route::server`] is its toolset.
    Host,
    /// Its server has it.
    Server,
    /// It is made here of something else that its server has: its resources, its prompts or its
    /// completions.
    Utility(Utility),
}

/// An immutable snapshot of all servers and all their tools.
///
/// Servers are in the order of the configuration, tools in that of their public names, so that
/// the same servers give the same catalog in whatever order they answered.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    generation: u64,
    servers: Vec<ServerStatus>,
    tools: Vec<CatalogTool>,
    names: NameTable,
    /// The place among `tools` of each name of `names`; none if it is not offered.
    offered: Vec<Option<NonZeroU32>>,
    definitions: Kinds,
}

impl Catalog {
    /// Which catalog of its registry it is; a newer one has a larger number.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The definitions of all tools as interfaces of this flavor take them, put together when they
    /// are first asked for.
    #[must_use]
    pub fn definitions(&self, flavor: Flavor) -> Arc<Definitions> {
        self.definitions
            .get(flavor, || Definitions::new(self.tools.iter(), flavor))
    }

    /// The servers, in the order of the configuration.
    #[must_use]
    pub fn servers(&self) -> &[ServerStatus] {
        &self.servers
    }

    /// The server of this name.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&ServerStatus> {
        self.servers
            .iter()
            .find(|server| server.name.as_str() == name)
    }

    /// The tools, in the order of their public names.
    #[must_use]
    pub fn tools(&self) -> &[CatalogTool] {
        &self.tools
    }

    /// The tool of this public name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&CatalogTool> {
        let place = match self.names.place(name) {
            // Counted from one.
            Some(place) => (*self.offered.get(place)?)?.get().checked_sub(1)?,
            // The host's own tools are few.
            None => {
                let own = |tool: &CatalogTool| tool.name.as_str().cmp(name);
                let found = self.tools.binary_search_by(own).ok()?;
                return self.tools.get(found);
            }
        };
        self.tools.get(usize::try_from(place).ok()?)
    }

    /// Whose tool has a public name, offered or not.
    pub(crate) fn owner(&self, name: &str) -> Option<&ServerName> {
        Some(&self.names.route(name)?.server)
    }

    /// The tool that a route leads to, if it is offered.
    #[must_use]
    pub fn tool_at(&self, route: &Route) -> Option<&CatalogTool> {
        let name = self.names.name(&route.server, &route.tool)?;
        self.tool(name.as_str())
    }

    /// The tool that is meant by a public name or by `server/tool`.
    ///
    /// # Errors
    ///
    /// Why there is none: unknown, kept back by the filter, or its server is disabled or failed.
    pub fn resolve(&self, name: &str, config: &Config) -> Result<Route, RegistryError> {
        if let Some(route) = self.names.route(name) {
            return Ok(route.clone());
        }
        for (slash, _) in name.match_indices('/') {
            let (Some(server), Some(tool)) = (name.get(..slash), name.get(slash + 1..)) else {
                continue;
            };
            if let Some(server) = config.server(server) {
                return self.resolve_in(server, tool, name);
            }
        }
        Err(self.unknown(name))
    }

    fn resolve_in(
        &self,
        server: &ServerConfig,
        tool: &str,
        name: &str,
    ) -> Result<Route, RegistryError> {
        let status = self
            .servers
            .iter()
            .find(|status| status.name == *server.name());
        let route = self.names.name(server.name(), tool);
        let route = route.and_then(|name| self.names.route(name.as_str()));
        match status.map(|status| (&status.state, status.life)) {
            Some((ServerState::Disabled, _)) => Err(RegistryError::ServerDisabled {
                server: server.name().clone(),
            }),
            _ if !server.filter().allows(tool) => Err(RegistryError::ToolFiltered {
                server: server.name().clone(),
                tool: tool.to_owned(),
            }),
            // Whether a call may go to a server that was given up is decided where it is let through.
            _ if route.is_some() => route.cloned().ok_or_else(|| self.unknown(name)),
            Some((ServerState::Failed(error), life)) if life != State::Parked => {
                Err(RegistryError::ServerUnavailable {
                    server: server.name().clone(),
                    cause: Box::new(Arc::clone(error)),
                    outcome_uncertain: false,
                })
            }
            // Nobody knows its tools yet; a call wakes it.
            Some((ServerState::Idle | ServerState::Failed(_), _)) => Ok(Route {
                server: server.name().clone(),
                tool: tool.into(),
            }),
            _ => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> RegistryError {
        let raw: Vec<String> = self
            .tools
            .iter()
            .map(|tool| format!("{}/{}", tool.route.server, tool.route.tool))
            .collect();
        let names = self.tools.iter().map(|tool| tool.name.as_str());
        let candidates = names.chain(raw.iter().map(String::as_str));
        let nearest = nearest_few(name, candidates, NEAREST_MAX);
        let nearest = nearest.into_iter().map(str::to_owned).collect();
        RegistryError::UnknownTool {
            name: name.to_owned(),
            nearest,
        }
    }
}
