//! One server that fails as its mood is, and the driver of its life, which makes mistakes too.

use std::time::{Duration, Instant};

use super::chance::Chance;
use super::mood::Mood;
use crate::life::tests::laws::{Input, Watched};
use crate::life::tests::{secs, transient};
use crate::life::{CallEnd, CheckId, Effect, Epoch, Fault, FaultKind, LifePolicy, Started, Ticket};

/// How long a call may take, as its configuration says.
const CALL_TIMEOUT: Duration = Duration::from_secs(120);

/// How long connecting may take, as its configuration says.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// What a server is asked for as a sign of life is of its era.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Era {
    Legacy,
    Modern,
}

/// Something that will be told.
struct Pending {
    at: Instant,
    input: Input,
}

/// A server, the driver of its life, and the life.
pub(super) struct Server {
    pub(super) name: &'static str,
    pub(super) mood: Mood,
    pub(super) watched: Watched,
    era: Era,
    /// What runs, if anything does.
    process: Option<Epoch>,
    pending: Vec<Pending>,
    last_check: Option<(Epoch, CheckId)>,
    effects: Vec<Effect>,
    /// States and refusals that it came to since this was last looked at.
    pub(super) reached: Vec<(&'static str, &'static str)>,
}

impl Server {
    pub(super) fn new(
        now: Instant,
        name: &'static str,
        era: Era,
        policy: LifePolicy,
        seed: u64,
    ) -> Self {
        Self {
            name,
            mood: Mood::Well,
            watched: Watched::new(now, policy, seed),
            era,
            process: None,
            pending: Vec::new(),
            last_check: None,
            effects: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// When something happens by itself.
    pub(super) fn next_at(&self) -> Option<Instant> {
        let pending = self.pending.iter().map(|pending| pending.at);
        pending.chain(self.watched.life.next_wake()).min()
    }

    /// What happens now.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<Input> {
        let due = self.pending.iter().enumerate();
        let due = due.filter(|(_, pending)| pending.at <= now);
        match due.min_by_key(|(_, pending)| pending.at) {
            Some((index, _)) => Some(self.pending.remove(index).input),
            None => self.watched.life.next_wake().map(|_| Input::Wake),
        }
    }

    /// Tells the life something, and does what it wants done.
    pub(super) fn tell(
        &mut self,
        now: Instant,
        input: &Input,
        chance: &mut Chance,
    ) -> Result<(), String> {
        let mut effects = std::mem::take(&mut self.effects);
        let result = self.watched.apply(now, input, &mut effects);
        for effect in effects.drain(..) {
            self.act(now, &effect, chance)?;
        }
        self.effects = effects;
        if let Some(refusal) = self.watched.turned_away.take() {
            self.reached.push(("refused", refusal.code()));
        }
        result
    }

    /// What runs dies; its calls and the driver notice, one after the other.
    pub(super) fn kill(&mut self, now: Instant) -> Option<Input> {
        let epoch = self.process.take()?;
        let lost = Input::Lost(epoch, transient());
        self.end_calls(now, epoch);
        Some(lost)
    }

    /// Something that users do now and then, or that a driver should not do.
    pub(super) fn odd_input(&self, chance: &mut Chance) -> Input {
        let old = Epoch(1 + self.watched.connects.saturating_sub(2));
        match chance.below(24) {
            0..4 => Input::Discover,
            4 | 5 => Input::Connect,
            6 => Input::Disable(secs(2)),
            7..10 => Input::Enable,
            10 if chance.one_in(4) => Input::Close(secs(5)),
            10 | 11 => Input::Closed(old),
            12 => Input::Connected(old),
            13 => Input::Lost(old, transient()),
            14 | 15 => {
                let (epoch, check) = self.last_check.unwrap_or((Epoch(1), CheckId(1)));
                Input::Checked(epoch, check, Err(transient()))
            }
            _ => {
                let index = chance.below(self.watched.open.len().max(1));
                let open = self.watched.open.get(index);
                Input::End(
                    open.map_or(Ticket(1), |open| open.ticket),
                    CallEnd::Abandoned,
                )
            }
        }
    }

    fn later(&mut self, at: Instant, input: Input) {
        self.pending.push(Pending { at, input });
    }

    fn act(&mut self, now: Instant, effect: &Effect, chance: &mut Chance) -> Result<(), String> {
        match effect {
            Effect::Connect { epoch } => self.connect(now, *epoch, chance),
            Effect::Close { epoch, .. } => self.close(now, *epoch, chance),
            Effect::Start(started) => self.call(now, *started, chance),
            Effect::Check {
                epoch,
                check,
                until,
            } => return self.check(now, (*epoch, *check), *until, chance),
            Effect::Refuse { refusal, .. } => self.reached.push(("refused", refusal.code())),
            Effect::Changed => self
                .reached
                .push(("became", self.watched.life.state().as_str())),
        }
        Ok(())
    }

    fn connect(&mut self, now: Instant, epoch: Epoch, chance: &mut Chance) {
        let failed = |kind| Input::ConnectFailed(epoch, Fault::new(kind, "a reason"));
        let soon = now + chance.millis(5, 3_000);
        match self.mood {
            // One outcome in a few is never told.
            Mood::Absent if chance.one_in(4) => {}
            Mood::Absent => self.later(now + CONNECT_TIMEOUT, failed(FaultKind::Transient)),
            Mood::Refusing => self.later(soon, failed(FaultKind::Transient)),
            Mood::Misconfigured => self.later(soon, failed(FaultKind::Configuration)),
            Mood::Locked => self.later(soon, failed(FaultKind::Login)),
            Mood::Crashing | Mood::Deaf | Mood::Flapping | Mood::Plodding | Mood::Well => {
                self.process = Some(epoch);
                self.later(soon, Input::Connected(epoch));
                if self.mood == Mood::Flapping {
                    let dies_at = soon + chance.millis(1, 900);
                    self.later(dies_at, Input::Lost(epoch, transient()));
                }
            }
        }
    }

    fn close(&mut self, now: Instant, epoch: Epoch, chance: &mut Chance) {
        if self.process == Some(epoch) {
            self.process = None;
        }
        self.end_calls(now, epoch);
        // An attempt that is given up succeeds at times all the same.
        if !chance.one_in(3) {
            self.pending.retain(
                |pending| !matches!(pending.input, Input::Connected(other) if other == epoch),
            );
        }
        if !chance.one_in(20) {
            let ended_at = now + chance.millis(1, 6_000);
            self.later(ended_at, Input::Closed(epoch));
        }
    }

    /// The calls of a connection that is gone end, whatever would have become of them.
    fn end_calls(&mut self, now: Instant, epoch: Epoch) {
        let is_gone = self.watched.live.is_none_or(|live| live == epoch);
        for pending in self.pending.iter_mut().filter(|_| is_gone) {
            if let Input::End(_, end) = &mut pending.input {
                *end = CallEnd::Lost(transient());
                pending.at = pending.at.min(now + Duration::from_millis(3));
            }
        }
    }

    fn call(&mut self, now: Instant, started: Started, chance: &mut Chance) {
        let is_there = self.process == Some(started.epoch);
        let (time, end) = match self.mood {
            _ if !is_there => (chance.millis(1, 5), CallEnd::Lost(transient())),
            Mood::Crashing => (chance.millis(1, 500), CallEnd::Lost(transient())),
            Mood::Absent | Mood::Deaf => (CALL_TIMEOUT, CallEnd::TimedOut),
            Mood::Refusing => (chance.millis(1, 50), CallEnd::Unreachable(transient())),
            Mood::Locked => {
                let fault = Fault::new(FaultKind::Login, "status 401");
                (chance.millis(1, 500), CallEnd::Unauthorized(fault))
            }
            Mood::Plodding if chance.one_in(3) => (CALL_TIMEOUT, CallEnd::TimedOut),
            Mood::Plodding => (chance.millis(10_000, 119_000), CallEnd::Answered),
            Mood::Flapping | Mood::Misconfigured | Mood::Well => {
                (chance.millis(1, 3_000), CallEnd::Answered)
            }
        };
        self.later(now + time, Input::End(started.ticket, end));
    }

    fn check(
        &mut self,
        now: Instant,
        (epoch, check): (Epoch, CheckId),
        until: Instant,
        chance: &mut Chance,
    ) -> Result<(), String> {
        let method = match self.era {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        };
        self.last_check = Some((epoch, check));
        let is_there = self.process == Some(epoch);
        let outcome = match self.mood {
            _ if !is_there => Some(Err(transient())),
            Mood::Absent | Mood::Deaf => None,
            Mood::Plodding if self.watched.running() > 0 => None,
            Mood::Locked => Some(Err(Fault::new(FaultKind::Login, "status 401"))),
            Mood::Refusing => Some(Err(transient())),
            _ => Some(Ok(())),
        };
        if let Some(outcome) = outcome {
            let told_at = now + chance.millis(1, 4_000);
            self.later(told_at, Input::Checked(epoch, check, outcome));
        } else if chance.one_in(2) {
            self.later(until, Input::Checked(epoch, check, Err(transient())));
        }
        self.answers(method)
    }

    /// A modern server has no `ping`, and a legacy one has nothing to discover.
    fn answers(&self, method: &str) -> Result<(), String> {
        match (self.era, method) {
            (Era::Legacy, "ping") | (Era::Modern, "server/discover") => Ok(()),
            (era, method) => Err(format!("a server of the era {era:?} is asked {method}")),
        }
    }
}
