//! Running other programs: each command is printed as a line that can be pasted into a shell.
//!
//! It knows nothing of what the programs do; the commands decide what a failure means.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command of ours gives back: an error is a text for a person.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// One program with its arguments, folder and extra environment.
#[derive(Debug, Clone)]
pub(crate) struct Cmd {
    program: String,
    args: Vec<String>,
    dir: PathBuf,
    envs: Vec<(String, String)>,
}

impl Cmd {
    /// `line` is split at spaces: a program and its fixed arguments.
    pub(crate) fn new(line: &str) -> Self {
        let mut words = line.split_whitespace().map(str::to_owned);
        Self {
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            dir: root(),
            envs: Vec::new(),
        }
    }

    /// A program named by its path, which may hold spaces.
    pub(crate) fn at(program: &Path) -> Self {
        Self {
            program: program.display().to_string(),
            args: Vec::new(),
            dir: root(),
            envs: Vec::new(),
        }
    }

    pub(crate) fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(crate) fn path(self, path: &Path) -> Self {
        let text = path.display().to_string();
        self.arg(text)
    }

    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        dir.clone_into(&mut self.dir);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.envs.push((name.to_owned(), value.into()));
        self
    }

    /// The command as a person would type it at the root of the repository.
    pub(crate) fn line(&self) -> String {
        let mut words: Vec<String> = self
            .envs
            .iter()
            .map(|(name, value)| format!("{name}={}", quoted(value)))
            .collect();
        words.push(quoted(&self.program));
        words.extend(self.args.iter().map(|arg| quoted(arg)));
        let line = words.join(" ");
        if self.dir == root() {
            line
        } else {
            format!("(cd {} && {line})", quoted(&self.dir.display().to_string()))
        }
    }

    /// Prints the command, runs it with our own output, and fails unless it succeeds.
    pub(crate) fn run(&self) -> Outcome {
        println!("$ {}", self.line());
        let status = self
            .command()
            .stdin(Stdio::null())
            .status()
            .map_err(|error| self.not_started(&error))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`{}` ended with {status}", self.line()))
        }
    }

    /// Prints the command, runs it with its standard output shown and also given back.
    pub(crate) fn tee(&self) -> Outcome<String> {
        println!("$ {}", self.line());
        let mut child = self
            .command()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| self.not_started(&error))?;
        let mut seen = String::new();
        for line in child
            .stdout
            .take()
            .into_iter()
            .flat_map(|pipe| BufReader::new(pipe).lines())
        {
            let line = line.map_err(|error| format!("`{}`: {error}", self.line()))?;
            println!("{line}");
            seen.push_str(&line);
            seen.push('\n');
        }
        let status = child
            .wait()
            .map_err(|error| format!("`{}`: {error}", self.line()))?;
        if status.success() {
            Ok(seen)
        } else {
            Err(format!("`{}` ended with {status}", self.line()))
        }
    }

    /// Runs the command quietly and gives its standard output.
    pub(crate) fn read(&self) -> Outcome<String> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .output()
            .map_err(|error| self.not_started(&error))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            let stderr = String::from_utf8_lossy(&output.stderr);
            Err(format!(
                "`{}` ended with {}: {}",
                self.line(),
                output.status,
                stderr.trim_end()
            ))
        }
    }

    /// Whether the command can be run and succeeds; its output is dropped.
    pub(crate) fn succeeds(&self) -> bool {
        self.command()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.dir);
        // What `cargo run` says about xtask itself is not for the programs that xtask starts.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command.envs(self.envs.iter().map(|(name, value)| (name, value)));
        command
    }

    fn not_started(&self, error: &std::io::Error) -> String {
        format!("`{}` could not be started: {error}", self.line())
    }
}

/// The folder that holds the workspace.
pub(crate) fn root() -> PathBuf {
    let own = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map(Path::to_path_buf).unwrap_or(own)
}

/// A word as a shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_line_can_be_pasted() {
        let cmd = Cmd::new("cargo test --workspace")
            .arg("it's here")
            .env("KEY", "a b");
        assert_eq!(
            cmd.line(),
            "KEY='a b' cargo test --workspace 'it'\\''s here'"
        );
    }

    #[test]
    fn failing_program_is_an_error_that_names_it() {
        let error = Cmd::new("false").run().unwrap_err();
        assert!(error.contains("`false`"), "{error}");
        let error = Cmd::new("no-such-program-of-ours").read().unwrap_err();
        assert!(error.contains("could not be started"), "{error}");
    }
}
