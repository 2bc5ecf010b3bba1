//! Many calls, counted.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::latency::{Histogram, Latency};
use super::record::UsageOutcome;

/// Codes of errors that are counted one by one.
// Bound: there are some twenty codes; should there be many more, the rest is counted together.
const CODES_MAX: usize = 48;
/// Under which the rest is counted.
const REST: &str = "other";

/// What is counted of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) outcome: UsageOutcome,
    /// `None` if it was not sent.
    pub(crate) took: Option<Duration>,
    pub(crate) outcome_uncertain: bool,
    pub(crate) sent: Option<u64>,
    pub(crate) received: Option<u64>,
}

/// Calls, counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    usage: Usage,
    latency: Option<Histogram>,
}

/// How often something was called, and what came of it.
///
/// `calls` is the sum of `answered`, `tool_errors`, `failed`, `refused` and `abandoned`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// All calls that have ended.
    pub calls: u64,
    /// Those that brought a result.
    pub answered: u64,
    /// Those in which the tool reported an error of its own.
    pub tool_errors: u64,
    /// Those that were sent and brought no result.
    pub failed: u64,
    /// Those that were not sent; they count for nothing below but `errors`.
    pub refused: u64,
    /// Those whose caller did not wait for their end.
    pub abandoned: u64,
    /// Those of which it is not known whether the tool ran.
    pub outcome_uncertain: u64,
    /// How many failed or were refused, by the code of the error, as of
    /// [`crate::RegistryError::code`].
    pub errors: BTreeMap<&'static str, u64>,
    /// The share of those with `tool_errors` or `failed` in those with `answered`, `tool_errors` or
    /// `failed`, from 0 to 1; `None` if there are none of these.
    pub error_rate: Option<f64>,
    /// How long the calls took that were sent and not abandoned, without the time before they were
    /// sent; `None` if there were none.
    pub latency: Option<Latency>,
    /// Bytes of the arguments that were sent.
    #[serde(rename = "sent_bytes")]
    pub sent: u64,
    /// Bytes of the results that came as they were.
    #[serde(rename = "received_bytes")]
    pub received: u64,
}

/// How often one tool was called, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolUsage {
    /// The tool, by the name that the server uses, with credentials hidden and cut after 256 bytes;
    /// `None` for all tools together that are not counted one by one.
    pub tool: Option<String>,
    /// What is counted.
    #[serde(flatten)]
    pub usage: Usage,
}

impl Tally {
    pub(super) fn note(&mut self, sample: &Sample) {
        let usage = &mut self.usage;
        usage.calls += 1;
        *match sample.outcome {
            UsageOutcome::Abandoned => &mut usage.abandoned,
            UsageOutcome::Answered => &mut usage.answered,
            UsageOutcome::Failed(_) => &mut usage.failed,
            UsageOutcome::Refused(_) => &mut usage.refused,
            UsageOutcome::ToolError => &mut usage.tool_errors,
        } += 1;
        if let Some(code) = sample.outcome.code() {
            let has_room = usage.errors.len() < CODES_MAX || usage.errors.contains_key(code);
            let code = if has_room { code } else { REST };
            *usage.errors.entry(code).or_default() += 1;
        }
        usage.outcome_uncertain += u64::from(sample.outcome_uncertain);
        usage.sent += sample.sent.unwrap_or_default();
        usage.received += sample.received.unwrap_or_default();
        if let Some(took) = sample.took
            && sample.outcome != UsageOutcome::Abandoned
        {
            self.latency.get_or_insert_default().note(took);
        }
    }

    /// What is counted by now.
    pub(super) fn usage(&self) -> Usage {
        let bad = self.usage.tool_errors + self.usage.failed;
        Usage {
            error_rate: share(bad, bad + self.usage.answered),
            latency: self.latency.as_ref().and_then(Histogram::summary),
            ..self.usage.clone()
        }
    }
}

/// The part of the whole, from 0 to 1; `None` of nothing.
fn share(part: u64, whole: u64) -> Option<f64> {
    // Numbers that a float does not hold are brought down together; the share stays.
    let excess = u64::BITS
        .saturating_sub(whole.leading_zeros())
        .saturating_sub(u32::BITS);
    let number = |count: u64| u32::try_from(count >> excess).ok().map(f64::from);
    let (part, whole) = (number(part)?, number(whole)?);
    (whole > 0.0).then(|| part / whole)
}
