//! `hermes mcp reload`: has a running `watch` read its configuration now.

use serde::Deserialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::fault::Fault;
use crate::output::Report;
use crate::watch::control::{Places, Question, ask, unreadable};
use crate::watch::news::Changes;

/// What a `watch` answers: the changes, or an error in their place.
#[derive(Deserialize)]
struct Answer {
    error: Option<Failure>,
    #[serde(flatten)]
    changes: Changes,
    problems: Vec<Fault>,
}

/// # Errors
///
/// If no `watch` runs, or if it does not answer.
pub(crate) async fn run(places: &Places, is_json: bool) -> Result<Report, Failure> {
    let Some(text) = ask(places, Question::Reload).await? else {
        let message = "no `hermes mcp watch` of this configuration is running";
        let suggestion = "start one; other commands read the configuration by themselves";
        return Err(Failure {
            exit: Exit::NotRunning,
            ..Failure::usage("not_running", message, suggestion)
        });
    };
    let answer: Answer = serde_json::from_str(&text).map_err(|error| unreadable(&error))?;
    let mut report = Report::default();
    if answer.problems.iter().any(Fault::is_error) {
        report.exit = Exit::Usage;
    }
    report.notes = answer.problems.iter().map(Fault::sentence).collect();
    report.text = match (is_json, &answer.error) {
        (true, _) => text,
        (false, None) => answer.changes.text() + "\n",
        (false, Some(_)) => String::new(),
    };
    Ok(match answer.error {
        Some(failure) => report.with_failure(Failure {
            exit: Exit::Usage,
            ..failure
        }),
        None => report,
    })
}
