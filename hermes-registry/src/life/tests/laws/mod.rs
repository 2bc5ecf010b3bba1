//! The laws of a life, checked from outside after every step.
//!
//! [`Watched`] is a life whose inputs and effects are followed by a plain model; whatever the
//! driver does, right or wrong, none of the laws may be broken.

mod check;

use std::time::{Duration, Instant};

use super::*;
use crate::life::queue::Stage;
use crate::life::{BreakerStatus, Refusal, Why};

/// Something that is told to a life.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Admit { deadline: Instant },
    Checked(Epoch, CheckId, Result<(), Fault>),
    Close(Duration),
    Closed(Epoch),
    Connect,
    ConnectFailed(Epoch, Fault),
    Connected(Epoch),
    Disable(Duration),
    Discover,
    Enable,
    End(Ticket, CallEnd),
    Heard(Epoch),
    Lost(Epoch, Fault),
    Wake,
}

/// A call that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) ticket: Ticket,
    pub(super) stage: Stage,
    pub(super) deadline: Instant,
}

/// A life that is watched.
pub(super) struct Watched {
    pub(super) life: Life,
    /// An attempt to connect whose outcome is not known, and which is not to be closed.
    pub(super) attempt: Option<Epoch>,
    /// A connection that is not to be closed.
    pub(super) live: Option<Epoch>,
    /// What is to be closed, and since when.
    pub(super) closing: Option<(Epoch, Instant)>,
    pub(super) check: Option<(Epoch, CheckId)>,
    pub(super) open: Vec<Open>,
    /// The probe of the breaker, until an outcome.
    probe: Option<Ticket>,
    pub(super) connects: u64,
    /// Why the last call was refused that was not even let wait.
    pub(super) turned_away: Option<Refusal>,
}

type Law = Result<(), String>;

fn law(holds: bool, text: &str) -> Law {
    if holds { Ok(()) } else { Err(text.to_owned()) }
}

impl Watched {
    pub(super) fn new(now: Instant, policy: LifePolicy, seed: u64) -> Self {
        Self {
            life: Life::new(now, policy, seed),
            attempt: None,
            live: None,
            closing: None,
            check: None,
            open: Vec::new(),
            probe: None,
            connects: 0,
            turned_away: None,
        }
    }

    pub(super) fn waiting(&self) -> usize {
        let waits = |open: &&Open| open.stage == Stage::Waiting;
        self.open.iter().filter(waits).count()
    }

    pub(super) fn running(&self) -> usize {
        self.open.len() - self.waiting()
    }

    /// Tells the life something, and adds what it wants done to `effects`.
    pub(super) fn apply(&mut self, now: Instant, input: &Input, effects: &mut Vec<Effect>) -> Law {
        let before = self.life.status(now);
        let (waited, first) = (self.waiting(), effects.len());
        let is_stale = self.is_stale(input);
        self.tell(now, input, effects)?;
        effects.extend(std::iter::from_fn(|| self.life.poll_effect()));
        let new = effects.get(first..).unwrap_or_default();
        law(new.len() <= waited + 5, "effects are bounded")?;
        for effect in new {
            self.follow(now, input, &before, effect)?;
        }
        if let Input::Connected(epoch) = input
            && self.live != Some(*epoch)
        {
            let (epoch, why) = (*epoch, Why::Late);
            let is_closed = new.contains(&Effect::Close { epoch, why });
            law(is_closed, "what comes too late is closed")?;
        }
        let has_changed = new.contains(&Effect::Changed);
        let after = self.life.status(now);
        law(
            !is_stale || new.is_empty() && after == before,
            "what nobody waits for changes nothing",
        )?;
        law(
            has_changed || before.state == after.state,
            "a change of state is told",
        )?;
        self.budget(input, &before, &after)?;
        self.bounds(now, &after)?;
        self.way_on(now)
    }

    /// Whether an input is about what is not there any more, or never was.
    fn is_stale(&self, input: &Input) -> bool {
        let closing = self.closing.map(|(epoch, _)| epoch);
        match input {
            Input::Checked(epoch, check, _) => self.check != Some((*epoch, *check)),
            Input::Closed(epoch) => closing != Some(*epoch),
            Input::ConnectFailed(epoch, _) => ![self.attempt, closing].contains(&Some(*epoch)),
            Input::End(ticket, _) => self.open.iter().all(|open| open.ticket != *ticket),
            Input::Heard(epoch) | Input::Lost(epoch, _) => self.live != Some(*epoch),
            _ => false,
        }
    }

    /// Tells the life something, and what there is about the model that follows from it alone.
    fn tell(&mut self, now: Instant, input: &Input, effects: &mut Vec<Effect>) -> Law {
        let life = &mut self.life;
        match input.clone() {
            Input::Admit { deadline } => return self.admit(now, deadline, effects),
            Input::Checked(epoch, check, outcome) => {
                life.handle_checked(now, epoch, check, outcome);
                self.check = self.check.filter(|out| *out != (epoch, check));
            }
            Input::Close(grace) => life.close(now, grace),
            Input::Closed(epoch) => {
                life.handle_closed(now, epoch);
                self.has_closed(epoch);
            }
            Input::Connect => life.connect(now),
            Input::ConnectFailed(epoch, fault) => {
                life.handle_connect_failed(now, epoch, fault);
                self.attempt = self.attempt.filter(|attempt| *attempt != epoch);
                self.has_closed(epoch);
            }
            Input::Connected(epoch) => {
                life.handle_connected(now, epoch);
                if self.attempt == Some(epoch) {
                    (self.attempt, self.live) = (None, Some(epoch));
                }
            }
            Input::Disable(grace) => life.disable(now, grace),
            Input::Discover => life.discover(now),
            Input::Enable => life.enable(now),
            Input::End(ticket, end) => return self.end(now, ticket, end),
            Input::Heard(epoch) => life.handle_heard(now, epoch),
            Input::Lost(epoch, fault) => life.handle_lost(now, epoch, fault),
            Input::Wake => {
                life.handle_wake(now);
                self.overdue(now);
            }
        }
        Ok(())
    }

    fn admit(&mut self, now: Instant, deadline: Instant, effects: &mut Vec<Effect>) -> Law {
        let is_open = matches!(self.life.status(now).breaker, BreakerStatus::Open { .. });
        let (ticket, started) = match self.life.admit(now, deadline) {
            Admission::Go(started) => (started.ticket, Some(started)),
            Admission::Wait(ticket) => (ticket, None),
            Admission::Refuse(refusal) => {
                self.turned_away = Some(refusal);
                return Ok(());
            }
        };
        law(!is_open, "no call enters while the breaker is open")?;
        let is_new = self.open.iter().all(|open| open.ticket < ticket);
        law(is_new, "a ticket is given once")?;
        self.open.push(Open {
            ticket,
            stage: Stage::Waiting,
            deadline,
        });
        effects.extend(started.map(Effect::Start));
        Ok(())
    }

    fn end(&mut self, now: Instant, ticket: Ticket, end: CallEnd) -> Law {
        let was_open = self.open.iter().any(|open| open.ticket == ticket);
        // An answer on a connection closes the breaker, whoever it was for.
        if end == CallEnd::Answered && self.live.is_some() || self.probe == Some(ticket) {
            self.probe = None;
        }
        self.open.retain(|open| open.ticket != ticket);
        let is_told = self.life.end_call(now, ticket, end);
        law(is_told == was_open, "a call ends once")
    }

    /// What was to be closed is, so its calls are over.
    fn has_closed(&mut self, epoch: Epoch) {
        if self.closing.is_some_and(|(closing, _)| closing == epoch) {
            self.closing = None;
            self.open.retain(|open| open.stage == Stage::Waiting);
            let is_open = |probe: &Ticket| self.open.iter().any(|open| open.ticket == *probe);
            self.probe = self.probe.filter(is_open);
        }
    }

    /// What takes too long to close counts as closed.
    fn overdue(&mut self, now: Instant) {
        let close_max = self.life.policy().close_max;
        if let Some((epoch, since)) = self.closing
            && now.saturating_duration_since(since) >= close_max
        {
            self.has_closed(epoch);
        }
    }
}
