//! Records, and what many calls are counted as.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use mcp_transport::redact::Redactor;

use super::*;
use crate::name::ServerName;

fn record(outcome: UsageOutcome) -> UsageRecord {
    UsageRecord {
        server: ServerName::new("files").unwrap(),
        tool: "read \"it\"\n".to_owned(),
        name: None,
        view: None,
        at: UNIX_EPOCH + Duration::from_millis(1_767_225_600_250),
        queued: Duration::ZERO,
        took: None,
        outcome,
        outcome_uncertain: false,
        sent: None,
        received: None,
    }
}

fn sample(outcome: UsageOutcome) -> Sample {
    Sample {
        outcome,
        took: Some(Duration::from_millis(10)),
        outcome_uncertain: false,
        sent: Some(2),
        received: Some(5),
    }
}

fn note(meter: &mut Meter, tool: &str, sample: &Sample) {
    meter.note(&Arc::from(tool), sample);
}

#[test]
fn a_record_is_one_line_without_what_is_not_known() {
    let full = UsageRecord {
        name: Some("mcp_files_read".to_owned()),
        view: Some("worker".into()),
        queued: Duration::from_nanos(1_999_999),
        took: Some(Duration::from_micros(1_500_001)),
        outcome_uncertain: true,
        sent: Some(14),
        received: Some(0),
        ..record(UsageOutcome::Failed("deadline"))
    };
    for (record, expected) in [
        (
            record(UsageOutcome::Refused("parked")),
            r#"{"at":1767225600.25,"server":"files","tool":"read \"it\"\n","outcome":"refused","error":"parked","queued_seconds":0.0}"#,
        ),
        (
            full,
            r#"{"at":1767225600.25,"server":"files","tool":"read \"it\"\n","name":"mcp_files_read","view":"worker","outcome":"failed","error":"deadline","outcome_uncertain":true,"queued_seconds":0.001999,"took_seconds":1.500001,"sent_bytes":14,"received_bytes":0}"#,
        ),
    ] {
        assert_eq!(record.to_json(), expected);
    }
}

#[test]
fn each_call_is_counted_as_what_it_came_to() {
    let mut meter = Meter::default();
    let refused = Sample {
        took: None,
        sent: None,
        received: None,
        ..sample(UsageOutcome::Refused("parked"))
    };
    let uncertain = Sample {
        outcome_uncertain: true,
        received: None,
        ..sample(UsageOutcome::Failed("deadline"))
    };
    for (tool, sample) in [
        ("a", sample(UsageOutcome::Answered)),
        ("a", sample(UsageOutcome::Answered)),
        ("b", sample(UsageOutcome::ToolError)),
        ("b", uncertain),
        ("b", refused),
        ("b", refused),
        ("a", sample(UsageOutcome::Abandoned)),
    ] {
        note(&mut meter, tool, &sample);
    }
    let all = meter.usage();
    assert_eq!((all.calls, all.answered, all.tool_errors), (7, 2, 1));
    assert_eq!((all.failed, all.refused, all.abandoned), (1, 2, 1));
    assert_eq!(all.outcome_uncertain, 1);
    assert_eq!(all.errors, [("deadline", 1), ("parked", 2)].into());
    assert_eq!(all.error_rate, Some(0.5));
    assert_eq!(all.latency.unwrap().count, 4);
    assert_eq!((all.sent, all.received), (10, 20));
    let tools = meter.tools(&Redactor::new());
    let counted: Vec<_> = tools
        .iter()
        .map(|one| (one.tool.as_deref(), one.usage.calls))
        .collect();
    assert_eq!(counted, [(Some("a"), 3), (Some("b"), 4)]);
}

#[test]
fn what_was_only_refused_has_neither_an_error_rate_nor_a_latency() {
    let mut meter = Meter::default();
    let refused = Sample {
        took: None,
        ..sample(UsageOutcome::Refused("disabled"))
    };
    note(&mut meter, "a", &refused);
    let usage = meter.usage();
    assert_eq!((usage.error_rate, usage.latency), (None, None));
}

#[test]
fn tools_past_the_bound_and_those_with_long_names_are_counted_together() {
    let mut meter = Meter::default();
    let answered = sample(UsageOutcome::Answered);
    note(&mut meter, &"n".repeat(257), &answered);
    for number in 0..256 {
        note(&mut meter, &format!("{number:03}"), &answered);
    }
    let tools = meter.tools(&Redactor::new());
    assert_eq!(tools.len(), 257);
    assert_eq!(tools.last().unwrap().tool, None);
    assert_eq!(tools.last().unwrap().usage.calls, 1);
    note(&mut meter, "one too many", &answered);
    note(&mut meter, "007", &answered);
    let tools = meter.tools(&Redactor::new());
    assert_eq!(tools.last().unwrap().usage.calls, 2);
    assert_eq!(tools[7].usage.calls, 2);
    assert_eq!(meter.usage().calls, 259);
}

#[test]
fn a_secret_in_the_name_of_a_tool_is_hidden() {
    let mut meter = Meter::default();
    note(
        &mut meter,
        "read_hunter2hunter2",
        &sample(UsageOutcome::Answered),
    );
    let redactor = Redactor::new().with_secrets(["hunter2hunter2".to_owned()]);
    let [tool] = &*meter.tools(&redactor) else {
        panic!("one tool was called")
    };
    assert_eq!(tool.tool.as_deref(), Some("read_[REDACTED]"));
}

#[test]
fn many_kinds_of_errors_are_counted_up_to_a_bound() {
    // Codes live as long as the program, so these are too.
    const CODES: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut meter = Meter::default();
    for place in 0..CODES.len() {
        let code = CODES.get(place..=place).unwrap();
        note(&mut meter, "a", &sample(UsageOutcome::Failed(code)));
    }
    let errors = meter.usage().errors;
    assert_eq!(errors.len(), 49);
    assert_eq!(errors["other"], 62 - 48);
}

#[test]
fn records_are_appended_line_by_line_and_a_file_that_cannot_be_written_fails_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("usage.jsonl");
    let log = UsageLog::new(&path);
    log.append(&record(UsageOutcome::Answered));
    log.append(&record(UsageOutcome::ToolError));
    let text = fs::read_to_string(path).unwrap();
    let outcomes: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(outcomes.len(), 2);
    assert_eq!(outcomes[1]["outcome"], "tool_error");
    UsageLog::new("/no/such/folder/log").append(&record(UsageOutcome::Answered));
}
