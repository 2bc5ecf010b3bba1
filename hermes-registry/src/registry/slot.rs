//! One server of a registry: its life, what there is of connections, the calls that wait, and what
//! it told.
//!
//! Starting and ending what a life asks for is left to the keeper.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_client::{Changes, Client, Error};
use mcp_transport::redact::Redactor;
use tokio::sync::{oneshot, watch};

use super::events::Teller;
use crate::catalog::{Knowledge, Told};
use crate::config::ServerConfig;
use crate::life::{
    Admission, CallEnd, CheckId, Effect, Epoch, Fault, Life, Refusal, Started, State, Ticket,
};
use crate::open::Connected;
use crate::usage::Meter;

/// Something that the keeper has to begin.
#[derive(Debug)]
pub(super) enum Todo {
    Check {
        epoch: Epoch,
        check: CheckId,
        until: Instant,
    },
    Close {
        epoch: Epoch,
        client: Client,
    },
    Connect {
        epoch: Epoch,
        given_up: watch::Receiver<bool>,
    },
    /// Hear when the connection ends and when its list of tools changes.
    Follow {
        epoch: Epoch,
        client: Client,
        changes: Changes,
    },
}

/// What has changed for those who look on.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum News {
    #[default]
    Nothing,
    /// How the server is.
    State,
}

/// How a call that waited goes on.
type Turn = Result<Started, Refusal>;

/// A server as it is configured, and what is counted of its calls.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) config: ServerConfig,
    pub(super) redactor: Redactor,
    /// Shared with the server in whose place this one comes, whose last calls may still run.
    meter: Arc<Mutex<Meter>>,
}

impl Server {
    /// The server that is configured so; `before` was configured in its place.
    pub(super) fn new(config: ServerConfig, before: Option<&Self>) -> Self {
        let redactor = Redactor::new().with_secrets(config.secrets());
        let meter = before.map(|before| Arc::clone(&before.meter));
        Self {
            config,
            redactor,
            meter: meter.unwrap_or_default(),
        }
    }

    /// What is counted of its calls.
    pub(super) fn meter(&self) -> MutexGuard<'_, Meter> {
        self.meter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One server.
#[derive(Debug)]
pub(super) struct Slot {
    server: Arc<Server>,
    life: Life,
    /// How the attempt under way is given up.
    attempt: Option<(Epoch, watch::Sender<bool>)>,
    // Bound: the life has one connection at a time, and a late one is closed as it comes.
    clients: Vec<(Epoch, Client)>,
    // Bound: the queue of the life.
    waiting: HashMap<Ticket, oneshot::Sender<Turn>>,
    known: Knowledge,
    /// Changes of state that were told to whoever listens.
    announced: u64,
    /// Attempts to connect that have come to something, for those who wait for one.
    outcomes: u64,
}

/// A call that was admitted, or is to be.
pub(super) enum Admitted {
    Now(Started),
    Waits(Ticket, oneshot::Receiver<Turn>),
}

impl Slot {
    pub(super) fn new(life: Life, server: Arc<Server>) -> Self {
        Self {
            server,
            life,
            attempt: None,
            clients: Vec::new(),
            waiting: HashMap::new(),
            known: Knowledge::default(),
            announced: 0,
            outcomes: 0,
        }
    }

    pub(super) fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Takes over what another server of the same name told, until this one tells something.
    pub(super) fn inherit(&mut self, other: &Self) {
        self.known = other.known.clone();
    }

    pub(super) fn life(&self) -> &Life {
        &self.life
    }

    pub(super) fn known(&self) -> &Knowledge {
        &self.known
    }

    /// Tells the changes of state that were not told yet, as far as the ledger still has them.
    pub(super) fn announce(&mut self, teller: &Teller) {
        let count = self.life.transitions();
        let new = usize::try_from(count.saturating_sub(self.announced)).unwrap_or(usize::MAX);
        self.announced = count;
        let ledger = self.life.ledger();
        let old = ledger.len().saturating_sub(new);
        for change in ledger.skip(old) {
            teller.tell_state(self.server.config.name(), change);
        }
    }

    pub(super) fn outcomes(&self) -> u64 {
        self.outcomes
    }

    /// The client of a connection, if it is still there.
    pub(super) fn client(&self, epoch: Epoch) -> Option<&Client> {
        let found = self.clients.iter().find(|(number, _)| *number == epoch);
        found.map(|(_, client)| client)
    }

    /// Gives the life a command.
    pub(super) fn command(
        &mut self,
        todo: &mut Vec<Todo>,
        command: impl FnOnce(&mut Life),
    ) -> News {
        command(&mut self.life);
        self.settle(todo)
    }

    /// Asks for a call to be let through.
    pub(super) fn admit(
        &mut self,
        now: Instant,
        deadline: Instant,
        todo: &mut Vec<Todo>,
    ) -> (Result<Admitted, Refusal>, News) {
        let admission = self.life.admit(now, deadline);
        let admitted = match admission {
            Admission::Go(started) => Ok(Admitted::Now(started)),
            Admission::Refuse(refusal) => Err(refusal),
            Admission::Wait(ticket) => {
                let (turn, told) = oneshot::channel();
                self.waiting.insert(ticket, turn);
                Ok(Admitted::Waits(ticket, told))
            }
        };
        (admitted, self.settle(todo))
    }

    /// A call ended, or is not waited for any more.
    pub(super) fn end_call(
        &mut self,
        now: Instant,
        ticket: Ticket,
        end: CallEnd,
        todo: &mut Vec<Todo>,
    ) -> News {
        self.waiting.remove(&ticket);
        self.life.end_call(now, ticket, end);
        self.settle(todo)
    }

    /// What came of an attempt to connect.
    pub(super) fn take_attempt(
        &mut self,
        now: Instant,
        epoch: Epoch,
        connected: Connected,
        todo: &mut Vec<Todo>,
    ) -> News {
        // What an attempt tells that was given up changes nothing.
        let is_current = |(number, _): &(Epoch, _)| *number == epoch;
        let is_awaited = self.attempt.as_ref().is_some_and(is_current);
        if is_awaited {
            self.attempt = None;
            self.outcomes += 1;
        }
        let is_wanted = is_awaited && self.life.state() == State::Connecting;
        match connected {
            Ok((client, changes, told)) => {
                self.clients.push((epoch, client.clone()));
                self.life.handle_connected(now, epoch);
                let news = self.settle(todo);
                // One that came too late is being closed already.
                if self.life.epoch() == Some(epoch) {
                    self.known.tell(Arc::new(told));
                    todo.push(Todo::Follow {
                        epoch,
                        client,
                        changes,
                    });
                }
                news
            }
            Err(error) => {
                let fault = Fault::of_connecting(&error, self.life.has_connected());
                self.life.handle_connect_failed(now, epoch, fault);
                if is_wanted {
                    self.known.fail(error);
                }
                self.settle(todo)
            }
        }
    }

    /// A connection has ended by itself.
    pub(super) fn lose(
        &mut self,
        now: Instant,
        epoch: Epoch,
        fault: Fault,
        todo: &mut Vec<Todo>,
    ) -> News {
        if self.life.epoch() == Some(epoch) {
            self.known.fail(Error::not_started(fault.text().to_owned()));
        }
        self.life.handle_lost(now, epoch, fault);
        self.settle(todo)
    }

    /// The server told its tools again.
    pub(super) fn take_told(&mut self, epoch: Epoch, told: Told) {
        if self.life.epoch() == Some(epoch) {
            self.known.tell(Arc::new(told));
        }
    }

    /// Looks otherwise at the tools that the server has told, now or in an earlier run.
    pub(super) fn see(&mut self, told: Arc<Told>) {
        self.known.see(told);
    }

    /// Does what the life wants done at once, and notes what is to be begun.
    fn settle(&mut self, todo: &mut Vec<Todo>) -> News {
        let mut news = News::Nothing;
        while let Some(effect) = self.life.poll_effect() {
            match effect {
                Effect::Changed => news = News::State,
                Effect::Check {
                    epoch,
                    check,
                    until,
                } => todo.push(Todo::Check {
                    epoch,
                    check,
                    until,
                }),
                Effect::Close { epoch, .. } => self.end(epoch, todo),
                Effect::Connect { epoch } => {
                    let (give_up, given_up) = watch::channel(false);
                    self.attempt = Some((epoch, give_up));
                    todo.push(Todo::Connect { epoch, given_up });
                }
                Effect::Refuse { ticket, refusal } => self.tell(ticket, Err(refusal)),
                Effect::Start(started) => self.tell(started.ticket, Ok(started)),
            }
        }
        // A call may be the first to tell that the connection is gone.
        if news == News::State
            && self.life.epoch().is_none()
            && let Some(fault) = self.life.fault()
        {
            let error = || Error::not_started(fault.text().to_owned());
            self.known.fail_unless_told(error);
        }
        news
    }

    fn end(&mut self, epoch: Epoch, todo: &mut Vec<Todo>) {
        if let Some((number, give_up)) = &self.attempt
            && *number == epoch
        {
            // The attempt tells when nothing is left of it.
            give_up.send_replace(true);
        }
        if let Some(at) = self.clients.iter().position(|(number, _)| *number == epoch) {
            let (epoch, client) = self.clients.swap_remove(at);
            todo.push(Todo::Close { epoch, client });
        }
    }

    fn tell(&mut self, ticket: Ticket, turn: Turn) {
        if let Some(waiting) = self.waiting.remove(&ticket) {
            // A call that is not waited for any more tells its end itself.
            let _: Result<(), Turn> = waiting.send(turn);
        }
    }

    /// Whether an attempt to connect is out, or begins as soon as what was there has ended.
    pub(super) fn is_connecting(&self, now: Instant) -> bool {
        match self.life.state() {
            State::Connecting => true,
            State::Waiting => self.life.status(now).next_attempt_in == Some(Duration::ZERO),
            _ => false,
        }
    }

    /// Ends the life for good.
    pub(super) fn close(&mut self, now: Instant, grace: Duration, todo: &mut Vec<Todo>) -> News {
        self.life.close(now, grace);
        self.settle(todo)
    }
}
