//! A session that the server no longer knows is opened anew, once for all calls that notice it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mcp_types::{LoggingLevel, method};
use tokio::sync::Semaphore;

use super::opening::{Initialized, Opening, initialize};
use crate::call::{Call, Request, read_raw};
use crate::driver::Shared;
use crate::error::Incompatible;
use crate::{Error, Sent};

/// The sessions of one connection, one after the other.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// How often a session was opened anew.
    generation: AtomicU64,
    /// How the first one was opened.
    opening: OnceLock<Opening>,
    /// Invariant: one call at a time opens a session; the others wait for their turn and find it
    /// done. Whoever is dropped in the middle leaves its turn to the next.
    turn: Semaphore,
    /// The level of log messages that was asked for.
    log_level: Mutex<Option<LoggingLevel>>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            generation: AtomicU64::new(0),
            opening: OnceLock::new(),
            turn: Semaphore::new(1),
            log_level: Mutex::new(None),
        }
    }
}

impl Sessions {
    /// Remembers how the session was opened.
    pub(crate) fn opened(&self, opening: Opening) {
        // A connection is opened once.
        let _: Result<(), Opening> = self.opening.set(opening);
    }

    /// Remembers the level of log messages, for the next session.
    pub(crate) fn set_log_level(&self, level: &LoggingLevel) {
        let mut known = self
            .log_level
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *known = Some(level.clone());
    }
}

impl Shared {
    /// The number of the session.
    pub(crate) fn generation(&self) -> u64 {
        self.sessions.generation.load(Ordering::Acquire)
    }

    /// Opens a session anew, unless that has happened since the one numbered `generation`.
    ///
    /// Spec: HTTP-07, T-25.
    pub(crate) async fn reopen(self: &Arc<Self>, generation: u64) -> Result<(), Error> {
        // The semaphore is never closed.
        let Ok(_turn) = self.sessions.turn.acquire().await else {
            return Ok(());
        };
        if self.generation() != generation {
            return Ok(());
        }
        let (Some(opening), Some(version)) = (self.sessions.opening.get(), self.version()) else {
            return Err(self.lost());
        };
        match initialize(self, opening, &version).await? {
            Initialized::Open(session) if session.version == version => {
                self.sessions.generation.fetch_add(1, Ordering::Release);
                self.session_replaced();
                self.restore();
                Ok(())
            }
            Initialized::Open(session) => {
                // What the application was told about the session no longer holds.
                self.request_close("the server came back with another revision");
                let (ours, theirs) = (vec![version], vec![session.version]);
                let incompatible = Incompatible::Version { ours, theirs };
                Err(Error::PeerIncompatible(Box::new(incompatible)))
            }
            Initialized::Next(_) => Err(self.lost()),
        }
    }

    /// Asks the new session for the log messages that the lost one was asked for. The resources
    /// that it was asked for are asked for by the driver.
    ///
    /// Nobody waits for the answer: the call that noticed the loss must not wait for it, and a
    /// server that refuses now what it granted before tells so in its own log.
    fn restore(self: &Arc<Self>) {
        let level = self.sessions.log_level.lock();
        let level = level.unwrap_or_else(PoisonError::into_inner).clone();
        let (Some(level), Some(opening)) = (level, self.sessions.opening.get()) else {
            return;
        };
        let mut request = Request::new(method::LOGGING_SET_LEVEL, Vec::new());
        request.push_member("level", level.as_str());
        let call = Call::new(Arc::clone(self), opening.timeouts, request, read_raw);
        // A connection that is gone has nothing to restore.
        let _: Result<(), Error> = call.without_recovery().detach();
    }

    fn lost(&self) -> Error {
        let reason = "the session was lost and could not be opened again";
        self.request_close(reason);
        match self.death() {
            Some(death) => death.error(Sent::No),
            None => Error::not_started(reason.to_owned()),
        }
    }
}
