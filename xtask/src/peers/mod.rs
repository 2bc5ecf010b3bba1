//! `cargo xtask peers`: real servers, installed from lock files into `target/peers/`, and the
//! tests that talk to them.
//!
//! Nothing is installed twice: a stamp beside each part holds the hash of what it was made from.

mod config;
mod http;
pub(crate) mod install;

use std::path::{Path, PathBuf};

use crate::shell::{Cmd, Outcome, root};

/// What the tests find in `target/peers/`, with fixed content.
const HELLO: &str = "hello from the peers\n";

/// What the tests do with the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// They are child processes.
    Stdio,
    /// They are behind URLs.
    Http,
    /// All of them are in one registry, and killed.
    Registry,
}

impl Kind {
    pub(crate) const ALL: &[Self] = &[Self::Stdio, Self::Http, Self::Registry];

    /// The tests of one kind.
    const fn module(self) -> &'static str {
        match self {
            Self::Stdio => "peers::stdio::",
            Self::Http => "peers::http::",
            Self::Registry => "peers::registry::",
        }
    }
}

/// Installs all servers, then runs the tests of the wanted kinds.
pub(crate) fn run(tests: &[Kind]) -> Outcome {
    let folder = folder();
    make(&folder)?;
    let programs = install::all(&folder)?;
    prepare(&folder)?;
    let config = folder.join("config.yaml");
    write(&config, &config::yaml(&config::servers(&folder, &programs)))?;
    println!("the servers are named in {}", config.display());
    // Its build is the longest part, and no use to those who only want the others.
    if tests != [Kind::Stdio] {
        let list = http::servers(&programs, &install::rmcp(&folder)?);
        let file = folder.join("http-servers.json");
        write(&file, &format!("{list:#}\n"))?;
        println!("those behind a URL are named in {}", file.display());
    }
    if tests.is_empty() {
        return Ok(());
    }
    test(&folder, tests)
}

fn test(folder: &Path, kinds: &[Kind]) -> Outcome {
    let modules = kinds.iter().map(|kind| kind.module());
    let output = Cmd::new("cargo test -p mcp-tests --features real-peers --test it --");
    let output = modules
        .fold(output, |cmd, module| cmd.arg(module))
        // Each starts many servers, some of which need seconds, and prints what it saw of them.
        .arg("--test-threads=1")
        .arg("--show-output")
        .env("HERMES_MCP_PEERS", folder.display().to_string())
        .tee()?;
    match passed(&output) {
        0 => Err("no test of the module `peers` ran, so nothing was shown".to_owned()),
        count => {
            println!("{count} tests ran against real servers");
            Ok(())
        }
    }
}

/// How many tests passed, by the closing lines of the test runner.
fn passed(output: &str) -> usize {
    let count = |line: &str| -> Option<usize> {
        let (_, rest) = line.split_once("test result: ok. ")?;
        rest.split_once(" passed")?.0.parse().ok()
    };
    output.lines().filter_map(count).sum()
}

/// A folder with one file, a git repository with one commit, and no memory of earlier runs.
fn prepare(folder: &Path) -> Outcome {
    let files = folder.join("files");
    make(&files)?;
    write(&files.join("hello.txt"), HELLO)?;
    write(&files.join("eslint.config.js"), "module.exports = [];\n")?;
    write(&files.join("hello.js"), "let hello = 1;\n")?;
    make_anew(&folder.join("memory"))?;
    let repo = folder.join("repo");
    make_anew(&repo)?;
    write(&repo.join("hello.txt"), HELLO)?;
    git(&repo, &["init", "--quiet", "--initial-branch=main"])?;
    git(&repo, &["add", "hello.txt"])?;
    git(&repo, &["commit", "--quiet", "--message", "Say hello"])
}

/// Git with nothing of the person's own settings, so that the commit is always the same.
fn git(repo: &Path, args: &[&str]) -> Outcome {
    let person = [
        ("NAME", "Peer"),
        ("EMAIL", "peer@example.com"),
        ("DATE", "2026-01-01T00:00:00Z"),
    ];
    let mut cmd = Cmd::new("git")
        .dir(repo)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    for role in ["AUTHOR", "COMMITTER"] {
        for (what, value) in person {
            cmd = cmd.env(&format!("GIT_{role}_{what}"), value);
        }
    }
    args.iter()
        .fold(cmd, |cmd, arg| cmd.arg(*arg))
        .read()
        .map(drop)
}

fn folder() -> PathBuf {
    root().join("target/peers")
}

fn make(folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn make_anew(folder: &Path) -> Outcome {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    make(folder)
}

fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_without_tests_counts_none() {
        let empty = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n";
        assert_eq!(passed(empty), 0);
        assert_eq!(passed(&empty.replace("ok. 0", "ok. 12")), 12);
        assert_eq!(passed("nothing"), 0);
    }
}
