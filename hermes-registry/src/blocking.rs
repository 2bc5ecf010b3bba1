//! The registry for callers without a runtime: the same types, and functions that wait.
//!
//! One thread keeps the servers; see [`mcp_client::blocking::Worker`]. Callers wait on their own
//! threads, as many at a time as there are, and never on a thread of a tokio runtime: functions
//! that wait panic there.
//!
//! ```no_run
//! use hermes_registry::blocking::Registry;
//! use hermes_registry::Config;
//! use mcp_types::Implementation;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let loaded = Config::load("config.yaml".as_ref())?;
//! let builder = hermes_registry::Registry::builder(loaded.config, Implementation::new("example", "1.0.0"));
//! let registry = Registry::open(builder)?;
//! for tool in registry.discover().tools() {
//!     println!("{}", tool.name);
//! }
//! println!("{}", registry.dispatch("mcp_files_read_file", r#"{"path": "notes.txt"}"#));
//! registry.close();
//! # Ok(())
//! # }
//! ```

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::blocking::Worker;
use mcp_client::{Listing, Reply};
use mcp_types::{
    GetPromptParams, GetPromptResult, ProgressParams, Prompt, ReadResourceResult, Resource,
};

use crate::life::LifeStatus;
use crate::name::ServerName;
use crate::{Builder, Called, Catalog, Config, Outcome, RegistryError, Reloaded};

/// Many servers behind one catalog, for callers that wait.
///
/// Clones share everything; when the last one is dropped, the servers end.
#[derive(Clone, Debug)]
pub struct Registry {
    // Before the worker, which must outlive it.
    registry: crate::Registry,
    worker: Worker,
}

impl Registry {
    /// Opens a registry on a worker of its own, with no server started yet.
    ///
    /// # Errors
    ///
    /// If the worker cannot be started.
    pub fn open(builder: Builder) -> io::Result<Self> {
        Ok(Self::on(Worker::start()?, builder))
    }

    /// Opens a registry on this worker, which may serve others too.
    #[must_use]
    pub fn on(worker: Worker, builder: Builder) -> Self {
        let registry = worker.enter(|| builder.open());
        Self { registry, worker }
    }

    /// The registry itself, for what asks nobody and does not wait: its catalog, views, tools of the
    /// host.
    #[must_use]
    pub fn asynchronous(&self) -> &crate::Registry {
        &self.registry
    }

    /// Waits for whatever the asynchronous registry can do:
    /// `registry.wait(|registry| registry.resources("files"))`.
    pub fn wait<'r, F>(&'r self, ask: impl FnOnce(&'r crate::Registry) -> F) -> F::Output
    where
        F: Future,
    {
        let asked = self.worker.enter(|| ask(&self.registry));
        self.worker.wait(asked)
    }

    /// As [`crate::Registry::catalog`].
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        self.registry.catalog()
    }

    /// As [`crate::Registry::lives`].
    #[must_use]
    pub fn lives(&self) -> Vec<(ServerName, LifeStatus)> {
        self.registry.lives()
    }

    /// As [`crate::Registry::discover`].
    #[must_use]
    pub fn discover(&self) -> Arc<Catalog> {
        self.wait(crate::Registry::discover)
    }

    /// As [`crate::Registry::discover_server`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn discover_server(&self, name: &str) -> Result<Arc<Catalog>, RegistryError> {
        self.wait(|registry| registry.discover_server(name))
    }

    /// As [`crate::Registry::call`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn call(
        &self,
        name: &str,
        arguments: &str,
        timeout: Option<Duration>,
        progress: Option<Box<dyn FnMut(ProgressParams) + Send>>,
    ) -> Result<Called, RegistryError> {
        self.wait(|registry| registry.call(name, arguments, timeout, progress))
    }

    /// As [`crate::Registry::outcome`].
    #[must_use]
    pub fn outcome(&self, called: &Called) -> Outcome {
        self.registry.outcome(called)
    }

    /// As [`crate::Registry::dispatch`].
    #[must_use]
    pub fn dispatch(&self, name: &str, arguments: &str) -> String {
        self.wait(|registry| registry.dispatch(name, arguments))
    }

    /// As [`crate::Registry::resources`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn resources(&self, server: &str) -> Result<Listing<Resource>, RegistryError> {
        self.wait(|registry| registry.resources(server))
    }

    /// As [`crate::Registry::read_resource`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn read_resource(
        &self,
        server: &str,
        uri: &str,
    ) -> Result<Reply<ReadResourceResult>, RegistryError> {
        self.wait(|registry| registry.read_resource(server, uri))
    }

    /// As [`crate::Registry::prompts`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn prompts(&self, server: &str) -> Result<Listing<Prompt>, RegistryError> {
        self.wait(|registry| registry.prompts(server))
    }

    /// As [`crate::Registry::prompt`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn prompt(
        &self,
        server: &str,
        params: &GetPromptParams,
    ) -> Result<Reply<GetPromptResult>, RegistryError> {
        self.wait(|registry| registry.prompt(server, params))
    }

    /// As [`crate::Registry::reload`].
    pub fn reload(&self, config: Config) -> Reloaded {
        self.worker.enter(|| self.registry.reload(config))
    }

    /// As [`crate::Registry::close`].
    pub fn close(&self) {
        self.wait(crate::Registry::close);
    }
}
