//! The registry: all configured servers behind one catalog, and calls by name.
//!
//! Every server is connected in a task of its own, so that a slow or broken one costs the others
//! nothing. The catalog is replaced as a whole whenever a server has something new to tell.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use mcp_client::error::Budget;
use mcp_client::{Change, Changes, Client, Error, Reply};
use mcp_transport::redact::Redactor;
use mcp_types::{CallToolResult, Implementation, ProgressParams, RawJson};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::catalog::{Catalog, Knowledge};
use crate::config::{Config, ServerConfig};
use crate::connect::{Connect, Connector};
use crate::name::{Naming, Route, ServerName};
use crate::nearest::nearest_few;
use crate::open::{self, Connected, ask};
use crate::tasks::Tasks;
use crate::{Outcome, OutcomeLimits, RegistryError};

/// The shortest time between two readings of a server's list of tools.
// Bound: a storm of change notices, or a server that tells of a change whenever it is asked for
// its list, must not keep us reading lists.
const RELIST_INTERVAL: Duration = Duration::from_millis(500);

/// How often a list that could not be read again is tried once more.
const RELIST_TRIES: u32 = 5;

/// How long a call may take as a whole, whatever progress it makes, unless its server's `timeout`
/// is longer.
const CALL_MAX: Duration = Duration::from_secs(30 * 60);

/// Many servers behind one catalog.
///
/// Clones share everything. [`Registry::close`] ends all servers and waits; when the last clone
/// is dropped instead, they end in the background.
#[derive(Clone, Debug)]
pub struct Registry {
    inner: Arc<Inner>,
}

struct Inner {
    config: Config,
    naming: Naming,
    client: Implementation,
    connector: Arc<dyn Connect>,
    outcome_limits: OutcomeLimits,
    redactors: Vec<Redactor>,
    /// For each server, whose turn it is to connect it.
    turns: Vec<tokio::sync::Mutex<()>>,
    /// Whether the registry is closed, for those who connect a server meanwhile.
    closing: watch::Sender<bool>,
    state: Mutex<State>,
}

/// Invariant: `known` and `clients` have one entry for each configured server, in its order.
#[derive(Default)]
struct State {
    known: Vec<Knowledge>,
    clients: Vec<Option<Client>>,
    catalog: Arc<Catalog>,
    /// What connects servers.
    connecting: Tasks,
    /// What follows the servers' changes.
    followers: Tasks,
    is_closed: bool,
}

/// The options of a registry.
#[must_use = "a builder does nothing until it is opened"]
pub struct Builder {
    config: Config,
    naming: Naming,
    client: Implementation,
    connector: Arc<dyn Connect>,
    outcome_limits: OutcomeLimits,
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

    /// The registry, with no server started yet.
    pub fn open(self) -> Registry {
        let Self {
            config,
            naming,
            client,
            connector,
            outcome_limits,
        } = self;
        let redactor = |server: &ServerConfig| Redactor::new().with_secrets(server.secrets());
        let redactors = config.servers().iter().map(redactor).collect();
        let len = config.servers().len();
        let known = vec![Knowledge::Nothing; len];
        let state = State {
            catalog: Arc::new(Catalog::new(&config, naming, &known)),
            known,
            clients: vec![None; len],
            connecting: Tasks::default(),
            followers: Tasks::default(),
            is_closed: false,
        };
        let inner = Inner {
            config,
            naming,
            client,
            connector,
            outcome_limits,
            redactors,
            turns: std::iter::repeat_with(Default::default).take(len).collect(),
            closing: watch::Sender::new(false),
            state: Mutex::new(state),
        };
        Registry {
            inner: Arc::new(inner),
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
        }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// The newest catalog; it asks nobody.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.inner.lock().catalog)
    }

    /// Connects all enabled servers that are not connected, at once and each on its own, and waits
    /// until each has told its tools or failed. None takes longer than its `connect_timeout`.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the servers that were still being connected; [`Registry::close`]
    /// waits for their end.
    pub async fn discover(&self) -> Arc<Catalog> {
        self.discover_where(|_server| true).await
    }

    /// Connects one server, as [`Registry::discover`] does.
    ///
    /// # Errors
    ///
    /// [`RegistryError::UnknownServer`], with names that were probably meant.
    pub async fn discover_server(&self, name: &str) -> Result<Arc<Catalog>, RegistryError> {
        let config = self.config();
        if config.server(name).is_none() {
            let names = config.servers().iter().map(|server| server.name().as_str());
            let nearest = nearest_few(name, names, 3)
                .into_iter()
                .map(str::to_owned)
                .collect();
            return Err(RegistryError::UnknownServer {
                name: name.to_owned(),
                nearest,
            });
        }
        Ok(self.discover_where(|server| server.as_str() == name).await)
    }

    async fn discover_where(&self, wanted: impl Fn(&ServerName) -> bool) -> Arc<Catalog> {
        // Nothing is ever sent on either: the one ends with this future, the other with the tasks.
        let (waiting, waited_for) = watch::channel(());
        let (working, mut all_done) = mpsc::channel::<()>(1);
        {
            let mut state = self.inner.lock();
            let servers = self.inner.config.servers().iter().enumerate();
            let servers = servers.filter(|(_, server)| server.is_enabled());
            for (index, _) in servers.filter(|(_, server)| wanted(server.name())) {
                let inner = Arc::clone(&self.inner);
                let (waited_for, working) = (waited_for.clone(), working.clone());
                state.connecting.start(async move {
                    inner.ensure_connected(index, waited_for).await;
                    drop(working);
                });
            }
        }
        drop(working);
        let _: Option<()> = all_done.recv().await;
        drop(waiting);
        self.catalog()
    }

    /// Calls a tool by its public name, or as `server/tool`, with a JSON object as arguments.
    ///
    /// `timeout`, if given, replaces the server's own for this call. Progress goes to `progress`,
    /// which must be quick and must not block.
    ///
    /// # Errors
    ///
    /// Why the call could not be made or finished. A tool that reports an error of its own is no
    /// error here.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the call, and tells the server so.
    pub async fn call(
        &self,
        name: &str,
        arguments: &str,
        timeout: Option<Duration>,
        progress: Option<Box<dyn FnMut(ProgressParams) + Send>>,
    ) -> Result<Called, RegistryError> {
        let route = self.catalog().resolve(name, self.config())?;
        let arguments = read_arguments(arguments, &route)?;
        let (client, server) = self.inner.client(&route)?;
        let mut call = client
            .call_tool(&route.tool, &arguments)
            .timeout(server.timeout())
            .timeout_max(server.timeout().max(CALL_MAX));
        if let Some(timeout) = timeout {
            call = call.timeout(timeout).timeout_max(timeout);
        }
        if let Some(progress) = progress {
            call = call.on_progress(progress);
        }
        match call.await {
            Ok(reply) => Ok(Called { route, reply }),
            Err(error) => Err(failed(route, error, timeout.is_some())),
        }
    }

    /// Calls a tool for a model: whatever happens, the answer is one JSON object with the member
    /// `result` or `error`.
    ///
    /// # Cancel safety
    ///
    /// As [`Registry::call`].
    pub async fn dispatch(&self, name: &str, arguments: &str) -> String {
        match self.call(name, arguments, None, None).await {
            Ok(called) => self.outcome(&called).json,
            Err(error) => {
                let server = error.server().map(ServerName::as_str);
                let index = server.and_then(|name| self.inner.index(name));
                let redactor = index
                    .and_then(|index| self.inner.redactors.get(index))
                    .cloned();
                error.to_model_json(&redactor.unwrap_or_default())
            }
        }
    }

    /// What a model gets to see of a result.
    #[must_use]
    pub fn outcome(&self, called: &Called) -> Outcome {
        let index = self.inner.index(called.route.server.as_str());
        let redactor = index
            .and_then(|index| self.inner.redactors.get(index))
            .cloned();
        Outcome::new(
            &called.reply.value,
            &self.inner.outcome_limits,
            &redactor.unwrap_or_default(),
        )
    }

    /// Ends all servers, all at once, and waits until they are gone; those that are being connected
    /// are given up.
    ///
    /// # Cancel safety
    ///
    /// The servers end even if the future is dropped.
    pub async fn close(&self) {
        let (clients, connecting, followers) = {
            let mut state = self.inner.lock();
            state.is_closed = true;
            let clients: Vec<Client> = state.clients.iter_mut().filter_map(Option::take).collect();
            let connecting = std::mem::take(&mut state.connecting);
            (clients, connecting, std::mem::take(&mut state.followers))
        };
        self.inner.closing.send_replace(true);
        followers.stop().await;
        let mut closing = JoinSet::new();
        // Bound: a server that is given up has as long to end as any other.
        closing.spawn(connecting.ended());
        for client in clients {
            closing.spawn(async move {
                client.close().await;
            });
        }
        while closing.join_next().await.is_some() {}
    }
}

/// An answer, and who gave it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Called {
    /// The server and the tool.
    pub route: Route,
    /// The answer.
    pub reply: Reply<CallToolResult>,
}

impl Inner {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index(&self, server: &str) -> Option<usize> {
        self.config
            .servers()
            .iter()
            .position(|known| known.name().as_str() == server)
    }

    fn is_connected(&self, index: usize) -> bool {
        let state = self.lock();
        let client = state.clients.get(index).and_then(Option::as_ref);
        client.is_some_and(|client| client.closed().is_none())
    }

    /// Connects a server that is not connected; one attempt at a time, whoever asks for it.
    ///
    /// When nobody waits for it any more, or the registry is closed, what was started is ended
    /// before this is over.
    async fn ensure_connected(self: Arc<Self>, index: usize, mut waited_for: watch::Receiver<()>) {
        let Some(turn) = self.turns.get(index) else {
            return;
        };
        let _turn = tokio::select! {
            biased;
            () = self.is_unwanted(&mut waited_for) => return,
            turn = turn.lock() => turn,
        };
        if self.is_connected(index) {
            return;
        }
        let (give_up, given_up) = watch::channel(false);
        let mut connecting = Box::pin(self.connect(index, given_up));
        let not_taken = tokio::select! {
            connected = &mut connecting => self.take(index, connected),
            () = self.is_unwanted(&mut waited_for) => {
                give_up.send_replace(true);
                connecting.await.ok().map(|(client, ..)| client)
            }
        };
        if let Some(client) = not_taken {
            client.close().await;
        }
    }

    /// Completes when nobody wants the servers that are being connected.
    async fn is_unwanted(&self, waited_for: &mut watch::Receiver<()>) {
        let mut closing = self.closing.subscribe();
        tokio::select! {
            // Whoever waited is gone, as is what could have been sent.
            _gone = waited_for.changed() => {}
            _closed = closing.wait_for(|is_closed| *is_closed) => {}
        }
    }

    async fn connect(&self, index: usize, given_up: watch::Receiver<bool>) -> Connected {
        let (Some(server), Some(redactor)) =
            (self.config.servers().get(index), self.redactors.get(index))
        else {
            return Err(Error::not_started(
                "the server is no longer configured".to_owned(),
            ));
        };
        open::open(&*self.connector, &self.client, server, redactor, given_up).await
    }

    /// Makes what came of connecting part of the catalog; gives back a client that is not wanted,
    /// since the registry was closed meanwhile.
    fn take(self: &Arc<Self>, index: usize, connected: Connected) -> Option<Client> {
        let mut state = self.lock();
        if state.is_closed {
            return connected.ok().map(|(client, ..)| client);
        }
        let (knowledge, client) = match connected {
            Ok((client, changes, told)) => {
                state
                    .followers
                    .start(Self::follow(Arc::downgrade(self), index, changes));
                (Knowledge::Told(Arc::new(told)), Some(client))
            }
            Err(error) => (Knowledge::Failed(Arc::new(error)), None),
        };
        if let Some(slot) = state.clients.get_mut(index) {
            *slot = client;
        }
        self.publish(&mut state, index, knowledge);
        None
    }

    fn publish(&self, state: &mut State, index: usize, knowledge: Knowledge) {
        if let Some(slot) = state.known.get_mut(index) {
            *slot = knowledge;
        }
        state.catalog = Arc::new(Catalog::new(&self.config, self.naming, &state.known));
    }

    /// Reads a server's list of tools again whenever it says that the list has changed, until its
    /// connection ends.
    ///
    /// The task holds neither the registry nor the client while it waits, so that dropping the
    /// registry ends the servers.
    async fn follow(registry: Weak<Self>, index: usize, mut changes: Changes) {
        while let Some(change) = changes.next().await {
            if change != Change::Tools {
                continue;
            }
            let mut pause = RELIST_INTERVAL;
            for _ in 0..RELIST_TRIES {
                let read_at = Instant::now();
                let is_read = Self::read_again(&registry, index).await;
                sleep_until(read_at + pause).await;
                if is_read {
                    break;
                }
                pause *= 2;
            }
        }
    }

    /// Reads a server's list of tools again; returns whether there is nothing left to do.
    async fn read_again(registry: &Weak<Self>, index: usize) -> bool {
        let Some(registry) = registry.upgrade() else {
            return true;
        };
        let client = registry.lock().clients.get(index).cloned().flatten();
        let Some(client) = client else { return true };
        match ask(&client).await {
            Ok(told) => {
                let known = Knowledge::Told(Arc::new(told));
                registry.publish(&mut registry.lock(), index, known);
                true
            }
            // The old list is better than none.
            Err(error) => {
                tracing::warn!(%error, "the list of tools could not be read again");
                client.closed().is_some()
            }
        }
    }

    fn client(&self, route: &Route) -> Result<(Client, &ServerConfig), RegistryError> {
        let unavailable = |reason: &str| RegistryError::ServerUnavailable {
            server: route.server.clone(),
            cause: Box::new(Error::not_started(reason.to_owned())),
            outcome_uncertain: false,
        };
        let index = self.index(route.server.as_str());
        let index = index.ok_or_else(|| unavailable("the server is not configured"))?;
        let server = self.config.servers().get(index);
        let server = server.ok_or_else(|| unavailable("the server is not configured"))?;
        let client = self.lock().clients.get(index).cloned().flatten();
        let client = client.ok_or_else(|| unavailable("the server is not connected"))?;
        Ok((client, server))
    }
}

fn read_arguments(arguments: &str, route: &Route) -> Result<RawJson, RegistryError> {
    let invalid = |why: String| RegistryError::InvalidArguments {
        server: route.server.clone(),
        tool: route.tool.to_string(),
        cause: why.into(),
    };
    if arguments.trim().is_empty() {
        return Ok(RawJson::empty_object());
    }
    let json = RawJson::parse(arguments).map_err(|error| invalid(error.to_string()))?;
    if json.is_object() {
        Ok(json)
    } else {
        Err(invalid("they must be a JSON object".to_owned()))
    }
}

fn failed(route: Route, error: Error, is_own_timeout: bool) -> RegistryError {
    let Route { server, tool } = route;
    let outcome_uncertain = error.sent() == mcp_client::Sent::Maybe;
    match error {
        Error::TimedOut(timed_out) => RegistryError::Deadline {
            server,
            tool: tool.to_string(),
            budget: match timed_out.budget {
                _ if is_own_timeout => "the call's timeout",
                Budget::Hard => "the most that a call may take",
                _ => "timeout",
            },
            after: timed_out.after,
            outcome_uncertain,
        },
        Error::Closed(_) | Error::Spawn(_) => RegistryError::ServerUnavailable {
            server,
            cause: Box::new(error),
            outcome_uncertain,
        },
        // An answer came but could not be read: the tool ran, and what it did is not known.
        Error::PeerMisbehaved(_) => RegistryError::CallFailed {
            server,
            tool: tool.to_string(),
            cause: Box::new(error),
            outcome_uncertain: true,
        },
        _ => RegistryError::CallFailed {
            server,
            tool: tool.to_string(),
            cause: Box::new(error),
            outcome_uncertain,
        },
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
