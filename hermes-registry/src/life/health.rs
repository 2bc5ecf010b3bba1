//! Whether a connected server works: what proves it, what speaks against it, and looking.

use std::time::Instant;

use super::phase::{Check, Condition, Goal, Phase};
use super::{CheckId, Effect, Epoch, Fault, FaultKind, Life, Why};

impl Life {
    /// The server said something, such as a notice or a sign of progress. It is not quiet then,
    /// which proves nothing else.
    pub fn handle_heard(&mut self, now: Instant, epoch: Epoch) {
        if let Phase::Live(live) = &mut self.phase
            && live.epoch == epoch
        {
            live.heard_at = now;
        }
    }

    /// What came of [`Effect::Check`].
    pub fn handle_checked(
        &mut self,
        now: Instant,
        epoch: Epoch,
        check: CheckId,
        outcome: Result<(), Fault>,
    ) {
        let Phase::Live(live) = &self.phase else {
            return;
        };
        if live.epoch != epoch || live.check.is_none_or(|wanted| wanted.id != check) {
            return;
        }
        match outcome {
            Ok(()) => self.proved(now, Why::Checked),
            Err(fault) => self.failed_check(now, fault),
        }
        self.advance(now);
    }

    /// Nobody tells what became of a check, so the server did not answer.
    pub(super) fn give_up_check(&mut self, now: Instant) {
        let text = "the server gave no sign of life when it was asked for one".to_owned();
        self.failed_check(now, Fault::new(FaultKind::Transient, text));
    }

    fn failed_check(&mut self, now: Instant, fault: Fault) {
        let Phase::Live(live) = &mut self.phase else {
            return;
        };
        live.check = None;
        // One look at a quiet server may fail by chance; two in a row do not, and neither does a
        // server that wants other credentials.
        if matches!(live.condition, Condition::Steady) && fault.is_transient() {
            self.suspect(now, fault);
        } else {
            self.drain(now, self.policy.drain_max, Goal::Replace(fault));
        }
    }

    /// Something speaks against the connection.
    pub(super) fn suspect(&mut self, now: Instant, fault: Fault) {
        let Phase::Live(live) = &mut self.phase else {
            return;
        };
        if matches!(live.condition, Condition::Steady) {
            live.condition = Condition::Suspect;
            live.check = None;
            self.fault = Some(fault.clone());
            self.note(now, Why::Fault(fault));
        }
    }

    /// The server did something that only a server that works does.
    pub(super) fn proved(&mut self, now: Instant, why: Why) {
        let Phase::Live(live) = &mut self.phase else {
            return;
        };
        live.heard_at = now;
        live.is_proven = true;
        live.check = None;
        let is_cleared = match &live.condition {
            Condition::Suspect => true,
            Condition::Draining {
                goal: Goal::Replace(fault),
                ..
            } => fault.is_transient(),
            Condition::Draining { .. } | Condition::Steady => false,
        };
        if is_cleared {
            live.condition = Condition::Steady;
        }
        self.retries_used = 0;
        self.fault = None;
        self.note(now, why);
    }

    /// Asks a quiet server, or a suspect one, for a sign of life.
    pub(super) fn start_check(&mut self, now: Instant) {
        let Phase::Live(live) = &mut self.phase else {
            return;
        };
        let timeout = match live.condition {
            Condition::Steady => self.policy.keepalive_timeout,
            Condition::Draining { .. } | Condition::Suspect => self.policy.suspect_timeout,
        };
        self.last_check.0 += 1;
        let (epoch, check, until) = (live.epoch, self.last_check, now + timeout);
        live.check = Some(Check { id: check, until });
        self.effects.push_back(Effect::Check {
            epoch,
            check,
            until,
        });
    }
}
