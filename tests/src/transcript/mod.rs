//! Transcripts: a server's script, what the client does, and what must come of it, in one file.
//!
//! ```text
//!   {"title": …}                       what is shown
//!   {"client": …}                      options of the client
//!   {"wait": …} {"say": …} …           the server's steps, see `step`
//!   {"do": …}                          the client's actions, see `action`
//!   {"check": …}                       what must hold at the end, see `check`
//! ```

mod action;
mod check;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_transport::Limits;
use mcp_transport::process::Grace;
use serde::Deserialize;

use self::action::{Action, Run};
use self::check::Check;
use crate::stage::{Stage, builder, until};

/// A transcript without its server's steps.
#[derive(Debug, Default)]
struct Transcript {
    options: Options,
    actions: Vec<Action>,
    checks: Vec<Check>,
}

/// Options of the client; times are in milliseconds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    call_timeout: Option<u64>,
    connect_timeout: Option<u64>,
    frame_len_max: Option<usize>,
    grace: Option<u64>,
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
                transcript.options = line.client;
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
        if transcript.actions.is_empty() || transcript.checks.is_empty() {
            return Err("nothing is done, or nothing checked".to_owned());
        }
        Ok(transcript)
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
    let read = Transcript::read(&text)?;
    // Checked here too, so that a mistake is not seen as a server that died.
    crate::step::Step::parts(&text)?;
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let result = runtime.block_on(run(server, transcript, read, &log));
    drop(guard);
    result
}

async fn run(server: &Path, path: &Path, transcript: Transcript, log: &Log) -> Result<(), String> {
    let Transcript {
        options,
        actions,
        checks,
    } = transcript;
    let stage = Stage::of_file(server, path);
    let mut run = Run::new(&stage, options);
    for action in actions {
        run.act(action).await;
    }
    let mut outcome = run.finish().await;
    outcome.log = log.text();
    // An ended process is gone once it was reaped.
    until("no process is left", || stage.processes().is_empty()).await;
    outcome.record = stage.record();
    outcome.spawns = stage.spawns();
    let mut wrong: Vec<String> = outcome
        .record
        .failures()
        .into_iter()
        .map(|why| format!("the server: {why}"))
        .collect();
    wrong.extend(checks.iter().filter_map(|check| check.fault(&outcome)));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n{}", wrong.join("\n"), outcome.story()))
}

impl Options {
    fn limits(&self) -> Limits {
        let limits = Limits::default();
        self.frame_len_max
            .map_or(limits, |len| limits.with_frame_len_max(len))
    }

    fn builder(&self) -> mcp_client::Builder {
        let mut builder = builder();
        if let Some(timeout) = self.connect_timeout {
            builder = builder.connect_timeout(Duration::from_millis(timeout));
        }
        if let Some(timeout) = self.call_timeout {
            builder = builder.call_timeout(Duration::from_millis(timeout));
        }
        builder
    }

    fn grace(&self) -> Grace {
        let Some(step) = self.grace else {
            return Grace::default();
        };
        let step = Duration::from_millis(step);
        Grace {
            stdin_closed: step,
            term: step,
            kill: step,
        }
    }
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
