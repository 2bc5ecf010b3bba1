//! Which scenarios our client must pass, at which wire versions, and which wait for something.
//!
//! The suite's own list is held against this table, so that a scenario that comes, goes or changes
//! its versions with another release of the suite is told of.

use std::collections::BTreeSet;
use std::fmt;

const LEGACY_3: &str = "2025-06-18";
const LEGACY_4: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// A scenario at a wire version, and what passing it means.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) scenario: &'static str,
    pub(super) version: &'static str,
    /// How many checks pass; fewer means that the client has not done all that is judged.
    pub(super) passes: usize,
    /// How many checks the suite skips, whatever a client does.
    pub(super) skips: usize,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.scenario, self.version)
    }
}

const fn pair(scenario: &'static str, version: &'static str, passes: usize) -> Pair {
    Pair {
        scenario,
        version,
        passes,
        skips: 0,
    }
}

pub(super) const PAIRS: &[Pair] = &[
    pair("initialize", LEGACY_3, 1),
    pair("initialize", LEGACY_4, 1),
    pair("tools_call", LEGACY_3, 2),
    pair("tools_call", LEGACY_4, 2),
    pair("tools_call", MODERN, 2),
    pair("elicitation-sep1034-client-defaults", LEGACY_4, 5),
    pair("sse-retry", LEGACY_4, 3),
    pair("request-metadata", MODERN, 8),
    pair("sep-2322-client-request-state", MODERN, 5),
    Pair {
        // It would look at the handshake too, which its own wire version does not have.
        skips: 2,
        ..pair("http-standard-headers", MODERN, 9)
    },
    pair("http-custom-headers", MODERN, 18),
    pair("http-invalid-tool-headers", MODERN, 12),
    pair("json-schema-ref-no-deref", MODERN, 1),
    pair("json-schema-2020-12-preservation", LEGACY_4, 9),
    pair("json-schema-2020-12-preservation", MODERN, 9),
];

/// Scenarios that are left out, by how their names begin, and what they wait for.
pub(super) const LEFT_OUT: &[(&str, &str)] = &[
    ("auth/", "OAuth is not there yet"),
    (
        "sep-2640-",
        "skills are an extension that the client does not have",
    ),
];

/// Which scenarios of the suite each reason leaves out, as `(beginning, reason, pairs)`.
pub(super) type LeftOut = Vec<(&'static str, &'static str, usize)>;

/// Holds what `conformance list --client` prints against the table; the error names each
/// difference.
pub(super) fn compare(listing: &str) -> Result<LeftOut, String> {
    let theirs = listed(listing);
    let ours: BTreeSet<(String, String)> = PAIRS
        .iter()
        .map(|pair| (pair.scenario.to_owned(), pair.version.to_owned()))
        .collect();
    let reason = |name: &str| LEFT_OUT.iter().find(|(start, _)| name.starts_with(start));
    let mut differences = Vec::new();
    for (name, version) in ours.difference(&theirs) {
        differences.push(format!("the suite no longer has {name} {version}"));
    }
    for (name, version) in theirs.difference(&ours) {
        if reason(name).is_none() {
            differences.push(format!("the table does not have {name} {version}"));
        }
    }
    if !differences.is_empty() {
        return Err(differences.join("\n"));
    }
    let count = |start: &str| {
        let waiting = theirs.iter().filter(|(name, _)| name.starts_with(start));
        waiting.count()
    };
    let left_out = LEFT_OUT.iter();
    Ok(left_out
        .map(|(start, reason)| (*start, *reason, count(start)))
        .collect())
}

/// The scenarios of lines like `  - name [2025-06-18,2025-11-25]`, each with each of its versions.
fn listed(listing: &str) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    for line in listing.lines() {
        let Some((name, versions)) = line
            .trim()
            .strip_prefix("- ")
            .and_then(|line| line.strip_suffix(']')?.split_once(" ["))
        else {
            continue;
        };
        for version in versions.split(',') {
            pairs.insert((name.to_owned(), version.to_owned()));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list as the suite prints it, of what is in the table and `more`.
    fn listing(more: &str) -> String {
        let lines: Vec<String> = PAIRS
            .iter()
            .map(|pair| format!("  - {} [{}]\n", pair.scenario, pair.version))
            .collect();
        format!("Client scenarios:\n{}{more}", lines.concat())
    }

    #[test]
    fn what_is_left_out_is_counted_by_its_reason() {
        let more = format!(
            "  - auth/a [{LEGACY_4},{MODERN}]\n  - auth/b [extension]\n  - sep-2640-c [extension]\n"
        );
        let left_out = compare(&listing(&more)).unwrap();
        let counts: Vec<usize> = left_out.iter().map(|(_, _, count)| *count).collect();
        assert_eq!(counts, [3, 1]);
    }

    #[test]
    fn a_scenario_that_comes_or_goes_is_named() {
        let error = compare(&listing("  - novel [2026-07-28]\n")).unwrap_err();
        assert_eq!(error, "the table does not have novel 2026-07-28");
        let gone = listing("").replace("  - tools_call [2026-07-28]\n", "");
        let error = compare(&gone).unwrap_err();
        assert_eq!(error, "the suite no longer has tools_call 2026-07-28");
        assert!(compare("").unwrap_err().lines().count() == PAIRS.len());
    }
}
