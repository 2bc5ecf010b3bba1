//! What happens in every state on every event, as a text that is compared with `table.txt`.
//!
//! With `HERMES_MCP_BLESS` in the environment the file is written anew instead.
//! `wake` is when the life wants to be woken next, `retries` how many are used.

mod events;
mod states;

use self::events::EVENTS;
use self::states::STATES;
use super::*;
use crate::life::phase::{Condition, Goal, Phase, Then};

const TABLE: &str = include_str!("../../table.txt");

/// How a life comes into a state that is looked at.
type Way = fn() -> Rig;

/// Something that happens; `false` if it cannot, since there is no such call.
type Happening = fn(&mut Rig) -> bool;

/// Where a life stands, what it wants done, and when it wants to be woken.
fn told(rig: &mut Rig) -> String {
    let effects: Vec<String> = std::iter::from_fn(|| rig.life.poll_effect())
        .filter_map(|effect| show(&effect))
        .collect();
    let mut told = vec![place(rig)];
    if !effects.is_empty() {
        told[0] = format!("{}: {}", told[0], effects.join(", "));
    }
    let wake = rig.life.next_wake();
    told.extend(wake.map(|wake| format!("wake {}", seconds(rig, wake))));
    let retries = rig.life.retries_used;
    told.extend((retries > 0).then(|| format!("retries {retries}")));
    told.join(" | ")
}

fn seconds(rig: &Rig, time: Instant) -> String {
    let left = time.saturating_duration_since(at(rig.now));
    format!("{} s", left.as_secs_f64().round())
}

/// The state, and what distinguishes lives in the same state.
fn place(rig: &Rig) -> String {
    let state = rig.life.state();
    let then = |then: &Then| match then {
        Then::Close => "closed".to_owned(),
        Then::Disable => "disabled".to_owned(),
        Then::Idle => "idle".to_owned(),
        Then::Park(_) => "parked".to_owned(),
        Then::Recycle => "recycled".to_owned(),
        Then::Retry { at } => format!("retried in {}", seconds(rig, *at)),
    };
    match &rig.life.phase {
        Phase::Ending { then: next, .. } => format!("{state} (ending, then {})", then(next)),
        Phase::Live(live) => match &live.condition {
            Condition::Draining {
                goal: Goal::Stop(next),
                ..
            } => format!("{state} (then {})", then(next)),
            _ => state.to_string(),
        },
        Phase::Parked(Some(times)) => {
            format!("{state} (a call in {})", seconds(rig, times.call_at))
        }
        _ => state.to_string(),
    }
}

fn admitted(rig: &mut Rig) -> String {
    let admission = match rig.admit(120.0) {
        Admission::Go(started) if started.is_probe => "goes as the probe".to_owned(),
        Admission::Go(_) => "goes".to_owned(),
        Admission::Refuse(refusal) => format!("refused, {refusal}"),
        Admission::Wait(_) => "waits".to_owned(),
    };
    format!("{admission}; {}", told(rig))
}

/// One line for each event that does something in a state, and one for all others.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for (state, way) in STATES {
        lines.push(format!("{state} | call -> {}", admitted(&mut way())));
        let mut nothing = Vec::new();
        for (event, happening) in EVENTS {
            let mut rig = way();
            let before = (rig.now, told(&mut rig), rig.life.next_wake());
            if !happening(&mut rig) {
                continue;
            }
            let wake = rig.life.next_wake();
            let after = told(&mut rig);
            rig.now = before.0;
            if (told(&mut rig), wake) == (before.1, before.2) && !after.contains(':') {
                nothing.push(*event);
            } else {
                lines.push(format!("{state} | {event} -> {after}"));
            }
        }
        lines.push(format!("{state} | nothing: {}", nothing.join(", ")));
    }
    lines
}

#[test]
fn every_event_in_every_state_does_what_the_table_says() {
    let lines = lines();
    if std::env::var_os("HERMES_MCP_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/life/table.txt");
        std::fs::write(path, lines.join("\n") + "\n").expect("the table can be written");
        return;
    }
    let expected: Vec<&str> = TABLE.lines().collect();
    let gone = expected
        .iter()
        .filter(|line| !lines.iter().any(|other| other == *line))
        .map(|line| format!("- {line}"));
    let new = lines
        .iter()
        .filter(|line| !expected.contains(&line.as_str()))
        .map(|line| format!("+ {line}"));
    let difference: Vec<String> = gone.chain(new).collect();
    assert!(
        difference.is_empty() && expected.len() == lines.len(),
        "the table differs; HERMES_MCP_BLESS=1 writes it anew:\n{}",
        difference.join("\n")
    );
}
