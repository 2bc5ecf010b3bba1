//! From the lines of a log to what a server was asked and what it said.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use mcp_types::method;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::{Message, Wanted, messages, token, value};

/// What a server was asked and what it said, in the order of the log.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub(super) exchanges: Vec<Exchange>,
    /// What the server said before it was asked anything.
    early: Vec<Said>,
    /// The requests that have no answer yet, by their ids.
    open: HashMap<String, usize>,
    missed: u64,
    unshown: u64,
    unread: u64,
}

/// A request and what followed it.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) wanted: Wanted,
    /// The token by which progress of it is told.
    pub(super) token: Option<Value>,
    /// What the server said before it answered, and afterwards.
    pub(super) before: Vec<Said>,
    pub(super) answer: Option<Answer>,
    pub(super) after: Vec<Said>,
}

/// An answer as it came.
#[derive(Debug)]
pub(super) enum Answer {
    Error(Box<RawValue>),
    Result(Box<RawValue>),
}

/// Something that the server said of its own accord.
#[derive(Debug)]
pub(super) enum Said {
    /// A message as it came.
    Other(String),
    /// Progress of the request that it is told with.
    Progress(Value),
}

/// Why a log cannot be played back.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum BadLog {
    /// It holds no request.
    Empty,
    /// It holds frames of these servers, and it was not said whose are meant.
    Several(Vec<String>),
    /// It holds no frame of this server, but of these.
    Unknown(String, Vec<String>),
}

#[derive(Deserialize)]
struct Line<'l> {
    #[serde(default)]
    server: String,
    #[serde(default)]
    direction: String,
    #[serde(borrow)]
    frame: Option<&'l RawValue>,
    text: Option<String>,
    missed: Option<u64>,
}

impl Recording {
    /// Reads the frames of one server; which one must be said if there are several.
    pub(super) fn read(log: &str, server: Option<&str>) -> Result<Self, BadLog> {
        let mut recording = Self::default();
        let mut lines: Vec<Line<'_>> = Vec::new();
        for line in log.lines().filter(|line| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(line) => lines.push(line),
                // The last one may have been cut when something else ended.
                Err(_odd) => recording.unread += 1,
            }
        }
        let known = lines.iter().map(|line| line.server.as_str());
        let known: BTreeSet<&str> = known.filter(|name| !name.is_empty()).collect();
        let names = || known.iter().map(|name| (*name).to_owned()).collect();
        let server = match (server, known.first()) {
            (_, None) => return Err(BadLog::Empty),
            (Some(server), _) if !known.contains(server) => {
                return Err(BadLog::Unknown(server.to_owned(), names()));
            }
            (Some(server), _) => server,
            (None, Some(_)) if known.len() > 1 => return Err(BadLog::Several(names())),
            (None, Some(only)) => only,
        };
        for line in &lines {
            recording.missed += line.missed.unwrap_or_default();
            if line.server == server {
                recording.take(line);
            }
        }
        match recording.exchanges.is_empty() {
            true => Err(BadLog::Empty),
            false => Ok(recording),
        }
    }

    fn take(&mut self, line: &Line<'_>) {
        let Some(frame) = line.frame else {
            self.unshown += u64::from(line.text.is_some());
            return;
        };
        for (text, message) in messages(frame.get()) {
            match line.direction.as_str() {
                "sent" => self.sent(&message),
                _ => self.received(text, &message),
            }
        }
    }

    /// A notice or an answer of the client is nothing that a server answers.
    fn sent(&mut self, message: &Message<'_>) {
        let (Some(id), Some(method)) = (message.id, &message.method) else {
            return;
        };
        self.open.insert(id.get().to_owned(), self.exchanges.len());
        self.exchanges.push(Exchange {
            wanted: Wanted::new(method, message.params),
            token: token(message.params),
            before: std::mem::take(&mut self.early),
            answer: None,
            after: Vec::new(),
        });
    }

    fn received(&mut self, text: &str, message: &Message<'_>) {
        let answer = match (message.result, message.error) {
            _ if message.method.is_some() => None,
            (Some(result), _) => Some(Answer::Result(result.to_owned())),
            (None, Some(error)) => Some(Answer::Error(error.to_owned())),
            (None, None) => None,
        };
        if let Some(answer) = answer {
            let open = message.id.and_then(|id| self.open.remove(id.get()));
            if let Some(exchange) = open.and_then(|place| self.exchanges.get_mut(place)) {
                exchange.answer = Some(answer);
            }
            return;
        }
        let progress = (message.method.as_deref() == Some(method::NOTIFICATIONS_PROGRESS))
            .then(|| value(message.params));
        let told = progress
            .as_ref()
            .and_then(|params| params.get("progressToken"));
        let of_token = |exchange: &&mut Exchange| told.is_some() && exchange.token.as_ref() == told;
        let said = || Said::Other(text.to_owned());
        // Progress belongs to the last request with its token, all else to the last request.
        if let Some(exchange) = self.exchanges.iter_mut().rev().find(of_token) {
            exchange.say(progress.map_or_else(said, Said::Progress));
        } else if let Some(exchange) = self.exchanges.last_mut() {
            exchange.say(said());
        } else {
            self.early.push(said());
        }
    }

    /// What is missing in the log, for people.
    pub(super) fn notes(&self) -> Vec<String> {
        let counts = [
            (self.missed, "frames that were not written to the log"),
            (
                self.unshown,
                "frames that stand in the log as texts only, and are left out",
            ),
            (
                self.unread,
                "lines that are none of a log of frames, and are left out",
            ),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        counts
            .map(|(count, what)| format!("{what}: {count}"))
            .collect()
    }
}

impl Exchange {
    fn say(&mut self, said: Said) {
        match self.answer {
            None => self.before.push(said),
            Some(_) => self.after.push(said),
        }
    }
}

impl BadLog {
    pub(super) fn way_out(&self) -> String {
        match self {
            Self::Empty => "name a file that --frame-log has written".to_owned(),
            Self::Several(_) | Self::Unknown(..) => "choose one with --server".to_owned(),
        }
    }
}

impl fmt::Display for BadLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| names.join("`, `");
        match self {
            Self::Empty => f.write_str("the log holds no request to a server"),
            Self::Several(names) => {
                write!(
                    f,
                    "the log holds frames of several servers: `{}`",
                    list(names)
                )
            }
            Self::Unknown(name, names) => write!(
                f,
                "the log holds no frame of a server `{name}`, but of `{}`",
                list(names)
            ),
        }
    }
}
