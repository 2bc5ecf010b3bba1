//! Transcripts: a server's script, what the client does, and what must come of it, in one file.
//!
//! ```text
//!   {"title": …}                       what is shown
//!   {"client": …}                      options of the client
//!   {"wait": …} {"say": …} …           the server's steps, see `step`; over HTTP its rules
//!   {"do": …}                          the client's actions, see `action`
//!   {"check": …}                       what must hold at the end, see `check`
//!   {"variant": …}                     over HTTP: what follows goes before, or instead
//! ```

mod action;
mod check;
mod far;
mod kind;
mod options;
mod requests;
mod variants;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use self::action::{Action, Run};
use self::check::Check;
use self::far::Far;
use self::options::Options;
pub use self::variants::play_http;
use crate::stage::{Stage, until};

/// A transcript without its server's steps.
#[derive(Debug, Default)]
struct Transcript {
    options: Option<Options>,
    actions: Vec<Action>,
    checks: Vec<Check>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Title {
    #[serde(rename = "title")]
    _title: String,
    #[serde(rename = "case")]
    _case: String,
    #[serde(rename = "reports")]
    _reports: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClientLine {
    client: Options,
}

impl Transcript {
    fn read(text: &str) -> Result<Self, String> {
        let mut transcript = Self::default();
        for (number, line) in text.lines().enumerate() {
            let fail = |error: serde_json::Error| format!("line {}: {error}", number + 1);
            if line.starts_with("{\"title\"") {
                let _: Title = serde_json::from_str(line).map_err(fail)?;
            } else if line.starts_with("{\"client\"") {
                let line: ClientLine = serde_json::from_str(line).map_err(fail)?;
                transcript.options = Some(line.client);
            } else if line.starts_with("{\"do\"") {
                transcript
                    .actions
                    .push(serde_json::from_str(line).map_err(fail)?);
            } else if line.starts_with("{\"check\"") {
                transcript
                    .checks
                    .push(serde_json::from_str(line).map_err(fail)?);
            }
        }
        Ok(transcript)
    }

    /// This transcript, if it does and checks anything.
    fn checked(self) -> Result<Self, String> {
        if self.actions.is_empty() || self.checks.is_empty() {
            return Err("nothing is done, or nothing checked".to_owned());
        }
        Ok(self)
    }

    /// This transcript, with what it lacks as `other` has it.
    fn or(self, other: &Self) -> Self {
        let or = |own: Vec<_>, others: &[_]| {
            if own.is_empty() { others.to_vec() } else { own }
        };
        Self {
            options: self.options.or_else(|| other.options.clone()),
            actions: if self.actions.is_empty() {
                other.actions.clone()
            } else {
                self.actions
            },
            checks: or(self.checks, &other.checks),
        }
    }
}

/// Plays a transcript with `server` as the program `fake-server`.
///
/// # Errors
///
/// Everything that was not as the transcript says.
///
/// # Panics
///
/// If something that must happen does not happen in time.
pub fn play(server: &Path, transcript: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(transcript).map_err(|error| error.to_string())?;
    let read = Transcript::read(&text)?.checked()?;
    // Checked here too, so that a mistake is not seen as a server that died.
    crate::step::Step::parts(&text)?;
    in_runtime(false, async |log: &Log| {
        let stage = Stage::of_file(server, transcript);
        run(Far::Process(&stage), read, log).await
    })
}

/// Runs something in a runtime of its own, with what is logged.
fn in_runtime(
    is_paused: bool,
    run: impl AsyncFnOnce(&Log) -> Result<(), String>,
) -> Result<(), String> {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(is_paused)
        .build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let result = runtime.block_on(run(&log));
    drop(guard);
    result
}

async fn run(far: Far<'_>, transcript: Transcript, log: &Log) -> Result<(), String> {
    let Transcript {
        options,
        actions,
        checks,
    } = transcript;
    let mut run = Run::new(far, options.unwrap_or_default());
    for action in actions {
        run.act(action).await;
    }
    let mut outcome = run.finish().await;
    outcome.log = log.text();
    // An ended process is gone once it was reaped.
    until("no process is left", || far.processes().is_empty()).await;
    outcome.record = far.record();
    match far {
        Far::Http(server) => outcome.requests = server.heard(),
        Far::Process(stage) => outcome.spawns = stage.spawns(),
    }
    let failures = outcome.record.failures();
    let mut wrong: Vec<String> = failures
        .into_iter()
        .map(|why| format!("the server: {why}"))
        .collect();
    wrong.extend(outcome.open_streams());
    wrong.extend(checks.iter().filter_map(|check| check.fault(&outcome)));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n{}", wrong.join("\n"), outcome.story()))
}

/// What was logged.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
