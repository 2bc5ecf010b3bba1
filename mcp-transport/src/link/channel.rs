//! A link over bounded channels.

use std::collections::VecDeque;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{
    Closed, ClosedKind, ExchangeId, Inbound, Outbound, Retracted, SendError, Sending, WritableKind,
};
use crate::Limits;

/// The other end of a link over channels: a transport, or a scripted server.
///
/// What passes through is boxed: a channel sets room for 32 of its items aside as long as it
/// exists, and most links are idle most of the time.
#[derive(Debug)]
#[non_exhaustive]
pub struct FarEnd {
    /// What was sent; ends when the sending half is closed or dropped.
    pub outbound: mpsc::Receiver<Box<Outbound<Bytes>>>,
    /// What is to be received; dropping it ends the link.
    pub inbound: mpsc::Sender<Box<Inbound>>,
}

#[derive(Debug)]
pub(super) struct ChannelSender {
    /// `None` once closed.
    queue: Option<mpsc::Sender<Box<Outbound<Bytes>>>>,
    /// What did not fit into the queue yet.
    unsent: VecDeque<Box<Outbound<Bytes>>>,
    unsent_len: usize,
    unsent_len_max: usize,
}

#[derive(Debug)]
pub(super) struct ChannelReceiver {
    queue: mpsc::Receiver<Box<Inbound>>,
    /// What was taken from the queue; empty unless it is being handed on.
    #[expect(clippy::vec_box, reason = "the queue holds them so")]
    taken: Vec<Box<Inbound>>,
    queue_len_max: usize,
    is_closed: bool,
    /// The task that serves the far end; it ends by itself once the sending half is closed.
    task: Option<JoinHandle<()>>,
}

pub(super) fn pair(limits: Limits) -> (ChannelSender, ChannelReceiver, FarEnd) {
    let (to_far, outbound) = mpsc::channel(limits.queue_len_max.max(1));
    let (inbound, from_far) = mpsc::channel(limits.queue_len_max.max(1));
    let sender = ChannelSender {
        queue: Some(to_far),
        unsent: VecDeque::new(),
        unsent_len: 0,
        unsent_len_max: limits.unsent_len_max,
    };
    let receiver = ChannelReceiver {
        queue: from_far,
        taken: Vec::new(),
        queue_len_max: limits.queue_len_max.max(1),
        is_closed: false,
        task: None,
    };
    (sender, receiver, FarEnd { outbound, inbound })
}

/// What an item counts against the bound; those without a body count for their own size.
fn weight(outbound: &Outbound<Bytes>) -> usize {
    size_of::<Outbound<Bytes>>()
        + match outbound {
            Outbound::Notify { body, .. } | Outbound::Send { body, .. } => body.len(),
            _ => 0,
        }
}

impl ChannelSender {
    pub(super) fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    pub(super) fn push(&mut self, outbound: Outbound<&[u8]>) -> Result<(), SendError> {
        if self.queue.is_none() {
            return Err(SendError::Closed);
        }
        let outbound = outbound.into_owned();
        let weight = weight(&outbound);
        if self.unsent_len.saturating_add(weight) > self.unsent_len_max {
            return Err(SendError::Full);
        }
        self.unsent_len += weight;
        self.unsent.push_back(Box::new(outbound));
        Ok(())
    }

    pub(super) fn try_flush(&mut self) -> Result<Sending, SendError> {
        let Some(queue) = &self.queue else {
            return Err(SendError::Closed);
        };
        while let Some(next) = self.unsent.pop_front() {
            let weight = weight(&next);
            match queue.try_send(next) {
                Ok(()) => self.unsent_len -= weight,
                Err(mpsc::error::TrySendError::Full(next)) => {
                    self.unsent.push_front(next);
                    return Ok(Sending::Blocked);
                }
                Err(mpsc::error::TrySendError::Closed(next)) => {
                    // What waits stays, so that it can be told from what has left.
                    self.unsent.push_front(next);
                    self.queue = None;
                    return Err(SendError::Closed);
                }
            }
        }
        Ok(Sending::Done)
    }

    pub(super) fn retract(&mut self, exchange: ExchangeId) -> Retracted {
        let found = self.unsent.iter().position(
            |unsent| matches!(**unsent, Outbound::Send { exchange: sent, .. } if sent == exchange),
        );
        match found.and_then(|at| self.unsent.remove(at)) {
            Some(unsent) => {
                self.unsent_len -= weight(&unsent);
                Retracted::Unsent
            }
            None => Retracted::Begun,
        }
    }

    pub(super) fn close(&mut self) {
        self.queue = None;
        self.unsent.clear();
        self.unsent_len = 0;
    }

    pub(super) fn writable(&self) -> WritableKind {
        self.queue
            .clone()
            .map_or(WritableKind::Closed, WritableKind::Channel)
    }
}

impl ChannelReceiver {
    pub(super) async fn receive(&mut self, batch: &mut Vec<Inbound>) {
        if self.is_closed {
            std::future::pending::<()>().await;
        }
        let queue = &mut self.queue;
        if queue.recv_many(&mut self.taken, self.queue_len_max).await == 0 {
            batch.push(Inbound::Closed(Closed::new(ClosedKind::EndOfStream)));
        }
        batch.extend(self.taken.drain(..).map(|inbound| *inbound));
        self.is_closed = matches!(batch.last(), Some(Inbound::Closed(_)));
    }

    pub(super) fn set_task(&mut self, task: JoinHandle<()>) {
        self.task = Some(task);
    }

    /// Waits until the far end has put its things in order, for which it has bounds of its own.
    pub(super) async fn close(self) {
        // What still comes in is of no use to anybody, and must not keep the far end waiting.
        drop(self.queue);
        if let Some(task) = self.task {
            // A far end that panicked has ended as well.
            let _: Result<(), tokio::task::JoinError> = task.await;
        }
    }
}
