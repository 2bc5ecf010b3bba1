//! What a server tells during one call, as a stream: progress and log messages in their order.
//!
//! The reader puts each into the queue itself, so all of them are there before the answer is.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{LoggingMessageParams, ProgressParams, SubscriptionFilter};
use tokio::sync::Notify;

use crate::notice::ProgressSink;

/// Something that a server told during a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// A log message that belongs to the call.
    Log(LoggingMessageParams),
    /// So many came here that there was no room for.
    Missed(u64),
    /// The call made progress.
    Progress(ProgressParams),
}

/// What a server tells during one call, in the order in which it came; from [`Call::notices`].
///
/// All that came before the answer is here by the time that the call is done, and the stream ends
/// with its call. Dropping it ends nothing but itself.
///
/// # Which log messages belong to a call
///
/// Progress names its call. A log message does not; it belongs to the call on whose reply stream it
/// came, if it came on one:
///
/// | transport | modern | legacy |
/// |---|---|---|
/// | Streamable HTTP | the call that asked by [`Call::log_level`] | what came on the reply stream of the call, where servers should put what has to do with it |
/// | HTTP+SSE | – | none: there is one stream for all |
/// | stdio, sockets | none: there is one stream for all | none, for the same reason |
///
/// [`Builder::on_log`] hears of all of them, whether they belong to a call or not.
///
/// [`Builder::on_log`]: crate::Builder::on_log
/// [`Call::log_level`]: crate::Call::log_level
/// [`Call::notices`]: crate::Call::notices
#[derive(Debug)]
pub struct Notices(Arc<Pending>);

impl Notices {
    /// Waits for the next notice; `None` once the call has ended and all were taken.
    ///
    /// It waits for the call, so something else has to await that at the same time.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn next(&mut self) -> Option<Notice> {
        loop {
            {
                let mut waiting = self.0.lock();
                if let Some(notice) = waiting.notices.pop_front() {
                    return Some(notice);
                }
                if waiting.is_over {
                    return None;
                }
            }
            // What arrives between the look and the wait leaves its permit.
            self.0.arrived.notified().await;
        }
    }

    /// The next notice that has already come.
    pub fn try_next(&mut self) -> Option<Notice> {
        self.0.lock().notices.pop_front()
    }
}

/// Where the notices of a stream are put. It ends the stream when it is dropped.
#[derive(Debug)]
pub(super) struct Queue(Arc<Pending>);

/// Notices that wait to be taken.
#[derive(Debug)]
struct Pending {
    waiting: Mutex<Waiting>,
    arrived: Notify,
    /// How many wait at most.
    // Bound: the reader must not wait for a slow consumer, or it would hold up every other call;
    // what there is no room for is counted, and the count stands where the notices would.
    len_max: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    notices: VecDeque<Notice>,
    is_over: bool,
}

impl Queue {
    pub(super) fn new(len_max: usize) -> Self {
        Self(Arc::new(Pending {
            waiting: Mutex::default(),
            arrived: Notify::new(),
            len_max,
        }))
    }

    pub(super) fn stream(&self) -> Notices {
        Notices(Arc::clone(&self.0))
    }

    fn put(&self, notice: Notice) {
        let mut waiting = self.0.lock();
        if waiting.notices.len() < self.0.len_max {
            waiting.notices.push_back(notice);
        } else if let Some(Notice::Missed(count)) = waiting.notices.back_mut() {
            *count += 1;
        } else {
            waiting.notices.push_back(Notice::Missed(1));
        }
        drop(waiting);
        self.0.arrived.notify_one();
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.arrived.notify_one();
    }
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes what a server grants of a subscription; runs in the reader, so it must be quick.
type GrantSink = Box<dyn Fn(&SubscriptionFilter) + Send + Sync>;

/// Who hears what the server tells during one call. The stream ends with it, which is when neither
/// the call nor a request of it is left.
#[derive(Default)]
pub(crate) struct Hearers {
    pub(super) progress: Option<ProgressSink>,
    pub(super) queue: Option<Queue>,
    /// What is done once the server has acknowledged the subscription that the call is.
    pub(super) acknowledged: Option<GrantSink>,
}

impl Hearers {
    /// Tells that the server has begun to tell what it granted of what the call subscribed to.
    pub(crate) fn acknowledged(&self, granted: &SubscriptionFilter) {
        if let Some(acknowledged) = &self.acknowledged {
            acknowledged(granted);
        }
    }

    /// Tells of progress.
    pub(crate) fn progressed(&self, progress: ProgressParams) {
        match (&self.progress, &self.queue) {
            (Some(sink), None) => sink.take(progress),
            (Some(sink), Some(queue)) => {
                sink.take(progress.clone());
                queue.put(Notice::Progress(progress));
            }
            (None, Some(queue)) => queue.put(Notice::Progress(progress)),
            (None, None) => {}
        }
    }

    /// Whether anybody hears log messages.
    pub(crate) fn hear_logs(&self) -> bool {
        self.queue.is_some()
    }

    /// Tells of a log message.
    pub(crate) fn logged(&self, message: LoggingMessageParams) {
        if let Some(queue) = &self.queue {
            queue.put(Notice::Log(message));
        }
    }
}

impl fmt::Debug for Hearers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hearers")
            .field("progress", &self.progress)
            .field("queue", &self.queue.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::Token;

    use super::*;

    fn hearers(len_max: usize) -> (Hearers, Notices) {
        let queue = Queue::new(len_max);
        let stream = queue.stream();
        let hearers = Hearers {
            queue: Some(queue),
            ..Hearers::default()
        };
        (hearers, stream)
    }

    fn progress(at: f64) -> ProgressParams {
        ProgressParams::new(Token::Number(1), at)
    }

    fn at(notice: Option<Notice>) -> Option<f64> {
        match notice {
            Some(Notice::Progress(progress)) => Some(progress.progress),
            Some(Notice::Missed(count)) => Some(-f64::from(u32::try_from(count).unwrap())),
            _ => None,
        }
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_where_it_would_stand() {
        let (hearers, mut stream) = hearers(2);
        for number in [1.0, 2.0, 3.0, 4.0] {
            hearers.progressed(progress(number));
        }
        assert_eq!(at(stream.try_next()), Some(1.0));
        hearers.progressed(progress(5.0));
        assert_eq!(at(stream.try_next()), Some(2.0));
        hearers.progressed(progress(6.0));
        for expected in [-3.0, 6.0] {
            assert_eq!(at(stream.try_next()), Some(expected));
        }
        assert_eq!(stream.try_next(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_another_one_takes_the_place_of_ends() {
        let (mut hearers, mut first) = hearers(1);
        let queue = Queue::new(1);
        let mut second = queue.stream();
        hearers.queue = Some(queue);
        hearers.progressed(progress(1.0));
        let ended = tokio::time::timeout(std::time::Duration::from_secs(1), first.next());
        assert_eq!(ended.await, Ok(None));
        assert_eq!(at(second.next().await), Some(1.0));
    }

    #[tokio::test]
    async fn the_stream_ends_once_all_is_taken_and_nobody_is_left_to_tell_more() {
        let (hearers, mut stream) = hearers(1);
        hearers.progressed(progress(1.0));
        let hearers = Arc::new(hearers);
        let other = Arc::clone(&hearers);
        drop(hearers);
        assert_eq!(at(stream.next().await), Some(1.0));
        let (ended, ()) = tokio::join!(stream.next(), async { drop(other) });
        assert_eq!(ended, None);
    }
}
