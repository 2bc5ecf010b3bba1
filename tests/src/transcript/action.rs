//! What the client of a transcript does, and what came of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_client::{Client, Error, Reply};
use mcp_types::{CallToolResult, RawJson, Tool};
use serde::Deserialize;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::far::Far;
use super::options::Options;
use crate::http::Heard;
use crate::record::Record;
use crate::stage::until;

/// One action; times are in milliseconds.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Action {
    /// Calls a tool: `times` one after the other, or `at_once` together.
    Call {
        tool: String,
        #[serde(default)]
        arguments: Option<Value>,
        #[serde(default)]
        timeout: Option<u64>,
        #[serde(default)]
        max: Option<u64>,
        #[serde(default)]
        times: Option<usize>,
        #[serde(default)]
        at_once: Option<usize>,
    },
    /// Ends the connection.
    Close,
    /// Connects, up to `tries` times.
    Connect {
        #[serde(default)]
        tries: Option<usize>,
    },
    /// Lists the tools.
    ListTools,
    /// Does nothing for a time.
    Pause { millis: u64 },
    /// Waits until all of what is named is so.
    Until {
        /// The tools known, by their names.
        #[serde(default)]
        tools: Option<Vec<String>>,
        /// A method and how often the server must have got it.
        #[serde(default)]
        seen: Option<(String, usize)>,
        /// The server has played its script.
        #[serde(default)]
        finished: bool,
    },
    /// From now on, lists the tools again when they change, at most once in `every`.
    WatchTools { every: u64 },
}

/// What an action gave.
#[derive(Debug)]
pub(super) enum Got {
    Called(Box<Reply<CallToolResult>>),
    Closed,
    Connected,
    Listed,
}

/// An action that is over.
#[derive(Debug)]
pub(super) struct Done {
    /// As checks name it: `connect`, `list_tools`, `call 1`, `close`.
    pub(super) name: String,
    pub(super) result: Result<Got, Error>,
    pub(super) took: Duration,
}

/// What there is to check.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) done: Vec<Done>,
    pub(super) tools: Vec<String>,
    /// Whether the connection still stood at the end.
    pub(super) is_alive: bool,
    /// The processes that were left after a failed attempt to connect, or after closing.
    pub(super) leftovers: Vec<String>,
    pub(super) log: String,
    pub(super) record: Record,
    /// The requests of HTTP; none if there is a process.
    pub(super) requests: Vec<Heard>,
    pub(super) spawns: usize,
}

impl Outcome {
    /// What happened, for the text of a failure.
    pub(super) fn story(&self) -> String {
        let result = |done: &Done| match &done.result {
            Ok(_got) => "ok".to_owned(),
            Err(error) => error.to_string(),
        };
        let story = self.done.iter().take(20);
        let story =
            story.map(|done| format!("  {} ({:?}): {}", done.name, done.took, result(done)));
        story.collect::<Vec<_>>().join("\n")
    }
}

pub(super) struct Run<'a> {
    far: Far<'a>,
    options: Options,
    client: Option<Client>,
    tools: Arc<Mutex<Vec<String>>>,
    calls: usize,
    outcome: Outcome,
    watchers: JoinSet<()>,
}

impl<'a> Run<'a> {
    pub(super) fn new(far: Far<'a>, options: Options) -> Self {
        Self {
            far,
            options,
            client: None,
            tools: Arc::default(),
            calls: 0,
            outcome: Outcome::default(),
            watchers: JoinSet::new(),
        }
    }

    pub(super) async fn act(&mut self, action: Action) {
        match action {
            Action::Connect { tries } => self.connect(tries.unwrap_or(1)).await,
            Action::ListTools => {
                let Some(client) = self.client.clone() else {
                    return;
                };
                let start = Instant::now();
                let listed = client.list_tools().await;
                let listed = listed.map(|listing| {
                    *lock(&self.tools) = names(&listing.items);
                    Got::Listed
                });
                self.done("list_tools".to_owned(), start, listed);
            }
            Action::Call {
                tool,
                arguments,
                timeout,
                max,
                times,
                at_once,
            } => {
                let call = CallAction {
                    tool,
                    arguments,
                    timeout,
                    max,
                };
                self.calls(&call, times.unwrap_or(1), at_once.unwrap_or(1))
                    .await;
            }
            Action::Close => {
                let Some(client) = self.client.take() else {
                    return;
                };
                let start = Instant::now();
                client.close().await;
                self.note_leftovers();
                self.done("close".to_owned(), start, Ok(Got::Closed));
            }
            Action::Pause { millis } => {
                sleep(Duration::from_millis(millis)).await; // sleep: a step of the transcript
            }
            Action::Until {
                tools,
                seen,
                finished,
            } => {
                self.until(tools, seen, finished).await;
            }
            Action::WatchTools { every } => {
                let Some(client) = self.client.clone() else {
                    return;
                };
                let tools = Arc::clone(&self.tools);
                self.watchers
                    .spawn(watch(client, tools, Duration::from_millis(every)));
            }
        }
    }

    async fn connect(&mut self, tries: usize) {
        for _ in 0..tries {
            let start = Instant::now();
            match self.far.connect(&self.options).await {
                Ok(client) => {
                    self.client = Some(client);
                    return self.done("connect".to_owned(), start, Ok(Got::Connected));
                }
                Err(error) => {
                    self.note_leftovers();
                    self.done("connect".to_owned(), start, Err(error));
                }
            }
        }
    }

    async fn calls(&mut self, call: &CallAction, times: usize, at_once: usize) {
        let Some(client) = self.client.clone() else {
            return;
        };
        for _ in 0..times {
            let mut together = JoinSet::new();
            for _ in 0..at_once {
                self.calls += 1;
                let (name, call) = (format!("call {}", self.calls), call.make(&client));
                together.spawn(async move {
                    let start = Instant::now();
                    (name, start, call.await)
                });
            }
            for (name, start, called) in together.join_all().await {
                self.done(
                    name,
                    start,
                    called.map(|reply| Got::Called(Box::new(reply))),
                );
            }
        }
    }

    async fn until(
        &self,
        tools: Option<Vec<String>>,
        seen: Option<(String, usize)>,
        finished: bool,
    ) {
        until("what the transcript waits for", || {
            tools
                .as_ref()
                .is_none_or(|tools| *lock(&self.tools) == *tools)
                && seen
                    .as_ref()
                    .is_none_or(|(method, times)| self.far.seen(method) >= *times)
                && (!finished || self.far.is_finished())
        })
        .await;
    }

    fn note_leftovers(&mut self) {
        self.outcome.leftovers.extend(self.far.processes());
    }

    fn done(&mut self, name: String, start: Instant, result: Result<Got, Error>) {
        self.outcome.done.push(Done {
            name,
            result,
            took: start.elapsed(),
        });
    }

    /// Closes what is still open.
    pub(super) async fn finish(mut self) -> Outcome {
        self.watchers.shutdown().await;
        if let Some(client) = self.client.take() {
            self.outcome.is_alive = client.closed().is_none();
            client.close().await;
            self.note_leftovers();
        }
        self.outcome.tools = lock(&self.tools).clone();
        self.outcome
    }
}

struct CallAction {
    tool: String,
    arguments: Option<Value>,
    timeout: Option<u64>,
    max: Option<u64>,
}

impl CallAction {
    fn make(&self, client: &Client) -> mcp_client::Call<Reply<CallToolResult>> {
        let arguments = self.arguments.as_ref().map(ToString::to_string);
        let arguments = RawJson::parse(arguments.unwrap_or_else(|| "{}".to_owned()));
        let mut call = client.call_tool(&self.tool, &arguments.expect("a Value is JSON"));
        if let Some(timeout) = self.timeout {
            call = call.timeout(Duration::from_millis(timeout));
        }
        if let Some(max) = self.max {
            call = call.timeout_max(Duration::from_millis(max));
        }
        call
    }
}

/// Lists again after each change, with a pause so that a storm of changes costs few lists.
async fn watch(client: Client, tools: Arc<Mutex<Vec<String>>>, every: Duration) {
    let mut changes = client.changes();
    while changes.next().await.is_some() {
        if let Ok(listing) = client.list_tools().await {
            *lock(&tools) = names(&listing.items);
        }
        sleep(every).await; // sleep: the pace of a client that lists again
    }
}

fn names(tools: &[Tool]) -> Vec<String> {
    tools.iter().map(|tool| tool.name.clone()).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
