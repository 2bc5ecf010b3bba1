//! A link over two pipes, or a socket, read and written without a task between.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::ready;
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use tokio::io::AsyncReadExt as _;
use tokio::time::{Instant, timeout_at};

use super::ends::{Reading, Writing};
use super::{
    Closed, ClosedKind, ExchangeId, Inbound, Origin, Outbound, Retracted, SendError, Sending,
    WritableKind,
};
use crate::Limits;
use crate::lines::{Line, LineDecoder};
use crate::process::{Child, Closed as ChildClosed, Exit};

/// How long a process that closed its output is given to exit, so that its exit can be told, and
/// how long one that exited is given to have its last output read.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Bytes kept of a stray line.
const STRAY_MAX: usize = 256;
/// A buffer larger than this is given back once it is empty.
const KEPT_MAX: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct PipeSender {
    /// `None` once closed. Shared with whoever waits for it to become writable.
    pipe: Option<Arc<Writing>>,
    /// What has not been written; its front may be the rest of a frame.
    unsent: BytesMut,
    /// The frames in `unsent`, oldest first: whose they are and how long.
    /// Invariant: the lengths sum up to `unsent.len()`, counting what is left of the first.
    frames: VecDeque<(Option<ExchangeId>, usize)>,
    /// Whether some of the first frame has been written.
    is_first_begun: bool,
    unsent_len_max: usize,
}

impl PipeSender {
    pub(super) fn new(pipe: Writing, limits: Limits) -> Self {
        Self {
            pipe: Some(Arc::new(pipe)),
            unsent: BytesMut::new(),
            frames: VecDeque::new(),
            is_first_begun: false,
            unsent_len_max: limits.unsent_len_max,
        }
    }

    pub(super) fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    pub(super) fn push(&mut self, outbound: Outbound<&[u8]>) -> Result<(), SendError> {
        if self.pipe.is_none() {
            return Err(SendError::Closed);
        }
        let (exchange, body) = match outbound {
            Outbound::Send { exchange, body, .. } => (Some(exchange), body),
            Outbound::Notify { body, .. } => (None, body),
            // A pipe has neither streams to close nor headers to set.
            Outbound::Abort { .. }
            | Outbound::Listen
            | Outbound::Session { .. }
            | Outbound::Settled { .. } => return Ok(()),
        };
        let len = body.len() + 1;
        if self.unsent.len().saturating_add(len) > self.unsent_len_max {
            return Err(SendError::Full);
        }
        self.unsent.extend_from_slice(body);
        self.unsent.extend_from_slice(b"\n");
        self.frames.push_back((exchange, len));
        Ok(())
    }

    pub(super) fn try_flush(&mut self) -> Result<Sending, SendError> {
        let Some(pipe) = &self.pipe else {
            return Err(SendError::Closed);
        };
        while !self.unsent.is_empty() {
            match pipe.try_write(&self.unsent) {
                Ok(written) => {
                    self.unsent.advance(written);
                    count_off(&mut self.frames, &mut self.is_first_begun, written);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Sending::Blocked);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_gone) => {
                    self.pipe = None;
                    return Err(SendError::Closed);
                }
            }
        }
        if self.unsent.capacity() > KEPT_MAX {
            self.unsent = BytesMut::new();
        } else {
            // Makes the room in front of the (empty) content usable again.
            self.unsent.clear();
            self.unsent.reserve(0);
        }
        Ok(Sending::Done)
    }

    pub(super) fn retract(&mut self, exchange: ExchangeId) -> Retracted {
        let begun = usize::from(self.is_first_begun);
        let mut start = 0;
        for (index, (owner, len)) in self.frames.iter().enumerate() {
            if *owner == Some(exchange) && index >= begun {
                let len = *len;
                let mut rest = self.unsent.split_off(start);
                rest.advance(len);
                self.unsent.unsplit(rest);
                self.frames.remove(index);
                return Retracted::Unsent;
            }
            start += len;
        }
        Retracted::Begun
    }

    pub(super) fn close(&mut self) {
        self.pipe = None;
        self.unsent = BytesMut::new();
        self.frames.clear();
    }

    pub(super) fn writable(&self) -> WritableKind {
        self.pipe
            .clone()
            .map_or(WritableKind::Closed, WritableKind::Pipe)
    }
}

/// Takes `written` bytes off the front of the list of frames.
fn count_off(
    frames: &mut VecDeque<(Option<ExchangeId>, usize)>,
    is_first_begun: &mut bool,
    written: usize,
) {
    let mut written = written;
    while let Some((_, len)) = frames.front_mut() {
        if *len > written {
            *len -= written;
            *is_first_begun |= written > 0;
            return;
        }
        written -= *len;
        frames.pop_front();
        *is_first_begun = false;
    }
}

/// The wait for the exit of a process.
struct Exited(Pin<Box<dyn Future<Output = Exit> + Send>>);

impl fmt::Debug for Exited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exited")
    }
}

#[derive(Debug)]
pub(super) struct PipeReceiver {
    pipe: Reading,
    lines: LineDecoder,
    child: Option<Child>,
    /// Completes when the process has exited; kept, so that each read does not begin to wait anew.
    exit: Option<Exited>,
    /// When reading stops, once the process has exited.
    exited_until: Option<Instant>,
    /// Why nothing can be read any more, and until when the end of the process is waited for.
    ending: Option<(ClosedKind, Instant)>,
    /// Whether the last frame and the reason have been handed out.
    is_closed: bool,
    stray: VecDeque<String>,
    limits: Limits,
}

impl PipeReceiver {
    pub(super) fn new(pipe: Reading, child: Option<Child>, limits: Limits) -> Self {
        let exit = child.as_ref().map(|child| Exited(Box::pin(child.exited())));
        Self {
            pipe,
            lines: LineDecoder::new(limits.frame_len_max),
            child,
            exit,
            exited_until: None,
            ending: None,
            is_closed: false,
            stray: VecDeque::new(),
            limits,
        }
    }

    pub(super) fn holds_storage(&self) -> bool {
        self.lines.holds_storage()
    }

    pub(super) fn let_go(&mut self) {
        self.lines.let_go();
    }

    pub(super) fn note_stray(&mut self, excerpt: &[u8]) {
        if self.stray.len() >= self.limits.stray_lines_max {
            self.stray.pop_front();
        }
        let Some(child) = &self.child else { return };
        self.stray
            .push_back(child.redactor().redact_bytes_lossy(excerpt, STRAY_MAX));
    }

    pub(super) async fn receive(&mut self, batch: &mut Vec<Inbound>) {
        if self.is_closed {
            std::future::pending::<()>().await;
        }
        loop {
            if self.ending.is_none()
                && let Some(kind) = self.read().await
            {
                self.ending = Some((kind, Instant::now() + LAST_WORDS));
            }
            if let Some((kind, until)) = self.ending {
                return self.end(kind, until, batch).await;
            }
            let before = batch.len();
            while let Some(line) = self.lines.next_line() {
                batch.push(self.inbound(line));
            }
            if batch.len() > before {
                return;
            }
        }
    }

    /// Reads once, or tells why nothing can be read any more.
    ///
    /// The exit of the process is watched beside its output: a descendant may hold the pipe open
    /// long after the server itself is gone (T-10). What the server wrote before it went is in the
    /// pipe by then, so reading goes on while there is something to read, for a bounded time.
    async fn read(&mut self) -> Option<ClosedKind> {
        let read = match (&mut self.exit, self.exited_until) {
            (Some(exit), None) => {
                // Cancel safety: `fill` takes nothing from the pipe unless it completes.
                tokio::select! {
                    biased;
                    read = fill(&mut self.pipe, &mut self.lines) => read,
                    _exit = exit.0.as_mut() => {
                        self.exited_until = Some(Instant::now() + LAST_WORDS);
                        return None;
                    }
                }
            }
            (_, Some(until)) if Instant::now() >= until => return Some(ClosedKind::Exited),
            (_, Some(_)) => self.pipe.try_read_buf(self.lines.read_buffer()),
            (None, None) => fill(&mut self.pipe, &mut self.lines).await,
        };
        match read {
            Ok(0) if self.exited_until.is_some() => Some(ClosedKind::Exited),
            Ok(0) => Some(ClosedKind::EndOfStream),
            Ok(_) => None,
            // Empty but open: a descendant holds the pipe, and nothing of the server can come.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Some(ClosedKind::Exited),
            Err(error) => Some(ClosedKind::ReadFailed(error.kind())),
        }
    }

    /// Hands out the last frame, if the stream was not cut within it, and the reason.
    async fn end(&mut self, kind: ClosedKind, until: Instant, batch: &mut Vec<Inbound>) {
        let mut closed = Closed::new(kind);
        if let Some(child) = &self.child {
            // Cancel safety: nothing has been taken from the decoder yet, and the time until which
            // the process is waited for does not start anew with each attempt.
            let obituary = timeout_at(until, child.final_obituary()).await;
            let obituary = obituary.unwrap_or_else(|_elapsed| child.obituary());
            closed.obituary = Some(Box::new(obituary));
        }
        match self.lines.finish() {
            // A line that is no whole JSON text: a message that was cut off, or last words.
            Some(Line::Frame { body, .. }) if !body.ends_with(b"}") && !body.ends_with(b"]") => {
                self.note_stray(&body);
                closed.cut =
                    Some(body).filter(|body| body.starts_with(b"{") || body.starts_with(b"["));
            }
            Some(last) => batch.push(self.inbound(last)),
            None => {}
        }
        if let Some(obituary) = &mut closed.obituary {
            obituary.stray_stdout = self.stray.iter().cloned().collect();
        }
        batch.push(Inbound::Closed(closed));
        self.is_closed = true;
    }

    fn inbound(&self, line: Line) -> Inbound {
        let origin = Origin::Shared;
        match line {
            Line::Frame { body, is_repaired } => Inbound::Frame {
                origin,
                body,
                is_repaired,
            },
            Line::TooLong { head, tail, len } => Inbound::TooLong {
                origin,
                head,
                tail,
                len,
                len_max: self.limits.frame_len_max,
            },
        }
    }

    pub(super) async fn close(self) -> Option<ChildClosed> {
        let Self {
            mut pipe, child, ..
        } = self;
        let mut child = child?;
        let mut shutdown = std::pin::pin!(child.shutdown());
        let mut scrap = BytesMut::with_capacity(KEPT_MAX);
        loop {
            // A server that still writes must not be kept from exiting by a full pipe.
            tokio::select! {
                biased;
                closed = &mut shutdown => return Some(closed),
                read = pipe.read_buf(&mut scrap) => match read {
                    Ok(read) if read > 0 => scrap.clear(),
                    _ => break,
                },
            }
        }
        drop(pipe);
        Some(shutdown.await)
    }
}

/// Reads once.
///
/// Room is made only once there is something to read: by then the reader of the last frame has
/// mostly dropped it, and its storage can be used again.
async fn fill(pipe: &mut Reading, lines: &mut LineDecoder) -> io::Result<usize> {
    poll_fn(|context| {
        ready!(pipe.poll_read_ready(context))?;
        let read = pin!(pipe.read_buf(lines.read_buffer()));
        read.poll(context)
    })
    .await
}
