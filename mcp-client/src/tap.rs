//! A tap on connections: a copy of each frame, for whoever wants to see what is really said.
//!
//! The copies wait in a bounded queue, since they are made while a connection is locked, and no code
//! of the application runs then. Hiding what is secret in them is left to whoever takes them.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mcp_transport::link::Inbound;
use mcp_transport::redact::Redactor;
use tokio::sync::Notify;

use crate::clock;

/// What a frame takes in the queue beside its bytes.
const FRAME_COST: usize = 128;

/// How much of frames is kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct TapLimits {
    /// The longest frame that is copied as a whole, in bytes; 1 MiB by default.
    pub frame_len_max: usize,
    /// How much of a longer one is copied, in bytes; 64 KiB by default.
    pub excerpt_len_max: usize,
    /// How much waits to be taken, in bytes; 32 MiB by default. What comes while as much waits is
    /// not kept but counted.
    pub waiting_len_max: usize,
}

impl Default for TapLimits {
    fn default() -> Self {
        Self {
            frame_len_max: 1 << 20,
            excerpt_len_max: 64 << 10,
            waiting_len_max: 32 << 20,
        }
    }
}

/// Where the frames of connections are copied to, by [`Builder::tap`]; clones share the queue.
///
/// [`Builder::tap`]: crate::Builder::tap
#[derive(Clone)]
pub struct FrameTap {
    queue: Arc<Queue>,
    /// Gone once nobody is left who puts something there.
    alive: Option<Arc<()>>,
}

/// Where the copies are taken.
#[derive(Debug)]
pub struct Frames {
    queue: Arc<Queue>,
    alive: std::sync::Weak<()>,
}

/// A frame, or what became of frames.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Tapped {
    /// A frame.
    Frame(TappedFrame),
    /// So many frames came here that there was no room for.
    Missed(u64),
}

/// A copy of a frame.
#[derive(Clone)]
#[non_exhaustive]
pub struct TappedFrame {
    /// When it came in, or was handed to the transport.
    pub at: Instant,
    /// The server, by the name that the application has for it.
    pub server: Arc<str>,
    /// Which way it went.
    pub direction: Direction,
    /// The frame as it is, or its beginning if it is too long.
    pub bytes: Box<[u8]>,
    /// How long it is, in bytes.
    pub len: u64,
    /// What hides the secrets of its server.
    pub redactor: Redactor,
}

/// Which way a frame goes.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Direction {
    /// From the server to us.
    Received,
    /// From us to the server. One that is taken back before a byte of it has left counts as well.
    Sent,
}

impl Direction {
    /// The direction as a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Sent => "sent",
        }
    }
}

#[derive(Debug)]
struct Queue {
    limits: TapLimits,
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    // Bound: `TapLimits::waiting_len_max`.
    tapped: VecDeque<Tapped>,
    len: usize,
}

impl FrameTap {
    /// A queue, and where its frames are taken.
    #[must_use]
    pub fn new(limits: TapLimits) -> (Self, Frames) {
        let queue = Arc::new(Queue {
            limits,
            waiting: Mutex::default(),
            arrived: Notify::new(),
        });
        let alive = Arc::new(());
        let frames = Frames {
            queue: Arc::clone(&queue),
            alive: Arc::downgrade(&alive),
        };
        let alive = Some(alive);
        (Self { queue, alive }, frames)
    }

    fn put(&self, frame: TappedFrame) {
        let cost = frame.bytes.len() + FRAME_COST;
        let mut waiting = self.queue.lock();
        if waiting.len + cost <= self.queue.limits.waiting_len_max {
            waiting.len += cost;
            waiting.tapped.push_back(Tapped::Frame(frame));
        } else if let Some(Tapped::Missed(count)) = waiting.tapped.back_mut() {
            *count += 1;
        } else {
            waiting.tapped.push_back(Tapped::Missed(1));
        }
        drop(waiting);
        self.queue.arrived.notify_one();
    }
}

impl Drop for FrameTap {
    fn drop(&mut self) {
        // Whoever waits looks for the last one to be gone.
        self.alive = None;
        self.queue.arrived.notify_one();
    }
}

impl Frames {
    /// Waits until something can be taken; `false` if nothing is there and nothing can come.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn arrived(&self) -> bool {
        loop {
            if !self.queue.lock().tapped.is_empty() {
                return true;
            }
            if self.alive.strong_count() == 0 {
                return false;
            }
            // What arrives between the look and the wait leaves its permit.
            self.queue.arrived.notified().await;
        }
    }

    /// The next one, if it is there.
    pub fn try_next(&self) -> Option<Tapped> {
        let mut waiting = self.queue.lock();
        let next = waiting.tapped.pop_front();
        if let Some(Tapped::Frame(frame)) = &next {
            waiting.len = waiting.len.saturating_sub(frame.bytes.len() + FRAME_COST);
        }
        next
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tap on one connection.
#[derive(Debug)]
pub(crate) struct Tap {
    tap: FrameTap,
    server: Arc<str>,
    redactor: Redactor,
}

impl Tap {
    pub(crate) fn new(tap: &FrameTap, server: &Arc<str>, redactor: &Redactor) -> Self {
        Self {
            tap: tap.clone(),
            server: Arc::clone(server),
            redactor: redactor.clone(),
        }
    }

    /// A frame is handed to the transport.
    pub(crate) fn sent(&self, body: &[u8]) {
        self.copy(Direction::Sent, body, body.len());
    }

    /// Something came in.
    pub(crate) fn received(&self, inbound: &Inbound) {
        match inbound {
            Inbound::Frame { body, .. } => self.copy(Direction::Received, body, body.len()),
            Inbound::TooLong { head, len, .. } => {
                let len = usize::try_from(*len).unwrap_or(usize::MAX);
                self.copy(Direction::Received, head, len);
            }
            _ => {}
        }
    }

    /// Copies what there is of a frame of this length.
    fn copy(&self, direction: Direction, body: &[u8], len: usize) {
        let limits = self.tap.queue.limits;
        let is_whole = body.len() == len && len <= limits.frame_len_max;
        let kept = match is_whole {
            true => len,
            false => limits.excerpt_len_max.min(limits.frame_len_max),
        };
        self.tap.put(TappedFrame {
            at: clock::now(),
            server: Arc::clone(&self.server),
            direction,
            bytes: body.get(..kept).unwrap_or(body).into(),
            len: u64::try_from(len).unwrap_or(u64::MAX),
            redactor: self.redactor.clone(),
        });
    }
}

impl TappedFrame {
    /// Whether it is there as a whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        u64::try_from(self.bytes.len()).is_ok_and(|len| len == self.len)
    }
}

impl fmt::Debug for FrameTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameTap").finish_non_exhaustive()
    }
}

impl fmt::Debug for TappedFrame {
    /// Shows nothing of what the frame says, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TappedFrame")
            .field("server", &self.server)
            .field("direction", &self.direction)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use mcp_transport::link::Origin;

    use super::*;

    fn limits() -> TapLimits {
        TapLimits {
            frame_len_max: 10,
            excerpt_len_max: 4,
            waiting_len_max: 2 * (10 + FRAME_COST),
        }
    }

    fn tap(limits: TapLimits) -> (Tap, Frames) {
        let (tap, frames) = FrameTap::new(limits);
        (Tap::new(&tap, &"s".into(), &Redactor::new()), frames)
    }

    /// What waits, as the bytes and the length of each frame, or the count of those missed.
    fn taken(frames: &Frames) -> Vec<(String, u64)> {
        let all = std::iter::from_fn(|| frames.try_next());
        all.map(|tapped| match tapped {
            Tapped::Frame(frame) => (String::from_utf8_lossy(&frame.bytes).into(), frame.len),
            Tapped::Missed(count) => ("missed".to_owned(), count),
        })
        .collect()
    }

    #[test]
    fn a_frame_is_copied_as_a_whole_up_to_the_bound_and_else_in_part() {
        let (tap, frames) = tap(limits());
        tap.sent(b"0123456789");
        tap.sent(b"0123456789+");
        assert_eq!(
            taken(&frames),
            [("0123456789".to_owned(), 10), ("0123".to_owned(), 11)]
        );
        tap.received(&Inbound::TooLong {
            head: Bytes::from_static(b"0123456"),
            tail: Bytes::new(),
            len: 5_000,
            len_max: 100,
            origin: Origin::Shared,
        });
        assert_eq!(taken(&frames), [("0123".to_owned(), 5_000)]);
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_where_it_would_stand() {
        let (tap, frames) = tap(limits());
        for _ in 0..5 {
            tap.sent(b"0123456789");
        }
        let whole = ("0123456789".to_owned(), 10);
        assert_eq!(
            taken(&frames),
            [whole.clone(), whole.clone(), ("missed".to_owned(), 3)]
        );
        tap.sent(b"0123456789");
        assert_eq!(taken(&frames), [whole]);
    }

    #[tokio::test]
    async fn whoever_waits_is_told_when_nothing_can_come_any_more() {
        let (tap, frames) = tap(limits());
        tap.sent(b"last");
        assert!(frames.arrived().await);
        drop(tap);
        assert!(frames.arrived().await, "one is left");
        assert_eq!(taken(&frames).len(), 1);
        assert!(!frames.arrived().await);
    }

    #[test]
    fn debug_shows_nothing_of_a_frame() {
        let (tap, frames) = tap(limits());
        tap.sent(b"private");
        let shown = format!("{:?} {tap:?}", frames.try_next());
        assert!(
            !shown.contains("private") && shown.contains("len: 7"),
            "{shown}"
        );
    }
}
