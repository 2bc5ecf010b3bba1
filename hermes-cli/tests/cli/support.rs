//! What the tests of the command share: a home folder of their own, and runs of the command in it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder in which nothing is configured until a test does it.
pub(crate) struct Home(TempDir);

/// What a run of the command left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The demo server as a configured one; more of its keys may follow.
pub(crate) fn good(name: &str) -> String {
    let program = env!("CARGO_BIN_EXE_hermes");
    format!("  {name}:\n    command: \"{program}\"\n    args: [mcp, demo-server]\n")
}

impl Home {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a folder can be made"))
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> String {
        self.0
            .path()
            .join(name)
            .to_str()
            .expect("the path is UTF-8")
            .to_owned()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).expect("the file can be read")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.file(name), text).expect("the file can be written");
    }

    /// The command with these arguments and an empty standard input.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hermes"));
        command
            .args(words)
            .env("HERMES_HOME", self.0.path())
            .env("HOME", self.0.path());
        command.stdin(Stdio::null());
        command
    }

    /// Runs the command with an empty standard input.
    pub(crate) fn run(&self, words: &[&str]) -> Run {
        self.run_with(words, "")
    }

    /// Runs the command with this standard input.
    pub(crate) fn run_with(&self, words: &[&str], input: &str) -> Run {
        finish(self.command(words), input)
    }
}

/// Runs a command to its end with this standard input.
pub(crate) fn finish(mut command: Command, input: &str) -> Run {
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    // Most commands do not read it, and may have ended by now.
    let _: std::io::Result<()> = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the command ends");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    Run {
        code: output.status.code().expect("no signal ended it"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
