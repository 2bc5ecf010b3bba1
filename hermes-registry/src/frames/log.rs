//! The file that frames are written to, one line each.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use mcp_client::{FrameTap, Frames, TapLimits};
use mcp_transport::journal::Journal;

use super::line::line;

/// The most that the file holds before it is moved away, in bytes.
// Bound: a long session of a busy agent, and as much in the file before.
const LEN_MAX: u64 = 64 << 20;

/// Text that is written at once, in bytes.
// Bound: memory.
const WRITE_LEN: usize = 1 << 20;

/// Writes the frames of all servers to a file.
#[derive(Debug)]
pub(crate) struct FrameLog {
    tap: FrameTap,
    frames: Frames,
    file: Journal,
    start: Instant,
    /// Held by whoever writes, so that lines stay in their order. It tells whether it was told that
    /// the file cannot be written.
    writing: Mutex<bool>,
}

impl FrameLog {
    /// A log in this file, which begins now.
    pub(crate) fn new(path: impl Into<PathBuf>, now: Instant) -> Self {
        let (tap, frames) = FrameTap::new(TapLimits::default());
        Self {
            tap,
            frames,
            file: Journal::new(path, LEN_MAX),
            start: now,
            writing: Mutex::new(false),
        }
    }

    /// Where frames are copied to.
    pub(crate) fn tap(&self) -> FrameTap {
        self.tap.clone()
    }

    /// Writes what comes, for as long as it is polled.
    pub(crate) async fn follow(self: Arc<Self>) {
        while self.frames.arrived().await {
            let log = Arc::clone(&self);
            let written = tokio::task::spawn_blocking(move || log.write());
            if written.await.is_err() {
                // The runtime is ending.
                return;
            }
        }
    }

    /// Writes all that waits. It may block for a moment.
    pub(crate) fn write(&self) {
        let mut is_told = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let mut text = String::new();
            while text.len() < WRITE_LEN
                && let Some(tapped) = self.frames.try_next()
            {
                text.push_str(&line(&tapped, self.start));
            }
            if text.is_empty() {
                return;
            }
            match self.file.append(&text) {
                Ok(()) => *is_told = false,
                Err(error) => {
                    let path = self.file.path().display();
                    if !std::mem::replace(&mut *is_told, true) {
                        tracing::warn!(%path, %error, "frames cannot be written");
                    }
                }
            }
        }
    }
}
