//! What must hold at the end of a transcript.

use std::collections::HashSet;
use std::time::Duration;

use mcp_client::{Error, Reply};
use mcp_types::{CallToolResult, ContentBlock};
use serde::Deserialize;
use serde_json::Value;

use super::action::{Done, Got, Outcome};
use super::kind::Kind;
use super::requests::{hold_gaps, hold_header, hold_origin};
use crate::http::Stream;

/// One check; `of` names an action as `connect`, `list_tools`, `call 1`, `call last`, `close`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "check", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Check {
    /// The connection stood at the end.
    Alive,
    /// Every call gave a result.
    AllCallsOk,
    /// A request of the server was answered: with which member and code.
    Answered {
        id: Value,
        with: String,
        #[serde(default)]
        code: Option<i64>,
    },
    /// So many replies were given up by the client before their end; HTTP only.
    Dropped { of: String, exactly: usize },
    /// An action failed in this way.
    Error { of: String, kind: Kind },
    /// Requests did not follow each other faster than this, in milliseconds; HTTP only.
    Gaps { of: String, least: u64 },
    /// Every request of a kind, or the one with this number, had a header with this value, or had
    /// it not; HTTP only.
    Header {
        of: String,
        #[serde(default)]
        nth: Option<usize>,
        name: String,
        equal: Option<String>,
    },
    /// Our requests have different ids, all integers that any language can hold.
    Ids,
    /// The kinds of a result's content.
    Kinds { of: String, equal: Vec<String> },
    /// No line of the log is longer.
    LogLines { most: usize },
    /// The log has a text, or has it not.
    Log { text: String, has: bool },
    /// A message of a method never had this member.
    NeverMember { method: String, path: String },
    /// No process was left after an attempt to connect failed, or after closing.
    NothingLeft,
    /// An action gave a result.
    Ok { of: String },
    /// Nothing was sent to another origin; HTTP only.
    OneOrigin,
    /// A part of the result as it came.
    RawHas { of: String, text: String },
    /// The text of an error.
    Says { of: String, text: String },
    /// How often the server got a method; over HTTP also `GET`, `DELETE`, or any with a path.
    Seen {
        method: String,
        #[serde(default)]
        exactly: Option<usize>,
        #[serde(default)]
        most: Option<usize>,
    },
    /// How many answers we gave.
    SeenAnswers { exactly: usize },
    /// How many processes were started.
    Spawns { most: usize },
    /// The structured content of a result.
    Structured { of: String, equal: Value },
    /// The text blocks of a result, one per line.
    Text { of: String, equal: String },
    /// The length of that text.
    TextLen { of: String, equal: usize },
    /// The tools known at the end.
    Tools { equal: Vec<String> },
    /// How long an action took, in milliseconds.
    Took {
        of: String,
        #[serde(default)]
        least: u64,
        most: u64,
    },
}

impl Check {
    /// What is wrong, if the check does not hold.
    pub(super) fn fault(&self, outcome: &Outcome) -> Option<String> {
        self.hold(outcome)
            .err()
            .map(|why| format!("{self:?}: {why}"))
    }

    fn hold(&self, outcome: &Outcome) -> Result<(), String> {
        match self {
            Self::Ok { .. } | Self::Error { .. } | Self::Says { .. } | Self::Took { .. } => {
                self.hold_of_action(outcome)
            }
            Self::Kinds { .. }
            | Self::RawHas { .. }
            | Self::Structured { .. }
            | Self::Text { .. }
            | Self::TextLen { .. } => self.hold_of_result(outcome),
            Self::Alive => holds(outcome.is_alive, "it was gone"),
            Self::AllCallsOk => {
                let mut calls = outcome
                    .done
                    .iter()
                    .filter(|done| done.name.starts_with("call "));
                let failed = calls.find(|done| done.result.is_err());
                holds(failed.is_none(), format!("{failed:?}"))
            }
            Self::Answered { id, with, code } => {
                let answer = outcome
                    .record
                    .answer_to(&id.to_string())
                    .ok_or("no answer")?;
                let has = answer.at(with).is_some();
                let found = answer.at("error.code").and_then(Value::as_i64);
                holds(has && (code.is_none() || found == *code), &answer.text)
            }
            Self::Ids => hold_ids(outcome),
            Self::Dropped { of, exactly } => {
                let dropped = outcome
                    .requests_of(of)
                    .filter(|request| request.stream == Stream::Dropped)
                    .count();
                holds(dropped == *exactly, dropped)
            }
            Self::Gaps { of, least } => hold_gaps(outcome, of, Duration::from_millis(*least)),
            Self::Header {
                of,
                nth,
                name,
                equal,
            } => hold_header(outcome, of, *nth, name, equal.as_deref()),
            Self::OneOrigin => hold_origin(outcome),
            Self::LogLines { most } => {
                let longest = outcome.log.lines().map(str::len).max().unwrap_or(0);
                holds(longest <= *most, longest)
            }
            Self::Log { text, has } => holds(outcome.log.contains(text) == *has, &outcome.log),
            Self::NeverMember { method, path } => {
                let messages = outcome.record.of(method);
                let found = messages.iter().find(|message| message.at(path).is_some());
                holds(
                    !messages.is_empty() && found.is_none(),
                    format!("{found:?}"),
                )
            }
            Self::NothingLeft => holds(outcome.leftovers.is_empty(), outcome.leftovers.join(", ")),
            Self::Seen {
                method,
                exactly,
                most,
            } => {
                let seen = outcome.seen(method);
                let fits = exactly.is_none_or(|times| seen == times)
                    && most.is_none_or(|times| seen <= times);
                holds(fits, seen)
            }
            Self::SeenAnswers { exactly } => {
                let seen = outcome
                    .record
                    .heard()
                    .filter(|message| message.is_answer())
                    .count();
                holds(seen == *exactly, seen)
            }
            Self::Spawns { most } => holds(outcome.spawns <= *most, outcome.spawns),
            Self::Tools { equal } => holds(outcome.tools == *equal, format!("{:?}", outcome.tools)),
        }
    }

    fn hold_of_action(&self, outcome: &Outcome) -> Result<(), String> {
        match self {
            Self::Ok { of } => {
                let done = find(outcome, of)?;
                holds(done.result.is_ok(), format!("{:?}", done.result))
            }
            Self::Error { of, kind } => {
                let error = error_of(outcome, of)?;
                holds(kind.fits(error), format!("{error:?}"))
            }
            Self::Says { of, text } => {
                let said = error_of(outcome, of)?.to_string();
                holds(said.contains(text), said)
            }
            Self::Took { of, least, most } => {
                let took = find(outcome, of)?.took;
                let bounds = Duration::from_millis(*least)..=Duration::from_millis(*most);
                holds(bounds.contains(&took), format!("{took:?}"))
            }
            _ => Err("is about something else".to_owned()),
        }
    }

    fn hold_of_result(&self, outcome: &Outcome) -> Result<(), String> {
        match self {
            Self::Kinds { of, equal } => {
                let content = &result_of(outcome, of)?.value.content;
                let kinds: Vec<_> = content.iter().map(ContentBlock::kind).collect();
                holds(kinds == *equal, format!("{kinds:?}"))
            }
            Self::RawHas { of, text } => {
                let raw = result_of(outcome, of)?.raw.as_bytes();
                let raw = String::from_utf8_lossy(&raw);
                holds(raw.contains(text), raw)
            }
            Self::Structured { of, equal } => {
                let structured = result_of(outcome, of)?.value.structured_content.as_ref();
                let text = structured.ok_or("no structured content")?.as_str();
                let found: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
                holds(found == *equal, text)
            }
            Self::Text { of, equal } => {
                let text = text_of(outcome, of)?;
                holds(text == *equal, format!("{text:?}"))
            }
            Self::TextLen { of, equal } => {
                let len = text_of(outcome, of)?.len();
                holds(len == *equal, len)
            }
            _ => Err("is about something else".to_owned()),
        }
    }
}

pub(super) fn holds(is_so: bool, otherwise: impl ToString) -> Result<(), String> {
    if is_so {
        Ok(())
    } else {
        Err(otherwise.to_string())
    }
}

fn hold_ids(outcome: &Outcome) -> Result<(), String> {
    let requests = outcome
        .record
        .heard()
        .filter(|message| message.method().is_some());
    let ids: Vec<String> = requests.filter_map(crate::record::Message::id).collect();
    let different: HashSet<&String> = ids.iter().collect();
    holds(different.len() == ids.len(), "an id was used twice")?;
    let unsafe_one = ids.iter().find(|id| {
        id.parse::<i64>()
            .map_or(true, |id| id.unsigned_abs() > 9_007_199_254_740_991)
    });
    holds(unsafe_one.is_none(), format!("{unsafe_one:?}"))
}

fn find<'a>(outcome: &'a Outcome, of: &str) -> Result<&'a Done, String> {
    let found = match of {
        "call last" => outcome
            .done
            .iter()
            .rfind(|done| done.name.starts_with("call ")),
        of => outcome.done.iter().rfind(|done| done.name == of),
    };
    found.ok_or_else(|| format!("there was no {of}"))
}

fn error_of<'a>(outcome: &'a Outcome, of: &str) -> Result<&'a Error, String> {
    find(outcome, of)?
        .result
        .as_ref()
        .err()
        .ok_or_else(|| "it did not fail".to_owned())
}

fn result_of<'a>(outcome: &'a Outcome, of: &str) -> Result<&'a Reply<CallToolResult>, String> {
    match &find(outcome, of)?.result {
        Ok(Got::Called(reply)) => Ok(reply),
        Ok(got) => Err(format!("{got:?}")),
        Err(error) => Err(error.to_string()),
    }
}

fn text_of(outcome: &Outcome, of: &str) -> Result<String, String> {
    let content = &result_of(outcome, of)?.value.content;
    let texts: Vec<_> = content.iter().filter_map(ContentBlock::as_text).collect();
    Ok(texts.join("\n"))
}
