//! `hermes mcp watch`: keeps the servers running, tells what happens, follows the configuration, and
//! answers other commands.
//!
//! When the configuration is read is decided in `watch::reloads`; here is its I/O.

use std::collections::HashMap;
use std::future::pending;
use std::io::{self, ErrorKind, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_registry::config::ConfigErrorKind;
use hermes_registry::{Catalog, Config, ConfigError, Loaded};
use tokio::io::{AsyncWriteExt as _, Stdout};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::status;
use crate::args::Watch;
use crate::failure::Failure;
use crate::fault::Fault;
use crate::output::{Report, json, say};
use crate::session::Session;
use crate::watch::control::{Asked, Control, NoControl, Question};
use crate::watch::eye::Eye;
use crate::watch::news::{Changes, News};
use crate::watch::reloads::{Asker, Effect, Outcome, Reloads, Resolved};
use crate::watch::subscription::Subscription;

/// What is told of resources and waits to be written.
// Bound: a subscription waits when so many do, and is told of many changes as one.
const NEWS_MAX: usize = 16;

/// Watches until the reader of standard output has gone.
///
/// # Errors
///
/// If it cannot begin, or standard output cannot be written.
pub(crate) async fn run<'s>(session: &'s Session, args: &'s Watch) -> Result<Report, Failure> {
    let (control, following) = match session.settings.path() {
        Some(path) => (open_control(session)?, Some(Following::new(session, path))),
        // The demo server is not configured anywhere.
        None => (None, None),
    };
    let mut watching = Watching {
        session,
        began: Instant::now(),
        are_logs_told: args.logs,
        subscribe: &args.subscribe,
        stdout: tokio::io::stdout(),
        problems: session.settings.problems.clone(),
        control,
        following,
        last_connection: 0,
        connections: HashMap::new(),
    };
    match watching.watch().await {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Report::default()),
        Err(error) => {
            let message = format!("standard output cannot be written: {error}");
            let suggestion = "give it somewhere to write to";
            Err(Failure::usage("unwritable", message, suggestion))
        }
        Ok(()) => Ok(Report::default()),
    }
}

/// Opens the control socket; without one, watching goes on.
fn open_control(session: &Session) -> Result<Option<Control>, Failure> {
    let Some(places) = &session.settings.places else {
        return Ok(None);
    };
    match Control::open(places) {
        Ok(control) => Ok(Some(control)),
        Err(NoControl::Taken) => {
            let file = session.settings.file.as_deref().unwrap_or_default();
            let message = format!("another `hermes mcp watch` of {file} is running already");
            let suggestion = "`hermes mcp status` shows what it has; end it first";
            Err(Failure::usage("watched_already", message, suggestion))
        }
        Err(NoControl::Unavailable(why)) => {
            say(&format!(
                "there is no control socket, so `hermes mcp reload` cannot reach this: {why}"
            ));
            Ok(None)
        }
    }
}

/// A `watch` that runs.
struct Watching<'s> {
    session: &'s Session,
    began: Instant,
    are_logs_told: bool,
    /// The resources that are watched.
    subscribe: &'s [String],
    stdout: Stdout,
    /// What is wrong with the configuration that holds.
    problems: Vec<Fault>,
    control: Option<Control>,
    following: Option<Following>,
    last_connection: u64,
    // Bound: as many as connections to the control socket.
    connections: HashMap<u64, oneshot::Sender<String>>,
}

/// Something that happened.
enum Happening {
    Asked(Asked),
    Event(hermes_registry::Event),
    File(FileEvent),
    Hangup,
    News(News),
    Over,
}

impl Watching<'_> {
    async fn watch(&mut self) -> io::Result<()> {
        let registry = self.session.registry.clone();
        let mut events = registry.events();
        let mut hangup = signal(SignalKind::hangup())?;
        let has_terminal = io::stdout().is_terminal();
        self.tell(&self.beginning()).await?;
        let mut tasks = JoinSet::new();
        let (telling, mut told) = mpsc::channel(NEWS_MAX);
        for name in self.subscribe {
            let subscription = Subscription::new(registry.clone(), name);
            tasks.spawn(subscription.follow(telling.clone()));
        }
        tasks.spawn(async move {
            let _all: Arc<Catalog> = registry.discover().await;
        });
        loop {
            self.settle().await?;
            let happening = tokio::select! {
                event = events.next() => event.map_or(Happening::Over, Happening::Event),
                asked = next_asked(&mut self.control) => Happening::Asked(asked),
                event = next_of_file(&mut self.following) => Happening::File(event),
                () = heard(&mut hangup) => Happening::Hangup,
                Some(news) = told.recv() => Happening::News(news),
            };
            match happening {
                Happening::Over => return Ok(()),
                Happening::News(news) => self.tell(&news).await?,
                Happening::Event(event) => {
                    if let Some(news) = News::of(event, self.are_logs_told) {
                        self.tell(&news).await?;
                    }
                }
                Happening::Asked(asked) => self.take_question(asked),
                Happening::File(event) => {
                    if let Some(following) = &mut self.following {
                        following.take(event);
                    }
                }
                // The terminal was closed, so nobody reads this any more.
                Happening::Hangup if has_terminal && !io::stdout().is_terminal() => return Ok(()),
                Happening::Hangup => {
                    if let Some(following) = &mut self.following {
                        following.reloads.handle_asked(Asker::Signal);
                    }
                }
            }
        }
    }

    fn beginning(&self) -> News {
        let socket = self.control.as_ref();
        News::Watching {
            pid: std::process::id(),
            file: self.session.settings.file.clone(),
            socket: socket.map(|control| control.path().display().to_string()),
        }
    }

    fn take_question(&mut self, asked: Asked) {
        let Asked { question, answer } = asked;
        match (question, &mut self.following) {
            (Question::Reload, Some(following)) => {
                self.last_connection += 1;
                let asker = Asker::Connection(self.last_connection);
                self.connections.insert(self.last_connection, answer);
                following.reloads.handle_asked(asker);
            }
            _ => {
                let status = status::now(self.session).watched_for(self.began.elapsed());
                // Who asked may have gone.
                let _: Result<(), String> = answer.send(json::object(&status, &self.problems));
            }
        }
    }

    /// Does what the configuration file wants done.
    async fn settle(&mut self) -> io::Result<()> {
        while let Some(following) = &mut self.following
            && let Some(effect) = following.reloads.poll_effect()
        {
            match effect {
                Effect::Read => following.read(),
                Effect::Settled(outcome, askers) => {
                    following.look_again();
                    self.take_outcome(outcome, &askers).await?;
                }
            }
        }
        Ok(())
    }

    async fn take_outcome(&mut self, outcome: Outcome, askers: &[Asker]) -> io::Result<()> {
        let is_asked_by_signal = askers.contains(&Asker::Signal);
        let (news, is_told, answer) = match outcome {
            Outcome::Failed { failure, is_news } => {
                let answer = json::failure(&failure, &self.problems);
                let news = News::ReloadFailed { error: failure };
                (news, is_news || is_asked_by_signal, answer)
            }
            Outcome::Changed { config, news } => {
                let changes = Changes::from(self.session.registry.reload(config));
                self.problems = self.faults();
                let problems = news.iter().map(Fault::from).collect();
                let answer = json::object(&changes, &self.problems);
                (News::Reload { changes, problems }, true, answer)
            }
            Outcome::Same { is_mended } => {
                let config = self.session.registry.config();
                let names = config
                    .servers()
                    .iter()
                    .map(|server| server.name().to_string());
                let changes = Changes {
                    unchanged: names.collect(),
                    ..Changes::default()
                };
                let answer = json::object(&changes, &self.problems);
                let problems = Vec::new();
                let news = News::Reload { changes, problems };
                (news, is_mended || is_asked_by_signal, answer)
            }
        };
        for asker in askers {
            if let Asker::Connection(number) = asker
                && let Some(asked) = self.connections.remove(number)
            {
                // Who asked may have gone.
                let _: Result<(), String> = asked.send(answer.clone());
            }
        }
        match is_told {
            true => self.tell(&news).await,
            false => Ok(()),
        }
    }

    /// What is wrong with the configuration that holds.
    fn faults(&self) -> Vec<Fault> {
        let following = self.following.iter();
        let problems = following.flat_map(|following| &following.reloads.current().problems);
        problems.map(Fault::from).collect()
    }

    async fn tell(&mut self, news: &News) -> io::Result<()> {
        let text = match self.session.settings.json {
            true => news.json(self.began.elapsed()),
            false => news.text(),
        };
        self.stdout.write_all(text.as_bytes()).await?;
        self.stdout.flush().await
    }
}

/// The configuration file as it is followed.
struct Following {
    path: PathBuf,
    reloads: Reloads,
    eye: Option<Eye>,
    reading: Option<JoinHandle<Result<Loaded, ConfigError>>>,
    /// Whether people were told that nobody tells of changes.
    is_blind: bool,
}

/// Something that happened to the file.
enum FileEvent {
    Changed,
    Due,
    Read(Result<Resolved, Failure>),
}

impl Following {
    fn new(session: &Session, path: &Path) -> Self {
        let settings = &session.settings;
        let current = Resolved {
            config: settings.config.clone(),
            problems: settings.found.clone(),
        };
        let mut following = Self {
            path: path.to_owned(),
            reloads: Reloads::new(now(), current),
            eye: None,
            reading: None,
            is_blind: false,
        };
        following.look_again();
        // Any other reason would have kept this from beginning.
        if let Err(error) = Config::load(path) {
            let file = path.display();
            say(&format!(
                "no configuration file at {file} yet; waiting for it"
            ));
            following.reloads.begin_with(&unusable(&error));
        }
        following
    }

    /// Sees to it that somebody looks where the file is.
    fn look_again(&mut self) {
        if self.eye.as_ref().is_some_and(Eye::is_open) {
            return;
        }
        self.eye = match Eye::open(&self.path) {
            Ok(eye) => Some(eye),
            Err(error) => {
                if !std::mem::replace(&mut self.is_blind, true) {
                    let file = self.path.display();
                    say(&format!(
                        "changes of {file} are not told by the system, so it is read from time to \
                         time: {error}"
                    ));
                }
                None
            }
        };
        self.reloads.handle_watched(now(), self.eye.is_some());
    }

    fn read(&mut self) {
        let path = self.path.clone();
        self.reading = Some(tokio::task::spawn_blocking(move || Config::load(&path)));
    }

    fn take(&mut self, event: FileEvent) {
        match event {
            FileEvent::Changed => self.reloads.handle_changed(now()),
            FileEvent::Due => self.reloads.handle_wake(now()),
            FileEvent::Read(read) => {
                self.reading = None;
                self.reloads.handle_read(now(), read);
            }
        }
    }

    /// Waits for the next thing to happen to the file.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    async fn next(&mut self) -> FileEvent {
        let Self {
            reloads,
            eye,
            reading,
            ..
        } = self;
        let due = reloads.next_wake();
        let changed = async {
            match eye {
                Some(eye) => eye.changed().await,
                None => pending().await,
            }
        };
        let read = async {
            match reading {
                Some(reading) => reading.await,
                None => pending().await,
            }
        };
        let due = async {
            match due {
                Some(due) => sleep_until(due.into()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            read = read => FileEvent::Read(match read {
                Ok(read) => read.map(Resolved::from).map_err(|error| unusable(&error)),
                // It panicked, or the runtime ends.
                Err(error) => Err(Failure::usage("config", error.to_string(), "try again")),
            }),
            () = changed => FileEvent::Changed,
            () = due => FileEvent::Due,
        }
    }
}

/// What keeps a file from being used, for as long as it does.
fn unusable(error: &ConfigError) -> Failure {
    let what_to_do = match error.kind() {
        ConfigErrorKind::Unreadable(error) if error.kind() == ErrorKind::NotFound => "write it",
        ConfigErrorKind::Unreadable(_) => "make it readable",
        _ => "correct it",
    };
    let suggestion = format!("{what_to_do}; until then everything stays as it is");
    Failure::usage("config", error.to_string(), suggestion)
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

async fn next_asked(control: &mut Option<Control>) -> Asked {
    match control {
        Some(control) => match control.next().await {
            Some(asked) => asked,
            None => pending().await,
        },
        None => pending().await,
    }
}

async fn next_of_file(following: &mut Option<Following>) -> FileEvent {
    match following {
        Some(following) => following.next().await,
        None => pending().await,
    }
}

async fn heard(signal: &mut Signal) {
    if signal.recv().await.is_none() {
        pending().await
    }
}
