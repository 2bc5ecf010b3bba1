//! A folder for what does not fit into what models see.

use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use super::keep::Keep;
use crate::name::Route;

/// The most files of the folder: 500.
///
/// Bound: disk; the oldest are removed.
pub const FILES_MAX: usize = 500;

/// The most bytes of the folder: 1 GiB.
///
/// Bound: disk; the oldest are removed.
pub const BYTES_MAX: u64 = 1 << 30;

/// What the name of each file begins with, by which those of this folder are known.
const PREFIX: &str = "mcp-";

/// The most characters of the names of server and tool in that of a file.
const NAME_LEN_MAX: usize = 60;

/// A folder for what does not fit into what models see: whole texts, pictures, sound.
///
/// Folder and files are for their owner alone. What is kept twice is one file. Other files in the
/// folder are left alone.
#[derive(Clone, Debug)]
pub struct ResultsFolder {
    folder: PathBuf,
}

impl ResultsFolder {
    /// A folder, which need not be there yet.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The folder for results of one tool.
    pub(crate) fn of<'f>(&'f self, route: &'f Route) -> impl Keep + 'f {
        OfTool {
            folder: &self.folder,
            route,
        }
    }
}

struct OfTool<'f> {
    folder: &'f Path,
    route: &'f Route,
}

impl Keep for OfTool<'_> {
    fn keep(&self, bytes: &[u8], extension: &str) -> Option<String> {
        let path = self.folder.join(self.name(bytes, extension));
        match write(self.folder, &path, bytes) {
            Ok(()) => Some(path.to_str()?.to_owned()),
            Err(error) => {
                let folder = self.folder.display();
                tracing::warn!(%folder, %error, "a result could not be kept");
                None
            }
        }
    }
}

impl OfTool<'_> {
    fn name(&self, bytes: &[u8], extension: &str) -> String {
        let hash = Sha256::digest(bytes);
        let hex = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let hex = hex.filter_map(|digit| char::from_digit(u32::from(digit), 16));
        let hash: String = hex.take(12).collect();
        let plain = |char: char| match char {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '-' => char,
            _ => '_',
        };
        let Route { server, tool } = self.route;
        let names = format!("{server}-{tool}");
        let names: String = names.chars().take(NAME_LEN_MAX).map(plain).collect();
        format!("{PREFIX}{names}-{hash}.{extension}")
    }
}

fn write(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    if !fs::exists(folder)? {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    prune(folder, path)
}

/// Removes the oldest files until the rest is within bounds; the one just written stays.
fn prune(folder: &Path, newest: &Path) -> io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let about = entry.metadata();
        if let (true, Ok(about)) = (is_ours && entry.path() != newest, about) {
            files.push((about.modified()?, about.len(), entry.path()));
        }
    }
    files.sort();
    let (mut count, mut bytes) = (1, fs::metadata(newest)?.len());
    for (_, len, path) in files.into_iter().rev() {
        count += 1;
        bytes += len;
        if count > FILES_MAX || bytes > BYTES_MAX {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;
    use crate::name::ServerName;

    fn route(tool: &str) -> Route {
        Route {
            server: ServerName::new("my server").unwrap(),
            tool: tool.into(),
        }
    }

    #[test]
    fn what_is_kept_twice_is_one_file_for_its_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::new(home.path().join("deep/results"));
        let route = route("../../read");
        let first = folder.of(&route).keep(b"hello", "txt").unwrap();
        let again = folder.of(&route).keep(b"hello", "txt").unwrap();
        assert_eq!(first, again);
        let path = Path::new(&first);
        assert_eq!(
            path.file_name().unwrap(),
            "mcp-my_server-______read-2cf24dba5fb0.txt"
        );
        assert_eq!(fs::read(path).unwrap(), b"hello");
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, 0o600);
        let parent = path.parent().unwrap();
        assert_eq!(fs::metadata(parent).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn the_oldest_files_give_way_and_those_of_others_stay() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("notes.txt"), "mine").unwrap();
        let folder = ResultsFolder::new(home.path());
        let route = route("t");
        let keep = |number: usize| folder.of(&route).keep(number.to_string().as_bytes(), "txt");
        let first = keep(0).unwrap();
        let long_ago = SystemTime::UNIX_EPOCH;
        let file = fs::File::options().write(true).open(&first).unwrap();
        file.set_modified(long_ago).unwrap();
        let mut last = first.clone();
        for number in 1..=FILES_MAX {
            last = keep(number).unwrap();
        }
        assert!(!fs::exists(first).unwrap());
        assert!(fs::exists(last).unwrap());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), FILES_MAX + 1);
    }

    #[test]
    fn where_nothing_can_be_kept_nothing_is_promised() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "in the way").unwrap();
        let folder = ResultsFolder::new(file.join("results"));
        assert_eq!(folder.of(&route("t")).keep(b"hello", "txt"), None);
    }
}
