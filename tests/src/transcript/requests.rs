//! What must hold of the requests that a server got over HTTP.

use std::time::Duration;

use super::action::Outcome;
use super::check::holds;
use crate::http::{Heard, ORIGIN, Stream};

impl Outcome {
    pub(super) fn requests_of(&self, kind: &str) -> impl Iterator<Item = &Heard> {
        self.requests.iter().filter(move |heard| heard.is(kind))
    }

    /// How often something came: a method, or a kind of request.
    pub(super) fn seen(&self, kind: &str) -> usize {
        if self.requests.is_empty() {
            self.record.of(kind).len()
        } else {
            self.requests_of(kind).count()
        }
    }

    /// The replies that are neither at their end nor given up.
    pub(super) fn open_streams(&self) -> Vec<String> {
        let open = self
            .requests
            .iter()
            .filter(|heard| heard.stream == Stream::Open);
        open.map(|heard| format!("the reply to {} {} is still open", heard.method, heard.url))
            .collect()
    }
}

pub(super) fn hold_gaps(outcome: &Outcome, of: &str, least: Duration) -> Result<(), String> {
    let times: Vec<_> = outcome.requests_of(of).map(|heard| heard.at).collect();
    let gaps = times.windows(2).filter_map(|pair| match pair {
        [earlier, later] => Some(later.duration_since(*earlier)),
        _ => None,
    });
    let shortest = gaps.min();
    holds(
        shortest.is_some_and(|gap| gap >= least),
        format!("{shortest:?}"),
    )
}

pub(super) fn hold_header(
    outcome: &Outcome,
    of: &str,
    nth: Option<usize>,
    name: &str,
    equal: Option<&str>,
) -> Result<(), String> {
    let meant: Vec<_> = outcome
        .requests_of(of)
        .enumerate()
        .filter(|(at, _heard)| nth.is_none_or(|nth| nth == at + 1))
        .map(|(_at, heard)| heard.header(name))
        .collect();
    holds(
        !meant.is_empty() && meant.iter().all(|value| *value == equal),
        format!("{meant:?}"),
    )
}

pub(super) fn hold_origin(outcome: &Outcome) -> Result<(), String> {
    let elsewhere = outcome.requests.iter().find(|heard| {
        let url = heard.url.to_string();
        url.strip_prefix(ORIGIN)
            .is_none_or(|path| !path.starts_with('/'))
    });
    holds(elsewhere.is_none(), format!("{elsewhere:?}"))
}
