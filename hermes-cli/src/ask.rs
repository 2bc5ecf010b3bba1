//! Questions to whoever sits at the terminal: on standard error, answered by a line.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::failure::Failure;
use crate::output::text;
use crate::settings::Settings;

/// The longest answer that is read, in bytes.
///
/// Bound: a terminal hands on lines of at most 4,096 bytes.
const ANSWER_LEN_MAX: u64 = 4_096;

/// Whether there is anybody to ask: a person who types and reads, and no program that waits.
pub(crate) fn is_possible(settings: &Settings) -> bool {
    !settings.json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a yes; anything else is a no.
///
/// # Errors
///
/// If the terminal fails.
///
/// # Cancel safety
///
/// What is typed after the future was dropped is lost.
pub(crate) async fn confirm(question: &str) -> Result<bool, Failure> {
    let answer = line(&format!("{question} [y/N] ")).await?;
    let answer = answer.unwrap_or_default().to_lowercase();
    Ok(matches!(answer.as_str(), "y" | "yes"))
}

/// Asks for a line; `None` at the end of the input.
///
/// # Errors
///
/// If the terminal fails.
///
/// # Cancel safety
///
/// What is typed after the future was dropped is lost.
pub(crate) async fn line(prompt: &str) -> Result<Option<String>, Failure> {
    let failed = |error: io::Error| {
        let message = format!("the terminal cannot be read: {error}");
        Failure::usage("terminal", message, "give what is asked for as options")
    };
    let mut stderr = io::stderr();
    let prompt = text::visible(prompt);
    write!(stderr, "{prompt}")
        .and_then(|()| stderr.flush())
        .map_err(failed)?;
    // A thread of its own waits, so that signals are heard meanwhile.
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let input = io::stdin().lock();
        let read = input.take(ANSWER_LEN_MAX).read_line(&mut line);
        read.map(|len| (len > 0).then(|| line.trim().to_owned()))
    });
    read.await
        .map_err(io::Error::other)
        .flatten()
        .map_err(failed)
}

/// Asks for a line that is not shown while it is typed; `None` at the end of the input.
///
/// # Errors
///
/// If the terminal fails.
///
/// # Cancel safety
///
/// The terminal shows again what is typed as soon as the future is dropped.
pub(crate) async fn secret(prompt: &str) -> Result<Option<String>, Failure> {
    let _hidden = Hidden::new();
    line(prompt).await
}

/// A terminal that does not show what is typed, until this is dropped.
struct Hidden(Termios);

impl Hidden {
    /// Hides what is typed from now on, if the terminal can do that.
    fn new() -> Option<Self> {
        let before = tcgetattr(io::stdin()).ok()?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ECHO);
        // The line break is shown all the same, or the next line would stand behind the question.
        modes.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Now, &modes).ok()?;
        Some(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // There is nobody to tell of a terminal that has gone.
        let _: rustix::io::Result<()> = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
