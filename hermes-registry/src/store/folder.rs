//! A folder with a file for each thing that is kept.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use tempfile::NamedTempFile;

use super::{Store, Stored};

/// The longest text that is read, in bytes: 64 MiB.
///
/// Bound: memory; ten thousand tools of six kilobytes each.
const TEXT_LEN_MAX: u64 = 64 << 20;

/// A folder with a file for each thing that is kept: `catalog.json` and `pins.json`.
///
/// The folder is made when something is first saved. Folder and files are for their owner alone,
/// and a file is replaced as a whole.
#[derive(Clone, Debug)]
pub struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    /// A store in this folder, which need not be there yet.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn path(&self, what: Stored) -> PathBuf {
        self.folder.join(format!("mcp-{}.json", what.name()))
    }
}

impl Store for FolderStore {
    fn load(&self, what: Stored) -> io::Result<Option<String>> {
        let file = match File::open(self.path(what)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = String::new();
        file.take(TEXT_LEN_MAX + 1).read_to_string(&mut text)?;
        if u64::try_from(text.len()).is_ok_and(|len| len > TEXT_LEN_MAX) {
            return Err(io::Error::new(
                ErrorKind::FileTooLarge,
                "the file is too long",
            ));
        }
        Ok(Some(text))
    }

    fn save(&self, what: Stored, text: &str) -> io::Result<()> {
        let folder = self.path(what);
        let folder = folder.parent().unwrap_or(&self.folder);
        if !fs::exists(folder)? {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(self.path(what))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn what_was_saved_last_is_loaded_and_is_for_its_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("cache/deep");
        let store = FolderStore::new(&folder);
        assert_eq!(store.load(Stored::Pins).unwrap(), None);
        store.save(Stored::Pins, "one").unwrap();
        store.save(Stored::Pins, "two").unwrap();
        store.save(Stored::Catalog, "other").unwrap();
        assert_eq!(store.load(Stored::Pins).unwrap().as_deref(), Some("two"));
        let mode = |path: PathBuf| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(folder.clone()), 0o700);
        assert_eq!(mode(folder.join("mcp-pins.json")), 0o600);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 2);
    }

    #[test]
    fn what_cannot_be_saved_leaves_what_was_there() {
        let home = tempfile::tempdir().unwrap();
        let in_the_way = home.path().join("file");
        fs::write(&in_the_way, "not a folder").unwrap();
        let store = FolderStore::new(in_the_way.join("cache"));
        assert!(store.save(Stored::Pins, "one").is_err());
        assert_eq!(fs::read_to_string(in_the_way).unwrap(), "not a folder");
    }
}
