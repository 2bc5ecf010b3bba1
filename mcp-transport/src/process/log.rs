//! A file that several servers' stderr is appended to, bounded in size.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where a server's stderr is kept on disk, line by line, each with a prefix and redacted.
///
/// Clones share the file. It is opened for appending (created with mode 0600) when the first server
/// starts; once it holds more than 5 MiB it is renamed to `<name>.1`, replacing the one before, and
/// begun anew. Each write holds whole lines, so servers, and processes, can share a file. A file that
/// cannot be written never fails a server, see [`Child::warnings`](super::Child::warnings).
#[derive(Clone)]
pub struct StderrLog {
    prefix: String,
    file: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    len_max: u64,
    open: Mutex<Option<Open>>,
}

struct Open {
    file: File,
    /// The length as far as known; other processes may have appended more.
    len: u64,
}

impl StderrLog {
    /// Names the file; nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with_len_max(path, LEN_MAX)
    }

    /// Like [`new`](Self::new), with another bound in bytes.
    pub fn with_len_max(path: impl Into<PathBuf>, len_max: u64) -> Self {
        let file = Shared {
            path: path.into(),
            len_max,
            open: Mutex::new(None),
        };
        Self {
            prefix: String::new(),
            file: Arc::new(file),
        }
    }

    /// The same file with another prefix, put before each line as it is, such as `"[server] "`.
    #[must_use]
    pub fn with_prefix(&self, prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            file: Arc::clone(&self.file),
        }
    }

    /// The file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file.path
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
        self.file.write(&text)
    }
}

impl Shared {
    fn write(&self, text: &str) -> io::Result<()> {
        let mut slot = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = match slot.take() {
            Some(open) => open,
            None => Open::at(&self.path)?,
        };
        if open.len >= self.len_max {
            self.rotate(&open.file)?;
            open = Open::at(&self.path)?;
        }
        open.file.write_all(text.as_bytes())?;
        open.len += u64::try_from(text.len()).unwrap_or(u64::MAX);
        *slot = Some(open);
        Ok(())
    }

    /// Moves the full file away, unless another process did so already.
    fn rotate(&self, full: &File) -> io::Result<()> {
        let ours = full.metadata()?;
        let is_ours =
            |at_path: &fs::Metadata| (at_path.dev(), at_path.ino()) == (ours.dev(), ours.ino());
        if fs::metadata(&self.path).is_ok_and(|at_path| is_ours(&at_path)) {
            let mut old = self.path.clone().into_os_string();
            old.push(".1");
            fs::rename(&self.path, old)?;
        }
        Ok(())
    }
}

impl Open {
    fn at(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)?;
        let len = file.metadata()?.len();
        Ok(Self { file, len })
    }
}

impl fmt::Debug for StderrLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StderrLog")
            .field("path", &self.file.path)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// Enough for days of an ordinary server, little enough to open in an editor.
const LEN_MAX: u64 = 5 << 20;
