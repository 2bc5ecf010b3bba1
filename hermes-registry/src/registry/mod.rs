//! The registry: all configured servers behind one catalog, and calls by name.
//!
//! | module | job |
//! |---|---|
//! | `slots` | the servers that are configured, and those that are not any more |
//! | `slot` | one server: its life, its connections, what it told |
//! | `inner` | all of them behind one lock, and the catalog |
//! | `keeper` | the one task: connects, checks, closes, waits |
//! | `follow` | lists that change |
//! | `memory` | what lasts from one run to the next |
//! | `prepare`, `call`, `attempt` | calls by name: what is looked at before, and making them |
//! | `called`, `failure` | what has come of them, and what a model sees of that |
//! | `utility` | what tools that are made here fetch |
//! | `host` | the host's own tools |
//! | `request` | resources, prompts and completions of one server |
//! | `pass` | one call let through |
//! | `measure` | one call measured, counted and told |
//! | `span` | one call as whoever traces sees it |
//! | `policy` | from the configuration to a life |
//! | `report` | everything that is known of each server |
//! | `view` | the same servers as one agent sees them |
//! | `events` | what happens, for whoever listens |
//! | `watch` | resources that are watched, whatever becomes of their server |
//!
//! What a server's life decides is decided in [`crate::life`].

mod attempt;
mod call;
mod called;
mod events;
mod failure;
mod follow;
mod host;
mod inner;
mod keeper;
mod measure;
mod memory;
mod pass;
mod policy;
mod prepare;
mod report;
mod request;
mod slot;
mod slots;
mod span;
mod utility;
mod view;
mod watch;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use mcp_client::TraceContext;
use mcp_types::Implementation;

pub use self::called::Called;
pub(crate) use self::events::Teller;
pub use self::events::{Event, Events};
pub(crate) use self::inner::TraceSource;
#[cfg(test)]
pub(crate) use self::inner::clock as test_clock;
use self::inner::{Inner, Setup, clock};
use self::memory::Memory;
pub use self::report::{BreakerReport, LastError, LeftOut, ServerInfo, ServerReport, StateChange};
use self::slot::{Server, Slot};
use self::slots::SlotId;
pub use self::view::View;
pub use self::watch::Watch;
use crate::arguments::Checkers;
use crate::catalog::Catalog;
use crate::config::Config;
use crate::connect::{Connect, Connector};
use crate::frames::FrameLog;
use crate::host::{Admission, HostTools};
use crate::life::LifeStatus;
use crate::name::{Naming, ServerName};
use crate::nearest::nearest_few;
use crate::outcome::ResultsFolder;
use crate::policy::{NobodyToAsk, Policy};
use crate::store::Store;
use crate::usage::UsageLog;
use crate::{OutcomeLimits, RegistryError};

/// Many servers behind one catalog.
///
/// Each server is kept alive, or given up with its reason, as its configuration and
/// [`crate::life`] say: it is connected when it is first wanted, checked while it is quiet,
/// connected again when it is lost, and tried from time to time once it was given up.
///
/// Clones share everything. [`Registry::close`] ends all servers and waits; when the last clone
/// is dropped instead, they end in the background.
#[derive(Clone, Debug)]
pub struct Registry {
    inner: Arc<Inner>,
}

/// The options of a registry.
#[must_use = "a builder does nothing until it is opened"]
pub struct Builder {
    config: Config,
    naming: Naming,
    client: Implementation,
    connector: Arc<dyn Connect>,
    outcome_limits: OutcomeLimits,
    results_folder: Option<ResultsFolder>,
    policy: Arc<dyn Policy>,
    store: Option<Arc<dyn Store>>,
    admission: Admission,
    usage_log: Option<UsageLog>,
    trace: Option<TraceSource>,
    frame_log: Option<PathBuf>,
}

impl Builder {
    /// How servers are reached. Default: [`Connector`].
    pub fn connector(mut self, connector: impl Connect + 'static) -> Self {
        self.connector = Arc::new(connector);
        self
    }

    /// How public names are put together. Default: `mcp_{server}_{tool}`.
    pub fn naming(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self
    }

    /// How much of a result a model gets.
    pub fn outcome_limits(mut self, limits: OutcomeLimits) -> Self {
        self.outcome_limits = limits;
        self
    }

    /// Where whole texts, pictures, sound and other bytes are kept that do not fit into what a model
    /// sees, unless a server is configured with `output.spill: false`. Default: nowhere.
    pub fn results_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.results_folder = Some(ResultsFolder::new(folder));
        self
    }

    /// Which toolsets of the host may take tools from which others. Default: none.
    pub fn admission(mut self, admission: Admission) -> Self {
        self.admission = admission;
        self
    }

    /// Who decides on calls of servers with `trust: untrusted` whose tools do not say that they only
    /// read. Default: [`NobodyToAsk`], so that none of these runs.
    pub fn policy(mut self, policy: impl Policy + 'static) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// Where it is kept which definitions of tools were approved, and what servers told, so that
    /// lazy ones are known before they are started. Default: nowhere; then changes of definitions
    /// go unnoticed.
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// A file to which each call of a server's tool is appended as one line of JSON, see
    /// [`crate::usage::UsageRecord::to_json`]; it is for its owner alone. Once it holds 10 MiB it is
    /// renamed to `<name>.1`, in place of the one before, and begun anew. Default: none.
    ///
    /// A file that cannot be written fails no call; it is told in our log.
    pub fn usage_log(mut self, path: impl Into<PathBuf>) -> Self {
        self.usage_log = Some(UsageLog::new(path));
        self
    }

    /// A file to which every frame that is sent to or comes from a server is appended as one line of
    /// JSON, with credentials hidden; what else is said stands there, so it is for its owner alone.
    /// Once it holds 64 MiB it is renamed to `<name>.1`, in place of the one before, and begun anew.
    /// Default: none.
    ///
    /// [`crate::frames`] does the hiding. A file that cannot be written is told in our log. The last
    /// frames are there once [`Registry::close`] has ended.
    pub fn frame_log(mut self, path: impl Into<PathBuf>) -> Self {
        self.frame_log = Some(path.into());
        self
    }

    /// Gives the trace that each request belongs to, which servers find in its `_meta`. It is asked
    /// within the span of the call, so that a server's spans are children of that. Default: none.
    pub fn on_trace(
        mut self,
        source: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.trace = Some(Arc::new(source));
        self
    }

    /// The registry, with no server started yet.
    ///
    /// It reads what the store has kept, if there is one, which may block for a moment.
    pub fn open(self) -> Registry {
        let Self {
            config,
            naming,
            client,
            connector,
            outcome_limits,
            results_folder,
            policy,
            store,
            admission,
            usage_log,
            trace,
            frame_log,
        } = self;
        let setup = Setup {
            naming,
            client,
            connector,
            outcome_limits,
            results_folder,
            checkers: Checkers::new(),
            teller: Teller::default(),
            policy,
            usage_log,
            trace,
            frame_log: frame_log.map(|path| Arc::new(FrameLog::new(path, clock()))),
        };
        let memory = store.map(Memory::load).unwrap_or_default();
        Registry {
            inner: Arc::new(Inner::new(setup, config, HostTools::new(admission), memory)),
        }
    }
}

impl Registry {
    /// Begins to build a registry of these servers, which introduces itself to them as `client`.
    pub fn builder(config: Config, client: Implementation) -> Builder {
        Builder {
            config,
            naming: Naming::default(),
            client,
            connector: Arc::new(Connector::new()),
            outcome_limits: OutcomeLimits::default(),
            results_folder: None,
            policy: Arc::new(NobodyToAsk::default()),
            store: None,
            admission: Admission::default(),
            usage_log: None,
            trace: None,
            frame_log: None,
        }
    }

    /// The configuration that holds now.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        self.inner.config()
    }

    /// The newest catalog; it asks nobody.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        self.inner.catalog()
    }

    /// How each server is at this moment, in the order of the configuration; it asks nobody.
    #[must_use]
    pub fn lives(&self) -> Vec<(ServerName, LifeStatus)> {
        let now = clock();
        let life = |slot: &Slot| (slot.server().config.name().clone(), slot.life().status(now));
        let servers = self.inner.servers().into_iter();
        servers
            .filter_map(|server| self.inner.with(server, life))
            .collect()
    }

    /// Takes another configuration on. Servers that are configured as before go on undisturbed;
    /// those that are new or configured otherwise are connected in the background, and those that
    /// are gone are ended once their calls have finished, after 30 seconds at the latest.
    ///
    /// A server that is configured otherwise keeps its tools until it has told them anew. A closed
    /// registry takes none on.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime, unless the registry is in use in one already.
    pub fn reload(&self, config: Config) -> Reloaded {
        let turnover = self.inner.reload(config).unwrap_or_default();
        let names = |ids: Vec<SlotId>| {
            let name = |slot: &Slot| slot.server().config.name().clone();
            ids.into_iter()
                .filter_map(|id| self.inner.with(id, name))
                .collect()
        };
        let (restarted, started): (Vec<_>, Vec<_>) = turnover
            .begun
            .into_iter()
            .partition(|(_, old)| old.is_some());
        let first = |begun: Vec<(SlotId, Option<SlotId>)>| begun.into_iter().map(|(id, _)| id);
        Reloaded {
            started: names(first(started).collect()),
            restarted: names(first(restarted).collect()),
            stopped: turnover.removed.into_iter().map(|(_, name)| name).collect(),
            unchanged: names(turnover.unchanged),
        }
    }

    /// Approves these tools of a server as they are now, by the names that the server uses, or all
    /// of them and no others. What is to be looked at before stands in
    /// [`crate::ServerStatus::drift`].
    ///
    /// Without a store there is nothing to approve.
    ///
    /// # Errors
    ///
    /// [`RegistryError::UnknownServer`]; and [`RegistryError::UnknownTool`] for the first of the
    /// names that the server has not told, in which case none is approved.
    pub fn approve(&self, server: &str, tools: Option<&[&str]>) -> Result<(), RegistryError> {
        let (id, _) = self.find(server)?;
        let known = self.inner.with(id, |slot| slot.known().told().cloned());
        let known = known.flatten();
        let known: Vec<&str> = known.iter().flat_map(|told| told.names()).collect();
        let unknown = tools
            .into_iter()
            .flatten()
            .find(|tool| !known.contains(tool));
        if let Some(unknown) = unknown {
            let nearest = nearest_few(unknown, known.iter().copied(), 3);
            return Err(RegistryError::UnknownTool {
                name: format!("{server}/{unknown}"),
                nearest: nearest.into_iter().map(str::to_owned).collect(),
            });
        }
        self.inner.approve(id, tools);
        Ok(())
    }

    /// Tries all enabled servers that are not connected, at once and each on its own, and waits
    /// until each has told its tools or failed once. Lazy servers are left alone until a call wants
    /// them, as are those that were ended because nobody used them. None takes longer than its
    /// `connect_timeout` and the end of what was started.
    ///
    /// What failed and may pass is tried again in the background; [`Registry::changed`] tells when
    /// there is something new.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future; the servers go on being connected.
    pub async fn discover(&self) -> Arc<Catalog> {
        self.try_all(self.inner.servers(), false).await
    }

    /// Tries one server at once, as [`Registry::discover`] does; also a lazy one, and one that was
    /// given up.
    ///
    /// # Errors
    ///
    /// [`RegistryError::UnknownServer`], with names that were probably meant.
    pub async fn discover_server(&self, name: &str) -> Result<Arc<Catalog>, RegistryError> {
        let (id, _) = self.find(name)?;
        Ok(self.try_all(vec![id], true).await)
    }

    /// The server of this name.
    fn find(&self, name: &str) -> Result<(SlotId, Arc<Server>), RegistryError> {
        self.inner.named(name).ok_or_else(|| {
            let config = self.config();
            let names = config.servers().iter().map(|server| server.name().as_str());
            let nearest = nearest_few(name, names, 3);
            RegistryError::UnknownServer {
                name: name.to_owned(),
                nearest: nearest.into_iter().map(str::to_owned).collect(),
            }
        })
    }

    async fn try_all(&self, servers: Vec<SlotId>, is_explicit: bool) -> Arc<Catalog> {
        let now = clock();
        let mut published = self.inner.published();
        let mut tried = Vec::new();
        for server in servers {
            let before = self.inner.change(server, |slot, todo| {
                let before = slot.outcomes();
                let news = slot.command(todo, |life| match is_explicit {
                    true => life.connect(now),
                    false => life.discover(now),
                });
                (before, news)
            });
            tried.extend(before.map(|before| (server, before)));
        }
        let is_out = |(server, before): &(SlotId, u64)| {
            let is_out = |slot: &Slot| slot.is_connecting(clock()) && slot.outcomes() == *before;
            self.inner.with(*server, is_out).unwrap_or(false)
        };
        // The end of an attempt is published.
        let over = async { while tried.iter().any(is_out) && published.changed().await.is_ok() {} };
        tokio::select! {
            () = over => {}
            () = self.inner.closed() => {}
        }
        self.inner.publish();
        self.catalog()
    }

    /// Waits until there is a newer catalog than `seen`, as when a server is in another state, or
    /// until the registry is closed.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn changed(&self, seen: &Arc<Catalog>) -> Arc<Catalog> {
        let mut published = self.inner.published();
        let is_news = || !Arc::ptr_eq(&self.catalog(), seen);
        let news = async { while !is_news() && published.changed().await.is_ok() {} };
        tokio::select! {
            () = news => {}
            () = self.inner.closed() => {}
        }
        self.catalog()
    }

    /// Ends all servers, all at once, and waits until they are gone; those that are being connected
    /// are given up.
    ///
    /// # Cancel safety
    ///
    /// The servers end even if the future is dropped.
    pub async fn close(&self) {
        self.inner.close().await;
    }
}

/// What became of the servers when another configuration was taken on.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Reloaded {
    /// Those that are new.
    pub started: Vec<ServerName>,
    /// Those that are configured otherwise than before.
    pub restarted: Vec<ServerName>,
    /// Those that are configured no more.
    pub stopped: Vec<ServerName>,
    /// Those that go on as they were.
    pub unchanged: Vec<ServerName>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
