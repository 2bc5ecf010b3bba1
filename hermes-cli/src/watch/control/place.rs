//! Where the control socket of a configuration is, and that nobody else gets there.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// Bytes of the digest that name a socket.
const DIGEST_LEN: usize = 8;

/// Where the socket of one configuration may be, the best place first.
///
/// More than one, since the command that asks may know less of the environment than the one that
/// answers, as in a job of cron.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Places {
    folders: Vec<PathBuf>,
    /// A name for the configuration, alike for every path that leads to it.
    name: String,
}

impl Places {
    /// The places for the configuration at `path`: below `$XDG_RUNTIME_DIR`, then below `home`, the
    /// folder of the default configuration.
    ///
    /// `lookup` is asked for environment variables.
    pub(crate) fn new(
        path: &Path,
        home: Option<&Path>,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let runtime = lookup("XDG_RUNTIME_DIR").map(PathBuf::from);
        // Spec: the XDG base directories. A path that is not absolute is invalid and counts as none.
        let runtime = runtime.filter(|folder| folder.is_absolute());
        let runtime = runtime.map(|folder| folder.join("hermes"));
        let home = home.map(|folder| folder.join("run"));
        let digest = Sha256::digest(resolved(path).as_os_str().as_bytes());
        let digits = digest.iter().take(DIGEST_LEN);
        Self {
            folders: runtime.into_iter().chain(home).collect(),
            name: digits.map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// Where it is kept which tools were approved and what servers told, below `home`.
    pub(crate) fn store(&self, home: &Path) -> PathBuf {
        home.join("cache").join("mcp").join(&self.name)
    }

    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    pub(super) fn socket(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.sock", self.name))
    }

    /// The file that is locked by whoever has the socket.
    pub(super) fn lock(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.lock", self.name))
    }
}

/// The path without links, as far as there is something.
fn resolved(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name: OsString = path.file_name().unwrap_or_default().into();
    let in_folder = || fs::canonicalize(folder).map(|folder| folder.join(name));
    fs::canonicalize(path)
        .or_else(|_missing| in_folder())
        .or_else(|_missing| std::path::absolute(path))
        .unwrap_or_else(|_gone| path.to_owned())
}

/// Makes a folder that nobody else can enter, or looks that it is one.
///
/// # Errors
///
/// If it cannot be made, or if others can enter it.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let found = fs::symlink_metadata(folder)?;
    let is_ours = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
    if is_ours && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    let why = "others can enter this folder; `chmod 700` it, or remove it";
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn places(path: &Path, runtime: Option<&str>) -> Places {
        let lookup = |name: &str| (name == "XDG_RUNTIME_DIR").then_some(runtime?.to_owned());
        Places::new(path, Some(Path::new("/h")), &lookup)
    }

    #[test]
    fn the_runtime_folder_comes_before_the_home_folder() {
        let path = Path::new("/h/config.yaml");
        for (runtime, expected) in [
            (Some("/run/user/1"), &["/run/user/1/hermes", "/h/run"][..]),
            (Some("run"), &["/h/run"]),
            (Some(""), &["/h/run"]),
            (None, &["/h/run"]),
        ] {
            let places = places(path, runtime);
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(places.folders(), expected, "{runtime:?}");
        }
    }

    #[test]
    fn every_path_to_a_configuration_leads_to_its_socket() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("c.yaml");
        let before = places(&path, None);
        fs::write(&path, "").unwrap();
        let link = home.path().join("link.yaml");
        symlink("c.yaml", &link).unwrap();
        let folder = home.path().join("folder");
        symlink(".", &folder).unwrap();
        for other in [&path, &link, &folder.join("c.yaml")] {
            assert_eq!(places(other, None), before, "{}", other.display());
        }
        assert_ne!(places(&home.path().join("d.yaml"), None), before);
    }

    #[test]
    fn a_folder_that_others_can_enter_is_not_used() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a").join("b");
        make_private(&folder).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        make_private(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).unwrap();
        assert!(make_private(&folder).is_err());
        let link = home.path().join("link");
        symlink(&folder, &link).unwrap();
        assert!(make_private(&link).is_err());
    }
}
