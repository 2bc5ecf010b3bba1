//! The catalog: an immutable snapshot of all servers and all their tools.

use std::sync::Arc;

use mcp_client::{Cut, Era, Error, LedgerEntry};
use mcp_types::{Diagnostic, Implementation, Tool, Version};

use crate::config::{Config, ServerConfig};
use crate::life::State;
use crate::name::{NameTable, Naming, PublicName, Route, ServerName};
use crate::nearest::nearest_few;
use crate::{RegistryError, filter};

/// Names that an error proposes instead of an unknown one.
const NEAREST_MAX: usize = 3;

/// What is known of one server at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The server.
    pub name: ServerName,
    /// What can be had of it.
    pub state: ServerState,
    /// Where it is in its life.
    pub life: State,
    /// What the user should know although the server works: parts of tools that could not be
    /// read, patterns of the filter that match nothing, a list cut short.
    pub notes: Vec<String>,
}

/// How a server is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerState {
    /// Its configuration says `enabled: false`.
    Disabled,
    /// It could not be reached, or is gone.
    Failed(Arc<Error>),
    /// Nobody has asked for it yet, or it is being connected for the first time.
    Idle,
    /// It has told its tools, and a call reaches it: at once, or once it is connected again, which
    /// [`ServerStatus::life`] tells.
    Ready(Box<Ready>),
}

/// A server that answers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ready {
    /// How MCP is spoken with it.
    pub era: Era,
    /// The revision.
    pub version: Version,
    /// Who it says it is.
    pub server: Option<Implementation>,
    /// How it wants to be used, for a model.
    pub instructions: Option<String>,
    /// How many tools it has before the filter.
    pub tools_listed: usize,
    /// The steps that were tried to open the session, and what came of each.
    pub ledger: Vec<LedgerEntry>,
}

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
}

/// An immutable snapshot of all servers and all their tools.
///
/// Servers are in the order of the configuration, tools in that of their public names, so that
/// the same servers give the same catalog in whatever order they answered.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    servers: Vec<ServerStatus>,
    tools: Vec<CatalogTool>,
    names: NameTable,
}

/// What a server told when it was asked for its tools.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) ready: Ready,
    pub(crate) tools: Vec<Arc<Tool>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) cut: Option<Cut>,
    /// What looks suspicious in the texts of its tools, for people.
    pub(crate) suspicions: Vec<String>,
}

/// What is known of a server, before it becomes part of a catalog.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    /// What it told last, if it was ever connected.
    told: Option<Arc<Told>>,
    /// What was last wrong, unless it was connected since.
    error: Option<Arc<Error>>,
}

impl Knowledge {
    /// The server told its tools.
    pub(crate) fn tell(&mut self, told: Told) {
        self.told = Some(Arc::new(told));
        self.error = None;
    }

    /// The server is gone, which may have been told with more to it already.
    pub(crate) fn fail_unless_told(&mut self, error: impl FnOnce() -> Error) {
        if self.error.is_none() {
            self.fail(error());
        }
    }

    /// The server could not be reached, or is gone.
    pub(crate) fn fail(&mut self, error: Error) {
        self.error = Some(Arc::new(error));
    }
}

/// One server, as its part of a catalog is made.
pub(crate) struct Seen<'a> {
    pub(crate) known: &'a Knowledge,
    pub(crate) life: State,
}

impl Catalog {
    /// Puts together what is known of each configured server.
    ///
    /// Tools of a server that was given up are not offered, but keep their names, so that a call of
    /// one is told why, and no other tool gets its name.
    pub(crate) fn new(config: &Config, naming: Naming, seen: &[Seen<'_>]) -> Self {
        let mut named: Vec<(&ServerName, &Arc<Tool>, bool)> = Vec::new();
        let mut servers = Vec::new();
        for (server, seen) in config.servers().iter().zip(seen) {
            if let Some(told) = &seen.known.told {
                let allowed = told
                    .tools
                    .iter()
                    .filter(|tool| server.filter().allows(&tool.name));
                let is_offered = seen.life.is_callable();
                named.extend(allowed.map(|tool| (server.name(), tool, is_offered)));
            }
            servers.push(status(server, seen));
        }
        let names = NameTable::new(
            naming,
            config.servers().iter().map(ServerConfig::name),
            named
                .iter()
                .map(|(server, tool, _)| (*server, tool.name.as_str())),
        );
        let mut tools: Vec<CatalogTool> = named
            .into_iter()
            .filter(|(_, _, is_offered)| *is_offered)
            .filter_map(|(server, tool, _)| {
                let name = names.name(server, &tool.name)?.clone();
                let route = names.route(name.as_str())?.clone();
                Some(CatalogTool {
                    name,
                    route,
                    tool: Arc::clone(tool),
                })
            })
            .collect();
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        Self {
            servers,
            tools,
            names,
        }
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
        let found = self
            .tools
            .binary_search_by(|tool| tool.name.as_str().cmp(name))
            .ok()?;
        self.tools.get(found)
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

fn status(server: &ServerConfig, seen: &Seen<'_>) -> ServerStatus {
    let Knowledge { told, error } = seen.known;
    let notes = told.as_deref().map(|told| notes(server, told));
    let state = match (told, error) {
        _ if !server.is_enabled() => ServerState::Disabled,
        (Some(told), _) if seen.life.is_callable() => {
            ServerState::Ready(Box::new(told.ready.clone()))
        }
        (_, Some(error)) => ServerState::Failed(Arc::clone(error)),
        _ => ServerState::Idle,
    };
    ServerStatus {
        name: server.name().clone(),
        state,
        life: seen.life,
        notes: notes.unwrap_or_default(),
    }
}

fn notes(server: &ServerConfig, told: &Told) -> Vec<String> {
    let mut notes: Vec<String> = told.diagnostics.iter().map(ToString::to_string).collect();
    match told.cut {
        None => {}
        Some(Cut::Items) => notes.push("its list of tools was cut: too many tools".to_owned()),
        Some(Cut::RepeatedCursor) => notes.push(
            "its list of tools may be incomplete: it names the same next page again".to_owned(),
        ),
        Some(_) => notes.push("its list of tools was cut: too many pages".to_owned()),
    }
    notes.extend(told.suspicions.iter().cloned());
    let names: Vec<&str> = told.tools.iter().map(|tool| tool.name.as_str()).collect();
    let unmatched = server.filter().unmatched(&names);
    notes.extend(unmatched.iter().map(filter::Unmatched::to_string));
    notes
}
