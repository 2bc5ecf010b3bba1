//! A file that whole lines are appended to, for its owner alone and bounded in size.
//!
//! What the lines say, and that no secret is in them, is left to whoever writes them.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file that whole lines are appended to.
///
/// Clones share the file. It is opened when something is first written, and created with mode 0600;
/// once it holds more than its bound it is renamed to `<name>.1`, replacing the one before, and
/// begun anew. So it takes twice its bound and one line at most. Each write holds whole lines, so
/// that several processes can share a file.
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

struct Shared {
    path: PathBuf,
    len_max: u64,
    open: Mutex<Option<Open>>,
}

struct Open {
    file: File,
    id: Id,
}

/// A file, whatever it is called: its device and its number there.
type Id = (u64, u64);

impl Journal {
    /// Names the file and its bound in bytes; nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>, len_max: u64) -> Self {
        Self(Arc::new(Shared {
            path: path.into(),
            len_max,
            open: Mutex::new(None),
        }))
    }

    /// The file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Appends a text of whole lines, in one write; an empty one opens the file. It may block for a
    /// moment.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, moved away or written; the next call tries again.
    pub fn append(&self, lines: &str) -> io::Result<()> {
        let Shared {
            path,
            len_max,
            open: slot,
        } = &*self.0;
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = match slot.take() {
            Some(open) => open,
            None => Open::at(path)?,
        };
        match at(path) {
            Some((id, len)) if id == open.id => {
                if len >= *len_max {
                    rotate(path, &open)?;
                    open = Open::at(path)?;
                }
            }
            // Another process moved it away, or somebody removed it.
            _elsewhere => open = Open::at(path)?,
        }
        open.file.write_all(lines.as_bytes())?;
        *slot = Some(open);
        Ok(())
    }
}

/// Moves the full file away, unless another process did so already.
fn rotate(path: &Path, full: &Open) -> io::Result<()> {
    // Of two processes that find it full at once, the second must not move away what the first has
    // begun anew. Where the file system knows no locks, a file may be lost so.
    let _locked: io::Result<()> = full.file.lock();
    if at(path).is_some_and(|(id, _)| id == full.id) {
        let mut old = path.to_owned().into_os_string();
        old.push(".1");
        fs::rename(path, old)?;
    }
    Ok(())
}

/// The file that a path leads to, and its length.
fn at(path: &Path) -> Option<(Id, u64)> {
    let found = fs::metadata(path).ok()?;
    Some(((found.dev(), found.ino()), found.len()))
}

impl Open {
    fn at(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)?;
        let found = file.metadata()?;
        let id = (found.dev(), found.ino());
        Ok(Self { file, id })
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal")
            .field("path", &self.0.path)
            .field("len_max", &self.0.len_max)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::tempdir;

    use super::*;

    #[test]
    fn a_file_that_is_full_is_moved_away_and_one_predecessor_is_kept() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("log");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let journal = Journal::new(&path, 8);
        journal.append("one\n").unwrap();
        journal.append("two\n").unwrap();
        assert_eq!(
            (read("log"), read("log.1")),
            ("one\ntwo\n".into(), "".into())
        );
        // At the bound the next line begins another file.
        journal.append("three\n").unwrap();
        assert_eq!(
            (read("log"), read("log.1")),
            ("three\n".into(), "one\ntwo\n".into())
        );
        journal.append("four\n").unwrap();
        journal.append("five\n").unwrap();
        assert_eq!(read("log.1"), "three\nfour\n");
        let names = fs::read_dir(folder.path()).unwrap();
        assert_eq!(names.count(), 2);
        for name in ["log", "log.1"] {
            let mode = fs::metadata(folder.path().join(name))
                .unwrap()
                .permissions();
            assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn two_that_write_the_same_file_move_it_away_once() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("log");
        let [one, other] = [Journal::new(&path, 8), Journal::new(&path, 8)];
        one.append("one\n").unwrap();
        one.append("two\n").unwrap();
        other.append("new\n").unwrap();
        // Its file was moved away under the other one's hands.
        one.append("newer\n").unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "new\nnewer\n");
    }

    #[test]
    fn what_others_wrote_counts_and_a_file_that_was_taken_away_is_begun_anew() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("log");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let [one, other] = [Journal::new(&path, 8), Journal::new(&path, 8)];
        one.append("one\n").unwrap();
        other.append("other\n").unwrap();
        one.append("two\n").unwrap();
        assert_eq!(
            (read("log"), read("log.1")),
            ("two\n".into(), "one\nother\n".into())
        );
        // It is far from its bound by what it wrote itself.
        other.append("more\n").unwrap();
        assert_eq!(read("log"), "two\nmore\n");
        fs::remove_file(&path).unwrap();
        one.append("three\n").unwrap();
        assert_eq!(read("log"), "three\n");
    }

    #[test]
    fn no_line_is_lost_however_many_write_at_once() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("log");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let journal = Journal::new(&path, 700);
                scope.spawn(move || {
                    for line in 0..50 {
                        journal.append(&format!("{writer} {line:02}\n")).unwrap();
                    }
                });
            }
        });
        // 200 lines of five bytes: the file is moved away once.
        let both = ["log", "log.1"].map(|name| folder.path().join(name));
        let lines: usize = both
            .iter()
            .filter_map(|path| fs::read_to_string(path).ok())
            .map(|text| text.lines().count())
            .sum();
        assert_eq!(lines, 200);
    }

    #[test]
    fn what_cannot_be_written_is_told_each_time() {
        let journal = Journal::new("/no/such/folder/log", 8);
        assert!(journal.append("one\n").is_err());
        assert!(journal.append("two\n").is_err());
        assert_eq!(
            format!("{journal:?}"),
            r#"Journal { path: "/no/such/folder/log", len_max: 8, .. }"#
        );
    }
}
