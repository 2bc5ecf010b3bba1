//! A recording as a server, without I/O: frames in, frames out.
//!
//! A request gets the answer that the same one got in the log. If there were several of the same,
//! each gets the next answer, and the last one again once there is none left.

use hermes_registry::frames::{Shown, hide};
use mcp_jsonrpc::ErrorCode;
use mcp_transport::redact::Redactor;
use mcp_types::method;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::{Wanted, messages, token};
use super::recording::{Answer, Exchange, Recording, Said};

/// Parameters that an error shows, and how much of each, in characters.
// Bound: an error is read by people and models.
const SHOWN_MAX: usize = 3;
const SHOWN_LEN_MAX: usize = 200;

/// Plays a recording back.
#[derive(Debug)]
pub(crate) struct Player {
    exchanges: Vec<Exchange>,
    /// The same requests together, in the order in which they came first.
    groups: Vec<Group>,
    redactor: Redactor,
}

/// Requests that are the same.
#[derive(Debug)]
struct Group {
    wanted: Wanted,
    /// Where their exchanges are.
    places: Vec<usize>,
    /// How many of them were played.
    played: usize,
}

impl Player {
    pub(super) fn new(recording: Recording) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (place, exchange) in recording.exchanges.iter().enumerate() {
            let same = |group: &&mut Group| group.wanted == exchange.wanted;
            match groups.iter_mut().find(same) {
                Some(group) => group.places.push(place),
                None => groups.push(Group {
                    wanted: exchange.wanted.clone(),
                    places: vec![place],
                    played: 0,
                }),
            }
        }
        Self {
            exchanges: recording.exchanges,
            groups,
            redactor: Redactor::new(),
        }
    }

    /// Takes a frame, and appends what is said to it, one frame on a line.
    pub(crate) fn take(&mut self, frame: &[u8], out: &mut Vec<u8>) {
        let frame = String::from_utf8_lossy(frame);
        for (_text, message) in messages(&frame) {
            // Notices of the client, and its answers, are taken without a word.
            if let (Some(id), Some(method)) = (message.id, &message.method) {
                let hidden = message.params.map(|params| self.hidden(params));
                let wanted = Wanted::new(method, hidden.as_deref());
                self.answer(id, &wanted, token(message.params).as_ref(), out);
            }
        }
    }

    /// What looks like a credential is hidden in the log, so it is here.
    fn hidden(&self, params: &RawValue) -> Box<RawValue> {
        let hidden = match hide(params.get().as_bytes(), true, &self.redactor) {
            Shown::Json(hidden) => RawValue::from_string(hidden).ok(),
            _ => None,
        };
        hidden.unwrap_or_else(|| params.to_owned())
    }

    fn answer(&mut self, id: &RawValue, wanted: &Wanted, token: Option<&Value>, out: &mut Vec<u8>) {
        let found = self.groups.iter_mut().find(|group| group.wanted == *wanted);
        let found = match found {
            Some(group) => Some(group),
            // Who opens a session may say otherwise who it is and what it can do.
            None if is_opening(&wanted.method) => {
                let mut groups = self.groups.iter_mut();
                groups.find(|group| group.wanted.method == wanted.method)
            }
            None => None,
        };
        let Some(group) = found else {
            let (code, why) = self.unknown(wanted);
            return refuse(out, id, code, &why);
        };
        let last = group.places.len().saturating_sub(1);
        let place = group.places.get(group.played.min(last)).copied();
        group.played += 1;
        let Some(exchange) = place.and_then(|place| self.exchanges.get(place)) else {
            return;
        };
        say(out, &exchange.before, token);
        match &exchange.answer {
            Some(Answer::Result(result)) => line(out, id, "result", result.get()),
            Some(Answer::Error(error)) => line(out, id, "error", error.get()),
            None => {
                let why = format!("the log holds no answer to this `{}`", wanted.method);
                refuse(out, id, ErrorCode::INTERNAL_ERROR, &why);
            }
        }
        say(out, &exchange.after, token);
    }

    /// What the log holds in the place of a request that it does not hold.
    fn unknown(&self, wanted: &Wanted) -> (ErrorCode, String) {
        let method = &wanted.method;
        let same = self.groups.iter().map(|group| &group.wanted);
        let same: Vec<&Wanted> = same.filter(|known| known.method == *method).collect();
        if same.is_empty() {
            let mut methods: Vec<&str> = Vec::new();
            for group in &self.groups {
                if !methods.contains(&group.wanted.method.as_str()) {
                    methods.push(&group.wanted.method);
                }
            }
            let methods = methods.join("`, `");
            let why = format!("the log holds no `{method}`, but `{methods}`");
            return (ErrorCode::METHOD_NOT_FOUND, why);
        }
        let shown: Vec<String> = same.iter().take(SHOWN_MAX).map(|one| shown(one)).collect();
        let more = same.len().saturating_sub(shown.len());
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let why = format!(
            "the log holds `{method}` with other parameters only: {}{more}",
            shown.join(", ")
        );
        (ErrorCode::INVALID_PARAMS, why)
    }
}

fn is_opening(method: &str) -> bool {
    [method::INITIALIZE, method::SERVER_DISCOVER].contains(&method)
}

fn shown(wanted: &Wanted) -> String {
    let text = match &wanted.params {
        Value::Null => "none".to_owned(),
        params => params.to_string(),
    };
    match text.char_indices().nth(SHOWN_LEN_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Says what the server said; progress goes by the token of the request now, if it wants any.
fn say(out: &mut Vec<u8>, all: &[Said], token: Option<&Value>) {
    for said in all {
        let text = match (said, token) {
            (Said::Other(text), _) => text.clone(),
            (Said::Progress(_), None) => continue,
            (Said::Progress(params), Some(token)) => {
                let mut params = params.clone();
                if let Some(told) = params.get_mut("progressToken") {
                    *told = token.clone();
                }
                let method = method::NOTIFICATIONS_PROGRESS;
                format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}")
            }
        };
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
    }
}

fn refuse(out: &mut Vec<u8>, id: &RawValue, code: ErrorCode, why: &str) {
    let why = Value::from(why);
    line(
        out,
        id,
        "error",
        &format!("{{\"code\":{code},\"message\":{why}}}"),
    );
}

fn line(out: &mut Vec<u8>, id: &RawValue, member: &str, value: &str) {
    let id = id.get();
    let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":{value}}}\n");
    out.extend_from_slice(text.as_bytes());
}
