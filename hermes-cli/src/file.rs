//! The configuration file as commands change it: changed as text, and put in place as a whole.
//!
//! What a change is, and that it touches nothing else, is for `hermes_registry::config::edit`.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use hermes_registry::config::FILE_LEN_MAX;
use hermes_registry::config::edit::{Change, EditError, EditErrorKind, edit};

use crate::failure::Failure;

/// Symbolic links that are followed.
///
/// Bound: as many as Linux follows.
const LINKS_MAX: usize = 40;

/// Names that are tried for the file beside the one that is replaced.
///
/// Bound: each was left behind by a process of the same number that was killed just then.
const NAMES_MAX: usize = 16;

/// A new file with values that may be secrets is for its owner alone.
const MODE_PRIVATE: u32 = 0o600;

const MODE_SHARED: u32 = 0o644;

/// Makes these changes in the file at `path`, or none of them.
///
/// What the file holds at this moment is changed, whatever was read of it before; a file or a
/// folder that is not there is made.
///
/// # Errors
///
/// Why nothing was changed.
pub(crate) fn change(path: &Path, changes: &[Change]) -> Result<(), Failure> {
    let shown = path.display().to_string();
    let unwritable = |error: io::Error| {
        let message = format!("{shown}: cannot be written: {error}");
        let suggestion =
            "make the file and its folder writable, or name another one with `--config`";
        Failure::usage("unwritable", message, suggestion)
    };
    let target = target(path);
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(unwritable)?;
    let folder = File::open(folder).map_err(unwritable)?;
    // Two commands at the same time change the file one after the other; where the file system
    // knows no locks, the later one wins.
    let _locked: io::Result<()> = folder.lock();
    let before = read(&target).map_err(unwritable)?;
    let after = edit(&before, &shown, changes)?;
    if after == before && target.exists() {
        return Ok(());
    }
    replace(&target, &after, mode(changes)).map_err(unwritable)?;
    // The name is kept as well as the text, should the machine stop now.
    folder.sync_all().map_err(unwritable)
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        let (code, suggestion) = match error.kind() {
            EditErrorKind::Exists { .. } => (
                "server_exists",
                "choose another name, or give `--replace` to put the new entry in its place",
            ),
            EditErrorKind::Unknown { .. } => (
                "unknown_server",
                "`hermes mcp list` shows the configured servers",
            ),
            EditErrorKind::Unreadable(_) => ("config", "correct the file first"),
            _ => (
                "not_changed",
                "nothing was changed; change the file by hand",
            ),
        };
        Self::usage(code, error.to_string(), suggestion)
    }
}

/// What a path leads to, whether or not there is anything.
fn target(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(link) = fs::read_link(&target) else {
            break;
        };
        target = match target.parent() {
            Some(folder) => folder.join(link),
            None => link,
        };
    }
    target
}

/// The text of a file; nothing where there is none.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        opened => opened?,
    };
    let mut text = String::new();
    // One byte more than allowed tells a file that is too long from one that just fits.
    file.take(FILE_LEN_MAX + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// The mode of a file that is made for these changes.
fn mode(changes: &[Change]) -> u32 {
    let is_private = changes.iter().any(|change| match change {
        Change::Add(entry) | Change::Put(entry) => entry.has_written_values(),
        _ => false,
    });
    if is_private {
        MODE_PRIVATE
    } else {
        MODE_SHARED
    }
}

/// Puts a text in the place of a file: nobody ever sees half of it, and what was there stays if
/// anything fails.
fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let (beside, file) = create_beside(path, mode)?;
    let written = write(file, text, path).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first failure is the one to tell.
        let _: io::Result<()> = fs::remove_file(&beside);
    }
    written
}

fn write(mut file: File, text: &str, replaced: &Path) -> io::Result<()> {
    if let Ok(known) = fs::metadata(replaced) {
        // Only the administrator can give a file away; for others the owner is right already, or
        // cannot be helped.
        let _: io::Result<()> = fchown(&file, Some(known.uid()), Some(known.gid()));
        file.set_permissions(Permissions::from_mode(known.mode() & 0o7777))?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A new file in the folder of another one.
fn create_beside(path: &Path, mode: u32) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    for number in 0..NAMES_MAX {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.{number}", std::process::id()));
        let beside = path.with_file_name(hidden);
        match options.open(&beside) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (beside, file)),
        }
    }
    Err(io::Error::other(
        "its folder is full of files that were left behind",
    ))
}

#[cfg(test)]
mod tests {
    use hermes_registry::config::ServerEntry;

    use super::*;

    fn add(name: &str) -> Change {
        Change::Add(ServerEntry::new(name).with_text("command", "run"))
    }

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_file_and_its_folder_are_made_and_values_are_for_the_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let env = |text: &str| [("A".to_owned(), text.to_owned())];
        let entry = ServerEntry::new("a").with_text("command", "run");
        for (name, entry, others) in [
            ("plain", entry.clone(), 0o044),
            (
                "by_reference",
                entry.clone().with_pairs("env", env("${A}")),
                0o044,
            ),
            ("values", entry.with_pairs("env", env("secret")), 0),
        ] {
            let path = home.path().join(name).join("config.yaml");
            change(&path, &[Change::Add(entry)]).unwrap();
            // Who starts the tests may keep others out of new files.
            assert_eq!(mode_of(&path) & 0o077 & !others, 0, "{name}");
            assert_eq!(mode_of(&path) & 0o600, 0o600, "{name}");
        }
    }

    #[test]
    fn a_link_stays_a_link_and_the_mode_stays_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let (link, file) = (
            home.path().join("config.yaml"),
            home.path().join("real.yaml"),
        );
        std::os::unix::fs::symlink("real.yaml", &link).unwrap();
        // A link to nothing says where the file is to be.
        change(&link, &[add("a")]).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        change(&link, &[add("b")]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(mode_of(&file), 0o640);
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            "mcp_servers:\n  a:\n    command: run\n  b:\n    command: run\n"
        );
        let left = fs::read_dir(home.path()).unwrap().count();
        assert_eq!(left, 2, "nothing else is left in the folder");
    }

    #[test]
    fn changes_at_the_same_time_are_all_made() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("config.yaml");
        std::thread::scope(|scope| {
            for number in 0..16 {
                let path = &path;
                scope.spawn(move || change(path, &[add(&format!("s{number}"))]).unwrap());
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("command: run\n").count(), 16, "{text}");
    }

    #[test]
    fn a_change_that_is_refused_leaves_the_file_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("config.yaml");
        for text in ["mcp_servers: [\n", "mcp_servers:\n  a: {url: x}\n"] {
            fs::write(&path, text).unwrap();
            let failure = change(&path, &[add("b"), add("a")]).unwrap_err();
            assert!(failure.message.starts_with(&path.display().to_string()));
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(
            &*change(&path, &[add("a")]).unwrap_err().code,
            "server_exists"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("file"), "").unwrap();
        let path = home.path().join("file").join("config.yaml");
        let failure = change(&path, &[add("a")]).unwrap_err();
        assert_eq!(&*failure.code, "unwritable");
    }
}
