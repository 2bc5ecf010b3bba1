//! The laws themselves: what each effect, and the state after a step, must be like.

use std::time::{Duration, Instant};

use super::{Input, Law, Watched, law};
use crate::life::queue::Stage;
use crate::life::{
    BreakerStatus, CallEnd, Effect, Epoch, LifeStatus, Refusal, Started, State, Ticket, Why,
};

impl Watched {
    pub(super) fn follow(
        &mut self,
        now: Instant,
        input: &Input,
        before: &LifeStatus,
        effect: &Effect,
    ) -> Law {
        law(
            before.state != State::Closed || matches!(effect, Effect::Close { .. }),
            "what is closed only closes",
        )?;
        match effect {
            Effect::Changed => Ok(()),
            Effect::Check {
                epoch,
                check,
                until,
            } => {
                self.check = Some((*epoch, *check));
                law(self.live == Some(*epoch), "a check is on the connection")?;
                law(*until > now, "a check has time")
            }
            Effect::Close { epoch, why } => self.follow_close(now, input, *epoch, why),
            Effect::Connect { epoch } => self.follow_connect(*epoch),
            Effect::Refuse { ticket, refusal } => self.follow_refusal(now, *ticket, refusal),
            Effect::Start(started) => self.follow_start(input, before, started),
        }
    }

    fn follow_connect(&mut self, epoch: Epoch) -> Law {
        let is_free = self.attempt.is_none() && self.live.is_none();
        law(is_free, "one attempt or connection at a time")?;
        law(
            self.closing.is_none(),
            "the old has ended before the new begins",
        )?;
        self.attempt = Some(epoch);
        self.connects += 1;
        law(
            epoch.number() == self.connects,
            "each attempt has a number of its own",
        )
    }

    fn follow_close(&mut self, now: Instant, input: &Input, epoch: Epoch, why: &Why) -> Law {
        if *why == Why::Late {
            let is_answer = matches!(input, Input::Connected(late) if *late == epoch);
            law(
                is_answer && self.live != Some(epoch),
                "only what is late is closed as late",
            )
        } else {
            let is_known = self.attempt == Some(epoch) || self.live == Some(epoch);
            law(is_known, "what is closed is there, and is closed once")?;
            let is_mere_age = matches!(why, Why::Idle(_) | Why::TooOld(_));
            law(
                !is_mere_age || self.running() == 0,
                "no call ends for mere age",
            )?;
            (self.attempt, self.live, self.check) = (None, None, None);
            self.closing = Some((epoch, now));
            Ok(())
        }
    }

    /// First come, first served, and nobody beside a probe.
    fn follow_start(&mut self, input: &Input, before: &LifeStatus, started: &Started) -> Law {
        let was_open = matches!(before.breaker, BreakerStatus::Open { .. });
        let is_answer = matches!(input, Input::End(_, CallEnd::Answered));
        law(
            !was_open || is_answer,
            "no call starts while the breaker is open",
        )?;
        law(
            self.live == Some(started.epoch),
            "a call runs on the connection",
        )?;
        law(self.probe.is_none(), "nothing runs beside a probe")?;
        self.probe = started.is_probe.then_some(started.ticket);
        let mut waiting = self
            .open
            .iter_mut()
            .filter(|open| open.stage == Stage::Waiting);
        match waiting.next() {
            Some(first) if first.ticket == started.ticket => {
                first.stage = Stage::Running;
                Ok(())
            }
            first => Err(format!("{:?} starts before {first:?}", started.ticket)),
        }
    }

    fn follow_refusal(&mut self, now: Instant, ticket: Ticket, refusal: &Refusal) -> Law {
        let open = self.open.iter().find(|open| open.ticket == ticket);
        let Some(open) = open.filter(|open| open.stage == Stage::Waiting) else {
            return Err(format!("{ticket:?} is refused and does not wait"));
        };
        let is_late = matches!(refusal, Refusal::WaitedTooLong { .. });
        law(
            !is_late || open.deadline <= now,
            "a call waits until its deadline",
        )?;
        self.open.retain(|open| open.ticket != ticket);
        Ok(())
    }

    /// Only what proves health fills the budget of retries up.
    pub(super) fn budget(&self, input: &Input, before: &LifeStatus, after: &LifeStatus) -> Law {
        let is_proof = matches!(
            input,
            Input::End(_, CallEnd::Answered) | Input::Checked(_, _, Ok(()))
        );
        let policy = &self.life.policy().reconnect;
        law(
            is_proof || after.retries_used >= before.retries_used,
            "only proof of health clears the budget",
        )?;
        law(
            after.retries_used <= policy.retries.max(policy.initial_retries),
            "the budget is kept to",
        )
    }

    pub(super) fn bounds(&self, now: Instant, status: &LifeStatus) -> Law {
        let policy = self.life.policy();
        law(
            status.in_flight == self.running(),
            "the running calls are known",
        )?;
        law(
            status.queued == self.waiting(),
            "the waiting calls are known",
        )?;
        law(
            status.in_flight <= policy.parallel_calls_max,
            "few calls run",
        )?;
        law(status.queued <= policy.queue_len_max, "few calls wait")?;
        law(self.life.ledger().len() <= 32, "the ledger is bounded")?;
        law(self.life.epoch() == self.live, "the connection is known")?;
        let retry_in = match status.breaker {
            BreakerStatus::Open { retry_in } => retry_in,
            _ => Duration::ZERO,
        };
        law(
            retry_in <= policy.breaker.cooldown,
            "the breaker opens again",
        )?;
        law(
            retry_in.is_zero() || status.queued == 0,
            "nothing waits for a breaker that is open",
        )?;
        let is_open = |probe| self.open.iter().any(|open| open.ticket == probe);
        law(
            self.life.breaker.probe().is_none_or(is_open),
            "the probe is a call that is open",
        )?;
        let next = status.next_attempt_in.unwrap_or_default();
        law(
            next <= policy.reconnect.park_probe_interval,
            "an attempt is near",
        )?;
        let wake = self.life.next_wake();
        let deadlines = self.open.iter().filter(|open| open.stage == Stage::Waiting);
        let deadline = deadlines.map(|open| open.deadline).min();
        law(
            deadline.is_none_or(|deadline| wake.is_some_and(|wake| wake <= deadline.max(now))),
            "a call that waits is not forgotten",
        )
    }

    /// Whatever is under way, something leads on: a time, or the end of a call.
    pub(super) fn way_on(&self, now: Instant) -> Law {
        let status = self.life.status(now);
        let leads_on = match status.state {
            State::Closed | State::Disabled | State::Idle | State::Recycled => self.waiting() == 0,
            State::Parked => {
                let can_help = status.fault.is_none_or(|fault| fault.is_transient());
                self.waiting() == 0 && (self.life.next_wake().is_some() || !can_help)
            }
            State::Ready | State::Suspect => self.life.next_wake().is_some() || self.running() > 0,
            _ => self.life.next_wake().is_some(),
        };
        law(leads_on, "something leads on")
    }
}
