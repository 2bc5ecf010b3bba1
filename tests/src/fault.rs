//! Faults between a scripted server and the client, chosen by a sequence of operations.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use mcp_transport::link::{ExchangeId, Inbound, Origin};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::script::frame_of;

/// What happens to one frame on its way to the client.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Fault {
    /// The link ends instead.
    Close,
    /// It comes later.
    Delay(Duration),
    /// It does not come.
    Drop,
    /// It comes twice.
    Duplicate,
    /// A byte of it, counted from the start or the end, is another.
    Garble {
        /// Which byte; taken modulo the length.
        at: usize,
        /// What it is combined with.
        with: u8,
    },
    /// It comes on the stream of another exchange.
    Move(u64),
    /// Nothing.
    Pass,
    /// It is too long, so only its edges come.
    Shorten,
    /// Neither it nor anything after it comes.
    Stall,
    /// It is kept back until after the next one.
    Swap,
    /// Its end is missing.
    Truncate(usize),
}

impl Fault {
    /// The fault that two bytes stand for; most bytes stand for none.
    pub fn of(kind: u8, value: u8) -> Self {
        let number = usize::from(value);
        match kind % 24 {
            0 => Self::Close,
            1 => Self::Delay(Duration::from_secs(value.into())),
            2 => Self::Drop,
            3 => Self::Duplicate,
            4 | 5 => Self::Garble {
                at: number,
                with: value | 1,
            },
            6 => Self::Move(value.into()),
            7 => Self::Shorten,
            8 => Self::Stall,
            9 => Self::Swap,
            10 | 11 => Self::Truncate(number),
            _ => Self::Pass,
        }
    }
}

/// The way to the client, with faults on it; without any left, frames pass.
#[derive(Debug)]
pub struct Faulty {
    inbound: Option<mpsc::Sender<Box<Inbound>>>,
    faults: VecDeque<Fault>,
    kept_back: Vec<Inbound>,
    is_stalled: bool,
}

impl Faulty {
    /// Puts faults on the way, one for each frame.
    pub fn new(
        inbound: mpsc::Sender<Box<Inbound>>,
        faults: impl IntoIterator<Item = Fault>,
    ) -> Self {
        let faults = faults.into_iter().collect();
        Self {
            inbound: Some(inbound),
            faults,
            kept_back: Vec::new(),
            is_stalled: false,
        }
    }

    /// Adds a fault for a later frame.
    pub fn push(&mut self, fault: Fault) {
        self.faults.push_back(fault);
    }

    /// Sends a frame, or what becomes of it.
    pub async fn send(&mut self, origin: Origin, frame: Bytes) {
        let fault = self.faults.pop_front().unwrap_or(Fault::Pass);
        let whole = frame_of(origin, frame.clone());
        match fault {
            Fault::Close => self.inbound = None,
            Fault::Delay(time) => {
                sleep(time).await; // sleep: a fault, under paused time
                self.hand_on(whole).await;
            }
            Fault::Drop => {}
            Fault::Duplicate => {
                self.hand_on(whole.clone()).await;
                self.hand_on(whole).await;
            }
            Fault::Garble { at, with } => {
                let mut frame = BytesMut::from(&*frame);
                let at = at % frame.len().max(1);
                if let Some(byte) = frame.get_mut(at) {
                    *byte ^= with;
                }
                // Transports hand on valid UTF-8.
                let frame = String::from_utf8_lossy(&frame).into_owned();
                self.hand_on(frame_of(origin, frame.into())).await;
            }
            Fault::Move(exchange) => {
                let origin = Origin::Reply(ExchangeId(exchange));
                self.hand_on(frame_of(origin, frame)).await;
            }
            Fault::Pass => self.hand_on(whole).await,
            Fault::Shorten => {
                let edge = frame.len() / 3;
                let len = u64::try_from(frame.len()).unwrap_or(u64::MAX);
                let (head, tail) = (frame.slice(..edge), frame.slice(frame.len() - edge..));
                let too_long = Inbound::TooLong {
                    origin,
                    head,
                    tail,
                    len,
                    len_max: edge,
                };
                self.hand_on(too_long).await;
            }
            Fault::Stall => self.is_stalled = true,
            Fault::Swap => return self.kept_back.push(whole),
            Fault::Truncate(len) => {
                let len = len % (frame.len() + 1);
                let frame = String::from_utf8_lossy(frame.get(..len).unwrap_or_default());
                self.hand_on(frame_of(origin, frame.into_owned().into()))
                    .await;
            }
        }
        for kept in std::mem::take(&mut self.kept_back) {
            self.hand_on(kept).await;
        }
    }

    /// Sends something that is no frame.
    pub async fn hand_on(&mut self, inbound: Inbound) {
        if let Some(to_client) = self.inbound.as_ref().filter(|_open| !self.is_stalled) {
            // A client that has hung up does not matter.
            drop(to_client.send(Box::new(inbound)).await);
        }
    }

    /// Ends the link.
    pub fn close(&mut self) {
        self.inbound = None;
    }
}
