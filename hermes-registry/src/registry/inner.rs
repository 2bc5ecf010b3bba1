//! What a registry holds, behind one short lock: its servers, and the catalog made of them.
//!
//! Invariant: the lock is never held across an await. Whoever changes a server wakes the keeper if
//! there is something to begin, to publish or to wait for.

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_client::{Client, Error};
use mcp_transport::redact::Redactor;
use mcp_types::Implementation;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::keeper::{Done, keep};
use super::slot::{News, Slot, Todo};
use crate::OutcomeLimits;
use crate::catalog::{Catalog, Seen, Told};
use crate::config::{Config, ServerConfig};
use crate::connect::Connect;
use crate::life::{Epoch, Life, LifePolicy, State as LifeState};
use crate::name::Naming;

/// How long the calls that run may take to finish when the registry is closed.
// Bound: whoever closes a registry wants it to end; what still runs is told as lost.
const CLOSE_GRACE: Duration = Duration::ZERO;

/// What is given when the registry is opened, and stays.
pub(super) struct Setup {
    pub(super) config: Config,
    pub(super) naming: Naming,
    pub(super) client: Implementation,
    pub(super) connector: Arc<dyn Connect>,
    pub(super) outcome_limits: OutcomeLimits,
    pub(super) redactors: Vec<Redactor>,
}

impl Setup {
    pub(super) fn index(&self, server: &str) -> Option<usize> {
        let mut servers = self.config.servers().iter();
        servers.position(|known| known.name().as_str() == server)
    }

    pub(super) fn server(&self, index: usize) -> Result<(&ServerConfig, &Redactor), Error> {
        let server = self.config.servers().get(index);
        server
            .zip(self.redactors.get(index))
            .ok_or_else(|| Error::not_started("the server is no longer configured".to_owned()))
    }
}

pub(super) struct Inner {
    setup: Arc<Setup>,
    state: Mutex<State>,
    wake: Arc<Notify>,
    /// Whether the keeper is to end; it does so too when this is gone.
    closing: watch::Sender<bool>,
    /// Counts the catalogs that were published.
    published: watch::Sender<u64>,
}

/// Invariant: `slots` has one entry for each configured server, in its order.
struct State {
    slots: Vec<Slot>,
    todo: Vec<(usize, Todo)>,
    catalog: Arc<Catalog>,
    is_stale: bool,
    /// When the keeper wakes by itself.
    wakes_at: Option<Instant>,
    keeper: Option<JoinHandle<()>>,
    is_closed: bool,
}

pub(super) fn clock() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl Inner {
    pub(super) fn new(setup: Setup) -> Self {
        let now = clock();
        let seeds = RandomState::new();
        let slots: Vec<Slot> = setup
            .config
            .servers()
            .iter()
            .enumerate()
            .map(|(index, server)| {
                let mut seed = seeds.build_hasher();
                seed.write_usize(index);
                let mut life = Life::new(now, LifePolicy::of(server), seed.finish());
                if !server.is_enabled() {
                    life.disable(now, Duration::ZERO);
                }
                Slot::new(life)
            })
            .collect();
        let catalog = Catalog::new(&setup.config, setup.naming, &seen(&slots));
        let state = State {
            slots,
            todo: Vec::new(),
            catalog: Arc::new(catalog),
            is_stale: false,
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

    pub(super) fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.lock().catalog)
    }

    pub(super) fn published(&self) -> watch::Receiver<u64> {
        self.published.subscribe()
    }

    pub(super) fn client(&self, server: usize, epoch: Epoch) -> Option<Client> {
        self.lock().slots.get(server)?.client(epoch).cloned()
    }

    /// Looks at a server.
    pub(super) fn with<T>(&self, server: usize, look: impl FnOnce(&Slot) -> T) -> Option<T> {
        self.lock().slots.get(server).map(look)
    }

    /// Changes a server, and sees to what follows from that.
    pub(super) fn change<T>(
        self: &Arc<Self>,
        server: usize,
        change: impl FnOnce(&mut Slot, &mut Vec<Todo>) -> (T, News),
    ) -> Option<T> {
        let mut state = self.lock();
        let state = &mut *state;
        let slot = state.slots.get_mut(server)?;
        let mut todo = Vec::new();
        let (changed, news) = change(slot, &mut todo);
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
        if state.keeper.is_none() && !state.is_closed {
            let keeper = keep(
                Arc::downgrade(self),
                Arc::clone(&self.wake),
                self.closing.subscribe(),
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
    pub(super) fn turn(&self) -> (Vec<(usize, Todo)>, Option<Instant>) {
        let now = clock();
        let mut state = self.lock();
        let state = &mut *state;
        let mut due = None::<Instant>;
        let mut news = News::Nothing;
        for (server, slot) in state.slots.iter_mut().enumerate() {
            if slot.life().next_wake().is_some_and(|at| at <= now) {
                let mut todo = Vec::new();
                news = news.max(slot.command(&mut todo, |life| life.handle_wake(now)));
                state
                    .todo
                    .extend(todo.into_iter().map(|todo| (server, todo)));
            }
            due = due.into_iter().chain(slot.life().next_wake()).min();
        }
        state.wakes_at = due;
        state.is_stale |= news != News::Nothing;
        self.publish_in(state);
        (std::mem::take(&mut state.todo), due)
    }

    /// Publishes what has changed, for those who cannot wait for the keeper's turn.
    pub(super) fn publish(&self) {
        self.publish_in(&mut self.lock());
    }

    fn publish_in(&self, state: &mut State) {
        if std::mem::take(&mut state.is_stale) {
            let Setup { config, naming, .. } = &*self.setup;
            state.catalog = Arc::new(Catalog::new(config, *naming, &seen(&state.slots)));
            self.published.send_modify(|count| *count += 1);
        }
    }

    /// Takes what has come of something that the keeper began.
    pub(super) fn take(self: &Arc<Self>, done: Done) {
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
            } => self.change(server, |slot, todo| {
                // Waiting callers look for the outcome even if the state is the same as before.
                let _state = slot.take_attempt(now, epoch, *connected, todo);
                ((), News::State)
            }),
            Done::Ended {
                server,
                epoch,
                fault,
            } => self.change(server, |slot, todo| {
                ((), slot.lose(now, epoch, fault, todo))
            }),
        };
    }

    /// Takes a list of tools that was read again.
    pub(super) fn take_told(self: &Arc<Self>, server: usize, epoch: Epoch, told: Told) {
        self.change(server, |slot, _todo| {
            slot.take_told(epoch, told);
            ((), News::State)
        });
    }

    /// Ends all servers, and then the keeper.
    pub(super) async fn close(self: &Arc<Self>) {
        let now = clock();
        let mut published = self.published();
        let has_keeper = {
            let mut state = self.lock();
            state.is_closed = true;
            state.keeper.is_some()
        };
        let count = self.setup.config.servers().len();
        for server in 0..count {
            self.change(server, |slot, todo| {
                ((), slot.close(now, CLOSE_GRACE, todo))
            });
        }
        if has_keeper {
            let is_over = |slot: &Slot| slot.life().state() == LifeState::Closed;
            let is_over = || self.lock().slots.iter().all(is_over);
            // Each life is over within its own bounds, whether or not what it waits for is told.
            while !is_over() && published.changed().await.is_ok() {}
        }
        self.closing.send_replace(true);
        let keeper = self.lock().keeper.take();
        if let Some(keeper) = keeper {
            // A keeper that panicked has ended as well.
            let _: Result<(), tokio::task::JoinError> = keeper.await;
        }
    }
}

fn seen(slots: &[Slot]) -> Vec<Seen<'_>> {
    slots
        .iter()
        .map(|slot| Seen {
            known: slot.known(),
            life: slot.life().state(),
        })
        .collect()
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("config", &self.setup.config)
            .finish_non_exhaustive()
    }
}
