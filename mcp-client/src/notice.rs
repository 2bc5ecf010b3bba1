//! What a server tells without being asked: progress, changes, log messages.
//!
//! All of it is handed on by the reader itself, in the order in which it came and before the
//! answer that follows it; no task is started for a notice and none is dropped unseen.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::{LoggingMessageParams, ProgressParams};
use tokio::sync::Notify;

use crate::listening::Listening;

/// Takes the progress notices of one call.
///
/// The function runs in the reader: it must be quick and must not block.
pub(crate) struct ProgressSink(Mutex<Box<dyn FnMut(ProgressParams) + Send>>);

impl ProgressSink {
    pub(crate) fn new(sink: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        Self(Mutex::new(Box::new(sink)))
    }

    pub(crate) fn take(&self, progress: ProgressParams) {
        (self.0.lock().unwrap_or_else(PoisonError::into_inner))(progress);
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressSink")
    }
}

/// Takes log messages; runs in the reader, so it must be quick and must not block.
pub(crate) type LogSink = Arc<dyn Fn(LoggingMessageParams) + Send + Sync>;

/// Something on the server that is no longer what it was.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The list of prompts.
    Prompts,
    /// The list of resources, or of resource templates.
    Resources,
    /// The list of tools.
    Tools,
}

impl Change {
    pub(crate) const ALL: [Self; 3] = [Self::Prompts, Self::Resources, Self::Tools];

    fn index(self) -> usize {
        match self {
            Self::Prompts => 0,
            Self::Resources => 1,
            Self::Tools => 2,
        }
    }
}

/// Counts the changes of each kind.
///
/// Bound: a storm of notices costs a counter each and no memory; readers see that something
/// changed since they last looked, which is all that the notice says.
#[derive(Debug, Default)]
pub(crate) struct ChangeCounts {
    counts: [AtomicU64; 3],
    changed: Notify,
    is_closed: std::sync::atomic::AtomicBool,
}

impl ChangeCounts {
    pub(crate) fn note(&self, change: Change) {
        if let Some(count) = self.counts.get(change.index()) {
            count.fetch_add(1, Ordering::Release);
        }
        self.changed.notify_waiters();
    }

    /// How many changes of a kind were told so far.
    pub(crate) fn count(&self, change: Change) -> u64 {
        let count = self.counts.get(change.index());
        count.map_or(0, |count| count.load(Ordering::Acquire))
    }

    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    fn read(&self) -> [u64; 3] {
        self.counts
            .each_ref()
            .map(|count| count.load(Ordering::Acquire))
    }
}

/// The changes of a server, as they happen.
///
/// A change that happens several times before it is looked at is told once.
#[derive(Debug)]
pub struct Changes {
    counts: Arc<ChangeCounts>,
    seen: [u64; 3],
    /// The subscription of a modern server, which tells of nothing else.
    listening: Option<Listening>,
}

impl Changes {
    pub(crate) fn new(counts: Arc<ChangeCounts>, listening: Option<Listening>) -> Self {
        let seen = counts.read();
        Self {
            counts,
            seen,
            listening,
        }
    }

    /// Waits for the next change; `None` once the connection has ended.
    ///
    /// A modern server is listened to only while this is awaited.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn next(&mut self) -> Option<Change> {
        loop {
            let counts = Arc::clone(&self.counts);
            let changed = counts.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // Registered before looking, so that no change falls between.
            changed.as_mut().enable();
            if let Some(change) = self.try_next() {
                return Some(change);
            }
            if counts.is_closed.load(Ordering::Acquire) {
                return None;
            }
            match &mut self.listening {
                None => changed.await,
                Some(listening) => tokio::select! {
                    biased;
                    () = changed => {}
                    () = listening.keep() => {}
                },
            }
        }
    }

    /// The next change that has already happened.
    pub fn try_next(&mut self) -> Option<Change> {
        let counts = self.counts.read();
        let change = Change::ALL
            .into_iter()
            .find(|change| counts.get(change.index()) != self.seen.get(change.index()))?;
        if let (Some(seen), Some(count)) = (
            self.seen.get_mut(change.index()),
            counts.get(change.index()),
        ) {
            *seen = *count;
        }
        Some(change)
    }
}
