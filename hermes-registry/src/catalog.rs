//! The catalog: an immutable snapshot of all servers and all their tools.

use std::sync::Arc;

use mcp_client::{Cut, Era, Error, LedgerEntry};
use mcp_types::{Diagnostic, Implementation, Tool, Version};

use crate::config::{Config, ServerConfig};
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
    /// How it is.
    pub state: ServerState,
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
    /// Nobody has asked for it yet.
    Idle,
    /// It answers.
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
}

/// What is known of a server, before it becomes part of a catalog.
#[derive(Clone, Debug, Default)]
pub(crate) enum Knowledge {
    #[default]
    Nothing,
    Failed(Arc<Error>),
    Told(Arc<Told>),
}

impl Catalog {
    /// Puts together what is known of each configured server.
    pub(crate) fn new(config: &Config, naming: Naming, known: &[Knowledge]) -> Self {
        let mut offered: Vec<(&ServerName, &Arc<Tool>)> = Vec::new();
        let mut servers = Vec::new();
        for (server, known) in config.servers().iter().zip(known) {
            if let Knowledge::Told(told) = known {
                let allowed = told
                    .tools
                    .iter()
                    .filter(|tool| server.filter().allows(&tool.name));
                offered.extend(allowed.map(|tool| (server.name(), tool)));
            }
            servers.push(status(server, known));
        }
        let names = NameTable::new(
            naming,
            config.servers().iter().map(ServerConfig::name),
            offered
                .iter()
                .map(|(server, tool)| (*server, tool.name.as_str())),
        );
        let mut tools: Vec<CatalogTool> = offered
            .into_iter()
            .filter_map(|(server, tool)| {
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
        match status.map(|status| &status.state) {
            Some(ServerState::Disabled) => Err(RegistryError::ServerDisabled {
                server: server.name().clone(),
            }),
            Some(ServerState::Failed(error)) => Err(RegistryError::ServerUnavailable {
                server: server.name().clone(),
                cause: Box::new(Arc::clone(error)),
                outcome_uncertain: false,
            }),
            _ if !server.filter().allows(tool) => Err(RegistryError::ToolFiltered {
                server: server.name().clone(),
                tool: tool.to_owned(),
            }),
            _ => {
                let route = self.names.name(server.name(), tool);
                let route = route.and_then(|name| self.names.route(name.as_str()));
                route.cloned().ok_or_else(|| self.unknown(name))
            }
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

fn status(server: &ServerConfig, known: &Knowledge) -> ServerStatus {
    let name = server.name().clone();
    let (state, notes) = match known {
        _ if !server.is_enabled() => (ServerState::Disabled, Vec::new()),
        Knowledge::Nothing => (ServerState::Idle, Vec::new()),
        Knowledge::Failed(error) => (ServerState::Failed(Arc::clone(error)), Vec::new()),
        Knowledge::Told(told) => (
            ServerState::Ready(Box::new(told.ready.clone())),
            notes(server, told),
        ),
    };
    ServerStatus { name, state, notes }
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
    let names: Vec<&str> = told.tools.iter().map(|tool| tool.name.as_str()).collect();
    let unmatched = server.filter().unmatched(&names);
    notes.extend(unmatched.iter().map(filter::Unmatched::to_string));
    notes
}
