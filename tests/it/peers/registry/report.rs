//! What was seen, as a table for a person.

use std::time::Duration;

use super::calls::Ends;
use super::watch::Return;

/// One loss of one server.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) server: String,
    /// What it was doing.
    pub(super) when: &'static str,
    /// Whether the call that ran may be made again by what the server says of its tool.
    pub(super) may_run_twice: bool,
    pub(super) ends: Ends,
    /// From its death to the end of the call that ran, unless that was answered.
    pub(super) failed_after: Option<Duration>,
    pub(super) returned: Return,
    /// From its death until it was connected again.
    pub(super) back_after: Duration,
}

#[expect(clippy::print_stdout, reason = "it is there to be read")]
pub(super) fn print(trials: &[Trial]) {
    println!(
        "\n{:<20} {:<9} {:<5} {:>8} {:>5} {:>6} {:>8} {:>8}  {:<15} {:>7}",
        "server",
        "killed",
        "twice",
        "answered",
        "lost",
        "unsent",
        "ended s",
        "attempts",
        "waited s",
        "back s"
    );
    for trial in trials {
        let Trial { ends, returned, .. } = trial;
        let waits = returned.waits.iter().copied().map(seconds);
        println!(
            "{:<20} {:<9} {:<5} {:>8} {:>5} {:>6} {:>8} {:>8}  {:<15} {:>7}",
            trial.server,
            trial.when,
            if trial.may_run_twice { "may" } else { "" },
            ends.answered,
            ends.lost,
            ends.unsent,
            trial.failed_after.map(seconds).unwrap_or_default(),
            returned.attempts,
            waits.collect::<Vec<_>>().join(" "),
            seconds(trial.back_after),
        );
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64())
}
