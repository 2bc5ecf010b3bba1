//! What is printed: results on standard output, everything else on standard error.
//!
//! | module | job |
//! |---|---|
//! | `human` | results as text for people, and as lines for pipes |
//! | `json` | results as one JSON object |
//! | `changes` | the same, for commands that change the configuration |
//! | `findings` | what a diagnosis found, in all three |
//! | `status` | how servers are, in all three |
//! | `resources`, `prompts` | the other things that servers have, in all three |
//! | `text` | sentences, widths, control characters, indented JSON |
//! | `spinner` | a sign of life while people wait |

pub(crate) mod changes;
pub(crate) mod findings;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod prompts;
pub(crate) mod resources;
mod spinner;
pub(crate) mod status;
pub(crate) mod text;

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

pub(crate) use spinner::Spinner;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

/// The width that is assumed of a terminal that does not tell.
const WIDTH_DEFAULT: usize = 80;

/// What a command has to say.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// For standard output.
    pub(crate) text: String,
    /// For standard output behind the text: what is no text.
    pub(crate) bytes: Vec<u8>,
    /// For standard error: what did not go well without being a failure.
    pub(crate) notes: Vec<String>,
    /// For standard error: what failed.
    pub(crate) failures: Vec<Failure>,
    pub(crate) exit: Exit,
}

impl Report {
    /// A result.
    pub(crate) fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// What a command tells that has changed the configuration, with what is wrong with it now.
    pub(crate) fn of_change(text: String, after: &Settings) -> Self {
        let problems = after.problems.iter();
        Self {
            text,
            notes: problems.map(|problem| problem.text.clone()).collect(),
            exit: after.exit(),
            ..Self::default()
        }
    }

    /// The same report with a failure, which counts for the exit status.
    #[must_use]
    pub(crate) fn with_failure(mut self, failure: Failure) -> Self {
        self.exit = self.exit.worst(failure.exit);
        self.failures.push(failure);
        self
    }
}

/// Where standard output goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Target {
    /// A file or another program.
    Pipe,
    /// A person's screen, so many characters wide.
    Terminal { width: usize },
}

impl Target {
    /// What standard output is.
    pub(crate) fn of_stdout() -> Self {
        let stdout = io::stdout();
        if !stdout.is_terminal() {
            return Self::Pipe;
        }
        let size = rustix::termios::tcgetwinsize(&stdout);
        let width = size.map_or(0, |size| usize::from(size.ws_col));
        Self::Terminal {
            width: if width == 0 { WIDTH_DEFAULT } else { width },
        }
    }
}

/// Writes to standard output. A reader that has gone away, as `head` does, is no error.
///
/// # Errors
///
/// Why not all of it could be written.
pub(crate) fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a line to standard error, after the name of the program.
///
/// Nothing can be done about a failure, since this is where it would be told.
pub(crate) fn say(line: &str) {
    let line = text::visible(line);
    let _: io::Result<()> = writeln!(io::stderr().lock(), "hermes: {line}");
}

/// Writes what belongs to the line before.
pub(crate) fn say_more(line: &str) {
    let line = text::visible(line);
    let _: io::Result<()> = writeln!(io::stderr().lock(), "  {line}");
}
