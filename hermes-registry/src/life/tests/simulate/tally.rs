//! How often what happened.

use std::fmt;

/// What happened: what was done, how servers were, what they became, how calls were refused.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) steps: u64,
    counts: Vec<(&'static str, &'static str, u64)>,
}

impl Tally {
    pub(super) fn count(&mut self, group: &'static str, what: &'static str) {
        let mut counts = self.counts.iter_mut();
        match counts.find(|(other, name, _)| *other == group && *name == what) {
            Some((_, _, count)) => *count += 1,
            None => self.counts.push((group, what, 1)),
        }
    }

    pub(super) fn has(&self, group: &str, what: &str) -> bool {
        let mut counts = self.counts.iter();
        counts.any(|(other, name, _)| *other == group && *name == what)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts = self.counts.clone();
        counts.sort_by_key(|(group, name, count)| (*group, std::cmp::Reverse(*count), *name));
        writeln!(f, "{:>12} steps", self.steps)?;
        let mut lines = counts.iter();
        lines.try_for_each(|(group, name, count)| writeln!(f, "{count:>12} {group} {name}"))
    }
}
