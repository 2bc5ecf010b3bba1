//! The rules of a scripted server over HTTP; `transcripts/README.md` lists what they may hold.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::heard::Heard;
use crate::step::{bytes_of, is_of_client};

/// Rules in their order: the first one that fits a request and is not used up answers it.
#[derive(Clone, Debug, Default)]
pub struct Rules(pub(super) Vec<Rule>);

/// What is answered to which request.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    on: On,
    path: Option<String>,
    with: Vec<(HeaderName, String)>,
    without: Option<HeaderName>,
    /// How often it may still answer.
    pub(super) left: usize,
    /// The variable that takes the id of the request.
    pub(super) id: Option<String>,
    pub(super) answer: Answer,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum On {
    /// Everything with this method of HTTP.
    Any(Method),
    /// An answer to a question of the server.
    Answer,
    /// A request or a notification with this method.
    Posted(String),
}

/// What is answered.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// Before the head.
    pub(super) pause: Duration,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: VecDeque<Piece>,
    pub(super) then: Then,
    /// What is written on the stream that belongs to no request.
    pub(super) push: Option<String>,
    /// Whether that is written before the pause.
    pub(super) pushes_first: bool,
}

/// A part of a body.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Bytes(Bytes),
    /// Text, of which each byte is a piece of its own.
    Bytewise(String),
    Pause(Duration),
    /// Text, in which variables are filled in.
    Text(String),
    /// Waits until the client has answered the question with this id, as JSON.
    WaitAnswer(String),
}

/// What comes after the body.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Then {
    #[default]
    Close,
    /// The body stays open.
    Hold,
    /// The connection breaks off instead of a head.
    Lost,
    /// There is not even a head.
    Never,
    /// The body breaks off.
    Reset,
}

/// A rule, as it stands in the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Line<'a> {
    on: String,
    path: Option<String>,
    with: BTreeMap<String, String>,
    without: Option<String>,
    times: Option<usize>,
    id: Option<String>,
    pause: u64,
    status: Option<u16>,
    headers: BTreeMap<String, String>,
    body: Option<String>,
    chunks: Option<Vec<Chunk>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    json: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    then: Then,
    push: Option<String>,
    push_first: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Chunk {
    Text(String),
    Repeated {
        text: String,
        #[serde(default = "once")]
        times: usize,
        #[serde(default)]
        every: u64,
    },
    Bytewise {
        bytewise: String,
    },
    Hex {
        hex: String,
    },
    Pause {
        pause: u64,
    },
    WaitAnswer {
        wait_answer: Value,
    },
}

/// Stands for the rules of a legacy session that is opened.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Handshake<'a> {
    /// The id of the session; empty for none.
    handshake: String,
    #[serde(borrow, default)]
    capabilities: Option<&'a RawValue>,
    #[serde(default)]
    times: Option<usize>,
    #[serde(default)]
    pause: u64,
}

fn once() -> usize {
    1
}

impl Rules {
    /// Reads rules, one a line; lines that belong to the client are skipped.
    ///
    /// # Errors
    ///
    /// Which line is wrong, and why.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut rules = Self::default();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || is_of_client(line) {
                continue;
            }
            let read = if line.trim_start().starts_with("{\"handshake\"") {
                handshake(line)
            } else {
                rule(line).map(|rule| vec![rule])
            };
            let read = read.map_err(|why| format!("line {}: {why}", number + 1))?;
            rules.0.extend(read);
        }
        Ok(rules)
    }

    /// These rules, and `others` for what none of them fits.
    #[must_use]
    pub fn before(mut self, others: &Self) -> Self {
        self.0.extend(others.0.iter().cloned());
        self
    }
}

/// What is answered where there is no rule.
impl Default for Answer {
    fn default() -> Self {
        Self {
            pause: Duration::ZERO,
            status: StatusCode::INTERNAL_SERVER_ERROR,
            headers: HeaderMap::new(),
            body: VecDeque::from([Piece::Text("no rule".to_owned())]),
            then: Then::Close,
            push: None,
            pushes_first: false,
        }
    }
}

impl Rule {
    pub(super) fn fits(&self, heard: &Heard) -> bool {
        let message = heard.message.as_ref();
        let is_on = match &self.on {
            On::Any(method) => heard.method == *method,
            On::Answer => message.is_some_and(crate::record::Message::is_answer),
            On::Posted(method) => message.and_then(|message| message.method()) == Some(method),
        };
        let has = |(name, value): &(HeaderName, String)| heard.header(name.as_str()) == Some(value);
        self.left > 0
            && is_on
            && self.path.as_ref().is_none_or(|path| heard.path() == path)
            && self.with.iter().all(has)
            && self
                .without
                .as_ref()
                .is_none_or(|name| heard.header(name.as_str()).is_none())
    }
}

fn rule(line: &str) -> Result<Rule, String> {
    let line: Line<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let headers = |headers: &BTreeMap<String, String>| -> Result<Vec<_>, String> {
        let headers = headers.iter();
        headers
            .map(|(name, value)| Ok((header_name(name)?, value.clone())))
            .collect()
    };
    let mut sent = HeaderMap::new();
    for (name, value) in headers(&line.headers)? {
        let value = HeaderValue::from_str(&value).map_err(|error| error.to_string())?;
        sent.insert(name, value);
    }
    let body = line.body()?;
    if let Some(media) = line.media()
        && !sent.contains_key(header::CONTENT_TYPE)
    {
        sent.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    }
    let status = StatusCode::from_u16(line.status.unwrap_or(200));
    Ok(Rule {
        on: on(&line.on)?,
        path: line.path,
        with: headers(&line.with)?,
        without: line.without.as_deref().map(header_name).transpose()?,
        left: line.times.unwrap_or(usize::MAX),
        id: line.id,
        answer: Answer {
            pause: Duration::from_millis(line.pause),
            status: status.map_err(|error| error.to_string())?,
            headers: sent,
            body,
            then: line.then,
            push: line.push,
            pushes_first: line.push_first,
        },
    })
}

fn header_name(name: &str) -> Result<HeaderName, String> {
    name.parse().map_err(|error| format!("{name}: {error}"))
}

fn on(text: &str) -> Result<On, String> {
    match text.split_once(' ') {
        Some(("POST", "*")) => Ok(On::Any(Method::POST)),
        Some(("POST", "answer")) => Ok(On::Answer),
        Some(("POST", method)) => Ok(On::Posted(method.to_owned())),
        None if text == "GET" => Ok(On::Any(Method::GET)),
        None if text == "DELETE" => Ok(On::Any(Method::DELETE)),
        _ => Err(format!("{text:?} is no kind of request")),
    }
}

impl Line<'_> {
    fn body(&self) -> Result<VecDeque<Piece>, String> {
        let envelope = |member: &str, value: &RawValue| {
            let value = value.get();
            format!(r#"{{"jsonrpc":"2.0","id":"$id","{member}":{value}}}"#)
        };
        let text = if let Some(json) = self.json {
            json.get().to_owned()
        } else if let Some(result) = self.result {
            envelope("result", result)
        } else if let Some(error) = self.error {
            envelope("error", error)
        } else if let Some(body) = &self.body {
            body.clone()
        } else {
            return self.pieces();
        };
        Ok(VecDeque::from([Piece::Text(text)]))
    }

    fn pieces(&self) -> Result<VecDeque<Piece>, String> {
        let mut pieces = VecDeque::new();
        for chunk in self.chunks.iter().flatten() {
            match chunk {
                Chunk::Text(text) => pieces.push_back(Piece::Text(text.clone())),
                Chunk::Repeated { text, times, every } => {
                    for _ in 0..*times {
                        pieces.push_back(Piece::Pause(Duration::from_millis(*every)));
                        pieces.push_back(Piece::Text(text.clone()));
                    }
                }
                Chunk::Bytewise { bytewise } => {
                    pieces.push_back(Piece::Bytewise(bytewise.clone()));
                }
                Chunk::Hex { hex } => pieces.push_back(Piece::Bytes(bytes_of(hex)?.into())),
                Chunk::Pause { pause } => {
                    pieces.push_back(Piece::Pause(Duration::from_millis(*pause)));
                }
                Chunk::WaitAnswer { wait_answer } => {
                    pieces.push_back(Piece::WaitAnswer(wait_answer.to_string()));
                }
            }
        }
        Ok(pieces)
    }

    /// The content type, unless the rule names one.
    fn media(&self) -> Option<&'static str> {
        let is_json = self.json.is_some() || self.result.is_some() || self.error.is_some();
        let stream = self.chunks.is_some().then_some("text/event-stream");
        is_json.then_some("application/json").or(stream)
    }
}

fn handshake(line: &str) -> Result<Vec<Rule>, String> {
    let read: Handshake<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let capabilities = read.capabilities.map_or(r#"{"tools":{}}"#, RawValue::get);
    let initialize = format!(
        r#"{{"on":"POST initialize","result":{{"protocolVersion":"{{{{version}}}}","capabilities":{capabilities},"serverInfo":{{"name":"fake","version":"1"}}}}}}"#
    );
    let mut initialize = rule(&initialize)?;
    initialize.left = read.times.unwrap_or(usize::MAX);
    initialize.answer.pause = Duration::from_millis(read.pause);
    if !read.handshake.is_empty() {
        let id = HeaderValue::from_str(&read.handshake).map_err(|error| error.to_string())?;
        initialize.answer.headers.insert("mcp-session-id", id);
    }
    Ok(vec![
        initialize,
        rule(r#"{"on":"POST notifications/initialized","status":202}"#)?,
        rule(r#"{"on":"GET","status":405}"#)?,
        rule(r#"{"on":"DELETE"}"#)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_line_is_named() {
        for line in [
            r#"{"on":"PUT"}"#,
            r#"{"on":"POST"}"#,
            r#"{"on":"GET","chunk":["x"]}"#,
            r#"{"on":"GET","chunks":[{"text":"x","time":2}]}"#,
            r#"{"on":"GET","status":99}"#,
            r#"{"on":"GET","headers":{"a b":"c"}}"#,
            r#"{"status":200}"#,
        ] {
            let wrong = Rules::read(&format!("{{\"title\":\"T\"}}\n{line}")).unwrap_err();
            assert!(wrong.starts_with("line 2: "), "{line}: {wrong}");
        }
    }
}
