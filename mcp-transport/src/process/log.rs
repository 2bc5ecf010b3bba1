//! A file that several servers' stderr is appended to, bounded in size.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::journal::Journal;

/// Where a server's stderr is kept on disk, line by line, each with a prefix and redacted.
///
/// Clones share the file, a [`Journal`] of 5 MiB, which is opened when the first server starts. A
/// file that cannot be written never fails a server, see
/// [`Child::warnings`](super::Child::warnings).
#[derive(Clone)]
pub struct StderrLog {
    prefix: String,
    file: Journal,
}

impl StderrLog {
    /// Names the file; nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with_len_max(path, LEN_MAX)
    }

    /// Like [`new`](Self::new), with another bound in bytes.
    pub fn with_len_max(path: impl Into<PathBuf>, len_max: u64) -> Self {
        Self {
            prefix: String::new(),
            file: Journal::new(path, len_max),
        }
    }

    /// The same file with another prefix, put before each line as it is, such as `"[server] "`.
    #[must_use]
    pub fn with_prefix(&self, prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            file: self.file.clone(),
        }
    }

    /// The file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Opens the file if it is not open.
    pub(super) fn open(&self) -> io::Result<()> {
        self.append(&[])
    }

    /// Appends lines in one write.
    pub(super) fn append(&self, lines: &[String]) -> io::Result<()> {
        let mut text = String::new();
        for line in lines {
            text.push_str(&self.prefix);
            text.push_str(line);
            text.push('\n');
        }
        self.file.append(&text)
    }
}

impl fmt::Debug for StderrLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StderrLog")
            .field("path", &self.path())
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// Enough for days of an ordinary server, little enough to open in an editor.
const LEN_MAX: u64 = 5 << 20;
