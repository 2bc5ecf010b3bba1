//! The calls of one server: those that run, and those that wait, first come first served.
//!
//! Whether a call may run is decided by whoever uses it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Ticket;

/// The calls that run and wait.
#[derive(Debug)]
pub(super) struct Queue {
    last: u64,
    // Bound: `LifePolicy::parallel_calls_max` and `LifePolicy::queue_len_max`.
    running: Vec<Ticket>,
    waiting: VecDeque<Waiting>,
}

/// A call that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) ticket: Ticket,
    pub(super) asked_at: Instant,
    pub(super) deadline: Instant,
}

/// How far a call had come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Stage {
    Running,
    Waiting,
}

/// A probe that others wait for, and for how long at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub(super) probe: Ticket,
    pub(super) wait: Duration,
}

impl Waiting {
    fn due(&self, hold: Option<Hold>) -> Instant {
        let held = hold.filter(|hold| hold.probe != self.ticket);
        held.and_then(|hold| self.asked_at.checked_add(hold.wait))
            .map_or(self.deadline, |due| due.min(self.deadline))
    }
}

impl Queue {
    pub(super) fn new() -> Self {
        Self {
            last: 0,
            running: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    pub(super) fn issue(&mut self) -> Ticket {
        self.last += 1;
        Ticket(self.last)
    }

    pub(super) fn run(&mut self, ticket: Ticket) {
        self.running.push(ticket);
    }

    pub(super) fn wait(&mut self, waiting: Waiting) {
        self.waiting.push_back(waiting);
    }

    /// Forgets a call; `None` if it had ended.
    pub(super) fn end(&mut self, ticket: Ticket) -> Option<Stage> {
        if let Some(index) = self.running.iter().position(|running| *running == ticket) {
            self.running.swap_remove(index);
            return Some(Stage::Running);
        }
        let mut waiting = self.waiting.iter();
        let index = waiting.position(|waiting| waiting.ticket == ticket)?;
        self.waiting.remove(index).map(|_| Stage::Waiting)
    }

    /// Forgets all calls that run.
    pub(super) fn end_running(&mut self) {
        self.running.clear();
    }

    /// Takes the call out that has waited longest.
    pub(super) fn take_first(&mut self) -> Option<Waiting> {
        self.waiting.pop_front()
    }

    /// Takes the calls out that have waited as long as they may, oldest first.
    pub(super) fn take_due(&mut self, now: Instant, hold: Option<Hold>) -> Vec<Waiting> {
        let is_due = |waiting: &Waiting| waiting.due(hold) <= now;
        let due = self.waiting.iter().copied().filter(is_due).collect();
        self.waiting.retain(|waiting| !is_due(waiting));
        due
    }

    pub(super) fn running(&self) -> &[Ticket] {
        &self.running
    }

    pub(super) fn is_running(&self, ticket: Ticket) -> bool {
        self.running.contains(&ticket)
    }

    pub(super) fn waiting_len(&self) -> usize {
        self.waiting.len()
    }

    /// The call that has waited longest.
    pub(super) fn first(&self) -> Option<Ticket> {
        self.waiting.front().map(|waiting| waiting.ticket)
    }

    /// When the first call has waited as long as it may.
    pub(super) fn next_due(&self, hold: Option<Hold>) -> Option<Instant> {
        self.waiting.iter().map(|waiting| waiting.due(hold)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::life::tests::at;

    fn queue(deadlines: &[f64]) -> Queue {
        let mut queue = Queue::new();
        for deadline in deadlines {
            let ticket = queue.issue();
            queue.wait(Waiting {
                ticket,
                asked_at: at(0.0),
                deadline: at(*deadline),
            });
        }
        queue
    }

    fn tickets(waiting: &[Waiting]) -> Vec<u64> {
        waiting.iter().map(|waiting| waiting.ticket.0).collect()
    }

    #[test]
    fn calls_are_served_in_the_order_in_which_they_came() {
        let mut queue = queue(&[9.0, 1.0, 5.0]);
        assert_eq!(queue.end(Ticket(2)), Some(Stage::Waiting));
        let order: Vec<u64> = std::iter::from_fn(|| queue.take_first())
            .map(|waiting| waiting.ticket.0)
            .collect();
        assert_eq!(order, [1, 3]);
    }

    #[test]
    fn a_call_ends_once() {
        let mut queue = queue(&[9.0]);
        let ticket = queue.issue();
        queue.run(ticket);
        assert!(queue.is_running(ticket));
        assert_eq!(queue.end(ticket), Some(Stage::Running));
        assert_eq!(queue.end(ticket), None);
        assert_eq!(queue.end(Ticket(1)), Some(Stage::Waiting));
        assert_eq!(queue.end(Ticket(1)), None);
    }

    #[test]
    fn calls_wait_until_their_deadline_and_no_longer() {
        let mut queue = queue(&[9.0, 1.0, 5.0, 1.0]);
        assert_eq!(queue.next_due(None), Some(at(1.0)));
        assert!(queue.take_due(at(0.9), None).is_empty());
        assert_eq!(tickets(&queue.take_due(at(5.0), None)), [2, 3, 4]);
        assert_eq!(queue.next_due(None), Some(at(9.0)));
    }

    #[test]
    fn a_probe_is_waited_for_by_others_for_a_while_only() {
        let mut queue = queue(&[9.0, 9.0, 1.0]);
        let hold = Some(Hold {
            probe: Ticket(1),
            wait: Duration::from_secs(5),
        });
        assert_eq!(tickets(&queue.take_due(at(4.9), hold)), [3]);
        assert_eq!(queue.next_due(hold), Some(at(5.0)));
        assert_eq!(tickets(&queue.take_due(at(5.0), hold)), [2]);
        assert_eq!(queue.next_due(hold), Some(at(9.0)));
    }
}
