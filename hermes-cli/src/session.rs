//! The servers of one run: started when they are needed, ended before the command ends.

use std::future::Future;
use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;

use hermes_registry::name::ServerName;
use hermes_registry::nearest::nearest_few;
use hermes_registry::store::FolderStore;
use hermes_registry::{
    Catalog, Connector, Registry, RegistryError, ServerConfig, ServerState, ServerStatus,
};
use mcp_types::{Implementation, ServerCapabilities};
use tokio::task::JoinSet;

use crate::failure::Failure;
use crate::output::{Spinner, text};
use crate::permission::Permission;
use crate::settings::Settings;

/// Names of servers that a spinner shows.
const SPINNER_NAMES: usize = 3;

/// Names that an error proposes instead of an unknown one.
pub(crate) const NEAREST_MAX: usize = 3;

/// The servers of one run.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) settings: Settings,
    pub(crate) registry: Registry,
    /// Whether calls of servers that are not trusted may run.
    pub(crate) permission: Permission,
}

impl Session {
    /// A session in which no server has been started yet.
    pub(crate) fn new(settings: Settings) -> Self {
        let mut connector = Connector::new();
        if let Some(log) = settings.stderr_log.as_deref().filter(|log| has_folder(log)) {
            connector = connector.with_stderr_log(log);
        }
        let client = Implementation::new("hermes", env!("CARGO_PKG_VERSION"));
        let permission = Permission::default();
        let mut registry = Registry::builder(settings.config.clone(), client)
            .connector(connector)
            .policy(permission.clone());
        if let Some(store) = &settings.store {
            registry = registry.store(FolderStore::new(store));
        }
        if let Some(log) = &settings.frame_log {
            registry = registry.frame_log(log);
        }
        Self {
            registry: registry.open(),
            permission,
            settings,
        }
    }

    /// The server of this name, if it can be used.
    ///
    /// # Errors
    ///
    /// Why it cannot be used, with what to do about that.
    pub(crate) fn server(&self, name: &str) -> Result<&ServerConfig, Failure> {
        match self.settings.config.server(name) {
            Some(server) if server.is_enabled() => Ok(server),
            Some(server) => {
                let server = server.name().clone();
                Err(RegistryError::ServerDisabled { server }.into())
            }
            None if self.settings.is_faulty(name) => Err(Failure::faulty_server(name)),
            None => Err(unknown_server(&self.settings, name)),
        }
    }

    /// Looks for a server of this name in the file, sound or not.
    ///
    /// # Errors
    ///
    /// If there is none, with those that were probably meant.
    pub(crate) fn configured(&self, name: &str) -> Result<(), Failure> {
        match self.settings.has(name) {
            true => Ok(()),
            false => Err(unknown_server(&self.settings, name)),
        }
    }

    /// Connects the server of this name, or all without one, and tells which of them cannot be
    /// reached.
    ///
    /// # Errors
    ///
    /// If the one that is named cannot be used.
    pub(crate) async fn reach(&self, name: Option<&str>) -> Result<Reached<'_>, Failure> {
        let wanted: Vec<&ServerConfig> = match name {
            Some(name) => vec![self.server(name)?],
            None => self.settings.config.servers().iter().collect(),
        };
        let catalog = self.connect(&wanted).await;
        let failures = wanted.iter();
        let failures = failures.filter_map(|server| self.failure(&catalog, server));
        Ok(Reached {
            failures: failures.collect(),
            wanted,
            catalog,
        })
    }

    /// Connects these servers, all at once.
    pub(crate) async fn connect(&self, servers: &[&ServerConfig]) -> Arc<Catalog> {
        let enabled: Vec<&str> = servers
            .iter()
            .filter(|server| server.is_enabled())
            .map(|server| server.name().as_str())
            .collect();
        let _spinner = self.spinner(&starting(&enabled));
        tracing::info!("{}", starting(&enabled));
        let mut connecting = JoinSet::new();
        for name in enabled {
            let (registry, name) = (self.registry.clone(), name.to_owned());
            connecting.spawn(async move {
                // The name comes from the configuration, so it is known.
                let _: Result<Arc<Catalog>, _> = registry.discover_server(&name).await;
            });
        }
        while connecting.join_next().await.is_some() {}
        self.registry.catalog()
    }

    /// The failure of this server, if it could not be connected.
    pub(crate) fn failure(&self, catalog: &Catalog, server: &ServerConfig) -> Option<Failure> {
        let ServerState::Failed(error) = &catalog.server(server.name().as_str())?.state else {
            return None;
        };
        let mut failure = Failure::connecting(server, error);
        let wrote = error
            .obituary()
            .is_some_and(|obituary| !obituary.stderr_tail.is_empty());
        if let (true, Some(log)) = (wrote, &self.settings.stderr_log) {
            failure.details.push(format!(
                "what it writes to stderr is kept in {}",
                log.display()
            ));
        }
        Some(failure)
    }

    /// A spinner on standard error, if a person is looking.
    pub(crate) fn spinner(&self, message: &str) -> Spinner {
        let Settings { json, verbose, .. } = self.settings;
        Spinner::new(
            !json && !verbose && std::io::stderr().is_terminal(),
            message,
        )
    }
}

/// Asks servers for something, all at once; the answers stand in the order of the servers.
pub(crate) async fn ask_each<T, F>(
    registry: &Registry,
    servers: Vec<String>,
    ask: impl Fn(Registry, String) -> F,
) -> Vec<(String, Result<T, RegistryError>)>
where
    T: Send + 'static,
    F: Future<Output = Result<T, RegistryError>> + Send + 'static,
{
    let mut asking = JoinSet::new();
    for (index, server) in servers.into_iter().enumerate() {
        let answer = ask(registry.clone(), server.clone());
        asking.spawn(async move { (index, server, answer.await) });
    }
    let mut answers = asking.join_all().await;
    answers.sort_by_key(|(index, _, _)| *index);
    let answers = answers.into_iter();
    answers
        .map(|(_, server, answer)| (server, answer))
        .collect()
}

/// Servers that were to be connected.
pub(crate) struct Reached<'s> {
    pub(crate) wanted: Vec<&'s ServerConfig>,
    pub(crate) catalog: Arc<Catalog>,
    /// Why some of them could not be.
    pub(crate) failures: Vec<Failure>,
}

impl Reached<'_> {
    pub(crate) fn is_wanted(&self, name: &ServerName) -> bool {
        self.wanted.iter().any(|server| server.name() == name)
    }

    /// How each of them is.
    pub(crate) fn statuses(&self) -> Vec<&ServerStatus> {
        let servers = self.catalog.servers().iter();
        servers
            .filter(|status| self.is_wanted(&status.name))
            .collect()
    }

    /// The names of those that answer, with what they say that they can do.
    pub(crate) fn ready(&self) -> impl Iterator<Item = (&str, &ServerCapabilities)> {
        self.statuses()
            .into_iter()
            .filter_map(|status| match &status.state {
                ServerState::Ready(ready) => Some((status.name.as_str(), &ready.capabilities)),
                _ => None,
            })
    }

    /// Why this one could not be reached.
    pub(crate) fn failure(&self, name: &ServerName) -> Option<&Failure> {
        let mut failures = self.failures.iter();
        failures.find(|failure| failure.server.as_deref() == Some(name.as_str()))
    }
}

/// The failure of a name that no server of the configuration has, sound or not.
pub(crate) fn unknown_server(settings: &Settings, name: &str) -> Failure {
    let names = settings.config.servers().iter();
    let names = names.map(|server| server.name().as_str());
    let nearest = nearest_few(name, names.chain(settings.faulty()), NEAREST_MAX);
    let nearest: Vec<String> = nearest.into_iter().map(str::to_owned).collect();
    Failure::unknown_server(name, &nearest)
}

fn starting(names: &[&str]) -> String {
    let shown: Vec<&str> = names.iter().copied().take(SPINNER_NAMES).collect();
    let more = names.len().saturating_sub(shown.len());
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!(
        "starting {}: {}{more}",
        text::count(names.len(), "server"),
        shown.join(", ")
    )
}

/// Whether the folder of the log is there or can be made; without it there is no log, which keeps
/// nobody from working.
fn has_folder(log: &Path) -> bool {
    let Some(folder) = log.parent() else {
        return false;
    };
    match std::fs::create_dir_all(folder) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, folder = %folder.display(), "no log of the servers' stderr");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spinner_names_a_few_servers() {
        assert_eq!(starting(&["a"]), "starting 1 server: a");
        assert_eq!(
            starting(&["a", "b", "c", "d", "e"]),
            "starting 5 servers: a, b, c and 2 more"
        );
    }
}
