//! The ledger of a connection: each step that was tried to open it, and what came of it.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::driver::Head;

/// Steps that are kept.
// Bound: opening a session takes a handful; a session that is opened again and again must not
// fill memory.
const ENTRIES_MAX: usize = 32;

/// One step of connecting.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LedgerEntry {
    /// What was tried, such as `POST server/discover`.
    pub step: String,
    /// The HTTP status and the content type of the reply, where there was one.
    pub reply: String,
    /// What it was taken for.
    pub verdict: String,
}

impl fmt::Display for LedgerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            step,
            reply,
            verdict,
        } = self;
        write!(f, "{step}: ")?;
        if !reply.is_empty() {
            write!(f, "{reply}; ")?;
        }
        f.write_str(verdict)
    }
}

/// The steps so far.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Steps>);

#[derive(Debug, Default)]
struct Steps {
    over: Vec<LedgerEntry>,
    /// The one that is being taken.
    current: Option<String>,
}

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, Steps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a step is being taken, until it is noted what came of one.
    pub(crate) fn begin(&self, step: String) {
        self.lock().current = Some(step);
    }

    /// The step that is being taken.
    pub(crate) fn current(&self) -> Option<String> {
        self.lock().current.clone()
    }

    pub(crate) fn note(&self, step: impl Into<String>, head: Option<&Head>, verdict: String) {
        let mut steps = self.lock();
        steps.current = None;
        if steps.over.len() < ENTRIES_MAX {
            let reply = head.map_or_else(String::new, |Head { status, media, .. }| {
                format!("{status} {media}").trim_end().to_owned()
            });
            steps.over.push(LedgerEntry {
                step: step.into(),
                reply,
                verdict,
            });
        }
    }

    /// Notes a step without a head, unless it is there already.
    pub(crate) fn note_once(&self, step: &str, verdict: String) {
        if self.entries().iter().all(|entry| entry.step != step) {
            self.note(step, None, verdict);
        }
    }

    pub(crate) fn entries(&self) -> Vec<LedgerEntry> {
        self.lock().over.clone()
    }
}
