//! Which resources a legacy server is to tell of, and what it was asked for so far.
//!
//! Decides and does nothing else: `driver` makes the requests.
//!
//! ```text
//!            enter              asked, and granted
//!   nothing ───────> subscribe ───────────────────> watched
//!      ^                 │ refused: all who wait       │ the last one leaves
//!      │                 v are told                    v
//!      └──────────── nothing <──────────────────── unsubscribe
//! ```
//!
//! Invariant: of one resource at most one request is in flight, so the order in which a server
//! takes them is that of our intentions, even where each is a post of its own.

use std::collections::BTreeMap;

use tokio::sync::oneshot;

use crate::{Error, Sent};

/// What a subscriber waits for.
pub(crate) type Granted = oneshot::Receiver<Result<(), Error>>;

/// What is to be asked of the server next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    Subscribe,
    Unsubscribe,
}

/// What the server tells of, as far as we know.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Told {
    /// It may or may not.
    Maybe,
    #[default]
    No,
    Yes,
}

#[derive(Debug, Default)]
struct Intent {
    /// How many subscribers there are.
    wanted: usize,
    told: Told,
    /// Whether somebody makes its requests.
    is_worked_on: bool,
    /// Whether the session was replaced since the last request began, so that the server has to
    /// be asked again even if nobody waits for it.
    is_owed: bool,
    waiting: Vec<oneshot::Sender<Result<(), Error>>>,
}

impl Intent {
    fn next(&mut self) -> Option<Step> {
        self.waiting.retain(|subscriber| !subscriber.is_closed());
        let is_wanted = self.wanted > 0;
        match self.told {
            Told::Yes if is_wanted => {
                self.answer(&Ok(()));
                None
            }
            Told::No | Told::Maybe if is_wanted => {
                let is_asked_for = std::mem::take(&mut self.is_owed) || !self.waiting.is_empty();
                is_asked_for.then_some(Step::Subscribe)
            }
            Told::Yes | Told::Maybe => Some(Step::Unsubscribe),
            Told::No => None,
        }
    }

    fn answer(&mut self, result: &Result<(), Error>) {
        for subscriber in self.waiting.drain(..) {
            // Who has gone away in the meantime has been counted out.
            let _: Result<(), Result<(), Error>> = subscriber.send(result.clone());
        }
    }
}

/// The intentions for all resources of one connection.
// Bound: one for each resource that the application watches, or has just ceased to.
#[derive(Debug, Default)]
pub(crate) struct Intents {
    resources: BTreeMap<String, Intent>,
    /// The resources for which somebody has to begin to work.
    due: Vec<String>,
    is_closed: bool,
}

impl Intents {
    /// Counts a subscriber in; it is told when the server has granted or refused it.
    pub(crate) fn enter(&mut self, uri: &str) -> Granted {
        let (subscriber, granted) = oneshot::channel();
        // Of a connection that is gone nobody answers: the subscriber hears that at once.
        if !self.is_closed {
            let intent = self.resources.entry(uri.to_owned()).or_default();
            intent.wanted += 1;
            intent.waiting.push(subscriber);
            self.look(uri);
        }
        granted
    }

    /// Counts a subscriber out.
    pub(crate) fn leave(&mut self, uri: &str) {
        if let Some(intent) = self.resources.get_mut(uri) {
            intent.wanted = intent.wanted.saturating_sub(1);
            self.look(uri);
        }
    }

    /// Forgets what a lost session was asked for, and asks the new one.
    pub(crate) fn session_replaced(&mut self) {
        let uris: Vec<_> = self.resources.keys().cloned().collect();
        for uri in uris {
            if let Some(intent) = self.resources.get_mut(&uri) {
                intent.told = Told::No;
                intent.is_owed = true;
                self.look(&uri);
            }
        }
    }

    /// Ends it all: nobody is told anything more.
    pub(crate) fn close(&mut self) {
        *self = Self {
            is_closed: true,
            ..Self::default()
        };
    }

    /// The resources for which somebody has to begin to work.
    pub(crate) fn take_due(&mut self) -> Vec<String> {
        std::mem::take(&mut self.due)
    }

    /// What is to be asked next for a resource that is worked on; `None` if the work is done.
    pub(crate) fn next(&mut self, uri: &str) -> Option<Step> {
        let intent = self.resources.get_mut(uri)?;
        let step = intent.next();
        if step.is_none() {
            intent.is_worked_on = false;
            if intent.wanted == 0 {
                self.resources.remove(uri);
            }
        }
        step
    }

    /// What came of a step.
    pub(crate) fn done(&mut self, uri: &str, step: Step, result: &Result<(), Error>) {
        let Some(intent) = self.resources.get_mut(uri) else {
            return;
        };
        intent.told = match (step, result) {
            // It belongs to a session that is no more.
            _ if intent.is_owed => Told::No,
            (Step::Subscribe, Ok(())) => Told::Yes,
            (Step::Subscribe, Err(error)) if error.sent() == Sent::Maybe => Told::Maybe,
            // What a server does not take back, it is not asked for again and again.
            (Step::Subscribe, Err(_)) | (Step::Unsubscribe, _) => Told::No,
        };
        if step == Step::Subscribe && result.is_err() {
            intent.answer(result);
        }
    }

    /// Has somebody look at a resource, unless somebody is at work on it and will.
    fn look(&mut self, uri: &str) {
        if let Some(intent) = self.resources.get_mut(uri)
            && !std::mem::replace(&mut intent.is_worked_on, true)
        {
            self.due.push(uri.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> Result<(), Error> {
        Err(Error::not_started("no".to_owned()))
    }

    fn lost() -> Result<(), Error> {
        let after = std::time::Duration::ZERO;
        Err(Error::not_connected_in_time("an answer", after))
    }

    fn told(granted: &mut Granted) -> Option<bool> {
        granted.try_recv().ok().map(|result| result.is_ok())
    }

    /// Intentions with one resource, `a`, that is watched once.
    fn watched() -> Intents {
        let mut intents = Intents::default();
        let mut first = intents.enter("a");
        assert_eq!(intents.take_due(), ["a"]);
        assert_eq!(intents.next("a"), Some(Step::Subscribe));
        intents.done("a", Step::Subscribe, &Ok(()));
        assert_eq!(intents.next("a"), None);
        assert_eq!(told(&mut first), Some(true));
        intents
    }

    #[test]
    fn one_request_serves_all_who_watch_and_the_last_one_takes_it_back() {
        let mut intents = watched();
        let mut second = intents.enter("a");
        assert_eq!(intents.take_due(), ["a"]);
        assert_eq!(intents.next("a"), None);
        assert_eq!(told(&mut second), Some(true));
        intents.leave("a");
        assert_eq!(intents.take_due(), ["a"]);
        assert_eq!(intents.next("a"), None);
        intents.leave("a");
        assert_eq!(intents.next("a"), Some(Step::Unsubscribe));
        intents.done("a", Step::Unsubscribe, &refused());
        assert_eq!(intents.next("a"), None);
        assert!(intents.resources.is_empty());
    }

    #[test]
    fn all_who_rely_on_a_request_that_fails_are_told_and_the_next_one_tries_anew() {
        let mut intents = Intents::default();
        let mut first = intents.enter("a");
        assert_eq!(intents.next("a"), Some(Step::Subscribe));
        let mut second = intents.enter("a");
        intents.done("a", Step::Subscribe, &refused());
        for granted in [&mut first, &mut second] {
            assert_eq!(told(granted), Some(false));
            intents.leave("a");
        }
        assert_eq!(intents.next("a"), None);
        assert!(intents.resources.is_empty());
        let _third = intents.enter("a");
        assert_eq!(intents.next("a"), Some(Step::Subscribe));
    }

    #[test]
    fn whoever_comes_while_it_is_taken_back_has_it_asked_for_again_afterwards() {
        let mut intents = watched();
        intents.leave("a");
        assert_eq!(intents.next("a"), Some(Step::Unsubscribe));
        let mut second = intents.enter("a");
        assert_eq!(intents.take_due(), ["a"], "of the leave alone");
        intents.done("a", Step::Unsubscribe, &Ok(()));
        assert_eq!(intents.next("a"), Some(Step::Subscribe));
        assert_eq!(told(&mut second), None);
        intents.done("a", Step::Subscribe, &Ok(()));
        assert_eq!(intents.next("a"), None);
        assert_eq!(told(&mut second), Some(true));
    }

    #[test]
    fn what_nobody_wants_once_it_is_granted_or_may_be_is_taken_back() {
        for result in [Ok(()), lost()] {
            let mut intents = Intents::default();
            let _granted = intents.enter("a");
            assert_eq!(intents.next("a"), Some(Step::Subscribe));
            intents.leave("a");
            intents.done("a", Step::Subscribe, &result);
            assert_eq!(intents.next("a"), Some(Step::Unsubscribe));
        }
    }

    #[test]
    fn a_new_session_is_asked_for_what_the_lost_one_was_or_was_being_asked_for() {
        let mut intents = watched();
        intents.session_replaced();
        assert_eq!(intents.take_due(), ["a"]);
        assert_eq!(intents.next("a"), Some(Step::Subscribe));
        intents.session_replaced();
        intents.done("a", Step::Subscribe, &Ok(()));
        assert_eq!(
            intents.next("a"),
            Some(Step::Subscribe),
            "it was the lost one's answer"
        );
        intents.done("a", Step::Subscribe, &refused());
        assert_eq!(intents.next("a"), None, "it is not asked for ever");
    }

    #[test]
    fn of_a_connection_that_is_gone_nobody_is_told() {
        let mut intents = Intents::default();
        let mut before = intents.enter("a");
        intents.close();
        let mut after = intents.enter("a");
        for granted in [&mut before, &mut after] {
            let closed = granted.try_recv().unwrap_err();
            assert_eq!(closed, oneshot::error::TryRecvError::Closed);
        }
        assert!(intents.take_due().is_empty());
    }
}
