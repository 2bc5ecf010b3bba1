//! What a registry holds, behind one short lock: its servers, and the catalog made of them.
//!
//! Invariant: the lock is never held across an await. Whoever changes a server wakes the keeper if
//! there is something to begin, to publish or to wait for.

mod host;
mod memory;

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_client::{Client, TraceContext};
use mcp_types::Implementation;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::keeper::{Done, keep};
use super::memory::{Memory, Save};
use super::slot::{News, Server, Slot, Todo};
use super::slots::{SlotId, Slots, Turnover};
use crate::OutcomeLimits;
use crate::arguments::Checkers;
use crate::catalog::{Catalog, Parts, Told};
use crate::config::Config;
use crate::connect::Connect;
use crate::frames::FrameLog;
use crate::host::HostTools;
use crate::life::{Epoch, Life};
use crate::name::Naming;
use crate::outcome::ResultsFolder;
use crate::policy::Policy;
use crate::registry::events::Teller;
use crate::usage::UsageLog;

/// How long the calls that run may take to finish when the registry is closed.
// Bound: whoever closes a registry wants it to end; what still runs is told as lost.
const CLOSE_GRACE: Duration = Duration::ZERO;

/// How long the calls that run may take to finish when their server is configured no more.
const RETIRE_GRACE: Duration = Duration::from_secs(30);

/// Gives the trace that a request belongs to, if it belongs to one.
pub(crate) type TraceSource = Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>;

/// What is given when the registry is opened, and stays.
pub(in crate::registry) struct Setup {
    pub(in crate::registry) naming: Naming,
    pub(in crate::registry) client: Implementation,
    pub(in crate::registry) connector: Arc<dyn Connect>,
    pub(in crate::registry) outcome_limits: OutcomeLimits,
    /// Where what does not fit into results is kept.
    pub(in crate::registry) results_folder: Option<ResultsFolder>,
    /// Compiled schemas of tools.
    pub(in crate::registry) checkers: Checkers,
    /// Where it is told what happens.
    pub(in crate::registry) teller: Teller,
    /// Who decides on calls of servers that are not trusted.
    pub(in crate::registry) policy: Arc<dyn Policy>,
    /// Where records of calls are kept.
    pub(in crate::registry) usage_log: Option<UsageLog>,
    /// Who gives the trace that requests belong to.
    pub(in crate::registry) trace: Option<TraceSource>,
    /// Where frames are kept.
    pub(in crate::registry) frame_log: Option<Arc<FrameLog>>,
}

pub(in crate::registry) struct Inner {
    setup: Arc<Setup>,
    state: Mutex<State>,
    wake: Arc<Notify>,
    /// Whether the keeper is to end; it does so too when this is gone.
    closing: watch::Sender<bool>,
    /// Counts the catalogs that were published.
    published: watch::Sender<u64>,
}

struct State {
    config: Arc<Config>,
    slots: Slots,
    host: HostTools,
    todo: Vec<(SlotId, Todo)>,
    catalog: Arc<Catalog>,
    /// Whether something has changed that was not published.
    is_stale: bool,
    /// Whether something was published that is not in the catalog.
    is_outdated: bool,
    memory: Memory,
    /// When the keeper wakes by itself.
    wakes_at: Option<Instant>,
    keeper: Option<JoinHandle<()>>,
    is_closed: bool,
}

/// What a turn of the keeper has come to.
pub(in crate::registry) struct Turn {
    /// What is to be begun.
    pub(in crate::registry) todo: Vec<(SlotId, Todo)>,
    /// What is to be saved.
    pub(in crate::registry) save: Option<Save>,
    /// When the next turn is due by itself.
    pub(in crate::registry) due: Option<Instant>,
}

pub(crate) fn clock() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl Inner {
    pub(in crate::registry) fn new(
        setup: Setup,
        config: Config,
        host: HostTools,
        memory: Memory,
    ) -> Self {
        let mut slots = Slots::default();
        let _all_begin: Turnover = slots.adopt(&config, clock(), seed, &memory);
        let catalog = Catalog::new(&Parts {
            config: &config,
            naming: setup.naming,
            seen: &slots.seen(),
            host: &host,
            generation: 0,
        });
        let state = State {
            config: Arc::new(config),
            slots,
            host,
            todo: Vec::new(),
            catalog: Arc::new(catalog),
            is_stale: false,
            is_outdated: false,
            memory,
            wakes_at: None,
            keeper: None,
            is_closed: false,
        };
        Self {
            setup: Arc::new(setup),
            state: Mutex::new(state),
            wake: Arc::new(Notify::new()),
            closing: watch::Sender::new(false),
            published: watch::Sender::new(0),
        }
    }

    pub(in crate::registry) fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::registry) fn catalog(&self) -> Arc<Catalog> {
        self.check_host();
        let mut state = self.lock();
        self.renew_in(&mut state);
        Arc::clone(&state.catalog)
    }

    pub(in crate::registry) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.lock().config)
    }

    /// The configured servers, in their order.
    pub(in crate::registry) fn servers(&self) -> Vec<SlotId> {
        self.lock().slots.ids().to_vec()
    }

    /// The server of this name.
    pub(in crate::registry) fn named(&self, name: &str) -> Option<(SlotId, Arc<Server>)> {
        let state = self.lock();
        let id = state.slots.named(name)?;
        Some((id, Arc::clone(state.slots.get(id)?.server())))
    }

    pub(in crate::registry) fn published(&self) -> watch::Receiver<u64> {
        self.published.subscribe()
    }

    pub(in crate::registry) fn client(&self, server: SlotId, epoch: Epoch) -> Option<Client> {
        self.lock().slots.get(server)?.client(epoch).cloned()
    }

    /// Looks at a server.
    pub(in crate::registry) fn with<T>(
        &self,
        server: SlotId,
        look: impl FnOnce(&Slot) -> T,
    ) -> Option<T> {
        self.lock().slots.get(server).map(look)
    }

    /// Changes a server, and sees to what follows from that.
    pub(in crate::registry) fn change<T>(
        self: &Arc<Self>,
        server: SlotId,
        change: impl FnOnce(&mut Slot, &mut Vec<Todo>) -> (T, News),
    ) -> Option<T> {
        let mut state = self.lock();
        let state = &mut *state;
        let slot = state.slots.get_mut(server)?;
        let mut todo = Vec::new();
        let (changed, news) = change(slot, &mut todo);
        slot.announce(&self.setup.teller);
        let due = slot.life().next_wake();
        let is_sooner = due.is_some_and(|due| state.wakes_at.is_none_or(|at| due < at));
        state.is_stale |= news != News::Nothing;
        let wakes = news != News::Nothing || !todo.is_empty() || is_sooner;
        state
            .todo
            .extend(todo.into_iter().map(|todo| (server, todo)));
        if wakes {
            self.keep(state);
            self.wake.notify_one();
        }
        Some(changed)
    }

    /// Starts the keeper, unless it runs or is not wanted any more.
    fn keep(self: &Arc<Self>, state: &mut State) {
        // One whose runtime has ended is none.
        let is_kept = state
            .keeper
            .as_ref()
            .is_some_and(|keeper| !keeper.is_finished());
        if !is_kept && !state.is_closed {
            let keeper = keep(
                Arc::downgrade(self),
                Arc::clone(&self.wake),
                self.closing.subscribe(),
                self.setup.frame_log.clone(),
            );
            #[expect(
                clippy::disallowed_methods,
                reason = "the one task of a registry, which ends with it and is waited for by close"
            )]
            let keeper = tokio::spawn(keeper);
            state.keeper = Some(keeper);
        }
    }

    /// One turn of the keeper: does what is due, publishes, and says what is to be begun and when
    /// the next turn is.
    pub(in crate::registry) fn turn(&self) -> Turn {
        let now = clock();
        let mut state = self.lock();
        let state = &mut *state;
        let mut due = None::<Instant>;
        let mut news = News::Nothing;
        for (server, slot) in state.slots.iter_mut() {
            if slot.life().next_wake().is_some_and(|at| at <= now) {
                let mut todo = Vec::new();
                news = news.max(slot.command(&mut todo, |life| life.handle_wake(now)));
                slot.announce(&self.setup.teller);
                state
                    .todo
                    .extend(todo.into_iter().map(|todo| (server, todo)));
            }
            due = due.into_iter().chain(slot.life().next_wake()).min();
        }
        state.wakes_at = due;
        state.is_stale |= news != News::Nothing;
        self.publish_in(state);
        Turn {
            todo: std::mem::take(&mut state.todo),
            save: state.memory.begin_save(),
            due,
        }
    }

    /// Publishes what has changed, for those who cannot wait for the keeper's turn.
    pub(in crate::registry) fn publish(&self) {
        self.publish_in(&mut self.lock());
    }

    fn publish_in(&self, state: &mut State) {
        if std::mem::take(&mut state.is_stale) {
            state.slots.sweep();
            state.is_outdated = true;
            if self.setup.teller.is_heard() {
                self.renew_in(state);
            }
            self.published.send_modify(|count| *count += 1);
        }
    }

    /// Puts the catalog together that was published last, once somebody looks: while many servers
    /// are being connected nobody does, and each of them would cost a look at the tools of all.
    fn renew_in(&self, state: &mut State) {
        if std::mem::take(&mut state.is_outdated) {
            let catalog = Arc::new(Catalog::new(&Parts {
                config: &state.config,
                naming: self.setup.naming,
                seen: &state.slots.seen(),
                host: &state.host,
                generation: state.catalog.generation() + 1,
            }));
            self.setup.teller.tell_tools(&state.catalog, &catalog);
            state.catalog = catalog;
        }
    }

    /// Takes what has come of something that the keeper began.
    pub(in crate::registry) fn take(self: &Arc<Self>, done: Done) {
        let now = clock();
        match done {
            Done::Checked {
                server,
                epoch,
                check,
                health,
            } => self.change(server, |slot, todo| {
                let checked = |life: &mut Life| life.handle_checked(now, epoch, check, health);
                ((), slot.command(todo, checked))
            }),
            Done::Closed { server, epoch } => self.change(server, |slot, todo| {
                (
                    (),
                    slot.command(todo, |life| life.handle_closed(now, epoch)),
                )
            }),
            Done::Connected {
                server,
                epoch,
                connected,
            } => self
                .change(server, |slot, todo| {
                    // Waiting callers look for the outcome even if the state is the same as before.
                    let _state = slot.take_attempt(now, epoch, *connected, todo);
                    ((), News::State)
                })
                .inspect(|()| self.learn(server, epoch)),
            Done::Ended {
                server,
                epoch,
                fault,
            } => self.change(server, |slot, todo| {
                ((), slot.lose(now, epoch, fault, todo))
            }),
            Done::Logged => None,
            Done::Saved => {
                self.lock().memory.end_save();
                None
            }
        };
    }

    /// Takes a list of tools that was read again.
    pub(in crate::registry) fn take_told(
        self: &Arc<Self>,
        server: SlotId,
        epoch: Epoch,
        told: Told,
    ) {
        self.change(server, |slot, _todo| {
            slot.take_told(epoch, told);
            ((), News::State)
        });
        self.learn(server, epoch);
    }

    /// Takes another configuration on: ends what is configured no more, and begins what is new.
    /// `None` if the registry is closed.
    pub(in crate::registry) fn reload(self: &Arc<Self>, config: Config) -> Option<Turnover> {
        let now = clock();
        let turnover = {
            let mut state = self.lock();
            let state = &mut *state;
            if state.is_closed {
                return None;
            }
            let turnover = state.slots.adopt(&config, now, seed, &state.memory);
            state.memory.keep(config.servers().iter());
            state.config = Arc::new(config);
            state.is_stale = true;
            turnover
        };
        let replaced = turnover.begun.iter().filter_map(|(_, old)| *old);
        let removed = turnover.removed.iter().map(|(id, _)| *id);
        for old in removed.chain(replaced) {
            let close =
                |slot: &mut Slot, todo: &mut Vec<Todo>| ((), slot.close(now, RETIRE_GRACE, todo));
            self.change(old, close);
        }
        for (new, _) in &turnover.begun {
            self.change(*new, |slot, todo| {
                ((), slot.command(todo, |life| life.discover(now)))
            });
        }
        self.publish();
        Some(turnover)
    }

    /// Ends all servers, and then the keeper.
    pub(in crate::registry) async fn close(self: &Arc<Self>) {
        let now = clock();
        let mut published = self.published();
        let (all, mut keeper) = {
            let mut state = self.lock();
            state.is_closed = true;
            (state.slots.all(), state.keeper.take())
        };
        for server in all {
            self.change(server, |slot, todo| {
                ((), slot.close(now, CLOSE_GRACE, todo))
            });
        }
        self.publish();
        if let Some(keeper) = &mut keeper {
            // Each life is over within its own bounds, whether or not what it waits for is told.
            while !self.lock().slots.are_all_closed() {
                tokio::select! {
                    published = published.changed() => if published.is_err() { break },
                    // A keeper that panicked, or whose runtime has ended, has ended as well.
                    _ended = &mut *keeper => break,
                }
            }
        }
        self.closing.send_replace(true);
        self.save().await;
        if let Some(keeper) = keeper.filter(|keeper| !keeper.is_finished()) {
            let _: Result<(), tokio::task::JoinError> = keeper.await;
        }
        if let Some(log) = self.setup.frame_log.clone() {
            let writing = tokio::task::spawn_blocking(move || log.write());
            let _: Result<(), tokio::task::JoinError> = writing.await;
        }
        self.publish();
    }

    /// Whether the registry is closed, now and later.
    pub(in crate::registry) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Completes when the registry is closed.
    pub(in crate::registry) async fn closed(&self) {
        let mut closing = self.closing();
        let _: Result<watch::Ref<'_, bool>, watch::error::RecvError> =
            closing.wait_for(|is_over| *is_over).await;
    }
}

/// Where the chance in the waits of a life comes from.
fn seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("config", &self.config())
            .finish_non_exhaustive()
    }
}
