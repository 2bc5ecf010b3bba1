//! Which rule answers a request, and what the server wrote down.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use mcp_transport::http::{Backend, Body, Failure, FailureKind, Target};
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep};

use super::body::{Playing, Watch};
use super::heard::{Heard, Stream};
use super::rule::{Answer, Rules, Then};
use crate::record::{Entry, Message, Record};

/// Where a scripted server is.
pub const ORIGIN: &str = "http://server.test";

/// What is said where no rule fits.
const DEFAULTS: &str = r#"{"on":"POST server/discover","status":400,"json":{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"a session has to be opened first"}}}
{"on":"DELETE","status":405}
{"on":"POST notifications/cancelled","status":202}"#;

/// A server behind a URL, in memory; clones are the same server.
///
/// A request that no rule fits is answered with 500 and is a failure of the record, except that
/// `server/discover` is refused as most legacy servers do (400, an error without id), `DELETE`
/// with 405, and that `notifications/cancelled` is taken.
#[derive(Clone, Debug)]
pub struct ScriptedHttp(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    rules: Rules,
    variables: BTreeMap<String, String>,
    heard: Vec<Heard>,
    failures: Vec<String>,
    /// The open stream on which others write.
    pushes: Option<mpsc::Sender<Bytes>>,
}

impl ScriptedHttp {
    /// A server that answers by `rules`.
    pub fn new(rules: &Rules) -> Self {
        let defaults = Rules::read(DEFAULTS).expect("the defaults are rules");
        let base = ("base".to_owned(), ORIGIN.to_owned());
        Self(Arc::new(Inner {
            state: Mutex::new(State {
                rules: rules.clone().before(&defaults),
                variables: BTreeMap::from([base]),
                heard: Vec::new(),
                failures: Vec::new(),
                pushes: None,
            }),
            changed: Notify::new(),
        }))
    }

    /// A server with the rules in a text, one a line.
    pub fn of(rules: &str) -> Self {
        Self::new(&Rules::read(rules).expect("these are rules"))
    }

    /// What sends requests to it.
    pub fn backend(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    /// Its address.
    pub fn target(&self, path: &str) -> Target {
        Target::new(&format!("{ORIGIN}{path}")).expect("this is a URL")
    }

    /// The requests so far.
    pub fn heard(&self) -> Vec<Heard> {
        self.lock().heard.clone()
    }

    /// How many requests of a kind came, as [`Heard::is`] names it.
    pub fn count(&self, kind: &str) -> usize {
        self.lock()
            .heard
            .iter()
            .filter(|heard| heard.is(kind))
            .count()
    }

    /// The messages so far, and what was not as the rules say.
    pub fn record(&self) -> Record {
        let state = self.lock();
        let messages = state.heard.iter().filter_map(|heard| heard.message.clone());
        let failures = state.failures.iter().cloned().map(Entry::Failed);
        let entries = messages.map(Entry::Heard).chain(failures);
        Record {
            entries: entries.map(|entry| (1, entry)).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_stream(&self, number: usize, stream: Stream) {
        let mut state = self.lock();
        if let Some(heard) = state.heard.get_mut(number)
            && heard.stream == Stream::Open
        {
            heard.stream = stream;
        }
    }

    /// Fills in variables, and the id of the request with this number.
    pub(super) fn fill(&self, text: &str, number: usize) -> String {
        let state = self.lock();
        let heard = state.heard.get(number);
        let id = heard.and_then(|heard| heard.message.as_ref()?.id());
        let id = ("id".to_owned(), id.unwrap_or_else(|| "null".to_owned()));
        let mut text = text.to_owned();
        for (variable, value) in state.variables.iter().chain([(&id.0, &id.1)]) {
            text = text.replace(&format!("\"${variable}\""), value);
            text = text.replace(&format!("{{{{{variable}}}}}"), value);
        }
        text
    }

    /// Waits until the client has answered a question.
    pub(super) async fn until_answered(&self, id: &str) {
        loop {
            let changed = self.0.changed.notified();
            if self.record().answer_to(id).is_some() {
                return;
            }
            changed.await;
        }
    }

    /// Writes a request down and finds what is answered.
    fn take(&self, request: &Request<Bytes>) -> (Watch, Answer) {
        let mut state = self.lock();
        let body = String::from_utf8_lossy(request.body());
        let heard = Heard {
            method: request.method().clone(),
            url: request.uri().clone(),
            headers: request.headers().clone(),
            message: (!body.is_empty()).then(|| Message::read(&body)),
            at: Instant::now(),
            stream: Stream::Open,
        };
        let answer = state.answer(&heard);
        let number = state.heard.len();
        state.heard.push(heard);
        drop(state);
        self.0.changed.notify_waiters();
        (Watch::new(self.clone(), number), answer)
    }

    /// Writes on the stream that belongs to no request.
    fn push(&self, text: &str, number: usize) {
        let text = self.fill(text, number);
        let mut state = self.lock();
        let sent = state
            .pushes
            .as_ref()
            .map(|pushes| pushes.try_send(text.into()));
        if !matches!(sent, Some(Ok(()))) {
            state
                .failures
                .push("there is no open stream to push on".to_owned());
        }
    }
}

impl State {
    fn answer(&mut self, heard: &Heard) -> Answer {
        if let Some(version) = heard
            .message
            .as_ref()
            .and_then(|message| message.at("params.protocolVersion")?.as_str())
        {
            self.variables
                .insert("version".to_owned(), version.to_owned());
        }
        let Some(rule) = self.rules.0.iter_mut().find(|rule| rule.fits(heard)) else {
            let what = heard.message.as_ref().map_or("", |message| &message.text);
            self.failures
                .push(format!("no rule for {} {} {what}", heard.method, heard.url));
            return Answer::default();
        };
        rule.left = rule.left.saturating_sub(1);
        if let (Some(variable), Some(message)) = (&rule.id, &heard.message) {
            let id = message.id().unwrap_or_else(|| "null".to_owned());
            self.variables.insert(variable.clone(), id);
        }
        rule.answer.clone()
    }
}

#[async_trait]
impl Backend for ScriptedHttp {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, Failure> {
        let (watch, answer) = self.take(&request);
        if let Some(text) = answer.push.as_ref().filter(|_| answer.pushes_first) {
            self.push(text, watch.number);
        }
        sleep(answer.pause).await; // sleep: a step of the script
        match answer.then {
            Then::Lost => {
                watch.ended();
                let reason = "the script breaks the connection";
                return Err(Failure::maybe_sent(FailureKind::Broken, reason));
            }
            Then::Never => std::future::pending().await,
            Then::Close | Then::Hold | Then::Reset => {}
        }
        if let Some(text) = answer.push.as_ref().filter(|_| !answer.pushes_first) {
            self.push(text, watch.number);
        }
        let is_shared = answer.then == Then::Hold && request.method() == http::Method::GET;
        let pushed = is_shared.then(|| {
            // Bound: a script pushes a handful of events.
            let (sender, receiver) = mpsc::channel(64);
            self.lock().pushes = Some(sender);
            receiver
        });
        let playing = Playing {
            pieces: answer.body,
            then: answer.then,
            pushed,
            watch,
        };
        let mut response = Response::new(playing.into_body());
        *response.status_mut() = answer.status;
        *response.headers_mut() = answer.headers;
        Ok(response)
    }
}
