//! When the configuration is read again, and what comes of that, decided without I/O.
//!
//! ```text
//!           changed                  quiet for long enough
//!   Quiet ----------> Settling --------------------------------> Reading
//!     ^ \                \                 asked                  ^  |
//!     |  +----------------+-----------------------------------------+  |
//!     +--------------------- read ------------------------------------+
//! ```
//!
//! Drive contract: after each `handle_*`, drain [`Reloads::poll_effect`]; [`Reloads::next_wake`]
//! tells when [`Reloads::handle_wake`] is next wanted.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hermes_registry::{Config, Loaded, Problem};

use crate::failure::Failure;

/// How long a file must be left alone before it is read: editors write in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// How long a file that is never left alone may keep us waiting.
const BURST_MAX: Duration = Duration::from_secs(1);

/// How soon a file is read again that could not be read, or whose changes nobody tells.
// Bound: reading at most 1 MiB takes some milliseconds.
const AGAIN: Duration = Duration::from_secs(5);

/// A configuration as it was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) config: Config,
    pub(crate) problems: Vec<Problem>,
}

impl From<Loaded> for Resolved {
    fn from(loaded: Loaded) -> Self {
        Self {
            config: loaded.config,
            problems: loaded.problems,
        }
    }
}

impl Resolved {
    /// Whether the same stands in both, wherever it stands.
    fn has(&self, problem: &Problem) -> bool {
        let is_same =
            |known: &Problem| known.path() == problem.path() && known.kind() == problem.kind();
        self.problems.iter().any(is_same)
    }

    /// What is wrong here and was not before.
    fn news_since(&self, before: &Self) -> Vec<Problem> {
        let new = self.problems.iter().filter(|problem| !before.has(problem));
        new.cloned().collect()
    }

    fn is_as(&self, other: &Self) -> bool {
        let all_known = |one: &Self, other: &Self| one.news_since(other).is_empty();
        self.config == other.config && all_known(self, other) && all_known(other, self)
    }
}

/// Who asked for the configuration to be read at once.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Asker {
    /// A connection to the control socket, by its number.
    Connection(u64),
    /// The signal SIGHUP.
    Signal,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Read the file and hand in what came of it.
    Read,
    /// The file was read.
    Settled(Outcome, Vec<Asker>),
}

/// What came of reading.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Something else is configured.
    Changed {
        config: Config,
        /// What is wrong and was not before.
        news: Vec<Problem>,
    },
    /// The file cannot be used, so that everything stays as it is.
    Failed {
        failure: Box<Failure>,
        /// Whether this was not told yet.
        is_news: bool,
    },
    /// The same as before is configured.
    Same {
        /// Whether the file could not be used the last time.
        is_mended: bool,
    },
}

#[derive(Debug)]
enum Phase {
    Quiet,
    Reading {
        /// Whether the file has changed since reading began.
        is_stale: bool,
    },
    Settling {
        read_at: Instant,
        /// The last moment at which it is read.
        latest: Instant,
    },
}

/// Follows one configuration file.
#[derive(Debug)]
pub(crate) struct Reloads {
    current: Resolved,
    phase: Phase,
    /// When the file is read although nobody told of a change.
    again_at: Option<Instant>,
    /// Whether somebody tells of changes.
    is_watched: bool,
    // Bound: as many as connections to the control socket, and one for signals.
    waiting: Vec<Asker>,
    /// Those who asked before the reading that is under way began.
    served: Vec<Asker>,
    /// Why the file could not be used the last time.
    failed: Option<String>,
    // Bound: drained after each command, which adds two at most.
    effects: VecDeque<Effect>,
}

impl Reloads {
    /// A file of which this was read, and of whose changes nobody tells yet.
    pub(crate) fn new(now: Instant, current: Resolved) -> Self {
        Self {
            current,
            phase: Phase::Quiet,
            again_at: Some(now + AGAIN),
            is_watched: false,
            waiting: Vec::new(),
            served: Vec::new(),
            failed: None,
            effects: VecDeque::new(),
        }
    }

    /// The file cannot be used to begin with, which people know.
    pub(crate) fn begin_with(&mut self, failure: &Failure) {
        self.failed = Some(failure.sentence());
    }

    /// What is configured now.
    pub(crate) fn current(&self) -> &Resolved {
        &self.current
    }

    /// Changes of the file are told from now on, or are not any more.
    pub(crate) fn handle_watched(&mut self, now: Instant, is_watched: bool) {
        let was_watched = std::mem::replace(&mut self.is_watched, is_watched);
        if is_watched || was_watched {
            // It may have changed between the last reading and now.
            self.handle_changed(now);
        }
    }

    /// The file may have changed.
    pub(crate) fn handle_changed(&mut self, now: Instant) {
        match &mut self.phase {
            Phase::Quiet => {
                self.phase = Phase::Settling {
                    read_at: now + QUIET,
                    latest: now + BURST_MAX,
                };
            }
            Phase::Reading { is_stale } => *is_stale = true,
            Phase::Settling { read_at, latest } => *read_at = (now + QUIET).min(*latest),
        }
    }

    /// Somebody wants the file to be read at once, and to know what comes of it.
    pub(crate) fn handle_asked(&mut self, asker: Asker) {
        if !self.waiting.contains(&asker) {
            self.waiting.push(asker);
        }
        // A reading that is under way may have begun before what the asker knows of.
        if !matches!(self.phase, Phase::Reading { .. }) {
            self.read();
        }
    }

    /// The file was read, or could not be.
    pub(crate) fn handle_read(&mut self, now: Instant, read: Result<Resolved, Failure>) {
        let Phase::Reading { is_stale } = self.phase else {
            return;
        };
        let is_failure = read.is_err();
        let outcome = match read {
            Ok(resolved) => self.take(resolved),
            Err(failure) => {
                let text = failure.sentence();
                let is_news = self.failed.as_ref() != Some(&text);
                self.failed = Some(text);
                Outcome::Failed {
                    failure: Box::new(failure),
                    is_news,
                }
            }
        };
        let askers = std::mem::take(&mut self.served);
        self.effects.push_back(Effect::Settled(outcome, askers));
        self.again_at = (is_failure || !self.is_watched).then(|| now + AGAIN);
        self.phase = Phase::Quiet;
        if !self.waiting.is_empty() {
            self.read();
        } else if is_stale {
            self.handle_changed(now);
        }
    }

    /// Does what is due.
    pub(crate) fn handle_wake(&mut self, now: Instant) {
        if self.next_wake().is_some_and(|due| due <= now) {
            self.read();
        }
    }

    /// When [`Reloads::handle_wake`] is wanted.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        match self.phase {
            Phase::Quiet => self.again_at,
            Phase::Reading { .. } => None,
            Phase::Settling { read_at, .. } => Some(read_at),
        }
    }

    /// The next thing to be done.
    pub(crate) fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn read(&mut self) {
        self.served.append(&mut self.waiting);
        self.phase = Phase::Reading { is_stale: false };
        self.effects.push_back(Effect::Read);
    }

    fn take(&mut self, resolved: Resolved) -> Outcome {
        let is_mended = self.failed.take().is_some();
        if resolved.is_as(&self.current) {
            return Outcome::Same { is_mended };
        }
        let news = resolved.news_since(&self.current);
        let config = resolved.config.clone();
        self.current = resolved;
        Outcome::Changed { config, news }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with its clock, whose effects are told as words.
    struct Rig {
        reloads: Reloads,
        start: Instant,
        now: u64,
    }

    fn resolved(servers: &str) -> Resolved {
        let text = format!("mcp_servers:\n{servers}");
        let loaded = Config::parse(&text, "c.yaml", &|_name| None).unwrap();
        loaded.into()
    }

    impl Rig {
        /// A file with one server, whose changes are told.
        fn new() -> Self {
            let start = tokio::time::Instant::now().into_std();
            let mut reloads = Reloads::new(start, resolved("  a: {command: x}\n"));
            reloads.handle_watched(start, true);
            let mut rig = Self {
                reloads,
                start,
                now: 0,
            };
            assert_eq!(rig.at(200), ["read"]);
            assert_eq!(rig.read("  a: {command: x}\n"), ["same"]);
            assert_eq!(rig.reloads.next_wake(), None);
            rig
        }

        fn instant(&self) -> Instant {
            self.start + Duration::from_millis(self.now)
        }

        /// Goes on to this millisecond.
        fn at(&mut self, millisecond: u64) -> Vec<String> {
            self.now = millisecond;
            self.reloads.handle_wake(self.instant());
            self.drain()
        }

        fn changed(&mut self) -> Vec<String> {
            self.reloads.handle_changed(self.instant());
            self.drain()
        }

        fn asked(&mut self, asker: Asker) -> Vec<String> {
            self.reloads.handle_asked(asker);
            self.drain()
        }

        fn read(&mut self, servers: &str) -> Vec<String> {
            let read = Ok(resolved(servers));
            self.reloads.handle_read(self.instant(), read);
            self.drain()
        }

        fn failed(&mut self, message: &str) -> Vec<String> {
            let failure = Failure::usage("config", message, "correct it");
            self.reloads.handle_read(self.instant(), Err(failure));
            self.drain()
        }

        fn drain(&mut self) -> Vec<String> {
            let effects = std::iter::from_fn(|| self.reloads.poll_effect());
            effects.map(|effect| word(&effect)).collect()
        }
    }

    fn word(effect: &Effect) -> String {
        let (outcome, askers) = match effect {
            Effect::Read => return "read".to_owned(),
            Effect::Settled(outcome, askers) => (outcome, askers),
        };
        let askers: String = askers
            .iter()
            .map(|asker| format!(" for {asker:?}"))
            .collect();
        let outcome = match outcome {
            Outcome::Changed { config, news } => {
                let servers = config.servers().iter().map(|server| server.name().as_str());
                let servers: Vec<&str> = servers.collect();
                format!("changed to {}, {} problems", servers.join("+"), news.len())
            }
            Outcome::Failed { failure, is_news } if *is_news => failure.message.clone(),
            Outcome::Failed { .. } => "failed as before".to_owned(),
            Outcome::Same { is_mended: true } => "mended".to_owned(),
            Outcome::Same { .. } => "same".to_owned(),
        };
        format!("{outcome}{askers}")
    }

    const NOTHING: [&str; 0] = [];

    #[test]
    fn a_burst_of_changes_is_read_once_it_is_over() {
        let mut rig = Rig::new();
        for millisecond in [1_000, 1_050, 1_120, 1_200] {
            assert_eq!(rig.at(millisecond), NOTHING);
            assert_eq!(rig.changed(), NOTHING);
        }
        assert_eq!(rig.at(1_399), NOTHING);
        assert_eq!(rig.at(1_400), ["read"]);
        let expected = ["changed to a+b, 0 problems"];
        assert_eq!(rig.read("  a: {command: x}\n  b: {command: y}\n"), expected);
    }

    #[test]
    fn a_file_that_is_never_left_alone_is_read_each_second() {
        let mut rig = Rig::new();
        let mut read_at = Vec::new();
        for millisecond in (1_000..4_000).step_by(50) {
            if rig.at(millisecond) == ["read"] {
                read_at.push(millisecond);
                assert_eq!(rig.read("  a: {command: x}\n"), ["same"]);
            }
            assert_eq!(rig.changed(), NOTHING);
        }
        assert_eq!(read_at, [2_000, 3_000]);
    }

    #[test]
    fn a_save_that_configures_the_same_changes_nothing() {
        let mut rig = Rig::new();
        for same in [
            "  a: {command: x}\n",
            "  # a comment\n\n  a:\n    command: 'x'\n",
            "  a: {command: x, enabled: true, args: []}\n",
        ] {
            rig.changed();
            assert_eq!(rig.at(rig.now + 200), ["read"]);
            assert_eq!(rig.read(same), ["same"], "{same}");
        }
        // What is wrong is told once, also if it has moved.
        let faulty = "  a: {command: x}\n  b: {nope: 1}\n";
        for (text, expected) in [
            (faulty, "changed to a, 2 problems"),
            (&*format!("\n\n{faulty}"), "same"),
            (
                "  a: {command: x}\n  b: {command: y}\n",
                "changed to a+b, 0 problems",
            ),
        ] {
            rig.changed();
            assert_eq!(rig.at(rig.now + 200), ["read"]);
            assert_eq!(rig.read(text), [expected], "{text}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_told_once_and_tried_again() {
        let mut rig = Rig::new();
        rig.changed();
        assert_eq!(rig.at(1_000), ["read"]);
        assert_eq!(rig.failed("not YAML"), ["not YAML"]);
        assert_eq!(rig.reloads.current().config.servers().len(), 1);
        assert_eq!(rig.at(5_999), NOTHING);
        assert_eq!(rig.at(6_000), ["read"]);
        assert_eq!(rig.failed("not YAML"), ["failed as before"]);
        // A change comes before its time.
        rig.now = 7_000;
        rig.changed();
        assert_eq!(rig.at(7_200), ["read"]);
        assert_eq!(rig.failed("too long"), ["too long"]);
        assert_eq!(rig.at(12_200), ["read"]);
        assert_eq!(rig.read("  a: {command: x}\n"), ["mended"]);
        assert_eq!(rig.reloads.next_wake(), None);
    }

    #[test]
    fn who_asks_is_answered_by_a_reading_that_began_afterwards() {
        let mut rig = Rig::new();
        let [one, two] = [1, 2].map(Asker::Connection);
        assert_eq!(rig.asked(one), ["read"]);
        assert_eq!(rig.asked(two), NOTHING);
        assert_eq!(rig.asked(two), NOTHING);
        let first = ["changed to b, 0 problems for Connection(1)", "read"];
        assert_eq!(rig.read("  b: {command: y}\n"), first);
        assert_eq!(rig.read("  b: {command: y}\n"), ["same for Connection(2)"]);
        // It does not wait for the file to be left alone.
        rig.changed();
        assert_eq!(rig.asked(Asker::Signal), ["read"]);
        assert_eq!(rig.failed("gone"), ["gone for Signal"]);
    }

    #[test]
    fn a_change_while_the_file_is_read_is_read_after_it() {
        let mut rig = Rig::new();
        rig.changed();
        assert_eq!(rig.at(1_000), ["read"]);
        assert_eq!(rig.changed(), NOTHING);
        assert_eq!(rig.at(2_000), NOTHING);
        assert_eq!(rig.read("  a: {command: x}\n"), ["same"]);
        assert_eq!(rig.at(2_199), NOTHING);
        assert_eq!(rig.at(2_200), ["read"]);
    }

    #[test]
    fn a_file_of_whose_changes_nobody_tells_is_read_from_time_to_time() {
        let mut rig = Rig::new();
        rig.reloads.handle_watched(rig.instant(), false);
        assert_eq!(rig.at(400), ["read"]);
        assert_eq!(rig.read("  a: {command: x}\n"), ["same"]);
        assert_eq!(rig.at(5_399), NOTHING);
        assert_eq!(rig.at(5_400), ["read"]);
        assert_eq!(rig.read("  a: {command: x}\n"), ["same"]);
        rig.reloads.handle_watched(rig.instant(), true);
        assert_eq!(rig.at(5_600), ["read"]);
        assert_eq!(rig.read("  a: {command: x}\n"), ["same"]);
        assert_eq!(rig.reloads.next_wake(), None);
    }

    #[test]
    fn what_is_read_unasked_is_not_taken() {
        let mut rig = Rig::new();
        assert_eq!(rig.read("  b: {command: y}\n"), NOTHING);
        assert_eq!(
            rig.reloads.current().config.servers()[0].name().as_str(),
            "a"
        );
    }
}
