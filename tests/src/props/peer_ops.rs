//! Any sequence of operations on a peer settles each call exactly once.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_jsonrpc::{
    Budget, CallId, CallRefused, ErrorCode, ErrorObject, Event, Limits, Malformed, Outcome, Peer,
    RequestId, Tie, Timeouts,
};

use super::Choices;
use super::frames::start;

/// The calls that have not ended, with their deadlines, as a model knows them.
#[derive(Debug, Default)]
struct Model {
    open: BTreeMap<u64, Clocks>,
    issued: u64,
    paused_since: Option<Instant>,
    is_closed: bool,
}

/// When a call is due.
#[derive(Clone, Copy, Debug)]
struct Clocks {
    /// How often the clocks of this call alone were stopped.
    stopped: u32,
    idle: Duration,
    idle_at: Instant,
    hard_at: Instant,
}

struct Run {
    peer: Peer<u64>,
    model: Model,
    now: Instant,
}

/// Plays the operations that the bytes stand for, and compares with the model after each.
pub fn peer_ops(data: &[u8]) {
    let mut choices = Choices(data);
    let mut limits = Limits::default();
    (
        limits.calls_in_flight_max,
        limits.asks_in_flight_max,
        limits.misbehavior_max,
    ) = (8, 4, 16);
    let mut run = Run {
        peer: Peer::new(limits),
        model: Model::default(),
        now: start(),
    };
    while !choices.is_empty() {
        run.step(&mut choices);
    }
    run.peer.handle_closed();
    run.model.is_closed = true;
    run.drain();
    assert!(run.model.open.is_empty(), "{:?} never ended", run.model);
}

impl Run {
    fn step(&mut self, choices: &mut Choices<'_>) {
        let op = choices.below(16);
        let call = u64::from(choices.below(12));
        let id = CallId::new(call);
        match op {
            0..=3 => self.call(choices),
            4..=7 => self.frame(call, choices),
            8 => {
                let waiter = self.peer.abandon(id);
                assert_eq!(waiter, self.model.open.remove(&call).map(|_clocks| call));
            }
            9 => self.wait(Duration::from_secs(u64::from(choices.below(40)))),
            10 if choices.below(2) == 0 => self.pause_or_resume(),
            10 => self.pause_or_resume_one(call, choices.below(2) == 0),
            11 => {
                self.peer.touch(self.now, id);
                let now = self.model.paused_since.unwrap_or(self.now);
                if let Some(clocks) = self.model.open.get_mut(&call) {
                    clocks.idle_at = now + clocks.idle;
                }
            }
            12 => {
                self.peer.handle_lost(id);
                self.drain();
                assert!(!self.model.open.contains_key(&call), "call {call} was lost");
            }
            13 => self.too_long(call, choices),
            14 => self.answer(choices),
            _ if choices.below(8) == 0 => {
                self.peer.handle_closed();
                self.model.is_closed = true;
            }
            _ => self.peer.notify("notice", |_out| ()),
        }
        self.drain();
        assert_eq!(self.peer.in_flight(), self.model.open.len());
        assert!(self.peer.asks_open() <= 4);
        assert!(
            !self.model.is_closed || self.model.open.is_empty(),
            "{:?}",
            self.model
        );
    }

    fn call(&mut self, choices: &mut Choices<'_>) {
        let hard = Duration::from_secs(u64::from(choices.below(60)));
        let timeouts = Timeouts::new(hard.mul_f32(0.5), hard);
        let waiter = self.model.issued + 1;
        match self
            .peer
            .call(self.now, timeouts, waiter, "m", |_call, _out| ())
        {
            Ok(call) => {
                assert_eq!(call.number(), waiter, "ids count up");
                self.model.issued = waiter;
                let begin = self.model.paused_since.unwrap_or(self.now);
                let idle = hard.mul_f32(0.5);
                let clocks = Clocks {
                    stopped: 0,
                    idle,
                    idle_at: begin + idle,
                    hard_at: begin + hard,
                };
                self.model.open.insert(waiter, clocks);
            }
            Err((back, refused)) => {
                assert_eq!(back, waiter);
                let is_full = self.model.open.len() == 8;
                match refused {
                    CallRefused::Closed => assert!(self.model.is_closed),
                    _ => assert!(is_full && !self.model.is_closed),
                }
            }
        }
    }

    /// A frame that names a call, in one of the ways in which servers write it.
    fn frame(&mut self, call: u64, choices: &mut Choices<'_>) {
        let (frame, ends) = match choices.below(16) {
            0 => (
                format!(r#"{{"jsonrpc":"2.0","id":{call},"result":{{}}}}"#),
                true,
            ),
            1 => (
                format!(r#"{{"result":{{}},"jsonrpc":"2.0","id":{call}}}"#),
                true,
            ),
            2 => (format!(r#"{{"id":"{call}","result":{{}}}}"#), true),
            3 => (
                format!(r#"{{"jsonrpc":"2.0","id":{call}.0,"error":"no"}}"#),
                true,
            ),
            4 => (
                format!(r#"[{{"jsonrpc":"2.0","id":{call},"result":[1]}}]"#),
                true,
            ),
            5 => (
                format!(r#"{{"jsonrpc":"2.0","id":{call},"result":{{"x":tru"#),
                true,
            ),
            6 => (
                format!(r#"{{"jsonrpc":"2.0","id":{call},"result":1,"error":{{}}}}"#),
                true,
            ),
            7 => (format!(r#""id": {call},"#), true),
            8 => (
                format!(r#"{{"id":{call},"result":{}}}"#, "[".repeat(200)),
                true,
            ),
            9 => (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#.to_owned(),
                false,
            ),
            10 => (
                format!(r#"{{"jsonrpc":"2.0","id":{call},"method":"ask"}}"#),
                false,
            ),
            11 => (
                r#"{"jsonrpc":"2.0","method":"notice","params":null}"#.to_owned(),
                false,
            ),
            12 => (choices.text(), false),
            13 => (
                format!(r#"{{"jsonrpc":"2.0","result":{{"id":{call}}}}}"#),
                false,
            ),
            14 => (
                format!(r#"{{"jsonrpc":"2.0","id":{call},"id":{call},"result":0}}"#),
                true,
            ),
            _ => ("[]".to_owned(), false),
        };
        let tie = choices.below(8);
        let tied = match tie {
            0 => Tie::Reply(CallId::new(u64::from(choices.below(12)))),
            1 => Tie::Stream(CallId::new(u64::from(choices.below(12)))),
            _ => Tie::None,
        };
        let before = self.model.open.len();
        self.peer.handle_frame(Bytes::from(frame.clone()), tied);
        self.drain();
        assert!(
            !ends || !self.model.open.contains_key(&call),
            "not ended by {frame}"
        );
        let ended = before - self.model.open.len();
        assert!(ended <= 1, "{ended} calls ended by {frame}");
    }

    fn too_long(&mut self, call: u64, choices: &mut Choices<'_>) {
        let head = match choices.below(3) {
            0 => format!(r#"{{"jsonrpc":"2.0","id":{call},"result":{{"#),
            1 => r#"{"result":{"#.to_owned(),
            _ => choices.text(),
        };
        let tail = format!(r#""}},"id":{call}}}"#);
        let malformed = Malformed::TooLong {
            len: 99,
            len_max: 9,
        };
        self.peer
            .handle_too_long(head.into(), tail.as_bytes(), malformed, Tie::None);
    }

    /// Answers, refuses or forgets a request of the other side; which may not be open.
    fn answer(&mut self, choices: &mut Choices<'_>) {
        let id = RequestId::Number(i64::from(choices.below(12)));
        let open = self.peer.asks_open();
        let was_open = match choices.below(3) {
            0 => self.peer.respond(&id, |out| out.extend_from_slice(b"{}")),
            1 => self.peer.refuse(&id, &ErrorObject::new(ErrorCode(1), "no")),
            _ => self.peer.withdraw(&id),
        };
        assert_eq!(self.peer.asks_open() + usize::from(was_open), open);
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        if self.model.paused_since.is_none() {
            let open = self.model.open.values_mut();
            for clocks in open.filter(|clocks| clocks.stopped > 0) {
                clocks.idle_at += time;
                clocks.hard_at += time;
            }
        }
        self.peer.handle_timeout(self.now);
        self.drain();
        if self.model.paused_since.is_none() {
            let now = self.now;
            let open = self.model.open.values();
            let mut open = open.filter(|clocks| clocks.stopped == 0);
            let due = open.find(|clocks| clocks.hard_at.min(clocks.idle_at) <= now);
            assert!(due.is_none(), "a call outlived its deadline");
            let wanted = self.peer.poll_timeout();
            let mut open = self.model.open.values();
            assert!(
                open.all(|clocks| clocks.stopped > 0) || wanted.is_some(),
                "no timer for an open call"
            );
        }
    }

    fn pause_or_resume(&mut self) {
        match self.model.paused_since.take() {
            None => {
                self.peer.pause(self.now);
                self.model.paused_since = Some(self.now);
            }
            Some(since) => {
                self.peer.resume(self.now);
                let pause = self.now - since;
                for clocks in self.model.open.values_mut() {
                    clocks.idle_at += pause;
                    clocks.hard_at += pause;
                }
            }
        }
    }

    /// Stops the clocks of a call, or lets them run on; which may not be open.
    fn pause_or_resume_one(&mut self, call: u64, pauses: bool) {
        let Some(clocks) = self.model.open.get_mut(&call) else {
            return;
        };
        if pauses {
            self.peer.pause_call(self.now, CallId::new(call));
            clocks.stopped += 1;
        } else if clocks.stopped > 0 {
            self.peer.resume_call(self.now, CallId::new(call));
            clocks.stopped -= 1;
        }
    }

    /// Takes what came of it; a call must be open to end.
    fn drain(&mut self) {
        while let Some(event) = self.peer.poll_event() {
            if let Event::Settled {
                call,
                waiter,
                outcome,
            } = event
            {
                assert_eq!(call.number(), waiter);
                let clocks = self.model.open.remove(&waiter);
                let clocks = clocks.expect("a call ended twice, or was never made");
                if let Outcome::TimedOut(budget) = outcome {
                    let is_hard = budget == Budget::Hard;
                    let due = if is_hard {
                        clocks.hard_at
                    } else {
                        clocks.idle_at
                    };
                    let is_running = self.model.paused_since.is_none() && clocks.stopped == 0;
                    assert!(
                        is_running && due <= self.now,
                        "call {waiter} ended too early"
                    );
                }
            }
        }
        while self.peer.poll_transmit().is_some() {}
    }
}
