//! The laws hold for any inputs at any times, also for those of a driver that is wrong.

use proptest::prelude::*;

use super::laws::{Input, Watched};
use super::*;
use crate::life::{BreakerPolicy, State};

/// Inputs by number, about whatever there is at that moment.
#[derive(Clone, Copy, Debug)]
struct Op {
    kind: u8,
    which: u8,
    /// Tenths of seconds before it; the highest stand for the time until the life wants to wake.
    pause: u8,
}

const WAKES: u8 = 100;

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = (any::<u8>(), any::<u8>(), any::<u8>());
    let op = op.prop_map(|(kind, which, pause)| Op { kind, which, pause });
    proptest::collection::vec(op, 1..150)
}

fn policies() -> impl Strategy<Value = LifePolicy> {
    let some = (1..4_usize, 0..3_u32, 1..4_u32, 0..2_u64, any::<bool>());
    some.prop_map(
        |(parallel, retries, threshold, probe_wait, recycles)| LifePolicy {
            reconnect: ReconnectPolicy {
                initial_retries: retries,
                retries: retries + 1,
                ..ReconnectPolicy::default()
            },
            breaker: BreakerPolicy {
                threshold,
                cooldown: secs(10),
                probe_wait: secs(probe_wait),
            },
            keepalive_interval: secs(20),
            idle_timeout: recycles.then(|| secs(30)),
            max_lifetime: recycles.then(|| secs(45)),
            lazy: threshold == 1,
            parallel_calls_max: parallel,
            queue_len_max: 3,
            ..LifePolicy::default()
        },
    )
}

fn fault(which: u8) -> Fault {
    let kind = match which % 8 {
        0 => FaultKind::Configuration,
        1 => FaultKind::Login,
        _ => FaultKind::Transient,
    };
    Fault::new(kind, "a reason")
}

fn call_end(which: u8) -> CallEnd {
    match which % 9 {
        0 => CallEnd::Abandoned,
        1 => CallEnd::Lost(transient()),
        2 => CallEnd::Unauthorized(Fault::new(FaultKind::Login, "status 401")),
        3 => CallEnd::Unreachable(transient()),
        4..=6 => CallEnd::TimedOut,
        _ => CallEnd::Answered,
    }
}

/// The epoch that is meant: mostly the one that is expected, at times another.
fn epoch(expected: Option<Epoch>, life: &Watched, which: u8) -> Epoch {
    let other = u64::from(which % 3);
    let other = Epoch((life.connects + 1).saturating_sub(other));
    expected
        .filter(|_| !which.is_multiple_of(5))
        .unwrap_or(other)
}

fn input(life: &Watched, now: Instant, op: Op) -> Input {
    let which = op.which;
    let closing = life.closing.map(|(epoch, _)| epoch);
    let (live, check) = life.check.unwrap_or((Epoch(1), CheckId(1)));
    let ticket = |which: u8| {
        let index = usize::from(which) % life.open.len().max(1);
        life.open
            .get(index)
            .map_or_else(|| Ticket(u64::from(which)), |open| open.ticket)
    };
    match op.kind % 24 {
        0 => Input::Connect,
        1 => Input::Discover,
        2 if which.is_multiple_of(4) => Input::Disable(secs(u64::from(which % 3))),
        2 => Input::Enable,
        3 if which == 0 => Input::Close(secs(2)),
        3 => Input::Heard(epoch(life.live, life, which)),
        4..=6 => Input::Connected(epoch(life.attempt, life, which)),
        7 | 8 => Input::ConnectFailed(epoch(life.attempt, life, which), fault(which)),
        9 | 10 => Input::Lost(epoch(life.live, life, which), fault(which | 6)),
        11 => Input::Checked(live, check, Ok(())),
        12 => Input::Checked(live, check, Err(fault(which | 2))),
        13 | 14 => Input::Closed(epoch(closing, life, which)),
        15..=19 => Input::Admit {
            deadline: now + secs(u64::from(which % 40)),
        },
        20..=22 => Input::End(ticket(which), call_end(op.pause)),
        _ => Input::Wake,
    }
}

/// Wakes a life as often as it wants to be woken now; a life that always wants to never rests.
fn settle(life: &mut Watched, now: Instant) -> Result<(), TestCaseError> {
    let mut effects = Vec::new();
    for _ in 0..6 {
        if life.life.next_wake().is_none_or(|wake| wake > now) {
            return Ok(());
        }
        let applied = life.apply(now, &Input::Wake, &mut effects);
        applied.map_err(TestCaseError::fail)?;
    }
    Err(TestCaseError::fail("the life wants to be woken for ever"))
}

/// Does what the operations say, and gives the life and the time.
fn run(policy: LifePolicy, seed: u64, ops: &[Op]) -> Result<(Watched, Instant), TestCaseError> {
    let mut now = at(0.0);
    let mut life = Watched::new(now, policy, seed);
    for op in ops {
        now = match life.life.next_wake() {
            Some(wake) if op.pause >= WAKES => wake.max(now),
            _ => now + Duration::from_millis(u64::from(op.pause % WAKES) * 100),
        };
        settle(&mut life, now)?;
        let input = input(&life, now, *op);
        let applied = life.apply(now, &input, &mut Vec::new());
        applied.map_err(|law| TestCaseError::fail(format!("{law}, after {input:?}")))?;
        settle(&mut life, now)?;
    }
    Ok((life, now))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn no_course_of_events_breaks_a_law(policy in policies(), seed: u64, ops in ops()) {
        run(policy, seed, &ops)?;
    }

    #[test]
    fn a_life_whose_driver_falls_silent_comes_to_rest(policy in policies(), ops in ops()) {
        let (mut life, mut now) = run(policy, 1, &ops)?;
        // The client ends each call by itself, so these are the last words.
        for open in life.open.clone() {
            let input = Input::End(open.ticket, CallEnd::TimedOut);
            let applied = life.apply(now, &input, &mut Vec::new());
            applied.map_err(TestCaseError::fail)?;
        }
        for _ in 0..60 {
            let is_at_rest = matches!(
                life.life.state(),
                State::Closed | State::Disabled | State::Idle | State::Parked | State::Recycled
            );
            if is_at_rest && life.closing.is_none() {
                prop_assert!(life.open.is_empty());
                return Ok(());
            }
            now = life.life.next_wake().unwrap_or(now).max(now);
            settle(&mut life, now)?;
        }
        prop_assert!(false, "it is still {}", life.life.state());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Calls may bring a parked server back once a minute, and nothing more often.
    #[test]
    fn a_server_that_drops_every_connection_is_rarely_started(
        seed: u64,
        lives in proptest::collection::vec(1..2_000_u64, 1..20),
        is_called: bool,
    ) {
        let policy = LifePolicy::default();
        let reconnect = policy.reconnect.clone();
        let mut now = at(0.0);
        let end = at(86_400.0);
        let mut life = Watched::new(now, policy, seed);
        let apply = |life: &mut Watched, now: Instant, input: Input| {
            life.apply(now, &input, &mut Vec::new()).map_err(TestCaseError::fail)
        };
        apply(&mut life, now, Input::Connect)?;
        let mut lives = lives.iter().cycle();
        while now < end {
            if let Some(epoch) = life.attempt {
                apply(&mut life, now, Input::Connected(epoch))?;
                now += Duration::from_millis(*lives.next().unwrap_or(&1));
                apply(&mut life, now, Input::Lost(epoch, transient()))?;
                apply(&mut life, now, Input::Closed(epoch))?;
            }
            now += secs(1);
            if is_called {
                apply(&mut life, now, Input::Admit { deadline: now + secs(30) })?;
            }
            settle(&mut life, now)?;
        }
        let pause = if is_called { reconnect.park_call_after } else { reconnect.park_probe_interval };
        let most = 1 + u64::from(reconnect.retries) + 86_400 / pause.as_secs();
        prop_assert!(life.connects <= most, "{} of {most}", life.connects);
    }
}
