//! Questions to a person at a terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

use crate::support::Home;

/// A command at a terminal of its own, at which somebody reads and types.
pub(crate) struct Terminal {
    child: Child,
    screen: File,
    /// What the screen has shown so far.
    shown: String,
}

impl Terminal {
    pub(crate) fn start(mut command: Command) -> Self {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
        grantpt(&screen)
            .and_then(|()| unlockpt(&screen))
            .expect("it can be opened");
        let name = ptsname(&screen, Vec::new()).expect("it has a name");
        let name = name.to_str().expect("the name is UTF-8");
        let keys = OpenOptions::new().read(true).write(true).open(name);
        let keys = keys.expect("the other side can be opened");
        let stderr = keys.try_clone().expect("it can be opened twice");
        let child = command
            .stdin(Stdio::from(keys))
            .stdout(Stdio::piped())
            .stderr(Stdio::from(stderr))
            .spawn()
            .expect("the command starts");
        // The command holds the other side now, so that reading ends when it does.
        drop(command);
        let (screen, shown) = (File::from(screen), String::new());
        Self {
            child,
            screen,
            shown,
        }
    }

    /// Waits until this is shown.
    pub(crate) fn wait_for(&mut self, question: &str) {
        let mut buffer = [0; 1024];
        while !self.shown.ends_with(question) {
            let len = self.screen.read(&mut buffer).unwrap_or_default();
            assert!(len > 0, "{question:?} was not asked: {}", self.shown);
            let new = String::from_utf8_lossy(buffer.get(..len).unwrap_or_default());
            self.shown.push_str(&new.replace("\r\n", "\n"));
        }
    }

    /// Waits until this is shown, then types a line.
    pub(crate) fn answer(&mut self, question: &str, line: &str) {
        self.wait_for(question);
        let keys = format!("{line}\n");
        let typed = self.screen.write_all(keys.as_bytes());
        typed.expect("keys can be pressed");
    }

    /// Asks the command to end, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-INT", &id]).status();
        assert!(killed.expect("there is such a program").success());
    }

    /// Waits for the end: the status, the standard output, and what the screen has shown.
    pub(crate) fn end(mut self) -> (i32, String, String) {
        let mut buffer = [0; 1024];
        // The system tells the end of the other side as an error.
        while let Ok(len @ 1..) = self.screen.read(&mut buffer) {
            let new = String::from_utf8_lossy(buffer.get(..len).unwrap_or_default());
            self.shown.push_str(&new.replace("\r\n", "\n"));
        }
        let output = self.child.wait_with_output().expect("the command ends");
        let stdout = String::from_utf8(output.stdout).expect("the output is UTF-8");
        let code = output.status.code().expect("no signal ended it");
        (code, stdout, self.shown)
    }
}

/// Whether a terminal shows what is typed.
fn shows_keys(screen: &File) -> bool {
    let modes = tcgetattr(screen).expect("it is a terminal");
    modes.local_modes.contains(LocalModes::ECHO)
}

#[test]
fn a_server_is_removed_only_after_a_yes() {
    let home = Home::new();
    let text = "mcp_servers:\n  a: {command: x}\n";
    home.write("config.yaml", text);
    let file = home.file("config.yaml");
    let question = format!("Remove `a` from {file}? [y/N] ");
    for answer in ["", "n", "nonsense"] {
        let mut terminal = Terminal::start(home.command(&["mcp", "remove", "a"]));
        terminal.answer(&question, answer);
        let (code, stdout, shown) = terminal.end();
        assert_eq!(
            (code, stdout.as_str()),
            (0, "nothing was changed\n"),
            "{shown}"
        );
        assert_eq!(home.read("config.yaml"), text);
    }
    let mut terminal = Terminal::start(home.command(&["mcp", "remove", "a"]));
    terminal.answer(&question, "Yes");
    let (code, stdout, _) = terminal.end();
    assert_eq!((code, stdout), (0, format!("removed `a` from {file}\n")));
    assert_eq!(home.read("config.yaml"), "mcp_servers:\n");
}

#[test]
fn a_server_that_does_not_answer_is_asked_about() {
    let home = Home::new();
    let words = ["mcp", "add", "gone", "--command", "no-such-program-here"];
    for (answer, is_written) in [("n", false), ("y", true)] {
        let mut terminal = Terminal::start(home.command(&words));
        terminal.answer("Write `gone` all the same? [y/N] ", answer);
        let (code, _, shown) = terminal.end();
        assert_eq!(code, 3, "{shown}");
        assert!(
            shown.contains("cannot start `no-such-program-here`"),
            "{shown}"
        );
        assert_eq!(home.has("config.yaml"), is_written);
    }
    // A program that wants JSON is never asked.
    let words = [&words[..], &["--json", "--replace"]].concat();
    let (code, stdout, shown) = Terminal::start(home.command(&words)).end();
    assert!(code == 3 && stdout.contains("\"error\":"), "{shown}");
}

#[test]
fn an_interrupt_at_a_question_is_status_130_and_changes_nothing() {
    let home = Home::new();
    let text = "mcp_servers:\n  a: {command: x}\n";
    home.write("config.yaml", text);
    let mut terminal = Terminal::start(home.command(&["mcp", "remove", "a"]));
    terminal.wait_for("[y/N] ");
    terminal.interrupt();
    let (code, stdout, shown) = terminal.end();
    assert_eq!((code, stdout.as_str()), (130, ""), "{shown}");
    assert_eq!(home.read("config.yaml"), text);
}

#[test]
fn a_terminal_shows_keys_again_after_an_interrupt_at_a_secret() {
    let home = Home::new();
    let mut command = home.command(&["mcp", "install", "github", "--no-check"]);
    command.env_remove("GITHUB_PERSONAL_ACCESS_TOKEN");
    let mut terminal = Terminal::start(command);
    terminal.wait_for("personal-access-tokens): ");
    let screen = terminal.screen.try_clone().unwrap();
    assert!(!shows_keys(&screen));
    terminal.interrupt();
    assert_eq!(terminal.end().0, 130);
    assert!(shows_keys(&screen));
    assert!(!home.has("config.yaml"));
}
