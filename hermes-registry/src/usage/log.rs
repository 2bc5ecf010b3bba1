//! The file that the records of calls go to, one line each.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_transport::journal::Journal;

use super::UsageRecord;

/// The most that the file holds before it is moved away, in bytes.
// Bound: some fifty thousand calls, and as many in the file before.
const LEN_MAX: u64 = 10 << 20;

/// Appends records of calls to a file.
#[derive(Debug)]
pub(crate) struct UsageLog {
    file: Journal,
    /// Whether it was told that the file cannot be written.
    is_told: AtomicBool,
}

impl UsageLog {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            file: Journal::new(path, LEN_MAX),
            is_told: AtomicBool::new(false),
        }
    }

    /// Appends a record. That a file cannot be written is told once, and fails no call.
    pub(crate) fn append(&self, record: &UsageRecord) {
        let mut line = record.to_json();
        line.push('\n');
        match self.file.append(&line) {
            Ok(()) => self.is_told.store(false, Ordering::Relaxed),
            Err(error) => {
                if !self.is_told.swap(true, Ordering::Relaxed) {
                    let path = self.file.path().display();
                    tracing::warn!(%path, %error, "records of calls cannot be written");
                }
            }
        }
    }
}
