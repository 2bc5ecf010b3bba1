//! Sees that the configuration file may have changed, by what the system tells of its folder.
//!
//! The folder is watched and not the file, since most editors put another file in its place.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

/// Watches one file until it is dropped.
#[derive(Debug)]
pub(crate) struct Eye {
    /// It ends with this.
    _watcher: RecommendedWatcher,
    path: PathBuf,
    /// What the path led to when the eye was opened.
    target: Option<PathBuf>,
    seen: Arc<Seen>,
}

/// What the thread of the watcher has seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    // Bound: many changes are one.
    changed: Notify,
    /// Whether the folder itself has changed, so that nothing more may be told of it.
    is_lost: AtomicBool,
}

impl Eye {
    /// Opens an eye on a file, which does not have to be there; its folder does.
    pub(crate) fn open(path: &Path) -> notify::Result<Self> {
        let target = fs::canonicalize(path).ok();
        let paths = [Some(path), target.as_deref()].into_iter().flatten();
        let names: Vec<OsString> = paths
            .clone()
            .filter_map(|path| path.file_name().map(OsString::from))
            .collect();
        let mut folders: Vec<PathBuf> = Vec::new();
        for path in paths {
            let folder = fs::canonicalize(folder(path))?;
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let seen = Arc::new(Seen::default());
        let mut watcher = notify::recommended_watcher({
            let (seen, folders) = (Arc::clone(&seen), folders.clone());
            move |event| look(&seen, &names, &folders, event)
        })?;
        for folder in &folders {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
        }
        Ok(Self {
            _watcher: watcher,
            path: path.to_owned(),
            target,
            seen,
        })
    }

    /// Waits until the file may have changed.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub(crate) async fn changed(&self) {
        self.seen.changed.notified().await;
    }

    /// Whether it looks where the file is. A link may lead elsewhere by now, and a folder may have
    /// been moved.
    pub(crate) fn is_open(&self) -> bool {
        !self.seen.is_lost.load(Ordering::Relaxed)
            && fs::canonicalize(&self.path).ok() == self.target
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Decides what something that happened in one of the folders means.
fn look(seen: &Seen, names: &[OsString], folders: &[PathBuf], event: notify::Result<Event>) {
    let is_news = match event {
        // Reading the file is one of these.
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => false,
        Ok(event) => {
            let is_lost = event.paths.iter().any(|path| folders.contains(path));
            if is_lost {
                seen.is_lost.store(true, Ordering::Relaxed);
            }
            let mut found = event.paths.iter().filter_map(|path| path.file_name());
            is_lost || event.need_rescan() || found.any(|name| names.iter().any(|own| own == name))
        }
        Err(_lost) => {
            seen.is_lost.store(true, Ordering::Relaxed);
            true
        }
    };
    if is_news {
        seen.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, CreateKind, DataChange, ModifyKind, RemoveKind};

    use super::*;

    #[test]
    fn only_what_may_change_the_file_is_seen() {
        let (names, folders) = ([OsString::from("c.yaml")], [PathBuf::from("/f")]);
        let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let made = EventKind::Create(CreateKind::File);
        let gone = EventKind::Remove(RemoveKind::Any);
        for (kind, path, is_seen, is_lost) in [
            (made, "/f/c.yaml", true, false),
            (written, "/f/c.yaml", true, false),
            (gone, "/f/c.yaml", true, false),
            (
                EventKind::Access(AccessKind::Any),
                "/f/c.yaml",
                false,
                false,
            ),
            (written, "/f/other.yaml", false, false),
            (made, "/f/c.yaml.swp", false, false),
            (gone, "/f", true, true),
        ] {
            let seen = Seen::default();
            look(
                &seen,
                &names,
                &folders,
                Ok(Event::new(kind).add_path(path.into())),
            );
            assert_eq!(has_news(&seen), is_seen, "{kind:?} {path}");
            assert_eq!(
                seen.is_lost.load(Ordering::Relaxed),
                is_lost,
                "{kind:?} {path}"
            );
        }
        let seen = Seen::default();
        look(
            &seen,
            &names,
            &folders,
            Err(notify::Error::generic("no more")),
        );
        assert!(has_news(&seen) && seen.is_lost.load(Ordering::Relaxed));
    }

    fn has_news(seen: &Seen) -> bool {
        let changed = std::pin::pin!(seen.changed.notified());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        changed.poll(&mut context).is_ready()
    }

    #[tokio::test]
    async fn a_file_that_is_made_written_replaced_or_removed_is_seen() {
        let home = tempfile::tempdir().unwrap();
        let (path, other) = (home.path().join("c.yaml"), home.path().join("other"));
        for step in ["make", "write", "replace", "remove"] {
            let eye = Eye::open(&path).unwrap();
            match step {
                "make" | "write" => fs::write(&path, "a: 1").unwrap(),
                "replace" => {
                    fs::write(&other, "a: 2").unwrap();
                    fs::rename(&other, &path).unwrap();
                }
                _ => fs::remove_file(&path).unwrap(),
            }
            eye.changed().await;
        }
    }

    #[tokio::test]
    async fn a_folder_that_goes_and_a_link_that_leads_elsewhere_close_it() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let eye = Eye::open(&folder.join("c.yaml")).unwrap();
        assert!(eye.is_open());
        fs::rename(&folder, home.path().join("moved")).unwrap();
        eye.changed().await;
        assert!(!eye.is_open());
        assert!(Eye::open(&folder.join("c.yaml")).is_err());

        let link = home.path().join("link.yaml");
        for (name, text) in [("one", "a: 1"), ("two", "a: 2")] {
            fs::write(home.path().join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("one", &link).unwrap();
        let eye = Eye::open(&link).unwrap();
        fs::write(home.path().join("one"), "a: 3").unwrap();
        eye.changed().await;
        assert!(eye.is_open());
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("two", &link).unwrap();
        assert!(!eye.is_open());
    }
}
