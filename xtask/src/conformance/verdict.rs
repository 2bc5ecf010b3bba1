//! What became of a scenario, by the checks that the suite wrote down.
//!
//! The suite's own verdict is laxer: a client that does nothing passes where nothing is counted.

use serde_json::Value;

use super::table::Pair;

/// The checks of a scenario, added up.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) passes: usize,
    /// What is wrong, each as `check: message`; a scenario without any has passed.
    pub(super) complaints: Vec<String>,
}

/// Judges the checks of one run, as read from `checks.json`.
pub(super) fn judge(pair: &Pair, checks: &Value) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(checks) = checks.as_array() else {
        verdict.complaints.push("the checks are no list".to_owned());
        return verdict;
    };
    let mut skipped = Vec::new();
    for check in checks {
        match check["status"].as_str() {
            Some("SUCCESS") => verdict.passes += 1,
            Some("SKIPPED") => skipped.push(told(check)),
            // What was sent and received, for people.
            Some("INFO") => {}
            _ => verdict.complaints.push(told(check)),
        }
    }
    if verdict.passes < pair.passes.max(1) {
        let what = format!("{} checks passed, not {}", verdict.passes, pair.passes);
        verdict.complaints.push(what);
    }
    if skipped.len() > pair.skips {
        verdict.complaints.append(&mut skipped);
    }
    verdict
}

/// A check in one line.
fn told(check: &Value) -> String {
    let text = |member: &str| check[member].as_str();
    let message = text("errorMessage")
        .or_else(|| check["details"]["message"].as_str())
        .or_else(|| text("description"))
        .unwrap_or_default();
    let id = text("id").unwrap_or("a check without id");
    let name = text("name").unwrap_or_default();
    let status = text("status").unwrap_or("a check without status");
    format!("{status} {id} ({name}): {}", message.replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(status: &str) -> Value {
        json!({"id": "c", "name": "C", "status": status, "errorMessage": "oh\nno"})
    }

    fn judged(statuses: &[&str], passes: usize, skips: usize) -> Verdict {
        let pair = Pair {
            scenario: "s",
            version: "v",
            passes,
            skips,
        };
        judge(
            &pair,
            &statuses.iter().map(|status| check(status)).collect(),
        )
    }

    #[test]
    fn successes_are_counted_and_traffic_is_not() {
        let verdict = judged(&["INFO", "SUCCESS", "SUCCESS"], 2, 0);
        assert_eq!((verdict.passes, verdict.complaints.len()), (2, 0));
    }

    #[test]
    fn failures_warnings_and_unknown_statuses_are_told_with_their_check() {
        for status in ["FAILURE", "WARNING", "NEW"] {
            let verdict = judged(&["SUCCESS", status], 1, 0);
            assert_eq!(verdict.complaints, [format!("{status} c (C): oh no")]);
        }
    }

    #[test]
    fn nothing_checked_is_no_success() {
        assert_eq!(judged(&[], 0, 0).complaints.len(), 1);
        assert_eq!(judged(&["INFO"], 1, 0).complaints.len(), 1);
        assert_eq!(judged(&["SUCCESS"], 2, 0).complaints.len(), 1);
    }

    #[test]
    fn a_check_may_be_skipped_only_where_the_table_says_so() {
        assert!(judged(&["SUCCESS", "SKIPPED"], 1, 1).complaints.is_empty());
        let verdict = judged(&["SUCCESS", "SKIPPED"], 1, 0);
        assert_eq!(verdict.complaints, ["SKIPPED c (C): oh no"]);
    }

    #[test]
    fn what_is_no_list_of_checks_is_no_success() {
        let pair = Pair {
            scenario: "s",
            version: "v",
            passes: 1,
            skips: 0,
        };
        assert_eq!(judge(&pair, &json!({})).complaints.len(), 1);
        assert_eq!(judge(&pair, &json!([{}])).complaints.len(), 2);
    }
}
